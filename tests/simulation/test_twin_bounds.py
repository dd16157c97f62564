"""Bounds beside every other part of the simulation: the compiled engine is its twin, and what is offered adds up."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.failing import SlowReplica
from fleettui.routing import ROUTERS
from fleettui.scheduling import SCHEDULERS
from fleettui.simulation import conservation, twin
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, Engine
from tests.simulation.test_sessions import random_sessions
from tests.simulation.test_speculation import drafting
from tests.simulation.twins import fleet, played_alike

SEEDS = tuple(seed for seed in range(400, 550) if seed % 3)
"""Fleets of an open loop, 100 of them."""
WITHIN = tuple(one.name for one in ROUTERS if not one.meets)
"""Routers that know one pool: caches, sessions and requests that come again are played with these."""
PLAIN = tuple(one.name for one in SCHEDULERS if one.turns is None)


def everything(seed: int) -> tuple[list[Engine], Draws]:
    """Return a random fleet in bursts, in sessions, of two classes, with caches, memories beside, bounds, retries and
    drafts, a slow replica in each pool for a third of the time, behind one router after another, which may look rarely.
    """
    engines, draws = fleet(seed)
    rng = np.random.default_rng([seed, 5])
    router = WITHIN[SEEDS.index(seed) % len(WITHIN)]
    refresh = float(rng.choice((0.0, 0.05))) if ROUTERS.named(router).knows else 0.0
    assert draws.arrivals is not None
    span = float(draws.arrivals[-1])
    return [
        replace(
            one,
            router=router,
            refresh=refresh,
            scheduler=PLAIN[seed % len(PLAIN)],
            lanes=1,
            blocks=one.blocks if one.blocks == UNLIMITED else one.blocks + int(rng.choice((0, 8))),
            queue=int(rng.integers(2, 30)),
            patience=10.0 ** rng.uniform(-1.5, 0.5),
            retries=2,
            backoff=0.1,
            far=int(rng.choice((0, 9, 40))),
            move=16.0 * one.per_prompt * float(rng.choice((0.1, 1.5))),
            slow=SlowReplica(speed=float(rng.uniform(0.1, 0.9)), start=0.3 * span, end=0.6 * span),
        )
        for one in drafting(engines, seed)
    ], replace(
        random_sessions(draws, seed),
        batch=rng.random(draws.requests) < 0.4,
        jitter=rng.random((draws.requests, 2)),
    )


@pytest.mark.evidence
@pytest.mark.parametrize("seed", SEEDS)
def test_the_engine_is_its_twin_with_every_part_on(seed: int) -> None:
    engines, draws = everything(seed)
    expected = twin.play(engines, draws)
    for state in played_alike(engines, draws):
        conservation.check(state, [one.blocks for one in engines])
        assert state.bounds is not None
        for name in ("rejected", "attempts"):
            assert np.array_equal(state.bounds.stays[name], [getattr(one, name) for one in expected])
        served = int(np.isfinite(state.requests["finish"]).sum())
        gone = int(np.isfinite(state.bounds.stays["left"]).sum())
        never = int((state.sessions.came < 0).sum()) if state.sessions is not None else 0
        assert served + gone + never == draws.requests, "offered = completed + rejected + timed out + never begun"
        assert state.pools["present"].sum() == 0


@pytest.mark.evidence
def test_in_these_fleets_everything_happens() -> None:
    """The comparison above means something only if all of that happens, behind each of the routers."""
    routers, seen = set[str](), Counter[str]()
    for seed in SEEDS:
        engines, draws = everything(seed)
        routers.add(engines[0].router)
        for one in twin.play(engines, draws):
            seen["rejected"] += one.rejected
            seen["again"] += one.attempts > 1
            seen["preempted"] += one.preempted > 0
            seen["found"] += one.cached > 0
            seen["left"] += np.isfinite(one.left) and not one.rejected
    assert routers == set(WITHIN)
    assert min(seen[name] for name in ("rejected", "again", "preempted", "found", "left")) > 100, seen
