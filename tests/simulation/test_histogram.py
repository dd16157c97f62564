"""Every value stands in its cell, and digests tell arrays apart."""

import hashlib

import numpy as np
import pytest

from fleettui.domain.simulation import CELL_RATIO, Histogram
from fleettui.simulation.histogram import SHORTEST, digest, histogram


def test_every_value_lies_between_the_ends_of_its_cell() -> None:
    values = np.random.default_rng(4).lognormal(0.0, 3.0, 1_000)
    expected: dict[int, int] = {}
    for value in values.tolist():
        cell = next(cell for cell in range(-2_000, 2_000) if CELL_RATIO**cell <= value < CELL_RATIO ** (cell + 1))
        expected[cell] = expected.get(cell, 0) + 1
    assert histogram("ttft", values).cells == tuple(sorted(expected.items()))


def test_a_value_on_an_edge_belongs_to_the_cell_that_it_opens() -> None:
    for cell in range(-1_300, 1_300):
        edge = CELL_RATIO**cell
        assert histogram("ttft", [edge]).cells == ((cell, 1),)
        assert histogram("ttft", [np.nextafter(edge, 0.0)]).cells == ((cell - 1, 1),)


def test_values_too_short_to_tell_apart_share_a_cell() -> None:
    found = histogram("ttft", [0.0, 1e-9, SHORTEST, -1e-18])
    assert len(found.cells) == 1
    cell, count = found.cells[0]
    assert (CELL_RATIO**cell <= SHORTEST < CELL_RATIO ** (cell + 1), count) == (True, 4)


def test_cells_are_plain_whole_numbers() -> None:
    assert all(type(number) is int for cell in histogram("e2e", np.array([0.1, 4.0])).cells for number in cell)


def test_without_values_there_are_no_cells() -> None:
    assert histogram("tpot", np.zeros(0)) == Histogram(metric="tpot", cells=())


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_latency_that_is_not_finite_is_a_bug(value: float) -> None:
    with pytest.raises(AssertionError, match="not finite"):
        histogram("ttft", [1.0, value])


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
