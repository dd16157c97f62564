"""What is asked for in one line, and what is shown on a page above the view."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from fleettui.errors import InputError
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.turns import keys_go_on

if TYPE_CHECKING:
    from fleettui.reports.chart import Chart
    from fleettui.tui.app import FleetApp

Found = TypeVar("Found")
NARROWEST, WIDEST, FRAME = 40, 120, 4
"""Columns of a page's text, and what its frame takes of the screen's."""
REF = "a plan's handle or its start, its name, last, last~1"
"""What names a kept plan."""
Writer: TypeAlias = Callable[[int], str]
"""Writes a text for a width."""
NEWEST = 200
"""Plans whose names the tab key knows."""
SOON = 0.2
"""Seconds between two looks at whether there is room for a page or a line."""


async def ask(
    app: FleetApp,
    label: str,
    help: str,
    value: str = "",
    check: Callable[[str], object] | None = None,
    *,
    words: Iterable[str] = (),
    refusal: str = "",
) -> str | None:
    """Return what is typed, without blanks around it, or None; what `check` refuses is not taken.

    `refusal` is why `value`, which was typed before, was refused.
    The tab key completes from `words` and files, or where the help speaks of plans from the newest of these.
    """
    of_plan = REF in help
    known = [*words, *(await _plans(app) if of_plan else ())]
    prompt = Prompt(label, value=value, help=help, refusal=refusal, check=check, words=known, files=not of_plan)
    text = await app.push_screen_wait(prompt)
    return None if text is None else text.strip()


async def done(
    app: FleetApp,
    line: Callable[[str, str], Awaitable[str | None]],
    work: Callable[[str], Awaitable[Found]],
    value: str = "",
) -> tuple[str, Found] | None:
    """Return the line that is typed and what `work` makes of it, None after escape.

    `line` asks, given what stands there and why that was refused. A line that `work` refuses stands there again.
    """
    refusal = ""
    while (typed := await line(value, refusal)) is not None:
        try:
            return typed, await work(typed)
        except InputError as error:
            value, refusal = typed, str(error)
        with keys_go_on():
            while app.screen is not app.base:
                await asyncio.sleep(SOON)
    return None


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
