"""Submissions to MLPerf asked as questions: as many counts lie in the range of GPUs as did at the last release."""

import pytest

from tests.evidence.mlperf import RESULTS, answer, holds

INSIDE = 8


@pytest.mark.evidence
def test_as_many_counts_lie_in_the_range_as_did() -> None:
    assert sum(holds(answer(one, "benchmark"), one.gpus) for one in RESULTS) >= INSIDE
