"""What the usual GPUs come to is told where a question names others and nothing holds, as `why` tells it."""

from dataclasses import replace

from fleettui.domain.remedy import USUAL_GPUS
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import make_of
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import usual_gpus
from fleettui.planning.tasks.plan import run as plan
from tests.planning.tasks.test_why import explained


def test_both_the_page_and_why_name_the_usual_gpus(question: Question) -> None:
    """Found: $52.50/h of other GPUs stood in `why` alone, the page named a budget of $82.60/h."""
    free = plan(Context(), question=replace(question, gpus=(), verify=False)).answer.answer
    assert free is not None
    cheap = replace(question, budget=1.01 * free.cost_per_hour, verify=False)
    found = plan(Context(), question=cheap).answer
    assert found.answer is None
    (said,) = (one for one in found.why if one.startswith(USUAL_GPUS))
    assert said in explained(cheap, Context()).sentences


def test_nothing_is_told_where_none_are_named_or_they_would_not_do_either(question: Question) -> None:
    asked = replace(question, gpus=("l40s",), budget=1e-3, verify=False)
    found = plan(Context(), question=asked)
    assert not any(one.startswith(USUAL_GPUS) for one in found.answer.why)
    named = replace(asked, budget=1e6)
    for other in (replace(named, gpus=()), replace(named, confidence=0.9)):
        assert usual_gpus.run(Context(), question=other, workload=found.workload) == []
    proven = replace(asked, verify=True, budget=0.01)
    assert usual_gpus.told(found.answer, proven, found.workload, Context()) == found.answer


def test_several_are_of_unlike_makes_and_those_that_are_known_well_come_first(question: Question) -> None:
    asked = replace(question, gpus=("l40s",), verify=False)
    workload = plan(Context(), question=asked).workload
    (best,) = usual_gpus.run(Context(), question=asked, workload=workload)
    several = usual_gpus.run(Context(), question=asked, workload=workload, most=5)
    assert several[0].fleet == best.fleet
    assert len({make_of(one) for one in several}) == len(several) == 5
    aside = [asked.sets_aside(one, best) for one in several]
    assert aside == sorted(aside)


def test_arrivals_that_rest_on_the_workloads_record_have_it(question: Question) -> None:
    """Found: a given fleet that failed under bursts ended in an error of the program, as other GPUs were asked for."""
    asked = replace(question, gpus=("l40s",), arrivals="bursty", verify=False)
    workload = plan(Context(), question=asked).workload
    (steady,) = usual_gpus.run(Context(), question=replace(asked, arrivals="poisson"), workload=workload)
    (best,) = usual_gpus.run(Context(), question=asked, workload=workload)
    assert best.cost_per_hour >= steady.cost_per_hour
