"""Keys in the order in which they are typed: each waits until what the one before it began stands on the screen."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from textual.dom import DOMNode
from textual.events import Key, Paste
from textual.worker import Worker

from fleettui.tui import turns

if TYPE_CHECKING:
    from textual.app import App

HELD = 3.0
"""Seconds after which a key is given whatever still goes on, and no later key waits for the same."""
OPENING = 15.0
"""The same of what the app begins with: keys for a plan that is still being read are not for an empty screen."""
SENT_FOR_ENTER = "ctrl+j"
"""What a terminal sends for enter until a program has set it up; it is taken as enter at any time."""
LOOK = 0.005
"""Seconds between two looks at work that goes on."""
ROUNDS = 3
"""How often messages go from the focus up to the app before a key is done: the key, what it says, what answers that."""
READING = "rows"
"""The group of the workers that read what a table shows."""


class TypeAhead:
    """Holds keys and pastes back and gives them to `app` one at a time."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._typed: deque[Key | Paste] = deque()
        self._turns: set[turns.Turn] = set()
        self._given: Key | Paste | None = None
        self._giving: asyncio.Task[None] | None = None
        self._passed: WeakSet[Worker[Any]] = WeakSet()
        """What is read for so long that keys wait for it no longer."""

    def holds(self, event: object) -> bool:
        """Return whether an event of the keyboard is kept for now; in its turn it is posted to the app again."""
        if event is self._given or not isinstance(event, Key | Paste) or event.is_forwarded:
            return False
        is_enter = isinstance(event, Key) and event.key == SENT_FOR_ENTER
        self._typed.append(Key("enter", "\r") if is_enter else event)
        if self._giving is None:
            self._giving = asyncio.create_task(self._give())
        return True

    def begin(self, most: float | None = None) -> turns.Turn:
        """Hold the keys from now on, each for `most` seconds, until what is then run in the turn ends.

        In the background no key is held.
        """
        if turns.is_background():
            return turns.BACKGROUND
        turn = turns.Turn(most=HELD if most is None else most)
        self._turns.add(turn)
        return turn

    @contextmanager
    def taken(self, turn: turns.Turn) -> Iterator[None]:
        """Run what is inside as the work of a turn, which ends with it."""
        try:
            with turns.taken(turn):
                yield
        finally:
            self._turns.discard(turn)

    def close(self) -> None:
        """Give no more keys."""
        self._typed.clear()
        if self._giving is not None:
            self._giving.cancel()

    async def _give(self) -> None:
        try:
            if any(turn.holds for turn in self._turns):
                await self._done()  # no key began it: it is what the app begins with
            while self._typed:
                self._given = self._typed.popleft()
                self._app.post_message(self._given)
                await self._done()
        finally:
            self._given = self._giving = None

    async def _done(self) -> None:
        """Wait until the key has been answered and nothing that it began holds the next one.

        What has begun meanwhile, and may hold keys for longer, is waited for as long as that.
        """
        clock = asyncio.get_running_loop().time
        began = clock()
        while clock() < began + self._most():
            try:
                async with asyncio.timeout_at(began + self._most()) as limit:
                    await self._answered()
                    while self._is_busy():
                        limit.reschedule(began + self._most())
                        await asyncio.sleep(LOOK)
                        await self._answered()
                return
            except TimeoutError:
                continue
        self._passed.update(self._readings())
        for turn in self._turns:
            turn.holds = False

    def _most(self) -> float:
        """Return for how many seconds the next key waits at most."""
        return max((turn.most for turn in self._turns if turn.holds), default=HELD)

    def _is_busy(self) -> bool:
        return any(one not in self._passed for one in self._readings()) or any(turn.holds for turn in self._turns)

    def _readings(self) -> list[Worker[Any]]:
        return [one for one in self._app.workers if one.group == READING and not one.is_finished]

    async def _answered(self) -> None:
        """Wait until what has the focus, and all that it lies in, have read their messages."""
        for _ in range(ROUNDS):
            if not self._app.screen_stack:
                return
            for node in (self._app.focused or self._app.screen).ancestors_with_self:
                await _read(node)


async def _read(node: DOMNode) -> None:
    """Wait until a node has read the messages that it has; not where it is being closed."""
    read = asyncio.Event()
    if node.call_later(read.set):
        await read.wait()
