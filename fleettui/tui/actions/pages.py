"""What is asked for in one line, and what is shown on a page above the view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt

if TYPE_CHECKING:
    from fleettui.reports.chart import Chart
    from fleettui.tui.app import FleetApp

NARROWEST, WIDEST, FRAME = 40, 120, 4
"""Columns of a page's text, and what its frame takes of the screen's."""
REF = "a plan's handle or its start, its name, last, last~1"
"""What names a kept plan."""
Writer: TypeAlias = Callable[[int], str]
"""Writes a text for a width."""
NEWEST = 200
"""Plans whose names the tab key knows."""
SOON = 0.2
"""Seconds between two looks at whether there is room for a page."""


async def ask(
    app: FleetApp,
    label: str,
    help: str,
    value: str = "",
    check: Callable[[str], object] | None = None,
    *,
    words: Iterable[str] = (),
) -> str | None:
    """Return what is typed, without blanks around it, or None; what `check` refuses is not taken.

    The tab key completes from `words` and files, or where the help speaks of plans from the newest of these.
    """
    of_plan = REF in help
    known = [*words, *(await _plans(app) if of_plan else ())]
    prompt = Prompt(label, value=value, help=help, check=check, words=known, files=not of_plan)
    text = await app.push_screen_wait(prompt)
    return None if text is None else text.strip()


async def _plans(app: FleetApp) -> list[str]:
    """Return the handles and names of the newest plans."""
    rows = await app.state.thread.read(lambda store: store.plans(limit=NEWEST))
    return ["last", *(word for row in rows for word in (row.handle, row.name) if word and " " not in word)]


def show(app: FleetApp, title: str, write: Writer, charts: Sequence[Chart] = ()) -> None:
    """Show what `write` makes for the width of the screen, below the plots of `charts`, one at a time, if any.

    It covers nothing that is typed or read meanwhile, but comes when that is left.
    """
    if app.screen is not app.base:
        app.set_timer(SOON, partial(app.do, partial(show, app, title, write, charts)))
        return
    app.push_screen(Page(title, write(min(max(app.size.width - FRAME, NARROWEST), WIDEST)), charts))


def here(app: FleetApp) -> str:
    """Return the handle of the plan that is shown, empty where it is not kept."""
    shown = app.state.shown
    return shown.row.handle if shown is not None and shown.row is not None and not app.state.superseded else ""
