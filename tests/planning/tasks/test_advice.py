"""What stands beside an answer is told of fleets, whatever else may be had."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.fleet import Fleet
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Candidate, Estimate, compares_gpus
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.plan_search import shapes_of
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import advice
from fleettui.planning.tasks.plan import run as plan
from fleettui.reports.posted_prices import PostedPrices
from tests.planning.trials import evidence, seen

PRICES = {"a100": 1.3, "mi300x": 1.99}
ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=30.0),
    slo=Slo(ttft=0.5),
    model="llama-3.1-8b",
    step_law="kernels",
    prices=tuple(PRICES.items()),
)
PAIR = ("a100", "mi300x")


@cache
def planned(gpus: tuple[str, ...]) -> NewPlan:
    return plan(Context(), question=replace(ASKED, gpus=gpus))


def to_be_sure(gpus: tuple[str, ...], size: int = 0) -> tuple[float, float]:
    """Return what A100 with MI300X cost an hour, as they are and to be as good as sure.

    Those are the cheapest, or as many as were simulated to hold.
    """
    new = planned(gpus)
    source = SceneSource.of(new.scenario.question, new.workload, new.answer.demand, f"{gpus}", new.profiles)
    own = (one for one in new.answer.candidates if {*one.fleet.gpus_by_type} == {*PAIR})
    fleet = min(own, key=lambda one: one.cost_per_hour)
    if size:
        pools = [replace(seen(one.name, None, "pass"), ttft=Estimate(value=2.0 * one.ttft)) for one in fleet.pools]
        fleet = replace(fleet, cost_per_hour=size * sum(PRICES.values()), evidence=evidence("pass", *pools))
    answer = replace(new.answer, candidates=(fleet,))
    (found,) = advice.sure_cost(Context(), source=source, answer=answer, fleet=fleet)
    return fleet.cost_per_hour, found


def test_what_gpus_cost_to_be_as_good_as_sure_is_what_a_fleet_costs_whatever_else_may_be_had() -> None:
    """Found: A100 with MI300X cost up to $7.04/h, and $7.65 where others may be had, too: no fleet costs that."""
    more = (*PAIR, "h100", "b200")
    found = {to_be_sure(gpus) for gpus in (PAIR, more)}
    ((cost, sure),) = found
    assert cost == pytest.approx(sum(PRICES.values()))
    assert sure == pytest.approx(PRICES["a100"] + 2 * PRICES["mi300x"])
    (told,) = (one for one in planned(more).answer.why if compares_gpus(one))
    assert told.endswith(f"; a100 with mi300x ~${sure:.2f}/h to be 90% sure (kernels not measured)")


def test_it_is_no_less_than_what_was_simulated_and_more_where_that_took_longer() -> None:
    _, sure = to_be_sure(PAIR)
    assert to_be_sure(PAIR, 1)[1] > sure
    assert to_be_sure(PAIR, 9)[1] == 9 * sum(PRICES.values())


def divided(prices: dict[str, float], *seen_so: Candidate, ttft: float = 0.5) -> list[Fleet]:
    """Return what A100 with MI300X are divided to at these prices, beside an answer that may be of H100, too."""
    new = planned((*PAIR, "h100"))
    question = replace(new.scenario.question, slo=Slo(ttft=ttft))
    source = SceneSource.of(question, new.workload, new.answer.demand, f"divided {ttft}", new.profiles)
    other = next(one for one in new.answer.candidates if {*one.fleet.gpus_by_type} == {*PAIR})
    turned = PostedPrices(prices=tuple(prices.items()), own=9.0, other=other, cost=8.0, more=False)
    answer = replace(new.answer, candidates=seen_so)
    return advice.divided(Context(), source=source, answer=answer, turned=turned)


@pytest.mark.parametrize("prices", [{"a100": 9.0}, {"mi300x": 9.0}, {"a100": 0.9, "mi300x": 1.1}])
def test_what_prices_turn_to_is_divided_as_a_plan_of_its_gpu_types_at_these_prices(prices: dict[str, float]) -> None:
    asked = replace(ASKED, gpus=PAIR, prices=tuple({**PRICES, **prices}.items()))
    alone = plan(Context(), question=asked).answer.answer
    assert alone is not None
    assert divided(prices) == [alone.fleet]
    assert {*alone.fleet.gpus_by_type} == {*PAIR} - {gpu for gpu, price in prices.items() if price > 8.0}


def test_what_prices_turn_to_takes_more_where_simulations_took_longer_and_nothing_where_no_size_holds() -> None:
    (fleet,) = divided({"mi300x": 9.0})
    slower = next(one for one in planned(PAIR).answer.candidates if {*one.fleet.gpus_by_type} == {"a100"})
    pools = [replace(seen(one.name, None, "pass"), ttft=Estimate(value=2.0 * one.ttft)) for one in slower.pools]
    (more,) = divided({"mi300x": 9.0}, replace(slower, evidence=evidence("pass", *pools)))
    assert more != fleet
    assert divided({"mi300x": 9.0}, ttft=1e-4) == []


def test_the_shapes_beside_an_answer_are_those_of_a_plan_without_its_gpus() -> None:
    question = Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=40.0),
        slo=Slo(ttft=0.5),
        model="llama-3.1-8b",
        gpus=("h100", "h200"),
        verify=False,
    )
    answered = plan(Context(), question=question)
    assert answered.answer.answer is not None
    own = answered.answer.answer.fleet.gpus_by_type
    (other,) = {*question.gpus} - {*own}
    demand = DerivedDemand(rate=40.0, arithmetic="", pairing="joint")
    source = SceneSource.of(question, answered.workload, demand, "tasks/test_advice", answered.profiles)
    asked = replace(question, gpus=(other,))
    alone = plan(Context(), question=asked).answer
    found = advice.shapes(Context(), source=source, answer=answered.answer)
    assert [one.fleet for one in found] == [one.fleet for one in shapes_of(alone.candidates, alone, asked)]
    assert {gpu for one in found for gpu in one.fleet.gpus_by_type} == {other}


def test_one_pool_takes_what_the_formulas_say_as_simulations_correct_them() -> None:
    """Found: 2 GPUs more than 1 L40S with 1 H100 were 4 A100, which fail; 2 H100 are no GPU more, and $2.16/h."""
    slo, demand = Slo(ttft=0.4, tpot=0.04), Demand(form="rate", rate=20.0)
    asked = replace(ASKED, gpus=("l40s", "a100", "h100"), demand=demand, slo=slo)
    new = plan(Context(), question=asked)
    source = SceneSource.of(asked, new.workload, new.answer.demand, "outputs", new.profiles)
    best = new.answer.answer
    assert best is not None
    pools = [replace(seen(one.name, None, "pass"), ttft=Estimate(value=1.2 * one.ttft)) for one in best.pools]
    slower = replace(best, evidence=evidence("pass", *pools))
    answer = replace(new.answer, answer=slower, candidates=(slower,))
    alone = plan(Context(), question=replace(asked, pools=(1,), gpus=("h100",))).answer.answer
    assert alone is not None
    told = advice.outputs(Context(), source=source, answer=answer)
    more = alone.cost_per_hour - best.cost_per_hour
    assert f"router length must know outputs; --pools 1 need not: ~${more:.2f}/h more" in told
