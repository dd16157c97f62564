"""A question whose replicas keep prefixes: what it may not say beside that, and what it leaves as it was."""

from __future__ import annotations

from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest
from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"prefix_hit": 0.4}, "what a prefix cache comes to"),
        ({"demand": Demand(form="concurrency", concurrency=8)}, "do not come in the order of a trace"),
        ({"gamma": (1.0, 1.5)}, "a prompt that was compressed"),
    ],
)
def test_what_does_not_go_with_a_prefix_cache_is_refused(said: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        Question(slo=Slo(ttft=0.5), prefix_cache=True, **said)
    Question(slo=Slo(ttft=0.5), **said)


def test_a_question_without_one_has_the_digest_that_it_had() -> None:
    asked = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5))
    assert digest(asked) == digest(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), prefix_cache=False))
    assert digest(asked) != digest(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), prefix_cache=True))


def test_long_requests_leave_a_record_with_their_part_of_its_rate() -> None:
    record = PrefixRecord(block=16, rows=((20, 5, 0, 1), (90, 5, 0, 5)), rate=3.0)
    assert record.within(50) == PrefixRecord(block=16, rows=((20, 5, 0, 1),), rate=1.5)


def test_smaller_blocks_are_taken_by_larger_ones_as_far_as_these_are_full() -> None:
    """Of five blocks of 16 tokens two pairs are full, and each is known by its second."""
    record = PrefixRecord(block=16, rows=((20, 5, 0, 1), (90, 5, 0, 3, 7, 2)), rate=3.0)
    assert record.in_blocks(32) == PrefixRecord(block=32, rows=((20, 5), (90, 5, 1, 1, 7, 1)), rate=3.0)
    assert record.in_blocks(16) is record.in_blocks(1) is record
