"""The least work of requests: below what engines of every kind take, and near it where steps are full."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.autoscaling.least_work import least_seconds
from fleettui.domain.speculation import speculation
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, Engine
from fleettui.simulation.prefixes import Prefixes
from tests.repeated import few
from tests.simulation.samples import engine, finished, requests
from tests.simulation.twins import in_lockstep, starved

LONGEST = 128


def one_replica(rng: np.random.Generator, *, together: bool) -> Engine:
    found = starved(rng, LONGEST)
    if together:
        found = in_lockstep(found, rng)
    return replace(found, replicas=max(found.lanes, found.together))


def crowd(rng: np.random.Generator, count: int = 150) -> Draws:
    """Return requests that all come at once: the replica is never idle until the last is served."""
    total = rng.integers(2, LONGEST + 1, count)
    prompt = np.maximum(1, (total * rng.random(count)).astype(int))
    cached = np.minimum(rng.choice((0.0, 0.5)) * prompt, prompt - 1).astype(int)
    return requests(*zip(prompt.tolist(), (total - prompt + 1).tolist(), strict=True), cached=cached.tolist())


def worked(one: Engine, draws: Draws) -> tuple[float, float]:
    """Return how long a replica took for all requests, and the least that they take."""
    found = finished([one], draws).requests
    return float(found["finish"].max()), least_seconds(one, draws, np.ones(draws.requests, bool))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", few(range(300), 40, more=60))
def test_no_engine_serves_requests_in_less(seed: int) -> None:
    rng = np.random.default_rng(seed)
    took, least = worked(one_replica(rng, together=False), crowd(rng))
    assert 0.0 < least <= took


@pytest.mark.thorough
@pytest.mark.parametrize("seed", few(range(100), 20))
def test_nor_do_lanes_that_step_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    took, least = worked(one_replica(rng, together=True), crowd(rng))
    assert 0.0 < least <= took


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["mtp:2@90%/50%", "mtp:3@100%", "mtp:2@80%/60%:sampled"])
def test_nor_do_drafts(text: str) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        one = engine(places=8, budget=64, drafting=speculation(text), luck=seed)
        took, least = worked(one, crowd(rng))
        assert 0.3 * took < least <= took


@pytest.mark.thorough
def test_nor_does_a_cache_that_finds_all_it_can() -> None:
    prompt, count = 100, 40
    prefixes = Prefixes(
        size=16,
        offsets=np.zeros(count, np.int64),
        known=np.full(count, 6, np.int32),
        runs=np.zeros(1, np.int32),
        lengths=np.array([6], np.int32),
    )
    draws = replace(requests(*[(prompt, 20)] * count), prefixes=prefixes)
    one = engine(places=8, budget=128, blocks=400)
    took, least = worked(one, draws)
    assert 0.8 * took < least <= took
    computed = replace(draws, prefixes=None)
    assert least_seconds(one, computed, np.ones(count, bool)) > 1.2 * least


@pytest.mark.thorough
def test_full_steps_take_no_more_than_the_least() -> None:
    one = engine(places=8, budget=64, blocks=UNLIMITED)
    took, least = worked(one, requests(*[(1, 200)] * 80))
    assert least == pytest.approx(took, rel=1e-3)
    assert least_seconds(one, requests((1, 200)), np.zeros(1, bool)) == 0.0


def test_tokens_are_handed_out_one_after_the_other() -> None:
    slow = engine(places=8, api_token=1.0)
    assert worked(slow, requests(*[(1, 10)] * 8))[1] == 80.0
