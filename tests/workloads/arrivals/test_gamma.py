"""Queues with Gamma and Weibull gaps, held to G/M/1 by intervals of independent replications."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from fleettui.domain.simulation import PoolTraffic
from fleettui.simulation.draws import open_draws
from fleettui.simulation.fixed_service import Floats, waits
from fleettui.workloads.arrivals import asked
from fleettui.workloads.arrivals.weibull import shape_of
from tests.repeated import few
from tests.simulation.test_fixed_service import within

REPLICATIONS, REQUESTS, WARM_UP = 20, 120_000, 10_000
ATOMS = ((1.0, 9.0, 3.0),)


def waited(arrivals: str, busy: float, replication: int) -> Floats:
    """Return the waits at one server of exponential service times of mean 1, from its busy state on."""
    pool = PoolTraffic(arrival_rate=busy, atoms=ATOMS)
    drawn = open_draws(pool, 0, prefix_hit=0.0, requests=REQUESTS, seed=7, index=replication, arrivals=arrivals)
    assert drawn.arrivals is not None
    service = np.random.default_rng([7, replication]).standard_exponential(REQUESTS)
    return waits(drawn.arrivals, service, 1)[WARM_UP:]


def waits_at_all(arrivals: str, busy: float) -> float:
    """Return the root of s = A*(1 - s), A* the transform of the gaps: the share of requests that wait in G/M/1."""
    cv = asked(arrivals).cv
    assert cv is not None
    if arrivals.startswith("gamma"):

        def transform(at: float) -> float:
            return float((1.0 + at * cv**2 / busy) ** -(cv**-2.0))

    else:
        shape = shape_of(cv)
        gaps = stats.weibull_min(shape, scale=1.0 / (busy * stats.weibull_min(shape).mean()))

        def transform(at: float) -> float:
            return float(integrate.quad(lambda share: np.exp(-at * gaps.isf(share)), 0.0, 1.0)[0])

    return float(optimize.brentq(lambda s: transform(1.0 - s) - s, 0.0, 1.0 - 1e-6))


@pytest.mark.parametrize(
    ("arrivals", "busy"),
    few([("gamma:cv=2", 0.7), ("gamma:cv=0.5", 0.8), ("weibull:cv=2", 0.6), ("gamma:cv=1", 0.7)], 1),
)
def test_renewal_arrivals_wait_as_in_g_m_1(arrivals: str, busy: float) -> None:
    root = waits_at_all(arrivals, busy)
    if arrivals == "gamma:cv=1":
        assert root == pytest.approx(busy)
    runs = [waited(arrivals, busy, one) for one in range(REPLICATIONS)]
    assert within([float(run.mean()) for run in runs], root / (1.0 - root), 0.05)
    tail = np.log(100.0 * root) / (1.0 - root)
    assert within([float(np.quantile(run, 0.99)) for run in runs], tail, 0.06)
