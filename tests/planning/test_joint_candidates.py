from dataclasses import replace

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.joint import Entry, Kind, Offered, Option
from fleettui.domain.plan import Answer, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.joint_candidates import Menu
from tests.planning.trials import shape

KINDS = (Kind(name="a100", price=1.0, per_node=8), Kind(name="h100", price=2.0, per_node=8))
ENTRY = Entry(name="chat", question=Question(workload="made-up", slo=Slo(ttft=0.5)))


def menu() -> Menu:
    """Return two fleets of an entry that knows H100s only."""
    options = (Option(gpus=(8,), watts=1.0), Option(gpus=(16,), watts=2.0))
    found = Offered(kinds=KINDS[1:], options=options, rate=3.0)
    return Menu.of(ENTRY, found, KINDS)


def answer(verdict: Verdict, *sizes: int) -> Answer:
    best = replace(shape(*sizes), power=77.0)
    return Answer(verdict=verdict, demand=DerivedDemand(rate=1.0, arithmetic=""), answer=best)


def test_fleets_are_counted_by_all_types() -> None:
    assert menu().options == [Option(gpus=(0, 8), watts=1.0), Option(gpus=(0, 16), watts=2.0)]


def test_a_proven_fleet_has_the_size_that_held() -> None:
    one = menu()
    one.learn(0, answer("pass", 3, 2), KINDS)  # replicas of two GPUs
    assert one.options[0] == Option(gpus=(0, 10), watts=77.0)
    assert one.places() == [0, 1]
    assert one.places(proven_only=True) == [0]


def test_a_fleet_that_does_not_hold_is_no_choice_any_more() -> None:
    one = menu()
    one.learn(0, answer("fail", 4), KINDS)
    one.learn(1, answer("unproven", 8), KINDS)
    assert one.places() == one.places(proven_only=True) == []
    assert {place: plan.verdict for place, plan in one.plans.items()} == {0: "fail", 1: "unproven"}
