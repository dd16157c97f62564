import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.workload import check_cdf
from fleettui.errors import InputError
from fleettui.workloads.atoms import integer_lengths
from fleettui.workloads.buckets import Buckets, Curve
from tests.workloads.scrapes import TPOT, drawn, steps_125

NAME = "vllm:request_prompt_tokens"
Counted = dict[tuple[str, float | None], float]


def counted(values: Sequence[float], edges: Sequence[float], total: float | None = None) -> Counted:
    """Return the samples of a histogram of `values`, as a server cumulates them."""
    counts = [0] * (len(edges) + 1)
    for value in values:
        counts[bisect_left(edges, value)] += 1
    found: Counted = {
        (f"{NAME}_bucket", float(edge)): n for edge, n in zip((*edges, math.inf), accumulate(counts), strict=True)
    }
    return {**found, (f"{NAME}_sum", None): math.fsum(values) if total is None else total}


def buckets(values: Sequence[float], edges: Sequence[float] = steps_125(131_072)) -> Buckets:
    found = Buckets.of(NAME, counted(values, edges))
    assert found is not None
    return found


@given(st.lists(st.integers(1, 20_000), min_size=1, max_size=60), st.sampled_from((100, 8192, 131_072)))
def test_the_curve_has_the_mean_and_the_share_of_every_bucket(values: list[int], context: int) -> None:
    edges = steps_125(context)
    points = Curve(buckets(values, edges), whole=True).points()
    check_cdf("points", points)
    tokens, shares = integer_lengths(points)
    assert float(tokens @ shares) == pytest.approx(math.fsum(values) / len(values), rel=1e-9)
    for edge in edges:
        assert shares[tokens <= edge].sum() == pytest.approx(sum(one <= edge for one in values) / len(values), abs=1e-9)


@pytest.mark.parametrize("length", [1, 2, 3, 1000, 1024, 1001, 131_072, 140_000])
def test_requests_of_one_length_keep_it_as_their_mean(length: int) -> None:
    tokens, shares = integer_lengths(Curve(buckets([length] * 7), whole=True).points())
    assert float(tokens @ shares) == pytest.approx(length, rel=1e-9)


def test_percentiles_of_drawn_lengths_lie_in_their_bucket_and_near_the_truth() -> None:
    outputs = [output for _, output in drawn(4000)]
    found = buckets(outputs)
    curve = Curve(found, whole=True)
    for share in (0.05, 0.5, 0.9, 0.99):
        low, high = found.band(share)
        truth = sorted(outputs)[math.ceil(share * len(outputs)) - 1]
        assert high is not None
        assert low < truth <= high
        assert low < curve.at(share) <= high


def test_the_mean_tells_where_in_a_wide_bucket_times_lie() -> None:
    """Four fifths of the times lie in one bucket from 25 to 50 ms; evenly in it their median would be 35 ms."""
    times = np.random.default_rng(5).lognormal(math.log(0.03), 0.2, 2000).tolist()
    curve = Curve(buckets(times, TPOT), whole=False)
    assert curve.at(0.5) == pytest.approx(float(np.median(times)), rel=0.05)


def test_above_the_last_edge_lengths_end_below_the_next_or_where_the_sum_needs_it() -> None:
    edges = steps_125(8192)
    assert edges[-1] == 5000
    assert buckets([10, 6000], edges).longest == 10_000
    assert buckets([10, 44_000], edges).longest == 50_000
    assert buckets([10, 40], edges).longest == 50
    assert buckets([10, 6000, 6000], edges).band(0.5) == (5000, None)


def test_requests_without_a_token_count_as_one() -> None:
    points = Curve(buckets([0, 0, 0]), whole=True).points()
    assert points == ((1.0, 1.0),)


def test_what_is_not_there_is_none() -> None:
    assert Buckets.of(NAME, {}) is None


@pytest.mark.parametrize(
    "spoiled",
    [
        {(f"{NAME}_bucket", 5.0): 9.0},
        {(f"{NAME}_sum", None): None},
        {(f"{NAME}_bucket", math.inf): None},
    ],
)
def test_a_histogram_in_pieces_is_refused(spoiled: dict[tuple[str, float], float | None]) -> None:
    whole = counted([3, 4], (1, 5, 10)) | spoiled
    with pytest.raises(InputError, match="not whole"):
        Buckets.of(NAME, {series: value for series, value in whole.items() if value is not None})


@pytest.mark.parametrize("total", [3.0, 11.0])
def test_a_sum_that_the_buckets_cannot_have_is_refused(total: float) -> None:
    with pytest.raises(InputError, match="do not belong together"):
        Buckets.of(NAME, counted([3, 4], (2, 5, 10), total))
