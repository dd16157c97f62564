"""Kept plans looked at again: run once more, checked against a question, restated with today's program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.tui.actions.studies import worked_out
from fleettui.tui.typed import needed

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


async def rerun(app: FleetApp) -> None:
    """Run a kept plan again from what the store holds, and show whether it is the same to the byte."""
    from fleettui.planning import rerun as use_case
    from fleettui.reports.rerun_text import rerun_text
    from fleettui.tui.lookups import ask, here, show

    help = "a plan's handle or its start, its name, last, last~1; a proof takes as long as it took"
    ref = await ask(app, "rerun", help, here(app) or "last", needed)
    if ref is not None:
        found = await worked_out(app, f"rerun {ref}", lambda store, pool: use_case.rerun(store, ref, pool=pool))
        show(app, f"rerun {ref}", lambda width: rerun_text(found, width))
