"""Leaps against their single steps."""

from __future__ import annotations

import numpy as np
import pytest

from fleettui.simulation import leaps
from fleettui.simulation.layout import prepare
from fleettui.simulation.speculation import SLOT_BITS
from tests.repeated import few
from tests.simulation.samples import H, W, engine, requests


@pytest.mark.parametrize("seed", few(range(8), 3, more=5))
def test_a_shortened_leap_ends_with_the_step_of_the_arrival(seed: int) -> None:
    """Contexts may cost nothing, or so little that the first guess cannot be trusted."""
    rng = np.random.default_rng(seed)
    per_context = (0.0, 10.0 ** rng.uniform(-20, -18), 10.0 ** rng.uniform(-7, -3))[min(seed % 4, 2)]
    state = prepare([engine(per_context=per_context)], requests((1, 1)))
    replica = state.replicas[0]
    replica["decodes"], replica["context"], replica["clock"] = 5, rng.integers(5, 10_000), rng.uniform(0, 100)
    ends = [replica["clock"] + leaps.leap_time(replica, steps) for steps in range(301)]
    between = rng.uniform(ends[0], ends[-1] * 1.1, 200).tolist()
    for arrival in [*between, *ends[1:]]:
        replica["leap"] = 300
        leaps.shorten(replica, arrival)
        steps = next((count for count in range(1, 301) if ends[count] >= arrival), 300)
        assert (replica["leap"], replica["wake"]) == (steps, ends[steps])


def test_a_leap_takes_the_time_of_its_steps() -> None:
    state = prepare([engine()], requests((1, 1)))
    replica = state.replicas[0]
    replica["decodes"], replica["context"] = 3, 700
    single = sum(W + H * (700 + 3 * step) for step in range(1, 41))
    assert leaps.leap_time(replica, 40) == pytest.approx(single, rel=1e-13)


@pytest.mark.parametrize("seed", few(range(4), 2, more=2))
def test_a_leap_ends_at_the_completion_or_the_step_that_lacks_a_block(seed: int) -> None:
    """Against single steps: at each, modulo 16, `phases` sequences begin a block; the first step has its blocks."""
    rng = np.random.default_rng(seed)
    state = prepare([engine()], requests((1, 1)))
    replica, keys, phases = state.replicas[0], state.keys[0], state.phases[0]
    for _ in range(40):
        phases[:] = rng.integers(0, 3, 16) * (rng.random(16) < rng.uniform(0.05, 1.0))
        if not phases.any():
            continue
        done, most = int(rng.integers(0, 100)), int(rng.integers(1, 120))
        decodes = int(phases.sum())
        replica["done"], replica["decodes"] = done, decodes
        keys[0] = (done + most) << SLOT_BITS | 5
        filled = np.cumsum([0, *(phases[-(done + step) & 15] for step in range(1, most))])
        frees = {0, int(filled[-1]), max(int(filled[-1]) - 1, 0), *range(decodes - 1, 8 * decodes, decodes)}
        for free in sorted(frees | {one + 1 for one in frees}):
            replica["free"] = free
            steps = leaps.steps_of_one_token(replica, keys, phases)
            assert steps == max(step for step in range(1, most + 1) if filled[step - 1] <= free)
            assert leaps.growth(replica, phases, 1, steps) == filled[steps - 1]
