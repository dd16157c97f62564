"""Waiting until an app has nothing to do, as its event loop knows; the pilot of Textual watches the processor."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from textual import app, pilot, screen

Found = TypeVar("Found")

DRAWING = 0.001
"""Seconds that a screen gathers changes before it draws them; Textual's own 17 ms would be waited for at each step."""
SOON = 0.02
"""Seconds within which a timer is waited for: longer than the screen takes to draw what has changed."""
PATIENCE = 1.0
"""Seconds after which an app that is never idle is waited for no longer."""
READING = 0.001
"""Seconds between two looks at what other threads read."""
CALM = 3
"""Turns of the loop in a row with nothing to do, after which nothing is thought to come any more."""


class Reading:
    """How many functions run in threads for the app."""

    def __init__(self) -> None:
        self.count = 0
        self._to_thread = asyncio.to_thread

    async def to_thread(self, function: Callable[..., Found], /, *given: Any, **named: Any) -> Found:
        """Run `function` in a thread, and count it until it has returned."""
        self.count += 1
        try:
            return await self._to_thread(function, *given, **named)
        finally:
            self.count -= 1


READ = Reading()


async def wait_for_idle(_least: float = 0.0, most: float = PATIENCE, *, soon: float = SOON) -> None:
    """Wait until nothing is to be done at once, no timer ends within `soon` seconds, and no thread reads."""
    loop: Any = asyncio.get_running_loop()
    started, calm = time.monotonic(), 0
    horizon = loop.time() + soon
    while calm < CALM and time.monotonic() - started < most:
        ends = [timer.when() for timer in loop._scheduled if not timer.cancelled()]
        due = min((end for end in ends if end <= horizon), default=None)
        if loop._ready:
            calm = 0
            await asyncio.sleep(0)
        elif READ.count:
            calm = 0
            await asyncio.sleep(READING)
        elif due is not None:
            calm = 0
            await asyncio.sleep(max(due - loop.time(), 0.0))
        else:
            calm += 1
            await asyncio.sleep(0)


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every press and every pause of a pilot wait in this way, for screens that draw at once."""
    monkeypatch.setattr(screen, "UPDATE_PERIOD", DRAWING)
    monkeypatch.setattr(asyncio, "to_thread", READ.to_thread)
    for module in (app, pilot):
        monkeypatch.setattr(module, "wait_for_idle", wait_for_idle)
