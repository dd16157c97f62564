"""What a cursor rests on is read, what it only passes by is not, and no two readings ever overlap."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from fleettui.tui.background_reader import BackgroundReader
from tests.tui.driving import until


class Reader:
    """Reads for as long as it is told to, and remembers for what."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self.read: list[str] = []
        self.open = asyncio.Event()
        self.at_once = self.most = 0
        self.latest = BackgroundReader(app, self._spawn, self._read)

    def _spawn(self, work: Coroutine[Any, Any, object]) -> None:
        self._app.run_worker(work, exit_on_error=False)

    async def _read(self, key: str) -> None:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        self.read.append(key)
        await self.open.wait()
        self.at_once -= 1
        if key == "bad":
            raise ValueError(key)


async def wait(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    await until(pilot, condition)


async def test_only_where_the_cursor_rests_is_read() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        reader = Reader(app)
        for key in "abcdefg":
            reader.latest.want(key)
        await wait(pilot, lambda: reader.read)
        assert reader.read == ["g"]


async def test_at_once_does_not_wait_for_rest() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        reader = Reader(app)
        reader.latest.want("a")
        reader.latest.want("b", at_once=True)
        await pilot.pause()
        assert reader.read == ["b"]


async def test_while_one_is_read_only_the_last_wish_is_kept() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        reader = Reader(app)
        for key in "abcd":
            reader.latest.want(key, at_once=True)
            await pilot.pause()
        assert reader.read == ["a"]
        reader.open.set()
        await wait(pilot, lambda: len(reader.read) > 1 and not reader.at_once)
        assert reader.read == ["a", "d"]
        assert reader.most == 1


async def test_what_is_wished_for_while_a_reading_fails_is_read() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        reader = Reader(app)
        reader.latest.want("bad", at_once=True)
        await wait(pilot, lambda: reader.at_once)
        reader.latest.want("good", at_once=True)
        reader.open.set()
        await wait(pilot, lambda: reader.read == ["bad", "good"])


async def test_a_reading_that_fails_does_not_stop_the_next() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        reader = Reader(app)
        reader.open.set()
        reader.latest.want("bad", at_once=True)
        await wait(pilot, lambda: reader.read == ["bad"] and not reader.at_once)
        reader.latest.want("good", at_once=True)
        await wait(pilot, lambda: reader.read == ["bad", "good"])
