"""Whether a kept plan still holds: a question file is answered anew, and held to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.user_files import read_text
from fleettui.tui.actions.pages import ask, here, show
from fleettui.tui.actions.studies import worked_out
from fleettui.tui.prompt_values import existing

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


async def check(app: FleetApp) -> None:
    """Answer a question file anew, hold it to a kept plan where one is named, and show whether it holds."""
    from fleettui.planning import check as use_case
    from fleettui.planning import settings
    from fleettui.reports.question import conversion, question_file

    path = await ask(app, "check: question", "the path of a question file", "", existing)
    if path is None:
        return
    texts = question_file.read(read_text(path, "question"), path)
    question = conversion.to_question(
        conversion.parse(conversion.merge([texts, settings.question_texts(settings.settings())]))
    )
    help = "the plan whose GPUs and cost it may not exceed; empty for none"
    against = await ask(app, "check: against", help, here(app), str)
    if against is None:
        return
    found = await worked_out(
        app,
        f"check {path}",
        lambda tools: use_case.check(question, store=tools.store, against=against, pool=tools.pool),
    )
    app.state.changed()
    show(app, f"check {path}", found.text)
