"""What looser limits were simulated for may show a fleet that keeps all limits as they are."""

from dataclasses import replace

import pytest

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Answer, Candidate, Look, PlanIdentity, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.plan_search import kept_by_looks
from tests.planning.trials import evidence, shape

RATE = 10.0


def looked_at(size: int, gpu: str, verdict: Verdict, price: float = 1.0) -> Candidate:
    return replace(shape(size, gpu=gpu, price=price), evidence=evidence(verdict))


@pytest.mark.parametrize(
    ("stock", "kept"),
    [({"h100": 8}, "a100"), ({"h100": 8, "a100": 8}, "a100"), ({"h100": 8, "a100": 4}, "h100"), ({"h100": 2}, "a100")],
)
def test_the_best_fleet_that_was_seen_to_hold_within_all_limits_is_the_answer(stock: dict[str, int], kept: str) -> None:
    """Found: "18 l40s would do beside 10 h100, as simulated"; asked with as many, the plan said the same again."""
    fleets = (looked_at(4, "h100", "pass", 3.0), looked_at(3, "a100", "pass", 2.0), looked_at(1, "l40s", "fail"))
    answer = Answer(
        verdict="infeasible",
        answer=None,
        plan=PlanIdentity(name="", seed=1),
        demand=DerivedDemand(rate=RATE, arithmetic=""),
        looks=(
            Look(rate=2 * RATE, candidate=looked_at(1, "b200", "pass")),
            *(Look(rate=RATE, candidate=one) for one in fleets),
        ),
    )
    question = Question(slo=Slo(ttft=0.5), max_gpus=tuple(stock.items()))
    assert [one.fleet.pools[0].gpu for one in kept_by_looks(answer, question)] == [kept]
    assert kept_by_looks(answer, replace(question, budget=0.1)) == []
