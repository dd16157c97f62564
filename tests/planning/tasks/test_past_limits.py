from dataclasses import replace

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.kept_inputs import FormulaInputs
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import past_limits


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


def test_what_has_least_of_a_limited_thing_is_told_after_the_best() -> None:
    asked = Question(workload="chat", slo=Slo(ttft=0.5), budget=1.0, max_feed=1.0, max_total_gpus=1, objective="gpus")
    free = replace(asked, budget=None, max_feed=None, max_total_gpus=None)
    measured = past_limits._measured(asked, free)
    assert [one.objective for one in measured] == ["cost", "energy"]
    assert {replace(one, objective="gpus") for one in measured} == {free}
    assert past_limits._measured(free, free) == []


def test_nothing_is_told_where_more_than_a_limit_is_in_the_way(found: NewPlan, question: Question) -> None:
    assert told(found, replace(question, slo=Slo(ttft=1e-4), budget=1.0)) == []
