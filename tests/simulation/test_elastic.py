"""Replicas that come and go: a constant fleet is the plan's own simulation, and nothing is lost where they change."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.routing import ROUTERS
from fleettui.simulation.conservation import check_elastic
from fleettui.simulation.draws import Draws
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.layout import Engine
from fleettui.simulation.run import play
from tests.simulation.samples import engine
from tests.simulation.test_prefix_cache import shared

REQUESTS = 600


def traffic(rate: float = 12.0, requests: int = REQUESTS) -> Draws:
    draw = np.random.default_rng(3)
    return Draws(
        prompt=draw.integers(1, 80, requests).astype(np.int32),
        cached=np.zeros(requests, np.int32),
        output=draw.integers(1, 60, requests).astype(np.int32),
        pool=np.zeros(requests, np.int32),
        tie=draw.random(requests),
        arrivals=np.cumsum(draw.exponential(1.0 / rate, requests)),
        thinking=np.zeros(0),
    )


def sent_to(own: Engine, replicas: int, most: int, queue: int = REQUESTS, *, holds: bool = False) -> ElasticPool:
    return ElasticPool.of(replace(own, queue=queue), traffic(), replicas=replicas, most=most, holds=holds)


@pytest.mark.parametrize("router", ROUTERS.names)
@pytest.mark.parametrize("refresh", [0.0, 0.1])
def test_a_constant_fleet_is_the_plans_own_simulation_to_the_byte(router: str, refresh: float) -> None:
    own = engine(replicas=3, blocks=40, router=router, refresh=refresh if ROUTERS.named(router).knows else 0.0)
    draws = traffic()
    whole = play([own], draws, 0, draws.requests).state.requests
    pool = ElasticPool.of(engine(blocks=40, router=router, refresh=own.refresh), draws, replicas=3, most=5)
    for until in np.arange(0.0, 80.0, 1.7):
        pool.advance(until)
    pool.advance(np.inf)
    check_elastic(pool)
    assert pool.state.requests.tobytes() == whole.tobytes()


@pytest.mark.thorough
def test_replicas_whose_lanes_step_together_are_the_plans_own_and_come_and_go_as_one() -> None:
    draws = traffic()
    whole = play([engine(replicas=6, together=2, blocks=40)], draws, 0, draws.requests).state.requests
    pool = ElasticPool.of(engine(replicas=2, together=2, blocks=40), draws, replicas=3, most=5)
    for until in (*np.arange(0.0, 80.0, 1.7), np.inf):
        pool.advance(until)
    check_elastic(pool)
    assert pool.state.requests.tobytes() == whole.tobytes()
    fewer = sent_to(engine(replicas=2, together=2, blocks=40), 3, 5)
    for until in (5.0, 10.0, 15.0):
        fewer.advance(until)
        fewer.lose() if until == 10.0 else fewer.drain()
        fewer.add()
    fewer.advance(np.inf)
    check_elastic(fewer)
    assert np.isfinite(fewer.state.requests["finish"]).sum() == REQUESTS - fewer.lost > 0


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("router", ROUTERS.names)
def test_nothing_is_lost_where_replicas_come_and_go(router: str, lanes: int) -> None:
    own = engine(replicas=lanes, blocks=40, router=router, lanes=lanes)
    pool = sent_to(own, 2, 6)
    draw, served = np.random.default_rng(5), set[int]()
    for until in np.arange(0.5, 60.0, 0.5):
        pool.advance(until)
        if draw.random() < 0.5 and pool.serving > 1:
            gone = pool.drain()
            assert gone == pool.serving
        elif pool.has_room:
            pool.add()
        served.add(pool.serving)
        rows = pool.serving_rows()
        assert len(rows) == pool.serving * lanes
        assert (rows["load"] < pool.away).all()
    pool.advance(np.inf)
    check_elastic(pool)
    assert len(served) > 2
    assert pool.tally[0]["rejected"] == 0


def test_what_is_leaving_finishes_its_requests_and_gets_no_more() -> None:
    pool = sent_to(engine(blocks=40), 2, 2)
    pool.advance(10.0)
    load = int(pool.state.replicas["load"][1])
    assert load > 0
    assert pool.drain() == 1
    done = int(pool.tally[0]["completed"])
    while not pool.is_idle(1):
        assert pool.state.replicas["load"][1] - pool.away <= load
        pool.advance(pool.state.replicas["wake"][1] + 1e-9)
    assert pool.state.replicas["load"][1] == pool.away
    assert pool.tally[0]["completed"] >= done + load
    assert pool.last_step(1) > 10.0


def test_one_that_joins_where_another_still_works_takes_a_free_place() -> None:
    pool = sent_to(engine(blocks=40), 3, 5)
    moment = 1.0
    while pool.is_idle(1):
        pool.advance(moment := moment + 0.1)
    pool.drain()
    pool.drain()
    assert not pool.is_idle(1)
    assert pool.add() in {3, 4}
    pool.advance(np.inf)
    check_elastic(pool)


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("router", ROUTERS.names)
def test_a_lost_replica_takes_its_requests_with_it_and_nothing_else(router: str, lanes: int) -> None:
    own = engine(replicas=lanes, blocks=40, router=router, lanes=lanes, places=4)
    pool, lost = sent_to(own, 4, 5), 0
    for until in np.arange(3.0, 30.0, 3.0):
        pool.advance(until)
        here = int(pool.state.replicas["load"][(pool.serving - 1) * lanes : pool.serving * lanes].sum())
        gone = pool.lose()
        assert gone == here
        assert pool.is_idle(pool.serving)
        pool.add()
        lost += gone
    pool.advance(np.inf)
    check_elastic(pool)
    assert pool.lost == lost > 0
    assert int(np.isnan(pool.state.requests["finish"]).sum()) == lost


def coming_again(requests: int = REQUESTS, retries: int = 3) -> Draws:
    return replace(traffic(requests=requests), jitter=np.random.default_rng(8).random((requests, retries)))


@pytest.mark.thorough
@pytest.mark.parametrize(("queue", "patience"), [(1, np.inf), (4, np.inf), (4, 0.3), (None, 0.3)])
def test_a_constant_fleet_whose_clients_come_again_is_the_plans_own_simulation_to_the_byte(
    queue: int | None, patience: float
) -> None:
    own, draws = engine(places=2, blocks=9, retries=3, backoff=0.7, queue=queue, patience=patience), coming_again()
    state = play([replace(own, replicas=2)], draws, 0, draws.requests).state
    pool = ElasticPool.of(own, draws, replicas=2, most=3)
    for until in np.arange(0.0, 80.0, 1.7):
        pool.advance(until)
    pool.advance(np.inf)
    check_elastic(pool)
    pool.restore()
    assert state.bounds is not None
    assert pool.again is not None
    for name in ("admitted", "first", "finish", "arrival"):
        assert pool.state.requests[name].tobytes() == state.requests[name].tobytes(), name
    for name in ("asked", "attempts", "left", "rejected", "stay"):
        assert pool.again.stays[name].tobytes() == state.bounds.stays[name].tobytes(), name
    assert pool.again.stays["attempts"].max() == 4
    assert (pool.seen.turned > pool.seen.rejected > 0) == (queue is not None)
    assert (pool.seen.left > 0) == (patience < np.inf)
    assert pool.state.requests["arrival"].tobytes() == draws.arrivals.tobytes()  # type: ignore[union-attr]


@pytest.mark.thorough
def test_who_comes_again_to_a_pool_without_replicas_waits_in_front_of_it_and_counts_once() -> None:
    draws = coming_again(60)
    own = engine(places=1, retries=3, backoff=2.0, queue=1)
    pool = ElasticPool.of(own, draws, replicas=1, most=3, holds=True)
    pool.advance(3.0)
    pool.drain()
    due = len(pool.due_again)
    assert due > 3
    pool.advance(30.0)
    assert draws.arrivals is not None
    assert pool.offered == 60
    waiting = pool.in_front
    assert waiting == 60 - int((draws.arrivals < 3.0).sum()) + due
    pool.add()
    assert pool.in_front == waiting, "they come at once, which is not before the pool goes on"
    pool.advance(np.inf)
    check_elastic(pool)
    pool.restore()
    assert pool.state.requests["arrival"].tobytes() == draws.arrivals.tobytes()
    assert pool.offered == 60


@pytest.mark.thorough
def test_a_client_that_waited_in_front_of_a_pool_without_replicas_leaves_when_its_time_is_over() -> None:
    """Its replica notices at the end of the first step, and those that may wait longer are served."""
    own = engine(blocks=400, patience=1.5)
    pool = ElasticPool.of(own, traffic(requests=60), replicas=1, most=2, holds=True)
    came = pool.state.requests["arrival"].copy()
    pool.advance(came[10])
    pool.drain()
    pool.advance(came[40])
    waited = came[40] - came[10:40]
    pool.add()
    pool.advance(np.inf)
    check_elastic(pool)
    pool.restore()
    assert pool.again is not None
    left = np.isfinite(pool.again.stays["left"][10:40])
    assert left[waited > 1.5].all()
    assert 0 < left.sum() == pool.seen.left < 30
    assert not left[waited < 0.5].any()
    assert np.allclose(pool.again.stays["due"][10:40], came[10:40] + 1.5)
    assert (pool.state.requests["arrival"] == came).all()


def families(requests: int = REQUESTS) -> Draws:
    """Return requests whose prompts begin alike in each of a few families."""
    draw = np.random.default_rng(4)
    family, known = draw.integers(0, 6, requests), draw.integers(1, 5, requests).astype(np.int32)
    hashes = [[8 * one + block for block in range(count)] for one, count in zip(family, known, strict=True)]
    plain = replace(traffic(requests=requests), prompt=(16 * known + draw.integers(1, 30, requests)).astype(np.int32))
    return shared(plain, *hashes)


@pytest.mark.thorough
@pytest.mark.parametrize("router", ROUTERS.names)
def test_a_constant_fleet_that_keeps_prefixes_is_the_plans_own_simulation_to_the_byte(router: str) -> None:
    own, draws = engine(blocks=40, router=router), families()
    whole = play([replace(own, replicas=3)], draws, 0, draws.requests).state
    pool = ElasticPool.of(own, draws, replicas=3, most=4)
    for until in np.arange(0.0, 80.0, 1.7):
        pool.advance(until)
    pool.advance(np.inf)
    check_elastic(pool)
    assert pool.state.requests.tobytes() == whole.requests.tobytes()
    assert whole.pools[0]["hit"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("lanes", [1, 2])
def test_a_replica_that_joins_is_cold_and_one_that_goes_takes_what_it_held(lanes: int) -> None:
    own, hits = engine(blocks=40, lanes=lanes, replicas=lanes), []
    for changes in (False, True):
        pool, lost = ElasticPool.of(own, families(), replicas=2, most=5), 0
        for place, until in enumerate(np.arange(1.0, 40.0, 1.0)):
            pool.advance(until)
            if changes and place % 3 == 0:
                lost += pool.lose()
                for rows, blank in zip(pool.caches.rows, pool.caches.blank, strict=True):
                    assert all(np.array_equal(rows[pool.serving * lanes + lane], blank) for lane in range(lanes))
                pool.add()
            elif changes and place % 3 == 1:
                pool.drain()
                pool.add()
        pool.advance(np.inf)
        check_elastic(pool)
        assert pool.lost == lost
        hits.append(int(pool.state.pools[0]["hit"]))
    assert 0 < hits[1] < hits[0]


def test_no_more_replicas_are_lost_than_there_are() -> None:
    pool = sent_to(engine(blocks=40), 1, 2)
    pool.lose()
    with pytest.raises(AssertionError, match="no replica is left"):
        pool.lose()


def test_a_full_queue_rejects_and_the_rejected_are_counted() -> None:
    pool = sent_to(engine(blocks=40), 1, 1, queue=2)
    pool.advance(np.inf)
    check_elastic(pool)
    rejected = int(pool.tally[0]["rejected"])
    assert 0 < rejected < REQUESTS
    assert int(np.isnan(pool.state.requests["finish"]).sum()) == rejected


def test_without_room_nothing_joins() -> None:
    pool = sent_to(engine(blocks=40), 2, 2)
    assert not pool.has_room
    with pytest.raises(AssertionError, match="no place is free"):
        pool.add()


@pytest.mark.parametrize("router", ROUTERS.names)
def test_what_comes_while_no_replica_is_left_is_rejected(router: str) -> None:
    pool = sent_to(engine(blocks=40, router=router), 1, 1)
    pool.advance(10.0)
    lost = pool.lose()
    assert pool.serving == 0
    pool.advance(20.0)
    turned_away = int(pool.tally[0]["rejected"])
    assert turned_away > 0
    assert pool.add() == 0
    pool.advance(np.inf)
    check_elastic(pool)
    assert pool.tally[0]["rejected"] == turned_away
    assert pool.tally[0]["completed"] + turned_away + lost == REQUESTS
    assert [len(those) for _, those in pool.losses] == [lost]


@pytest.mark.parametrize("lanes", [1, 2])
def test_what_comes_while_a_pool_that_holds_is_empty_waits_for_the_first_replica(lanes: int) -> None:
    """It is served from when that is there, its wait counted from when it came."""
    pool = sent_to(engine(blocks=400, replicas=lanes), 1, 2, holds=True)
    came = pool.state.requests["arrival"].copy()
    pool.advance(came[2])
    pool.drain()
    pool.advance(came[9])
    assert pool.in_front == 7
    offered = pool.offered
    pool.add()
    assert (pool.in_front, pool.offered) == (7, offered)
    pool.advance(came[9] + 1e-9)
    assert (pool.in_front, pool.offered) == (0, offered + 1)
    pool.advance(np.inf)
    check_elastic(pool)
    pool.restore()
    found = pool.state.requests
    assert (found["arrival"] == came).all()
    assert (found["admitted"][2:9] >= came[9]).all()
    assert (found["first"] > found["arrival"]).all()


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("refresh", [0.0, 0.1])
def test_a_replica_that_is_shut_gets_nothing_and_the_others_all_until_it_is_let_in(lanes: int, refresh: float) -> None:
    pool = sent_to(engine(blocks=40, replicas=lanes, refresh=refresh), 3, 4)
    pool.advance(5.0)
    pool.shut(1)
    before = [set(np.unique(pool.state.slots["request"][row])) for row in range(4 * lanes)]
    seen: list[set[int]] = [set() for _ in before]
    for until in np.arange(5.0, 9.0, 0.01):
        pool.advance(until)
        for row, own in enumerate(seen):
            own.update(set(np.unique(pool.state.slots["request"][row])) - before[row] - {-1})
    shut = range(lanes, 2 * lanes)
    assert [row for row, own in enumerate(seen) if own] == [row for row in range(3 * lanes) if row not in shut]
    pool.shut(1, again=True)
    pool.advance(14.0)
    assert (pool.state.replicas["load"][list(shut)] > 0).any()
    pool.advance(np.inf)
    check_elastic(pool)
    assert pool.state.replicas["load"].tolist() == [0] * (3 * lanes) + [pool.away] * lanes
    assert np.isfinite(pool.state.requests["finish"]).all()
