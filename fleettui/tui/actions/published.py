"""The papers' published tables, from the palette: one table or all, computed, kept and shown on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.published import publish
from fleettui.tui.actions.studies import work_out
from fleettui.tui.modals.prompt import Prompt

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp

EVERY = "all"
HELP = "FO T2, T3, T5, T6, 7.4; IFS T1-T4, T6-T9, Eq. 6; or all of them (minutes)"


async def published(app: FleetApp) -> None:
    """Ask which table, compute it, and show it as the command prints it."""
    text = await app.push_screen_wait(Prompt("published", value="FO T3", help=HELP))
    if text is None:
        return
    named = text.strip()
    asked = None if named.lower() in ("", EVERY) else named
    await work_out(app, f"published {named}", lambda store, pool: publish(asked, store=store, pool=pool))
