"""The oracle itself, looked into at every step: it is what the compiled engine is held to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from fleettui.simulation.layout import Engine
from fleettui.simulation.twin import Replica, play
from fleettui.simulation.twin_dispatch import Dispatch
from fleettui.simulation.twin_request import Request
from tests.simulation.samples import H, P, W, engine, requests


def request(prompt: int, output: int, *, cached: int = 0, index: int = 0, tie: float = 0.0) -> Request:
    return Request(index=index, arrival=0.0, prompt=prompt, cached=cached, output=output, pool=0, tie=tie)


def replica(*waiting: Request, **changes: float) -> Replica:
    found = Replica(engine(**changes))
    found.waiting.extend(waiting)
    return found


def steps(one: Replica) -> Iterator[float]:
    """Play a replica until it is idle; yield the time at which each step begins, once it is composed."""
    now = 0.0
    one.start(now)
    while one.wake is not None:
        yield now
        now = one.wake
        one.end()
        one.start(now)


def test_a_request_alone_step_by_step() -> None:
    own = request(100, 3, cached=20)
    alone = replica(own, budget=32)
    seen = [(len(alone.decoding), len(alone.prefilling), own.computed, own.generated) for _ in steps(alone)]
    assert seen == [(0, 1, 52, 0), (0, 1, 84, 0), (0, 1, 100, 0), (1, 0, 101, 1), (1, 0, 102, 2)]
    assert own.first == pytest.approx(3 * W + H * (52 + 84 + 100) + P * 80, abs=1e-12)
    assert own.finish == pytest.approx(own.first + 2 * W + H * (101 + 102), abs=1e-12)
    assert (alone.load, alone.running) == (0, [])


def test_a_step_takes_all_context_and_prompt_tokens() -> None:
    busy = replica(request(60, 9), request(90, 2, index=1), budget=100)
    busy.start(5.0)
    assert busy.wake == pytest.approx(5.0 + W + H * (60 + 40) + P * 100, abs=1e-12)
    busy.end()
    busy.start(6.0)
    assert busy.wake == pytest.approx(6.0 + W + H * (61 + 90) + P * 50, abs=1e-12)


def test_blocks_are_counted_by_what_is_cached() -> None:
    own = request(40, 30)
    alone = replica(own, blocks=9, watermark=1)
    free = [alone.free for _ in steps(alone)]
    assert free == [9 - math.ceil(tokens / 16) for tokens in range(40, 70)]
    assert alone.free == 9


def random_work(seed: int) -> tuple[Engine, list[Request]]:
    rng = np.random.default_rng(seed)
    starved = engine(blocks=12, watermark=int(seed % 2), budget=int(rng.integers(6, 80)), places=6)
    lengths = rng.integers(1, 80, (40, 2)).tolist()
    return starved, [request(prompt, output, index=index) for index, (prompt, output) in enumerate(lengths)]


@pytest.mark.parametrize("seed", range(6))
def test_every_step_keeps_to_budget_places_and_blocks(seed: int) -> None:
    starved, work = random_work(seed)
    one = Replica(starved)
    one.waiting.extend(work)
    preempted = 0
    for _ in steps(one):
        assert one.free >= 0
        assert len(one.running) <= 6
        computed = [own for own in one.prefilling if own.computed < own.target]
        assert len(computed) <= 1, "only the last prompt of a step is cut"
        assert not computed or one.running[-1] is computed[0]
        assert {own.index for own in one.running}.isdisjoint(own.index for own in one.waiting)
        assert all(own.computed == 0 for own in one.waiting)
        assert len(one.decoding) + len(one.prefilling) <= starved.budget
        preempted += sum(own.preempted for own in one.waiting)
    assert [own.generated for own in work] == [own.output for own in work]
    assert all(own.admitted < own.first <= own.finish for own in work)
    assert preempted, "the blocks were enough for all: this shows nothing"


@pytest.mark.parametrize("seed", range(6))
def test_the_queue_is_first_come_first_served(seed: int) -> None:
    starved, work = random_work(seed)
    one = Replica(starved)
    one.waiting.extend(work)
    for _ in steps(one):
        pass
    assert all(before.admitted <= after.admitted for before, after in pairwise(work))


def test_the_latest_admitted_gives_way() -> None:
    first, second = request(16, 20), request(16, 20, index=1)
    one = replica(first, second, blocks=4)
    for _ in steps(one):
        if second.preempted:
            break
    assert (first.preempted, second.preempted) == (0, 1)
    assert (second.computed, second.decodes, second.target) == (0, False, 16 + second.generated)
    assert one.waiting[0] is second
    assert one.running == [first]


def test_batch_stays_where_all_that_a_step_can_compute_of_a_cut_prompt_fits_beside_it() -> None:
    """Beside one decode 31 of 32 tokens are left to the prompt: they and the decode fill five blocks, which are there.

    Two tokens more would need a sixth.
    """
    batch, long = request(16, 30), request(100, 2, index=1)
    batch.batch = True
    both = replica(batch, long, budget=32, blocks=5)
    both.start(0.0)
    assert (batch.computed, long.computed, both.free) == (16, 16, 3)
    both.end()
    both.start(1.0)
    assert (batch.computed, long.computed, both.free, batch.preempted) == (17, 47, 0, 0)


def test_a_step_that_was_not_begun_cannot_end() -> None:
    with pytest.raises(AssertionError, match="no step is under way"):
        replica().end()


def test_dispatch_counts_what_waits_and_what_runs() -> None:
    replicas = [replica() for _ in range(3)]
    pool = Dispatch(replicas, 9)
    targets = [pool.send(request(8, 2, index=index)) for index in range(3)]
    assert Counter(map(id, targets)) == Counter(map(id, replicas))
    for one in replicas:
        one.start(0.0)
    assert [one.load for one in replicas] == [1, 1, 1]
    pool.leave(replicas[1], 1)
    replicas[1].running.clear()
    assert pool.send(request(8, 2)) is replicas[1]


def test_pools_do_not_meet() -> None:
    """What one pool gets changes nothing in the other."""
    lengths, arrivals = [(40, 9)] * 30, (np.arange(30) * 0.004).tolist()
    both = play([engine(places=2), engine(places=1)], requests(*lengths, arrivals=arrivals, pool=[0, 1] * 15))
    alone = play([engine(places=2)], requests(*lengths[::2], arrivals=arrivals[::2]))
    assert [one.finish for one in both if one.pool == 0] == [one.finish for one in alone]
    assert both[-1].finish > alone[-1].finish


def test_everybody_is_served_once_and_in_order_of_time() -> None:
    draws = requests(*[(30, 7), (90, 2)] * 20, arrivals=np.linspace(0, 0.5, 40).tolist())
    served = play([engine(replicas=2, places=3)], draws)
    assert [one.index for one in served] == list(range(40))
    assert all(one.arrival <= one.admitted < one.first <= one.finish for one in served)
    assert [one.generated for one in served] == draws.output.tolist()


def test_whoever_is_turned_away_comes_again_by_itself_and_once_each_time() -> None:
    """One place, no queue: the first takes 1 s, the others come at 0.1 and 0.2 s and again 0.5 and 1.5 s later."""
    draws = requests((10, 100), (10, 2), (10, 2), (10, 2), arrivals=[0.0, 0.1, 0.2, 5.0])
    one = engine(places=1, queue=0, retries=2, backoff=0.5, per_context=0.0, per_prompt=0.0)
    served = play([one], replace(draws, jitter=np.full((4, 2), 0.5)))
    assert [request.attempts for request in served] == [1, 3, 3, 1]
    assert [request.arrival for request in served] == pytest.approx([0.0, 1.6, 1.7, 5.0], abs=1e-12)
    assert [request.asked for request in served] == [0.0, 0.1, 0.2, 5.0]
    assert [request.first for request in served] == pytest.approx([W, 1.6 + W, 1.7 + W, 5.0 + W], abs=1e-12)
    fewer = play([replace(one, retries=1)], replace(draws, jitter=np.full((4, 1), 0.5)))
    assert [request.attempts for request in fewer] == [1, 2, 2, 1]
    assert [request.rejected for request in fewer] == [False, True, True, False]
    assert [request.left for request in fewer[1:3]] == pytest.approx([0.6, 0.7], abs=1e-12)
