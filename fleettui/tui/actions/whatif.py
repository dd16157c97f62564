"""What-if questions about the plan that is shown, from the palette: one line, answered on a page and kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning import whatif as use_case
from fleettui.reports.question import sweep
from fleettui.reports.question.spans import GROWTH
from fleettui.reports.study_text import study_text
from fleettui.tui.actions.labels import selected
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.tui.app import FleetApp

Work = Callable[..., Awaitable["Study"]]
LEAD_DAYS = 84.0
HELP = f"steps; sensitivity; growth 8%/month; or a sweep: {sweep.EXAMPLE}"
NARROWEST, WIDEST, FRAME = 40, 120, 4


def asked(text: str, today: date) -> Work:
    """Return the use case that a line asks for; sweeps are read where the plan is known. Raises InputError."""
    word, _, rest = text.strip().partition(" ")
    if word == "steps" and not rest:
        return use_case.step_table
    if word == "sensitivity" and not rest:
        return use_case.sensitivity
    if word == "growth":
        return partial(use_case.growth, per_month=GROWTH.parse(rest, "growth"), lead_days=LEAD_DAYS, start=today)
    if "=" in word:
        return partial(use_case.sweep, texts=tuple(text.split()))
    raise InputError("this is no what-if question", value=text, accepted=HELP)


async def whatif(app: FleetApp) -> None:
    """Ask what would be if the shown plan's inputs were others, and show the study that is kept."""
    plan, today = selected(app), datetime.now().astimezone().date()
    text = await app.push_screen_wait(Prompt("what if", help=HELP, check=lambda typed: asked(typed, today)))
    if text is None:
        return
    store = await app.desk.engine.store()
    work = asked(text, today)

    async def answer(pool: object) -> Study:
        return await work(store, plan, pool=pool)

    found = await app.desk.engine.run(answer)
    width = min(max(app.size.width - FRAME, NARROWEST), WIDEST)
    app.push_screen(Page(f"what if {text}", study_text(found, width)))
