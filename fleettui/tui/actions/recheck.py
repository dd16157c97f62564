"""Kept plans looked at again: run once more, checked against a question, restated with today's program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.user_files import read_text
from fleettui.tui.actions.labels import selected
from fleettui.tui.actions.studies import work_out, worked_out
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
    from fleettui.planning import rerun as use_case
    from fleettui.reports.rerun_text import rerun_text
    from fleettui.tui.palette_commands import ask, here, show

    help = "a plan's handle or its start, its name, last, last~1; a proof takes as long as it took"
    ref = await ask(app, "rerun", help, here(app) or "last", needed)
    if ref is not None:
        found = await worked_out(app, f"rerun {ref}", lambda store, pool: use_case.rerun(store, ref, pool=pool))
        show(app, f"rerun {ref}", lambda width: rerun_text(found, width))


async def backtest(app: FleetApp) -> None:
    """Hold what production showed of the plan that is chosen to its prediction, and show what explains the gap."""
    from fleettui.planning import backtest as use_case
    from fleettui.reports import observed_figures
    from fleettui.tui.palette_commands import ask

    plan = selected(app)
    help = f"{observed_figures.EXAMPLE}{observed_figures.OVER}6h\nof the whole fleet; over an hour unless it says"
    text = await ask(app, "backtest: seen", help, "", observed_figures.read_line)
    if text is not None:
        seen, window = observed_figures.read_line(text)
        await work_out(
            app, "backtest", lambda store, pool: use_case.backtest(store, plan, seen, window=window, pool=pool)
        )


async def restate(app: FleetApp) -> None:
    """Answer kept plans by formula with today's engine and catalogue, and show those that change."""
    from fleettui.planning import restate as use_case
    from fleettui.tui.palette_commands import ask

    query = await ask(app, "restate", "a query as for the list; empty for every kept plan", "", str)
    if query is not None:
        await work_out(app, "restate", lambda store, pool: use_case.restate(store, query, pool=pool))
