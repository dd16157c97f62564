"""What a plan was forked from and what from it: one is chosen from the tree, and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.ancestry import family
from fleettui.reports.ancestry_text import EARLIER, MORE, NO_KIN, family_lines
from fleettui.tui.actions.labels import selected
from fleettui.tui.actions.navigation import show_plan
from fleettui.tui.actions.studies import SCROLLBAR
from fleettui.tui.modals.choose import Choose
from fleettui.tui.tabs import named
from fleettui.tui.widgets.choice_list import NONE

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


async def forks(app: FleetApp) -> None:
    """Let a plan of the family be chosen, and show it; a plan that has none says so."""
    plan = selected(app)
    found = await app.state.thread.read(lambda store: family(store, plan))
    if found.alone:
        row = found.relatives[0].row
        raise InputError(
            f"{row.handle} was {NO_KIN}", remedy=f"opened in {named('fleet').label}, f asks a what-if of it"
        )
    lines = family_lines(found, app.size.width - len(NONE) - SCROLLBAR)
    beyond = (EARLIER if found.earlier else "", MORE if found.more else "")
    label = "   ".join(filter(None, ("forks", *beyond)))
    chosen = await app.push_screen_wait(Choose(label, lines, chosen=plan))
    if chosen is not None:
        await show_plan(app, chosen)
