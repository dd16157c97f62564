"""Kept plans looked at again: run once more, or checked against a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.user_files import read_text
from fleettui.tui.actions.studies import worked_out
from fleettui.tui.prompt_values import existing, needed

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


async def check(app: FleetApp) -> None:
    """Answer a question file anew, hold it to a kept plan where one is named, and show whether it holds."""
    from fleettui.planning import check as use_case
    from fleettui.planning import settings
    from fleettui.reports.check_text import check_text
    from fleettui.reports.question import conversion, question_file
    from fleettui.tui.palette_commands import ask, here, show

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
        lambda store, pool: use_case.check(question, store=store, against=against, pool=pool),
    )
    app.desk.changed()
    show(app, f"check {path}", lambda width: check_text(found, width))


async def rerun(app: FleetApp) -> None:
    """Run a kept plan again from what the store holds, and show whether it is the same to the byte."""
    from fleettui.planning.rerun import rerun as again
    from fleettui.reports.rerun_text import rerun_text
    from fleettui.tui.palette_commands import ask, here, show

    help = "a plan's handle or its start, its name, last, last~1; a proof takes as long as it took"
    ref = await ask(app, "rerun", help, here(app) or "last", needed)
    if ref is not None:
        found = await worked_out(app, f"rerun {ref}", lambda store, pool: again(store, ref, pool=pool))
        show(app, f"rerun {ref}", lambda width: rerun_text(found, width))
