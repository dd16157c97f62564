"""Where nothing holds, what was set aside is searched; looser limits may show a fleet that keeps all as they are."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Answer, Candidate, Look, PlanIdentity, Verdict
from fleettui.domain.scenario import Objective, Question
from fleettui.domain.slo import Slo
from fleettui.planning.plan_search import kept_by_looks, rivals_of, search, set_aside, shapes_of
from fleettui.planning.trial import Trial
from tests.planning.test_smallest_fleet import World
from tests.planning.trials import curves, evidence, shape

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


def known(size: int, gpu: str, error: float) -> Candidate:
    """Return a fleet by formula whose step times are known within a share of those predicted."""
    return replace(shape(size, gpu=gpu, work=[3.0]), model_error=error)


async def gone_on(
    needs: dict[str, list[float]],
    *,
    proves: int = 9,
    sure: Sequence[float] = (9.0, 5.0),
    objective: Objective = "cost",
    instead: str | None = None,
) -> tuple[str, list[str]]:
    """Return the GPU of the fleet that a search ends with, and those that were tried; larger ones it never `proves`.

    `sure` is what MI300X, then H100 cost to be as good as sure, each time that it is asked. `instead` are the GPUs that
    the plan of what is known less would tell to cost least for that.
    """
    world = World({"gaudi3": [9], **needs}, unproven={(size,) for size in range(proves + 1, 10**6)})
    searched = [known(5, "h100", 0.1), known(6, "l40s", 0.6), known(3, "mi300x", 0.6), known(7, "gaudi3", 0.6)]
    searched[1] = replace(searched[1], shortfalls=("budget: $6.00/h above $5.00/h",))
    question = Question(slo=Slo(ttft=0.5), objective=objective)
    plan = Answer(
        verdict="pass",
        answer=searched[0],
        plan=PlanIdentity(name="", seed=1),
        demand=DerivedDemand(rate=RATE, arithmetic=""),
        candidates=tuple(searched),
    )

    async def attempt(one: Candidate, sizes: tuple[int, ...]) -> Trial:
        found = await world.attempt(one, sizes)
        return replace(found, candidate=replace(found.candidate, model_error=one.model_error))

    async def curves_of(fleets: Any) -> Any:
        return [curves(one) for one in searched for fleet in fleets if one.fleet == fleet]

    costs, asked = iter(sure), cycle(["mi300x", "h100"])

    async def run(name: str, _: object, **about: Any) -> Any:
        gpu = about["fleet"].fleet.pools[0].gpu
        assert (name, gpu) == ("advice-sure-cost", next(asked))
        assert [one.fleet.pools[0].gpu for one in about["answer"].candidates] == [gpu for gpu, _ in world.tried]
        return [next(costs)]

    async def with_confidence(answer: Answer) -> Answer:
        told = None if instead is None else SureFleet(fleet=shape(8, gpu=instead).fleet, cost=8.0)
        found = Confidence(holds=0.95, replicas=None, gpus=None, cost=9.0, span=(None, None), instead=told)
        return replace(answer, confidence=found)

    kept: Any = None
    trials: Any = SimpleNamespace(
        plan=plan,
        question=question,
        prover=SimpleNamespace(
            curves=curves_of,
            with_confidence=with_confidence,
            workers=SimpleNamespace(run=run),
            source=SimpleNamespace(question=question, rate=RATE),
        ),
        look_at=attempt,
        attempt=attempt,
        begin=lambda _number, _most: None,
        tell_so_far=None,
    )
    pairs, settled = await search(
        trials, kept, shapes_of(searched, plan, question), set_aside(searched, plan, question)
    )
    assert settled is not None
    gpus = [gpu for gpu, _ in dict.fromkeys((gpu, ()) for gpu, _ in world.tried)]
    assert {one.fleet.pools[0].gpu for one in settled.simulated} == {*gpus}
    assert {walk.shape.fleet.pools[0].gpu for walk in settled.walks} <= {one.fleet.pools[0].gpu for one, _ in pairs}
    found = "" if settled.answer is None else settled.answer.candidate.fleet.pools[0].gpu
    assert found != "mi300x" or any(one.fleet.pools[0].gpu == "gaudi3" for one, _ in pairs), "what else is known so"
    return found, gpus


async def test_what_is_known_less_is_the_answer_only_where_nothing_else_holds() -> None:
    """Found: $18.26/h were asked for beside a budget of $18.00, within which 6 MI300X at $11.94 held as simulated."""
    assert await gone_on({"h100": [5], "l40s": [4], "mi300x": [3]}) == ("h100", ["h100"])
    assert (await gone_on({"h100": [5], "l40s": [6], "mi300x": [3]}, proves=4))[0] == "mi300x"
    assert (await gone_on({"h100": [5], "l40s": [6], "mi300x": [6]}, proves=4))[0] == ""


async def test_what_was_set_aside_is_the_answer_where_it_costs_less_to_be_as_good_as_sure_too() -> None:
    """Found: 4 H100, $11.80/h, 55 % sure, beside 3 MI300X, $5.97/h, 85 % sure, as these may cost $13.93/h."""
    needs: dict[str, list[float]] = {"h100": [5], "l40s": [4], "mi300x": [3]}
    both = ["h100", "mi300x"]
    assert await gone_on(needs, sure=[8.0, 8.0, 8.0, 8.0]) == ("mi300x", both)
    assert await gone_on(needs, sure=[8.1, 8.0]) == ("h100", ["h100"]), "less within its error alone"
    assert await gone_on(needs, sure=[8.0, 8.0, 8.1, 8.0]) == ("h100", both), "as it was simulated so, too"
    assert await gone_on({**needs, "mi300x": [6]}, sure=[8.0, 8.0]) == ("h100", both), "dearer as it was simulated"
    assert await gone_on(needs, sure=[math.inf, math.inf]) == ("h100", ["h100"]), "no number of them may do"
    assert await gone_on(needs, sure=[], objective="gpus") == ("h100", ["h100"])


async def test_what_was_set_aside_is_no_answer_where_the_plan_would_tell_what_is_known_better_for_less() -> None:
    needs: dict[str, list[float]] = {"h100": [5], "l40s": [4], "mi300x": [3]}
    both, sure = ["h100", "mi300x"], [8.0, 8.0, 8.0, 8.0]
    assert await gone_on(needs, sure=sure, instead="h100") == ("h100", both)
    assert await gone_on(needs, sure=sure, instead="mi300x") == ("mi300x", both)


async def test_a_search_goes_on_among_what_is_known_as_well_as_what_was_set_aside_and_is_the_answer() -> None:
    """Found: 3 MI300X, $8.10/h, where 1 MI300X + 1 B200 hold at $7.95, 74 % sure, and the former are 63."""
    needs: dict[str, list[float]] = {"h100": [9], "l40s": [9], "mi300x": [8]}
    searched = ["h100", "l40s", "mi300x", "gaudi3"]
    assert await gone_on({**needs, "gaudi3": [7]}, sure=[8.0, 8.0, 8.0, 8.0]) == ("gaudi3", searched)
    assert await gone_on({**needs, "gaudi3": [9]}, sure=[8.0, 8.0, 8.0, 8.0]) == ("mi300x", searched)


@pytest.mark.parametrize(
    ("best", "rivals"),
    [(None, ["mi300x", "gaudi3"]), ("h100", []), ("l40s", ["mi300x"]), ("a100", [])],
    ids=["nothing", "chosen", "set aside as they are", "known as well as chosen"],
)
def test_shapes_set_aside_rival_what_is_known_as_little(best: str | None, rivals: list[str]) -> None:
    errors = {"h100": 0.1, "a100": 0.15, "l40s": 0.5, "mi300x": 0.5, "gaudi3": 0.9}
    fleets = {gpu: known(3, gpu, error) for gpu, error in errors.items()}
    aside = [fleets["mi300x"], fleets["gaudi3"]]
    held = None if best is None else fleets[best]
    found = rivals_of(aside, held, fleets["h100"], Question(slo=Slo(ttft=0.5)))
    assert [one.fleet.pools[0].gpu for one in found] == rivals
