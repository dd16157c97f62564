"""What posted prices turn to is as sure as the answer is wished to be."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import AT_POSTED_PRICES, Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import plan, posted_prices


def _answered(question: Question) -> Answer:
    return plan.run(Context(), question=question).answer


def test_what_posted_prices_turn_to_is_as_sure_as_is_wished(question: Question) -> None:
    """Found: 12 L40S for $9.48/h, the size at the step times predicted, where 90 % took 74."""
    asked = replace(
        question,
        model="llama-3.1-8b",
        gpus=("h100", "a100"),
        tp=(1,),
        step_law="kernels",
        verify=False,
        confidence=0.9,
    )
    told = next(one for one in _answered(asked).warnings if one.startswith(AT_POSTED_PRICES))
    alone = replace(asked, gpus=("a100",))
    sure, nominal = (_answered(one).answer for one in (alone, replace(alone, confidence=None)))
    assert sure is not None
    assert nominal is not None
    assert f"~{sure.gpus} A100 ~${sure.cost_per_hour:.2f}/h" in told
    assert nominal.gpus < sure.gpus


def test_of_each_gpu_type_more_than_its_cheapest_make_is_sized(
    question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: no number of B200 tp1 is 90 % sure, so 48 H100 were named where 20 B200 tp2 cost less."""
    sized: list[Candidate] = []

    def shapes(answer: Answer, *_: object) -> list[Candidate]:
        sized.extend(answer.candidates)
        return []

    monkeypatch.setattr(posted_prices, "sized_shapes", shapes)
    _answered(
        replace(
            question,
            model="llama-3.1-8b",
            gpus=("h100", "a100"),
            tp=(1, 2),
            pools=(1,),
            step_law="kernels",
            verify=False,
            confidence=0.9,
        )
    )
    makes = [(one.fleet.pools[0].gpu, one.fleet.pools[0].tp) for one in sized]
    assert sorted(makes) == [("a100", 1), ("a100", 2), ("h100", 1), ("h100", 2)]
