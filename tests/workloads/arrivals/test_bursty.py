"""Two rates in turn, held to the matrix solution of MMPP/M/1 by intervals of independent replications."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.simulation import PoolTraffic
from fleettui.simulation.draws import open_draws
from fleettui.simulation.fixed_service import waits
from fleettui.workloads.arrivals.bursty import TwoRates, fit
from tests.simulation.test_fixed_service import within

REPLICATIONS, REQUESTS, WARM_UP = 20, 480_000, 10_000
ATOMS = ((1.0, 9.0, 3.0),)
BURSTS = ArrivalRecord(rate=0.5, duration=1e4, dispersion=((1.0, 1.6), (10.0, 4.5), (60.0, 7.6)))
"""What is recorded of a stream: its excess is nearly 8 in the long run, its rate remembers itself for ten seconds."""


def wait_exceeded(rates: TwoRates, wait: float, own: int = 0) -> float:
    """Return the share of waits above `wait` seconds at one exponential server of mean 1, the matrix-geometric way.

    pi(n) = pi(0) R^n are the states with n requests there, R the least solution of R² - R(L + I - Q) + L = 0, L the
    arrival rates and Q the changes of the rate; an arrival that finds n waits for n services,
    and for its `own` where that counts too.
    """
    stay_high, stay_low = rates.stays
    change = np.array([[-1.0 / stay_high, 1.0 / stay_high], [1.0 / stay_low, -1.0 / stay_low]])
    come = np.diag([rates.high, rates.low])
    leave = np.linalg.inv(come + np.eye(2) - change)
    r = np.zeros((2, 2))
    for _ in range(20_000):
        r = (come + r @ r) @ leave
    empty = np.linalg.inv(np.eye(2) - r)
    both = np.column_stack([(change - come + r), empty.sum(axis=1)])
    first = np.linalg.lstsq(both.T, np.array([0.0, 0.0, 1.0]), rcond=None)[0]
    found, state = 0.0, first
    for n in range(4_000):
        found += (state @ come).sum() * (special.gammaincc(n + own, wait) if n + own else 0.0)
        state = state @ r
    return float(found / (rates.burst * rates.high + (1.0 - rates.burst) * rates.low))


@pytest.mark.thorough
def test_two_rates_in_turn_wait_as_in_mmpp_m_1() -> None:
    rates = fit(BURSTS)
    exact = optimize.brentq(lambda wait: wait_exceeded(rates, wait) - 0.01, 1.0, 500.0)
    runs = []
    for replication in range(REPLICATIONS):
        pool = PoolTraffic(arrival_rate=BURSTS.rate, atoms=ATOMS)
        drawn = open_draws(
            pool, 0, prefix_hit=0.0, requests=REQUESTS, seed=7, index=replication, arrivals="bursty", record=BURSTS
        )
        assert drawn.arrivals is not None
        service = np.random.default_rng([7, replication]).standard_exponential(REQUESTS)
        runs.append(waits(drawn.arrivals, service, 1)[WARM_UP:])
    assert within([float((run > exact).mean()) for run in runs], 0.01, 0.08)
    assert exact > 2.0 * np.log(100.0 * BURSTS.rate) / (1.0 - BURSTS.rate), "Poisson's is far shorter"
