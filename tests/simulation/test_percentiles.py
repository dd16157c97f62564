"""A percentile is that of all values in order, however it is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fleettui.simulation import percentiles
from fleettui.simulation.percentiles import LOOKED_AT, mixture_percentile, percentile


def test_percentiles() -> None:
    assert percentile(np.arange(101.0), 0.99) == 99.0
    assert percentile(np.zeros(0), 0.99) is None


def expanded(parts: list[tuple[np.ndarray, int]], share: float) -> float:
    """Return the percentile by counting: each value as often as its weight and its sample's size say."""
    common = int(np.lcm.reduce([len(values) for values, _ in parts]))
    copies = np.sort(np.concatenate([np.repeat(values, weight * common // len(values)) for values, weight in parts]))
    return float(copies[int(np.ceil(share * len(copies) - 1e-9)) - 1])


@pytest.mark.parametrize("seed", range(6))
def test_a_mixture_is_that_of_weighted_copies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [(rng.exponential(mean, int(rng.integers(1, 40))), int(rng.integers(1, 9))) for mean in (0.2, 1.0, 5.0)]
    for share in (0.05, 0.5, 0.73, 0.99):
        weighted = [(values, 0.37 * weight) for values, weight in parts]
        assert mixture_percentile(weighted, share) == expanded(parts, share)


def test_pools_without_requests_are_left_out_of_a_mixture() -> None:
    values = np.array([3.0, 1.0, 2.0])
    assert mixture_percentile([(np.zeros(0), 9.0), (values, 1.0)], 0.5) == 2.0
    assert mixture_percentile([(np.zeros(0), 9.0)], 0.5) is None
    assert mixture_percentile([], 0.5) is None


def samples(count: int) -> list[np.ndarray]:
    """Return samples of so many values: spread, in order, in reverse, in waves, few that are unlike, all alike."""
    rng = np.random.default_rng(count)
    spread, waves = rng.exponential(1.0, count), 2.0 + np.sin(np.arange(count) / 50.0)
    return [spread, np.sort(spread), np.sort(spread)[::-1], waves, rng.integers(0, 4, count) / 4.0, np.full(count, 0.5)]


@pytest.mark.parametrize("count", [1, 7, 100, LOOKED_AT, LOOKED_AT + 1, 50_000, 100_001])
def test_a_percentile_is_that_of_all_in_order(count: int) -> None:
    for values in samples(count):
        for share in (1e-9, 0.001, 0.05, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0 - 1e-9):
            assert percentile(values, share) == np.quantile(values, share, method="inverted_cdf")


def test_those_that_are_later_than_all_served_are_among_them() -> None:
    values = np.append(np.arange(20_000.0), np.full(200, np.inf))
    assert percentile(values, 0.99) == 19_997.0
    assert percentile(values, 0.995) == np.inf


@pytest.mark.parametrize("weights", [(1.0, 1.0), (36.7, 63.3), (0.001, 9.0)])
def test_a_large_mixture_is_that_of_all_in_order(weights: tuple[float, float]) -> None:
    for short, long in zip(samples(30_000), reversed(samples(90_001)), strict=True):
        parts = list(zip((short, 3.0 * long), weights, strict=True))
        for share in (0.001, 0.2, 0.5, 0.9, 0.99, 0.999):
            assert mixture_percentile(parts, share) == in_order(parts, share)


def test_one_large_sample_is_a_mixture_of_itself() -> None:
    for values in samples(50_000):
        for share in (0.5, 0.95, 0.99):
            assert mixture_percentile([(values, 0.37)], share) == in_order([(values, 0.37)], share)


def test_what_has_no_latency_is_last() -> None:
    parts = [(np.append(np.arange(9_000.0), np.full(900, np.nan)), 1.0), (np.arange(9_000.0), 2.0)]
    assert mixture_percentile(parts, 0.9) == in_order(parts, 0.9)
    assert np.isnan(mixture_percentile(parts, 0.99) or 0.0)


def test_the_largest_values_are_enough_unless_the_last_digits_of_a_sum_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_order: list[int] = []
    whole = percentiles._of_all

    def of_all(parts: Any, share: float) -> float:
        put_in_order.append(sum(len(values) for values, _ in parts))
        return whole(parts, share)

    monkeypatch.setattr(percentiles, "_of_all", of_all)
    rng = np.random.default_rng(1)
    parts = [(rng.exponential(1.0, 50_000), 0.367), (rng.exponential(1.0, 99_991), 0.633)]
    assert mixture_percentile(parts, 0.99) == in_order(parts, 0.99)
    assert max(put_in_order) < 4 * LOOKED_AT
    halves = [(rng.exponential(1.0, 50_000), 1.0), (rng.exponential(1.0, 50_000), 1.0)]
    assert mixture_percentile(halves, 0.99) == in_order(halves, 0.99)
    assert max(put_in_order) == 100_000, "99,000 of equal weight are 99 %, or one more"


def in_order(parts: list[tuple[np.ndarray, float]], share: float) -> float:
    """Return a mixture's percentile by the order of all its values."""
    values = np.concatenate([one for one, _ in parts])
    weights = np.concatenate([np.full(len(one), weight / len(one)) for one, weight in parts])
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(ends, share * ends[-1])])
