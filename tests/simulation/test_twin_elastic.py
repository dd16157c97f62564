"""Replicas that fail, leave and come, and batches limited for a while: the compiled engine is its plain twin."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.routing import ROUTERS
from fleettui.simulation import conservation
from fleettui.simulation.draws import Draws
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.elastic_loop import advance
from fleettui.simulation.layout import Engine
from fleettui.simulation.twin_elastic import ElasticTwin
from tests.repeated import few
from tests.simulation.test_prefix_cache import random_prefixes
from tests.simulation.twins import TIMES, starved

ONE_POOL = tuple(one.name for one in ROUTERS if not one.meets)


def coming_and_going(seed: int) -> tuple[Engine, Draws]:
    """Return one replica, short of everything, and requests in bursts, every second time with prefixes to keep."""
    rng = np.random.default_rng([seed, 9])
    count, longest = int(rng.integers(150, 400)), 128
    own = replace(starved(rng, longest), replicas=1, lanes=1, router=ONE_POOL[seed % len(ONE_POOL)])
    if own.router != "session-affinity" and ROUTERS.named(own.router).knows and seed % 4 == 0:
        own = replace(own, refresh=0.05)
    total = rng.integers(2, longest + 1, count).astype(np.int32)
    prompt = np.maximum(1, (total * rng.random(count)).astype(np.int32))
    draws = Draws(
        prompt=prompt,
        cached=np.zeros(count, np.int32),
        output=(total - prompt + 1).astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=rng.random(count),
        arrivals=np.cumsum(rng.gamma(0.2, 5.0 / 10.0 ** rng.uniform(0.5, 2.3), count)),
        thinking=np.zeros(0),
        batch=rng.random(count) < 0.3 if seed % 5 == 0 else None,
    )
    if seed % 4 > 1:
        bounded = replace(own, queue=int(rng.integers(1, 30)), patience=10.0 ** rng.uniform(-2, 0.5))
        own = replace(bounded, retries=2 * (seed % 3 > 0), backoff=0.1)
        draws = replace(draws, jitter=rng.random((count, own.retries)))
    if seed % 2:
        own, draws = replace(own, blocks=min(own.blocks, 200)), random_prefixes(draws, seed)
    return own, draws


def step_by_step(*given: Any) -> None:
    """Advance as the compiled loop does, without leaps."""
    loop: Any = advance
    loop(*given[:7], False, given[8])


@pytest.mark.parametrize("seed", few([8, 0, 4, 1, 2, 3, *range(5, 8), *range(9, 50)], 3, more=3))
@pytest.mark.parametrize("leaping", [False, True])
def test_the_engine_is_its_twin(seed: int, leaping: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not leaping:
        monkeypatch.setattr("fleettui.simulation.elastic.advance", step_by_step)
    own, draws = coming_and_going(seed)
    pool = ElasticPool.of(own, draws, replicas=3, most=7)
    plain, rng, lost = ElasticTwin(own, draws, 3), np.random.default_rng([seed, 11]), list[int]()
    assert draws.arrivals is not None
    for moment in np.sort(rng.uniform(0.0, 1.2 * float(draws.arrivals[-1]), 30)).tolist():
        pool.advance(moment)
        plain.advance(moment)
        event = str(rng.choice(("lose", "drain", "add", "add", "limit")))
        if event == "limit":
            places = int(rng.integers(1, own.places + 1))
            pool.limit(places)
            plain.limit(places)
        elif event == "add" and pool.has_room:
            pool.add()
            plain.add()
        elif event == "drain" and pool.serving > 1:
            pool.drain()
            plain.drain()
        elif event == "lose" and pool.serving > 1:
            pool.lose()
            lost += [one.index for one in plain.lose()]
    pool.advance(np.inf)
    plain.advance(np.inf)
    conservation.check_elastic(pool)
    assert sorted(lost) == sorted(one for _, gone in pool.losses for one in gone)
    kept = np.setdiff1d(np.arange(draws.requests), lost)
    for name in TIMES:
        expected = np.array([getattr(request, name) for request in plain.requests])
        found = pool.state.requests[name]
        if leaping:
            assert np.allclose(found[kept], expected[kept], rtol=0, atol=1e-9, equal_nan=True), name
        else:
            assert np.array_equal(found[kept], expected[kept], equal_nan=True), name
    left = [request for request in plain.requests if math.isfinite(request.left)]
    assert pool.tally[0]["rejected"] == sum(one.rejected for one in left)
    assert pool.tally[0]["left"] == sum(not one.rejected for one in left)


@pytest.mark.thorough
def test_in_these_fleets_clients_leave_come_again_and_are_turned_away() -> None:
    seen = Counter[str]()
    for seed in (2, 10, 14):
        own, draws = coming_and_going(seed)
        pool = ElasticPool.of(own, draws, replicas=2, most=2)
        pool.advance(np.inf)
        assert pool.again is not None
        seen.update(left=int(pool.tally[0]["left"]), rejected=int(pool.tally[0]["rejected"]))
        seen.update(again=int((pool.again.stays["attempts"] > 1).sum()))
    assert min(seen[name] for name in ("left", "rejected", "again")) > 0, seen
