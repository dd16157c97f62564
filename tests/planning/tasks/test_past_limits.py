from dataclasses import replace

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.kept_inputs import FormulaInputs
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import past_limits, plan


def told(found: NewPlan, question: Question) -> list[Candidate]:
    inputs = FormulaInputs(question=question, workload=found.workload, fleet=None, profiles=found.profiles)
    return past_limits.run(Context(), inputs=inputs)


def test_what_a_plan_without_the_limit_walks_to_says_what_it_breaks(found: NewPlan, question: Question) -> None:
    best = found.answer.answer
    assert best is not None
    dollars = best.cost_per_hour
    (first, *_) = told(found, replace(question, budget=0.5 * dollars))
    assert first.fleet == best.fleet
    assert first.evidence is None
    assert first.shortfalls == (f"budget: ${dollars:.2f}/h above ${0.5 * dollars:.2f}/h",)
    (kept, *_) = told(found, replace(question, budget=dollars))
    assert (kept.fleet, kept.shortfalls) == (best.fleet, ())


def test_nothing_is_told_where_more_than_a_limit_is_in_the_way(found: NewPlan, question: Question) -> None:
    assert told(found, replace(question, slo=Slo(ttft=1e-4), budget=1.0)) == []


def test_of_several_stocks_each_is_dropped_by_itself(question: Question) -> None:
    """What keeps the other stocks is told after what keeps none, dear as it may be."""
    asked = replace(question, gpus=("h100", "l40s"), tp=(2, 4, 8), max_gpus=(("h100", 8), ("l40s", 8)))
    found = plan.run(Context(), question=asked)
    both, one = told(found, asked), told(found, replace(asked, max_gpus=(("h100", 8),)))
    assert [each.fleet for each in both[: len(one)]] == [each.fleet for each in one]
    more = [each.fleet.gpus_by_type for each in both[len(one) :]]
    assert more
    assert all(min(used.get("h100", 0), used.get("l40s", 0)) <= 8 for used in more)
