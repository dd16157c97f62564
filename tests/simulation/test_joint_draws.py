"""The requests of pools that meet: those that each pool has by itself, in one stream."""

import numpy as np
import pytest

from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.simulation.draws import drawn
from fleettui.simulation.joint_draws import joint_draws, mixed

TRAFFIC = Traffic(
    pools=(
        PoolTraffic(arrival_rate=8.0, atoms=((0.5, 100.0, 20.0), (0.5, 300.0, 50.0))),
        PoolTraffic(arrival_rate=2.0, atoms=((1.0, 4000.0, 200.0),)),
    )
)


def test_every_pool_has_the_requests_that_it_has_by_itself() -> None:
    found = joint_draws(TRAFFIC, requests=2000, seed=3, index=1)
    assert found.arrivals is not None
    assert (np.diff(found.arrivals) >= 0).all()
    for place in range(2):
        own = found.pool == place
        alone = drawn(TRAFFIC, place, int(own.sum()), seed=3, index=1)
        for name in ("arrivals", "prompt", "output", "tie"):
            assert np.array_equal(getattr(found, name)[own], getattr(alone, name)), name
    longer = joint_draws(TRAFFIC, requests=3000, seed=3, index=1)
    assert np.array_equal(longer.prompt[:2000], found.prompt)


def test_bursts_come_to_all_pools_at_once() -> None:
    """Counts of one tenth of a second: where streams share their bursts, those of two pools vary together."""
    bursty = Traffic(pools=TRAFFIC.pools, arrivals="gamma:cv=6")
    found = joint_draws(bursty, requests=40_000, seed=3, index=1)
    assert found.arrivals is not None
    bins = np.arange(0.0, found.arrivals[-1], 0.1)
    counts = [np.histogram(found.arrivals[found.pool == place], bins)[0] for place in range(2)]
    assert np.corrcoef(counts)[0, 1] > 0.3
    assert (found.pool == 1).mean() == pytest.approx(0.2, abs=0.01)


def test_a_pool_that_helps_out_has_the_lengths_of_those_that_it_served() -> None:
    assert mixed(TRAFFIC, [0, 7], 1) is TRAFFIC.pools[1]
    helped = mixed(TRAFFIC, [30, 10], 1)
    assert helped.arrival_rate == 2.0
    assert [weight for weight, _, _ in helped.atoms] == pytest.approx([0.375, 0.375, 0.25])
