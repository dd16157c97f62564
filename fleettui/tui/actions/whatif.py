"""What-if questions about the plan that is shown, from the palette: one line, answered on a page and kept."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from fleettui.planning.whatif_request import HELP, read_line, work_of
from fleettui.tui.actions.labels import selected
from fleettui.tui.actions.studies import work_out
from fleettui.tui.modals.prompt import Prompt

if TYPE_CHECKING:
    from fleettui.planning.whatif_request import Work
    from fleettui.tui.app import FleetApp


async def whatif(app: FleetApp) -> None:
    """Ask what would be if the shown plan's inputs were others, and show the study that is kept."""
    plan, today = selected(app), datetime.now().astimezone().date()

    def asked(text: str) -> Work:
        return work_of(read_line(text), today)

    text = await app.push_screen_wait(Prompt("what if", help=HELP, check=asked))
    if text is None:
        return
    work = asked(text)
    await work_out(app, f"what if {text}", lambda store, pool: work(store, plan, pool=pool))
