"""Percentiles and means of histograms are those of the values; the cells of pools add up by their traffic."""

import dataclasses

import numpy as np
import pytest

from fleettui.domain.pooled_histogram import mean, percentile, pooled
from fleettui.domain.simulation import Histogram, PoolRun
from fleettui.simulation.histogram import histogram

RUN = PoolRun(
    name="all",
    offered=1,
    completed=1,
    rejected=0,
    ttft=None,
    tpot=None,
    e2e=None,
    wait=0.0,
    attainment=1.0,
    utilization=0.5,
    batch=1.0,
    mfu=None,
    preemptions=0,
    duration=1.0,
    throughput=1.0,
)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.99])
def test_a_percentile_is_that_of_the_values_far_within_a_cell(share: float) -> None:
    values = np.random.default_rng(5).lognormal(-2.0, 0.8, 400_000)
    cells = [(cell, float(count)) for cell, count in histogram("ttft", values).cells]
    assert percentile(cells, share) == pytest.approx(float(np.quantile(values, share)), rel=0.002)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_percentile_lies_between_the_ends_of_its_cells(share: float) -> None:
    assert 1.01**3 <= percentile([(3, 0.7), (4, 0.1)], share) <= 1.01**5
    assert percentile([(3, 2.0)], share) == pytest.approx(1.01 ** (3 + share))


def test_a_mean_is_that_of_the_values() -> None:
    values = np.random.default_rng(6).lognormal(-2.0, 0.8, 100_000)
    cells = [(cell, float(count)) for cell, count in histogram("ttft", values).cells]
    assert mean(cells) == pytest.approx(float(values.mean()), rel=1e-4)


def test_runs_add_up_each_pool_by_its_requests_in_a_second() -> None:
    def run(duration: float, *cells: tuple[int, int], metric: str = "ttft") -> PoolRun:
        return dataclasses.replace(RUN, duration=duration, histograms=(Histogram(metric=metric, cells=cells),))

    runs = [run(2.0, (0, 4), (5, 2)), run(4.0, (5, 8), (7, 4)), run(1.0, (0, 9), metric="e2e")]
    assert pooled(runs, "ttft") == ((0, 2.0), (5, 3.0), (7, 1.0))
    assert pooled(runs, "tpot") == ()
