"""A run of a fleet is simulated once for searches that ask for it, and is the same for all of them."""

import asyncio
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_wire
from fleettui.domain.simulation import Replication
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.planning.shared_runs import OF_THE_CHOICE, REPLICATE, SharedRuns
from fleettui.planning.worker_process import Report
from tests.planning.simulated import Here, question, trace
from tests.planning.test_remembered import Counting

OTHERWISE: dict[str, Any] = {
    "name": "another",
    "confidence": 0.9,
    "objective": "gpus",
    "budget": 500.0,
    "max_power": 1e6,
    "max_gpus": (("h100", 64),),
    "max_total_gpus": 64,
}
"""What says which fleet is chosen, each otherwise than `question` has it."""


def test_what_tells_searches_apart_are_keys_of_a_question() -> None:
    assert {*OF_THE_CHOICE} == OTHERWISE.keys() <= {one.name for one in fields(Question)}


async def test_a_run_is_simulated_once_for_all_searches() -> None:
    pool = Counting()
    shared = SharedRuns(pool)
    asked = to_wire(question("short.jsonl"))
    source = {"key": "01", "question": asked, "workload": "{}", "profiles": "[]", "rate": 20.0}
    values: dict[str, Any] = {"fleet": {"pools": [{"replicas": 3}]}, "index": 0}
    first = await shared.run(REPLICATE, int, source=source, **values)
    for name, other in OTHERWISE.items():
        moved = source | {"key": "02", "question": asked | {name: other}}
        assert await shared.run(REPLICATE, int, source=moved, **values) == first
    for changed in (
        {"source": source | {"rate": 21.0}},
        {"source": source | {"workload": "[]"}},
        {"source": source | {"question": asked | {"arrivals": "bursty"}}},
        {"source": source, "index": 1},
        {"source": source, "fleet": {"pools": [{"replicas": 4}]}},
        {"source": source, "bare": True},
    ):
        assert await shared.run(REPLICATE, int, **values | changed) == pool.asked > first
        first = pool.asked
    judged = await shared.run("verification-judge", int, source=source)
    assert await shared.run("verification-judge", int, source=source) == judged + 1


class Waiting(Counting):
    """Counts what it was asked for, and comes to it once it is let go on."""

    def __init__(self) -> None:
        super().__init__()
        self.goes_on = asyncio.Event()

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Count the task, and wait."""
        found = await super().run_plain(name, payload, report)
        await self.goes_on.wait()
        return found


async def test_searches_side_by_side_wait_for_one_run_and_one_that_is_stopped_leaves_it_to_the_other() -> None:
    pool = Waiting()
    shared, source = SharedRuns(pool), {"key": "01", "question": {}, "rate": 20.0}
    first, second, third = (asyncio.create_task(shared.run(REPLICATE, int, source=source)) for _ in range(3))
    await asyncio.sleep(0)
    assert pool.asked == 1
    first.cancel()
    pool.goes_on.set()
    assert await second == await third == pool.asked == 2


@pytest.mark.parametrize("name", OF_THE_CHOICE)
async def test_a_run_is_the_same_whatever_is_chosen_for(name: str, tmp_path: Path) -> None:
    pool, asked = Here(), question(trace(tmp_path))
    new = await pool.run("plan", NewPlan, question=asked, format=None)
    assert new.answer.answer is not None
    fleet = new.answer.answer.fleet

    async def run_of(asked: Question, key: str) -> Replication:
        source = SceneSource.of(asked, new.workload, new.answer.demand, key, new.profiles)
        stage = await prepared(pool, source, fleet)
        return await pool.run(REPLICATE, Replication, source=source, fleet=fleet, lengths=stage.look, seed=1, index=0)

    assert await run_of(replace(asked, **{name: OTHERWISE[name]}), name) == await run_of(asked, f"not {name}")
