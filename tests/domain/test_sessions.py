"""Sessions of rounds: what a round has of the one before, what is refused, and what a question keeps of its digest."""

from __future__ import annotations

from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest
from fleettui.domain.scenario import Question
from fleettui.domain.sessions import Round, SessionRecord, shared
from fleettui.domain.slo import Slo
from fleettui.errors import InputError


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [(150, 120), (120, 120), (119, 100), (100, 100), (99, 16), (10, 10)],  # whole, without its answer, cut
)
def test_what_a_round_has_of_the_one_before(prompt: int, expected: int) -> None:
    assert shared(Round(100, 20, 0.0), Round(prompt, 5, 1.0), 16) == expected


def test_the_bound_of_what_can_be_found_and_the_waits() -> None:
    record = SessionRecord(rows=((100, 20, 0.0, 150, 5, 2.0), (60, 5, 0.0, 60, 5, 9.0)))
    assert record.requests == 4
    assert record.rounds == 2.0
    assert record.reusable() == pytest.approx((120 + 59) / (100 + 150 + 60 + 60))  # a last token is computed
    assert (record.longest_wait(0.6), record.longest_wait(0.01)) == (2.0, 9.0)


def test_a_session_ends_before_its_first_round_that_is_too_long() -> None:
    record = SessionRecord(rows=((100, 20, 0.0, 300, 5, 2.0, 90, 5, 1.0), (400, 5, 0.0)))
    assert record.within(200).rows == ((100, 20, 0.0),)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ((), "there are no sessions"),
        (((10, 2, 0.0), ()), "a session without rounds"),
        (((10, 2, 0.0, 30, 2),), "whose last round is not whole"),
        (((10, 2, 0.0, 30, 2, -1.0),), "cannot come before the one before it"),
        (((10, 2, 0.0, 30, 2, float("nan")),), "cannot come before the one before it"),
        (((10, 0, 0.0),), "at least one prompt and one output token"),
    ],
)
def test_sessions_that_cannot_be_are_refused(rows: Any, why: str) -> None:
    with pytest.raises(InputError, match=why) as refusal:
        SessionRecord(rows=rows)
    assert len(str(refusal.value).splitlines()) <= 3


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"prefix_hit": 0.4}, "replicas' caches"),
        ({"demand": Demand(form="concurrency", concurrency=8)}, "in no session"),
        ({"gamma": (1.0, 1.5)}, "a prompt that was compressed"),
        ({"arrivals": "replay"}, "not when sessions begin"),
    ],
)
def test_what_does_not_go_with_sessions_is_refused(said: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        Question(slo=Slo(ttft=0.5), sessions=True, **said)
    Question(slo=Slo(ttft=0.5), **said)


def test_a_question_without_them_has_the_digest_that_it_had() -> None:
    asked = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5))
    assert digest(asked) == digest(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), sessions=False))
    assert digest(asked) != digest(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), sessions=True))
