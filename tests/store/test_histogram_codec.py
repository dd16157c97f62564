"""A histogram becomes few bytes, and the same histogram again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from store import histogram_codec
from tests.store import samples

COUNTS = st.dictionaries(st.integers(-5_000, 5_000), st.integers(1, 2**40), max_size=50)


@given(COUNTS)
def test_what_is_packed_comes_back(counts: dict[int, int]) -> None:
    given_cells = tuple(sorted(counts.items()))
    assert histogram_codec.unpack(histogram_codec.pack(given_cells)) == given_cells


def test_nothing_is_little() -> None:
    assert histogram_codec.unpack(histogram_codec.pack(())) == ()
    assert len(histogram_codec.pack(((-1388, 1),))) < 16


def test_twenty_thousand_requests_take_less_than_a_kilobyte() -> None:
    sizes = [len(histogram_codec.pack(one.cells)) for run in samples.replication().pools for one in run.histograms]
    assert max(sizes) < 1000
    assert sum(sizes) / len(sizes) < 750
