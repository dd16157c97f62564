"""Histograms hold percentiles within their cells' width, add up, and digests tell arrays apart."""

import hashlib

import numpy as np
import pytest

from fleettui.domain.simulation import Histogram
from fleettui.simulation.histogram import SHORTEST, WIDTH, digest, histogram, merge, percentile

SHARES = (0.01, 0.5, 0.9, 0.99, 0.999)


@pytest.mark.parametrize(("median", "spread"), [(0.05, 0.3), (0.4, 1.0), (30.0, 2.0)])
def test_a_percentile_is_within_one_percent_of_the_sample(median: float, spread: float) -> None:
    values = median * np.random.default_rng(3).lognormal(0.0, spread, 200_000)
    found = histogram("ttft", values)
    for share in SHARES:
        exact = float(np.quantile(values, share))
        assert percentile([found], share) == pytest.approx(exact, rel=0.01)
        assert percentile([found], share) != exact


def test_every_value_lies_between_the_ends_of_its_cell() -> None:
    values = np.random.default_rng(4).lognormal(0.0, 3.0, 5_000)
    expected: dict[int, int] = {}
    for value in values.tolist():
        cell = next(cell for cell in range(-2_000, 2_000) if WIDTH**cell <= value < WIDTH ** (cell + 1))
        expected[cell] = expected.get(cell, 0) + 1
    assert histogram("ttft", values).cells == tuple(sorted(expected.items()))


def test_a_value_on_an_edge_belongs_to_the_cell_that_it_opens() -> None:
    for cell in range(-1_300, 1_300):
        edge = WIDTH**cell
        assert histogram("ttft", [edge]).cells == ((cell, 1),)
        assert histogram("ttft", [np.nextafter(edge, 0.0)]).cells == ((cell - 1, 1),)


def test_values_too_short_to_tell_apart_share_a_cell() -> None:
    found = histogram("ttft", [0.0, 1e-9, SHORTEST, -1e-18])
    assert len(found.cells) == 1
    cell, count = found.cells[0]
    assert (WIDTH**cell <= SHORTEST < WIDTH ** (cell + 1), count) == (True, 4)


def test_cells_are_plain_whole_numbers() -> None:
    assert all(type(number) is int for cell in histogram("e2e", np.array([0.1, 4.0])).cells for number in cell)


def test_without_values_there_is_no_percentile() -> None:
    empty = histogram("tpot", np.zeros(0))
    assert empty == Histogram(metric="tpot", cells=())
    assert percentile([empty], 0.99) is None
    assert percentile([], 0.99) is None


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_latency_that_is_not_finite_is_a_bug(value: float) -> None:
    with pytest.raises(AssertionError, match="not finite"):
        histogram("ttft", [1.0, value])


def test_histograms_of_parts_add_up_to_that_of_the_whole() -> None:
    values = np.random.default_rng(5).lognormal(0.0, 1.0, 3_000)
    parts = [histogram("ttft", part) for part in np.split(values, [10, 1_200])]
    assert merge(parts) == histogram("ttft", values)
    assert percentile(parts, 0.9) == percentile([histogram("ttft", values)], 0.9)


def test_different_metrics_do_not_add_up() -> None:
    with pytest.raises(AssertionError, match=r"e2e.*ttft"):
        merge([histogram("ttft", [1.0]), histogram("e2e", [1.0])])


def test_a_percentile_is_the_smallest_value_that_the_share_does_not_exceed() -> None:
    found = histogram("ttft", [1.0] * 99 + [8.0])
    assert percentile([found], 0.99) == pytest.approx(1.0, rel=0.01)
    assert percentile([found], 0.991) == pytest.approx(8.0, rel=0.01)
    assert percentile([histogram("ttft", [1.0] * 7 + [8.0] * 93)], 0.07) == pytest.approx(1.0, rel=0.01)


def test_a_digest_is_that_of_little_endian_bytes() -> None:
    expected = hashlib.sha256(b"f(2,)" + b"\x00" * 6 + b"\xf0\x3f" + b"\x00" * 8).hexdigest()
    assert digest(np.array([1.0, 0.0])) == expected
    assert digest(np.array([1.0, 0.0], ">f8")) == expected
    assert digest(np.array([1.0, 9.0, 0.0, 9.0])[::2]) == expected
    assert digest(np.array([1, 2], np.int32)) == digest(np.array([1, 2], ">i8"))


def test_a_digest_tells_numbers_order_kinds_and_borders_apart() -> None:
    one, two = np.array([1.0, 2.0]), np.array([3.0])
    arrays = [(one, two), (two, one), (np.array([1.0]), np.array([2.0, 3.0])), (one,), (one.astype(int), two), ()]
    arrays.append((np.array([1.0, np.nextafter(2.0, 3.0)]), two))
    assert len({digest(*each) for each in arrays}) == len(arrays)


def test_what_is_no_number_has_no_digest() -> None:
    with pytest.raises(AssertionError, match="no digest"):
        digest(np.array(["a"]))
