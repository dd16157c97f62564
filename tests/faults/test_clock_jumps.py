"""A clock that is set forth or back, by hours, loses no row, orders none falsely and lets nobody work twice."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fleettui.errors import InputError
from store import Store
from store.job_owner import present
from tests.repeated import few
from tests.store import samples

START = datetime(2026, 3, 1, tzinfo=UTC)
HOURS = (-8760, -25, -1, 0, 1, 25, 8760)


class Jumping:
    """A clock that is set by hand, forth and back."""

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.now = chance, START

    def __call__(self) -> datetime:
        return self.now

    def jump(self) -> None:
        self.now += timedelta(hours=self.chance.choice(HOURS), seconds=self.chance.random())


@pytest.mark.parametrize("seed", few(range(50), 2))
def test_what_is_kept_later_is_listed_later(file: Path, seed: int) -> None:
    clock = Jumping(random.Random(seed))
    with Store.open(file, clock=clock) as store:
        begun, job = samples.begin(store)
        assert begun.answer
        handles = []
        for index in range(8):
            clock.jump()
            handles.append(samples.add(store).plan.handle)
            store.add_replication(begun.answer.candidate, 7, samples.replication(index))
            assert not store.beat(job.id, done=index, total=8, message="")
            assert store.job(job.id).state == "running", "its heart has just beaten"
        later = store.add_candidate(begun.plan.id, samples.candidate(9))
        assert later.candidate > job.id, "a job tells by this what it added itself"
        assert [row.handle for row in store.plans(limit=8)] == handles[::-1]
        assert [one.index for one in store.replications(begun.answer.candidate, 7)] == list(range(8))
        assert store.end_job(job.id, "done").state == "done"


@pytest.mark.parametrize("seed", few(range(50), 2))
def test_a_job_has_one_owner_whatever_the_clock_says(file: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Jumping(random.Random(seed))
    with Store.open(file, clock=clock) as store:
        _, job = samples.begin(store)
        mine = job.owner
        for number in range(8):
            clock.jump()
            other = f"elsewhere:{number + 1}:1"
            try:
                store.claim_job(job.id, other)
            except InputError:
                assert not store.beat(job.id, done=0, total=1, message=""), "it is still ours"
            else:
                assert store.beat(job.id, done=0, total=1, message=""), "who lost it must stop"
                assert store.end_job(job.id, "done").owner == other, "and changes nothing"
                clock.now += timedelta(minutes=1)
                assert store.claim_job(job.id, present()).owner == mine
