"""The spread of a fleet's requests: pools by their arrivals, runs added up, every value within a cell."""

import bisect
import dataclasses
import random

import pytest

from fleettui.domain.plan import Candidate
from fleettui.domain.simulation import CELL_RATIO, Histogram, PoolRun, Replication
from fleettui.reports.comparison.spread import Spread, spread
from fleettui.simulation.histogram import histogram
from tests.reports.conftest import simulated, two_pools


def run(index: int, pools: dict[str, list[float]]) -> Replication:
    def pool(name: str, values: list[float]) -> PoolRun:
        return PoolRun(
            name=name,
            ttft=None,
            tpot=None,
            e2e=None,
            mfu=None,
            wait=0.0,
            attainment=1.0,
            utilization=0.8,
            batch=1.0,
            duration=1.0,
            throughput=1.0,
            offered=len(values),
            completed=len(values),
            rejected=0,
            preemptions=0,
            histograms=(histogram("ttft", values), Histogram(metric="tpot", cells=((0, 5),))),
        )

    each = tuple(pool(name, values) for name, values in pools.items())
    return Replication(index=index, requests=9, ttft=None, attainment=1.0, pools=each, digest="")


@pytest.fixture
def fleet() -> Candidate:
    return simulated(two_pools())


def test_the_mixture_weighs_each_pool_by_its_arrivals_whatever_was_simulated_of_it(fleet: Candidate) -> None:
    """An independent oracle: the weighted share of the raw values that are no longer than x."""
    drawn = random.Random(1)
    names = [pool.name for pool in fleet.pools]
    raw = {name: [drawn.lognormvariate(-2 + place, 0.5) for _ in range(300)] for place, name in enumerate(names)}
    more = {name: [drawn.lognormvariate(-2 + place, 0.5) for _ in range(700)] for place, name in enumerate(names)}
    del more[names[1]][100:]
    found = spread(fleet, [run(0, raw), run(1, more)])
    assert found is not None
    every = {name: sorted(raw[name] + more[name]) for name in names}
    rates = {pool.name: pool.arrival_rate for pool in fleet.pools}
    assert len(set(rates.values())) == 2

    def share(seconds: float) -> float:
        within = {name: bisect.bisect_right(values, seconds) / len(values) for name, values in every.items()}
        return sum(rates[name] * within[name] for name in names) / sum(rates.values())

    for seconds in (0.05, 0.1, 0.2, 0.5, 1.0):
        assert share(seconds / CELL_RATIO) - 1e-9 <= found.within(seconds) <= share(seconds) + 1e-9
    for wanted in (0.01, 0.5, 0.9, 0.99):
        at = found.quantile(wanted)
        assert share(at) >= wanted - 1e-9
        assert share(at / CELL_RATIO / CELL_RATIO) < wanted
    assert found.points[-1][1] == pytest.approx(1.0)


def test_without_runs_there_is_none_and_a_pool_that_saw_nothing_has_no_weight(fleet: Candidate) -> None:
    first, second = (pool.name for pool in fleet.pools)
    assert spread(fleet, []) is None
    assert spread(fleet, [run(0, {"another": [1.0]})]) is None
    found = spread(fleet, [run(0, {first: [0.1] * 4, second: []})])
    assert found is not None
    assert found.points == ((pytest.approx(0.1, rel=0.01), 1.0),)


def test_what_lies_outside_is_none_or_all() -> None:
    found = Spread(((0.1, 0.5), (0.2, 1.0)))
    assert [found.within(seconds) for seconds in (0.05, 0.1, 0.15, 9.0)] == [0.0, 0.5, 0.5, 1.0]
    assert [found.quantile(share) for share in (0.0, 0.5, 0.51, 1.0)] == [0.1, 0.1, 0.2, 0.2]
    assert dataclasses.astuple(found)[0] == found.points
