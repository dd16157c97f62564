"""Lanes that step together: what a round takes, and that the compiled engine is its plain twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.disagg import Handover
from fleettui.domain.failing import SlowReplica
from fleettui.simulation.curve import Curve
from tests.simulation import tandems, twins
from tests.simulation.samples import WAYS, engine, requests, story

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("way", WAYS)
def test_lanes_wait_for_the_one_with_the_longest_step(way: str) -> None:
    """Steps of 1 s and 1 s more for 8 prompt tokens: one lane's second token waits for the other's prompt."""
    both = engine(base=1.0, per_context=0, per_prompt=1 / 8, replicas=2, together=2, budget=64)
    found = story(way, [both], requests((8, 3), (16, 2), arrivals=[0.0, 0.5]))
    assert found.first == [2.0, 5.0]  # a round of 2 s, then one of 3 s for both
    assert found.finish == [6.0, 6.0]


@pytest.mark.parametrize("way", WAYS)
def test_a_lane_that_has_nothing_to_do_makes_no_round(way: str) -> None:
    """The replica falls idle between two requests, and the second begins at once."""
    both = engine(base=1.0, per_context=0, per_prompt=0, replicas=2, together=2, budget=64)
    found = story(way, [both], requests((8, 1), (8, 1), arrivals=[0.0, 7.5]))
    assert found.finish == [1.0, 8.5]


@pytest.mark.parametrize("way", WAYS)
def test_replicas_do_not_wait_for_the_lanes_of_others(way: str) -> None:
    """Two replicas of one lane each end their rounds by themselves."""
    apart = engine(base=1.0, per_context=0, per_prompt=1 / 8, replicas=2, budget=64)
    found = story(way, [apart], requests((8, 3), (16, 2), arrivals=[0.0, 0.5]))
    assert found.finish == [4.0, 4.5]


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.evidence) for seed in range(4, 60))]
)
def test_random_fleets_in_lockstep_are_the_plain_twins(seed: int) -> None:
    """Pools with lanes beside pools without, steps affine and by kernels, starved of everything; some replicas slow."""
    engines, draws = twins.fleet(seed)
    rng = np.random.default_rng(seed)
    chosen = [twins.in_lockstep(one, rng) if at == 0 or rng.random() < 0.6 else one for at, one in enumerate(engines)]
    if seed % 2:
        chosen[0] = replace(chosen[0], slow=SlowReplica(speed=0.4, start=1.0, end=6.0))
    twins.played_alike(chosen, draws)


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.evidence) for seed in range(3, 50))]
)
def test_disaggregated_fleets_in_lockstep_are_the_plain_twins(seed: int) -> None:
    """Prefill and decode replicas with lanes, in open and closed loops, caches whole and by layers."""
    handover = Handover(parts=(1, 4)[seed % 2], first_token=("prefill", "decode")[seed // 2 % 2])
    own = tandems.fleet(seed, closed=seed % 3 == 0, handover=handover, lockstep=True)
    tandems.played_alike(*own)


def test_what_stands_behind_attention_counts_the_tokens_of_all_lanes() -> None:
    """One lane's prompt takes half of what it takes where two lanes have one each, but for attention."""
    rng = np.random.default_rng(3)
    steps = replace(twins.table(rng), prompt_least=0.0, prompt_extra=0.0)
    steps = replace(steps, gathered=steps.linear)  # nothing but attention is a lane's own
    curve = Curve.of(steps, budget=64, places=4, lanes=2)
    assert np.allclose(curve.linear, 0.0)
    assert np.isclose(curve.shared[64], np.interp(32, steps.tokens, steps.linear))
    assert np.isclose(curve.shared[128], np.interp(64, steps.tokens, steps.linear))
