"""The workers that tests lend each other: none is forgotten, whenever whoever asked for it goes away."""

import asyncio
import os
from itertools import count

import pytest

from tests.lent_workers import LENDER, LentWorker
from tests.planning.simulated import children


async def test_a_worker_is_not_forgotten_that_comes_when_nobody_waits_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(LENDER, "idle", [])
    before = set(children(os.getpid()))
    for steps in count():
        asking = asyncio.create_task(LentWorker.create())
        for _ in range(steps):
            await asyncio.sleep(0.001)
        asking.cancel()
        try:
            worker = await asking
        except asyncio.CancelledError:
            assert set(children(os.getpid())) <= before
        else:
            await worker.end()
            break
