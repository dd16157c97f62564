"""What posted prices turn to is as sure as the answer is wished to be."""

from dataclasses import replace

from fleettui.domain.plan import AT_POSTED_PRICES, Answer
from fleettui.domain.scenario import Question
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import plan


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
    assert f"~{sure.gpus} A100 ${sure.cost_per_hour:.2f}/h" in told
    assert nominal.gpus < sure.gpus
