"""Questions refuse what cannot be meant."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.digest import digest
from fleettui.domain.scenario import Question, Scenario
from fleettui.domain.serialization import decode, dumps
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from tests.own_fits import FIT, SERVER

SLO = Slo(ttft=0.5)


@pytest.mark.parametrize(
    "fields",
    [
        {"dtype": "int3"},
        {"preset": "best"},
        {"prefix_hit": 1.5},
        {"max_utilization": 1.0},
        {"headroom": 1.0},
        {"headroom": -0.1},
        {"budget": 0.0},
        {"context": -5},
        {"pools": (5,)},
        {"pools": (3,), "splits": (4096,)},
        {"gamma": (0.9, 1.0)},
        {"gamma": (2.0, 1.5)},
        {"availability": 1.0},
        {"survive": -1},
        {"survive": 1, "preset": "paper"},
        {"max_total_gpus": 0},
        {"objective": "speed"},
        {"pools": ()},
        {"pools": (1,), "splits": (4096,)},
        {"prompt_steps": "apart"},
        {"prompt_steps": "alone", "step_law": "roofline"},
    ],
)
def test_fields_out_of_range_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Question(slo=SLO, **fields)


def test_a_fit_stands_beside_its_own_law_and_overhead_alone() -> None:
    assert Question(slo=SLO, fit=FIT, step_law="kernels").fit == FIT
    with pytest.raises(InputError, match=r"--step-law: the fit prod is of steps by kernels \(got 'roofline'\)"):
        Question(slo=SLO, fit=FIT, step_law="roofline")
    with pytest.raises(InputError, match="--engine-overhead: the fit prod has the engine's overhead in it"):
        Question(slo=SLO, fit=FIT, step_law="kernels", engine_overhead=0.003)


def test_a_fit_is_of_its_server_under_its_engine() -> None:
    asked = Question(slo=SLO, fit=FIT, step_law="kernels")
    assert asked.fit_of(SERVER) == SERVER
    others: tuple[dict[str, Any], ...] = ({"gpu": "h200"}, {"tp": 8}, {"dtype": "bf16"}, {"kv_dtype": "fp8"})
    for other in (replace(SERVER, **one) for one in others):
        assert asked.fit_of(other) is None
    assert replace(asked, engine="sglang").fit_of(SERVER) is None
    assert replace(asked, fit=None).fit_of(SERVER) is None


def test_a_question_without_a_fit_has_the_text_that_it_always_had() -> None:
    assert "fit" not in dumps(Question(slo=SLO))
    assert "survive" not in dumps(Question(slo=SLO))
    assert decode(Question, dumps(Question(slo=SLO, fit=FIT, step_law="kernels"))).fit == FIT


def test_a_fleet_is_held_to_the_limits_less_the_headroom() -> None:
    asked = Question(slo=Slo(ttft=0.5, further=(("e2e.p50", 8.0),)), headroom=0.25)
    assert [(one.name, one.seconds) for one in asked.held_limits()] == [("ttft", 0.375), ("e2e.p50", 6.0)]
    assert replace(asked, headroom=0.0).held_limits() == asked.slo.limits()


def test_the_name_can_be_left_out_of_a_scenario() -> None:
    one = Scenario(question=Question(slo=SLO, name="a"), workload="w", profiles=(), rate=1.0, engine_version=1)
    other = Scenario(question=Question(slo=SLO, name="b"), workload="w", profiles=(), rate=1.0, engine_version=1)
    assert one != other
    assert one.named("") == other.named("")


BATCH_LIMIT = Slo(ttft=0.5, further=(("batch.ttft", 60.0),))


def test_a_limit_of_class_batch_takes_requests_of_it() -> None:
    with pytest.raises(InputError, match="no request is of class batch") as refusal:
        Question(slo=BATCH_LIMIT)
    assert refusal.value.remedy == "add --batch-share 30%, or leave the limit out"
    assert Question(slo=BATCH_LIMIT, batch_share=0.3).slo == BATCH_LIMIT


@pytest.mark.parametrize("share", [0.0, -0.1, 0.001, 0.995, 1.0, 1.5, float("nan")])
def test_either_class_has_a_share_of_the_requests(share: float) -> None:
    with pytest.raises(InputError, match="leaves a class without requests"):
        Question(slo=Slo(ttft=0.5), batch_share=share)


def test_a_question_of_one_class_has_the_digest_that_it_had() -> None:
    asked = Question(slo=Slo(ttft=0.5))
    assert digest(asked) == digest(Question(slo=Slo(ttft=0.5), batch_share=None))
    assert digest(asked) != digest(Question(slo=Slo(ttft=0.5), batch_share=0.3))
