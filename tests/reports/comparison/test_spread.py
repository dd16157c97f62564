"""The spread of a fleet's requests: pools by their arrivals, runs added up, every value within a cell."""

import bisect
import random

import pytest

from fleettui.domain.simulation import CELL_RATIO, Histogram, PoolRun, Replication
from fleettui.reports.comparison.spread import Spread, spread
from fleettui.simulation.histogram import histogram

RATES = {"short": 30.0, "long": 10.0}
"""Requests that a pool is sent in a second."""


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
            duration=max(len(values), 1) / RATES.get(name, 1.0),
            throughput=1.0,
            offered=len(values),
            completed=len(values),
            rejected=0,
            preemptions=0,
            histograms=(histogram("ttft", values), Histogram(metric="tpot", cells=((0, 5),))),
        )

    each = tuple(pool(name, values) for name, values in pools.items())
    return Replication(index=index, requests=9, ttft=None, attainment=1.0, pools=each, digest="")


def test_the_mixture_weighs_each_pool_by_its_arrivals_whatever_was_simulated_of_it() -> None:
    """An independent oracle: the weighted share of the raw values that are no longer than x."""
    drawn = random.Random(1)
    counts = {"short": 700, "long": 100}
    raw = [
        {name: [drawn.lognormvariate(-2 + place, 0.5) for _ in range(counts[name])] for place, name in enumerate(RATES)}
        for _ in range(2)
    ]
    found = spread([run(index, one) for index, one in enumerate(raw)])
    assert found is not None
    every = {name: sorted(value for one in raw for value in one[name]) for name in RATES}

    def share(seconds: float) -> float:
        within = {name: bisect.bisect_right(values, seconds) / len(values) for name, values in every.items()}
        return sum(RATES[name] * within[name] for name in RATES) / sum(RATES.values())

    for seconds in (0.05, 0.1, 0.2, 0.5, 1.0):
        assert share(seconds / CELL_RATIO) - 1e-9 <= found.within(seconds) <= share(seconds) + 1e-9
    for wanted in (0.01, 0.5, 0.9, 0.99):
        at = found.quantile(wanted)
        assert share(at * CELL_RATIO) >= wanted - 1e-9
        assert share(at / CELL_RATIO) < wanted
    assert found.points[-1][1] == pytest.approx(1.0)


def test_without_runs_there_is_none_and_a_pool_that_saw_nothing_has_no_weight() -> None:
    assert spread([]) is None
    assert spread([run(0, {"short": []})]) is None
    found = spread([run(0, {"short": [0.1] * 4, "long": []})])
    assert found is not None
    assert found.points == ((pytest.approx(0.1, rel=0.01), 1.0),)


def test_what_lies_outside_is_none_or_all() -> None:
    found = Spread(((0, 1.0), (70, 1.0)))  # up to 1.01 s, and around 2 s
    assert [found.within(seconds) for seconds in (0.5, 1.01, 1.9, 9.0)] == [0.0, 0.5, 0.5, 1.0]
    assert [round(found.quantile(share), 2) for share in (0.0, 0.5, 0.51, 1.0)] == [1.0, 1.01, 2.01, 2.03]
    assert [found.place(share) for share in (0.0, 0.5, 0.51, 1.0)] == [0, 0, 1, 1]
