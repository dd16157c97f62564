"""Reads what belongs to the row under the cursor: one reading at a time, and none for rows that were only passed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from textual.message_pump import MessagePump
from textual.timer import Timer

from fleettui.tui import turns

PAUSE = 0.12
"""Seconds that the cursor must rest before something is read."""


class BackgroundReader:
    """Reads in the background what a list's cursor rests on; while a reading lasts only the last wish is kept."""

    def __init__(
        self,
        owner: MessagePump,
        spawn: Callable[[Coroutine[Any, Any, object]], None],
        read: Callable[[str], Awaitable[None]],
    ) -> None:
        self._owner, self._spawn, self._read = owner, spawn, read
        self._wanted: str | None = None
        self._timer: Timer | None = None
        self._busy = False

    def want(self, key: str, *, at_once: bool = False) -> None:
        """Read for `key` when the cursor has rested, or now."""
        self._wanted = key
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if at_once:
            self._begin()
        else:
            self._timer = self._owner.set_timer(PAUSE, self._begin)

    def _begin(self) -> None:
        if not self._busy and self._wanted is not None:
            self._busy = True
            with turns.background():
                self._spawn(self._run())

    async def _run(self) -> None:
        try:
            while self._wanted is not None:
                key, self._wanted = self._wanted, None
                await self._read(key)
        except Exception:
            self._owner.call_later(self._begin)  # what was wished for meanwhile is read all the same
            raise
        finally:
            self._busy = False
