"""What bounds a request's stay: what may be said of it, and what a question cannot say beside it."""

import math
from typing import Any

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError


def test_nothing_said_bounds_nothing() -> None:
    assert not Bounds().any
    assert Bounds(queue=3).any
    assert Bounds(timeout=2.0).any


@pytest.mark.parametrize("wrong", [{"queue": 0}, {"queue": -1}, {"timeout": 0.0}, {"timeout": -3.0}])
def test_what_is_no_bound_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="above zero"):
        Bounds(**wrong)


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ({"retries": 3, "backoff": 1.0}, "add --queue-limit 200 or --client-timeout 30s"),
        ({"retries": 3, "queue": 9}, "add --retry-backoff 1s"),
        ({"backoff": 1.0, "queue": 9}, "add --retries 3"),
    ],
)
def test_what_lacks_its_companion_is_refused_with_what_to_add(wrong: dict[str, Any], remedy: str) -> None:
    with pytest.raises(InputError) as refusal:
        Bounds(**wrong)
    assert refusal.value.remedy == remedy


@pytest.mark.parametrize("count", [0, -1, 21])
def test_retries_have_a_limit(count: int) -> None:
    with pytest.raises(InputError, match="must have a limit"):
        Bounds(queue=9, retries=count, backoff=1.0)


def test_a_question_without_bounds_has_the_digest_that_it_had() -> None:
    asked = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5))
    assert digest(asked) == digest(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), bounds=Bounds()))
    assert digest(asked) != digest(Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), bounds=Bounds(queue=9)))


def test_the_clients_of_a_closed_loop_have_none() -> None:
    closed = Demand(form="concurrency", concurrency=9)
    with pytest.raises(InputError, match="closed loop") as refusal:
        Question(slo=Slo(ttft=0.5), demand=closed, bounds=Bounds(timeout=9.0))
    assert refusal.value.where == "--client-timeout"


def test_a_client_that_leaves_before_the_front_end_is_done_is_refused() -> None:
    assert Bounds(timeout=0.5).patience(0.03) == pytest.approx(0.47)
    assert math.isinf(Bounds().patience(0.03))
    with pytest.raises(InputError, match="front end") as refusal:
        Bounds(timeout=0.02).patience(0.03)
    assert refusal.value.accepted == "more than 0.03 s"
