"""The loop of a pool whose replicas come and go: leaps end where a limit changes, and all that it counts adds up."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.simulation import conservation
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.elastic_loop import advance
from tests.simulation.samples import engine, requests
from tests.simulation.test_elastic import traffic


def test_a_limit_on_the_batch_holds_from_its_moment_on_and_leaps_end_where_it_is_lifted() -> None:
    pools = [ElasticPool.of(engine(blocks=400), traffic(40.0), replicas=2, most=2) for _ in range(2)]
    for pool, leaping in zip(pools, (True, False), strict=True):
        for until, places in ((4.0, 3), (9.0, 8), (np.inf, None)):
            advance(pool.state, None, pool.tally, until, pool.queue, pool.away, 2, leaping, pool.finished)
            pool.now = until
            if places is not None:
                pool.limit(places)
                running = pool.state.replicas["running"].copy()
                advance(pool.state, None, pool.tally, until + 1.5, pool.queue, pool.away, 2, leaping, pool.finished)
                if places == 3:
                    assert (running > 3).any()
                    assert (pool.state.replicas["running"] <= 3).all()
        conservation.check_elastic(pool)
    for name in ("admitted", "first", "finish"):
        leapt, stepped = (pool.state.requests[name] for pool in pools)
        np.testing.assert_allclose(leapt, stepped, rtol=1e-9)


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("serving", [3, 1])
def test_what_is_there_at_the_end_is_counted_and_of_rows_those_that_are_sent_requests(serving: int, lanes: int) -> None:
    """Replicas that drain run some too, and their rows are not among those that work."""
    pool = ElasticPool.of(engine(blocks=40, replicas=lanes), traffic(), replicas=3, most=4)
    seen = set[int]()
    for until in np.arange(0.5, 60.0, 0.5):
        if until == 20.0:
            for _ in range(3 - serving):
                pool.drain()
        pool.advance(until)
        requests = pool.state.requests
        assert pool.seen.present == ((requests["arrival"] < until) & np.isnan(requests["finish"])).sum()
        assert pool.seen.running == pool.state.replicas["running"].sum()
        assert pool.seen.working == (pool.serving_rows()["load"] > 0).sum()
        seen.add(pool.seen.working)
    assert seen >= {0, 1, lanes * serving}


def test_the_first_request_is_lost_with_the_others_where_it_waits() -> None:
    """Two answers fill four blocks after 17 steps: the first request, of class batch, gives way and heads the queue."""
    draws = replace(
        requests((16, 40), (16, 40), (16, 40), arrivals=[0.0, 0.0, 0.25]), batch=np.array([True, False, True])
    )
    pool = ElasticPool.of(engine(blocks=4), draws, replicas=1, most=1)
    pool.advance(0.3)
    assert pool.state.replicas["head"].tolist() == [0]
    assert pool.lose() == 3
    assert pool.losses == [(0.3, [1, 0, 2])]
    pool.advance(np.inf)
    conservation.check_elastic(pool)


@pytest.mark.parametrize("bounds", [{"patience": 0.5}, {"retries": 1, "patience": 0.5, "backoff": 0.1}])
def test_there_is_room_for_all_that_leave_at_once(bounds: dict[str, Any]) -> None:
    """As many as there are may leave with one step; where nobody leaves, as many end as a replica runs at once."""
    draws = replace(requests(*[(20, 30)] * 60), jitter=np.zeros((60, int(bounds.get("retries", 0)))))
    assert len(ElasticPool.of(engine(places=3, **bounds), draws, replicas=1, most=1).finished) >= 60
    assert len(ElasticPool.of(engine(places=3), draws, replicas=1, most=1).finished) < 60


def of_replicas_that_go(**bounds: Any) -> ElasticPool:
    """Return a pool after a run in which a replica was lost with its requests."""
    draws = requests(*[(20, 30)] * 200, arrivals=np.linspace(0.0, 9.0, 200).tolist())
    jitter = np.random.default_rng(3).random((200, int(bounds.get("retries", 0))))
    pool = ElasticPool.of(
        engine(blocks=20, places=3, queue=4, **bounds), replace(draws, jitter=jitter), replicas=3, most=3
    )
    pool.advance(4.0)
    pool.lose()
    pool.advance(np.inf)
    conservation.check_elastic(pool)
    assert pool.lost > 0 < pool.tally[0]["rejected"]
    return pool


def reject_one_more(pool: Any) -> None:
    pool.tally["rejected"] += 1


def lose_one_more(pool: Any) -> None:
    pool.lost += 1


def forget_one_that_came(pool: Any) -> None:
    pool.tally["next"] -= 1


def complete_one_more(pool: Any) -> None:
    pool.tally["completed"] += 1


def complete_one_more_in_the_pool(pool: Any) -> None:
    pool.state.pools["completed"] += 1


def leave_one_there(pool: Any) -> None:
    pool.state.pools["present"] += 1


def turn_one_more(pool: Any) -> None:
    pool.tally["turned"] += 1


def lose_them_later(pool: Any) -> None:
    pool.lost_seconds += 1e-4


def lose_them_earlier(pool: Any) -> None:
    pool.lost_seconds -= 1e-4


def answer_before_it_came(pool: Any) -> None:
    one = np.flatnonzero(np.isfinite(pool.state.requests["finish"]))[0]
    pool.state.requests["admitted"][one] = pool.state.requests["arrival"][one] - 1e-3


def keep_one_block(pool: Any) -> None:
    pool.state.replicas["free"][1] -= 1


AFTER: dict[Callable[[Any], None], str] = {
    reject_one_more: "of 200 served",
    lose_one_more: "of 200 served",
    forget_one_that_came: "199 of 200 requests arrived",
    complete_one_more: "counted, .* served",
    complete_one_more_in_the_pool: "counted, .* served",
    leave_one_there: "1 requests are still there",
    turn_one_more: "attempts, ",
    lose_them_later: "Little's law",
    lose_them_earlier: "Little's law",
    answer_before_it_came: "1 requests were served out of order",
    keep_one_block: "blocks were lost",
}


@pytest.mark.parametrize("spoil", AFTER, ids=lambda spoil: spoil.__name__)
def test_a_replay_that_is_over_is_held_to_its_sums(spoil: Callable[[Any], None]) -> None:
    pool = of_replicas_that_go()
    spoil(pool)
    with pytest.raises(AssertionError, match=AFTER[spoil]):
        conservation.check_elastic(pool)


def come_once_more_in_vain(pool: Any) -> None:
    pool.again.stays["attempts"][0] += 1


def give_up_one_more(pool: Any) -> None:
    pool.again.pools["timed_out"] += 1


def stay_longer_in_vain(pool: Any) -> None:
    pool.again.stays["stay"][0] += 1e-4


def come_again_after_the_end(pool: Any) -> None:
    pool.again.waiting[0] = 1


AGAIN: dict[Callable[[Any], None], str] = {
    come_once_more_in_vain: "attempts, ",
    give_up_one_more: "attempts, ",
    stay_longer_in_vain: "Little's law",
    come_again_after_the_end: "1 requests have not come again",
}


@pytest.mark.thorough
@pytest.mark.parametrize("spoil", AGAIN, ids=lambda spoil: spoil.__name__)
def test_so_it_is_where_clients_come_again(spoil: Callable[[Any], None]) -> None:
    pool = of_replicas_that_go(retries=2, backoff=0.3, patience=0.4)
    spoil(pool)
    with pytest.raises(AssertionError, match=AGAIN[spoil]):
        conservation.check_elastic(pool)
