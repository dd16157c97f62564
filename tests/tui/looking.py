"""Looking at view after view once all that they show has been read."""

from __future__ import annotations

from collections.abc import AsyncIterator

from textual.pilot import Pilot

from fleettui.tui.app import FleetApp
from fleettui.tui.tabs import VIEWS, make
from fleettui.tui.tabs.plan_aspect import AspectView
from tests.tui.driving import settle
from tests.tui.frames import frame
from tests.tui.idle import wait_for_idle

NAMES = tuple(view.name for view in VIEWS)
ASPECTS = tuple(name for name in NAMES if isinstance(make(name), AspectView))
"""The views that are one text about the plan."""
PAUSE = 0.15
"""Seconds within which a timer is waited for before a screen is thought to be done: longer than a cursor rests."""
LOOKS = 60


async def still(pilot: Pilot[int]) -> str:
    """Return the frame once it has not changed for a while."""
    seen = ""
    for _ in range(LOOKS):
        if len(pilot.app.screen_stack) == 1:
            await settle(pilot)
        await wait_for_idle(soon=PAUSE)
        before, seen = seen, frame(pilot.app)
        if seen == before and seen.strip():  # a screen that is just opened is empty at first
            return seen
    raise AssertionError(f"it is never still:\n{seen}")


async def look(pilot: Pilot[int], name: str) -> str:
    """Return the frame of a view."""
    assert isinstance(pilot.app, FleetApp)
    pilot.app.action_do(f"view_{name}")
    return await still(pilot)


async def views(app: FleetApp, pilot: Pilot[int]) -> AsyncIterator[tuple[str, str]]:
    """Look at every view, plans being marked before they are compared; yield its name and frame while it is seen."""
    app.state.marks = frozenset()
    for name in NAMES:
        if name == "compare":
            ids = await app.state.thread.read(lambda store: [row.id for row in store.plans()])
            app.state.marks = frozenset(ids[2:4])
        yield name, await look(pilot, name)
