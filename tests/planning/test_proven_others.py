"""What stands beside a proven answer is told of what was simulated, and of the answer that was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.plan import AT_POSTED_PRICES, MAY_BE_CHEAPER, WITHOUT, Answer, Candidate, Look, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import make_of
from fleettui.planning.dared_beside import MOST_DARED, DaredBeside
from fleettui.planning.proven_others import ProvenOthers, with_others
from fleettui.planning.shown_fleets import ShownFleets
from fleettui.reports.posted_prices import PostedPrices
from tests.planning.test_shown_fleets import ASKED, RATE, simulated
from tests.planning.trials import evidence, seen, shape
from tests.store import samples

BEST = replace(shape(3), cost_per_hour=42.48, evidence=evidence("pass"))
OTHER = replace(shape(3, gpu="h200"), cost_per_hour=48.0)
DIVIDED = replace(shape(2, 4, gpu="h200"), cost_per_hour=40.0)
UNKNOWN = replace(shape(3, gpu="mi300x"), cost_per_hour=23.88, gpus_range=(3, 12), band=(0.3, 3.0), speeds="a guess")


class Workers:
    """Workers that find by formula what is known: what has none of the answer's GPUs, and what prices turn to."""

    def __init__(self, turned: Candidate = OTHER) -> None:
        self.turned = turned

    async def run(self, name: str, _: object, **more: Any) -> Any:
        if name == "verification-stage":
            return SimpleNamespace(candidate=DIVIDED)
        answer = more.get("answer")
        if name == "advice-sure-cost":
            assert more["fleet"].evidence is not None, "it was simulated"
            return [2.0 * more["fleet"].cost_per_hour] * (more["fleet"].fleet.pools[0].gpu != "endless")
        if name == "advice-without":
            return [OTHER]
        if name == "advice-shapes":
            return []
        if name == "advice-divided":
            assert more["turned"].other.simulation is not None
            return [DIVIDED.fleet]
        return self.said(name, answer, more)

    def said(self, name: str, answer: Any, more: dict[str, Any]) -> Any:
        """Return how sure MI300X are, or what prices turn to."""
        if name == "confidence":
            assert more["fleet"].pools[0].gpu == "mi300x"
            return Confidence(holds=0.634, replicas=None, gpus=None, cost=None, span=(None, None))
        assert name == "advice-prices"
        known = {one.fleet: one for one in answer.candidates}
        held = [one for one in known.values() if one.simulation and one.simulation.verdict == "pass"]
        passed = [one for one in held if one.fleet.pools[0].gpu == "h200"]
        found = [*passed, *(one for one in more["ranked"] if one == self.turned)]
        return [PostedPrices(prices=(("h100", 7.0),), own=99.0, other=one, cost=48.0, more=False) for one in found[:1]]


async def no_curves(_: object) -> Sequence[Any]:
    return []


async def told(
    *why: str,
    simulate: bool,
    prices: bool = False,
    ranked: Sequence[Candidate] = (),
    question: Question = ASKED,
    verdict: Any = "pass",
    best: Candidate = BEST,
    sure: Confidence | None = None,
) -> Answer:
    source = SimpleNamespace(question=question, rate=RATE)
    simulator: Any = SimpleNamespace(source=source, workers=Workers(), curves=no_curves)
    known: dict[str, Any] = {"verdict": verdict, "answer": best, "candidates": (best,), "why": why}
    answer = replace(samples.answer(1), **known, confidence=sure, warnings=(f"{AT_POSTED_PRICES}old", "kept"))
    return await with_others(simulator, answer, ranked, simulate=simulate, prices=prices)


@pytest.fixture(autouse=True)
def left(monkeypatch: pytest.MonkeyPatch) -> list[Candidate]:
    """Return the fleets that a search as a plan's would leave beside what was shown; none are."""
    found = list[Candidate]()

    async def nothing(_: DaredBeside) -> list[Candidate]:
        return found

    monkeypatch.setattr(DaredBeside, "left", nothing)
    return found


@pytest.fixture
def too_few() -> Verdict:
    """Return what is seen of a fleet with one replica fewer than it takes."""
    return "fail"


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch, too_few: Verdict) -> None:
    """Simulate each fleet to take one replica more than it has, at $8 each."""

    async def look_at(self: ShownFleets, one: Candidate, _: float) -> bool:
        size = one.fleet.pools[0].replicas + 1
        shown = simulated(one, size, one.cost_per_hour + 8.0)
        self.looks.append(
            Look(rate=RATE, candidate=replace(one, evidence=evidence(too_few, seen("all", None, too_few))))
        )
        self._learn(make_of(one), shown)
        return True

    monkeypatch.setattr(ShownFleets, "look_at", look_at)


async def test_what_other_gpus_cost_is_told_beside_the_answer_that_was_simulated() -> None:
    """Found: 12 H200, $48.00/h, were told beside $34.52/h, of a fleet that simulations refuted."""
    old = f"{WITHOUT}h100, by formula: H200 tp4 x3, $48.00/h beside $34.52/h (+39%)"
    found = await told("pool all: busy", old, simulate=False)
    assert found.why == ("pool all: busy", f"{WITHOUT}h100, by formula: H200 tp2 x3, ~$48.00/h beside $42.48/h (+13%)")


async def test_other_gpus_are_told_where_the_formulas_chose_types_beside_which_there_are_none() -> None:
    """Found: nothing was said of 18 A100 beside 4 MI300X, as the formulas' choice had a replica of each."""
    found = await told("pool all: busy", simulate=False, ranked=(BEST, OTHER))
    assert found.why == ("pool all: busy", f"{WITHOUT}h100, by formula: H200 tp2 x3, ~$48.00/h beside $42.48/h (+13%)")
    assert (await told("pool all: busy", simulate=False, ranked=(BEST,))).why == ("pool all: busy",)


@pytest.mark.usefixtures("looked")
async def test_what_other_gpus_cost_is_what_they_are_simulated_to_take() -> None:
    found = await told(WITHOUT, simulate=True)
    assert found.why == (f"{WITHOUT}h100, as simulated: H200 tp2 x4, $56.00/h beside $42.48/h (+32%)",)
    failing = await told(WITHOUT, simulate=True, verdict="fail")
    assert ", by formula: " in failing.why[0]
    assert failing.warnings == ("kept",), "nothing is told of prices beside what does not hold"


@pytest.mark.usefixtures("looked")
@pytest.mark.parametrize("too_few", ["unproven"])
async def test_what_is_not_shown_to_be_the_least_is_told_as_the_most(too_few: Verdict) -> None:
    """Found: H100 + 6 H200 without b200, $26.95/h as simulated, where a plan proved five of these for $22.95."""
    assert too_few == "unproven"
    (said,) = (await told(WITHOUT, simulate=True)).why
    assert said.endswith("as simulated: H200 tp2 x4, at most $56.00/h beside $42.48/h (+32%)")
    reason = f"mi300x{MAY_BE_CHEAPER}$23.88/h by formula"
    (said,) = (await told(reason, simulate=True, ranked=[UNKNOWN, OTHER])).why
    assert f"{MAY_BE_CHEAPER}at most $31.88/h as simulated" in said


@pytest.mark.usefixtures("looked")
async def test_what_costs_less_than_the_answer_and_is_left_open_makes_what_others_cost_the_most(
    left: list[Candidate],
) -> None:
    """Found: MI300X, $43.78/h as simulated, beside 8 B200, $42.00; 20 MI300X, $39.80, were simulated, not proven."""
    left.append(replace(DIVIDED, cost_per_hour=40.0))
    (said,) = (await told(WITHOUT, simulate=True)).why
    assert said.endswith("as simulated: H200 tp2 x4, at most $56.00/h beside $42.48/h (+32%)")


@pytest.mark.usefixtures("looked")
@pytest.mark.parametrize(("cost", "most"), [(50.0, "at most "), (56.0, "")])
async def test_what_a_plan_would_go_on_to_try_is_told_as_the_most(
    left: list[Candidate], cost: float, most: str
) -> None:
    """Found: next without B200 24 H100, $70.80/h, as simulated; a plan of H100 found 22, $64.90."""
    left.append(replace(DIVIDED, cost_per_hour=cost))
    (said,) = (await told(WITHOUT, simulate=True)).why
    assert said.endswith(f"as simulated: H200 tp2 x4, {most}$56.00/h beside $42.48/h (+32%)")


@pytest.mark.usefixtures("looked")
async def test_what_a_search_as_a_plans_finds_beside_what_was_shown_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()

    async def found(search: DaredBeside) -> list[Candidate]:
        asked.append(search.most)
        pools = (seen(pool.name, None, "pass") for pool in DIVIDED.fleet.pools)
        held = replace(DIVIDED, cost_per_hour=50.0, evidence=evidence("pass", *pools))
        search.shown.looks.append(Look(rate=RATE, candidate=held))
        search.shown._learn(make_of(held), held)
        return []

    monkeypatch.setattr(DaredBeside, "left", found)
    (said,) = (await told(WITHOUT, simulate=True)).why
    assert ", as simulated: H200 tp2 x2 + tp2 x4, at most $50.00/h beside" in said
    assert asked == [MOST_DARED, 0], "what it found is gone on from without more fleets"


@pytest.mark.usefixtures("looked")
async def test_what_the_search_for_others_shows_of_what_is_known_less_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: nothing beside 26 B200, $136.50/h; 60 MI300X, $119.40, had held on the way to the best without B200."""

    async def found(search: DaredBeside) -> list[Candidate]:
        search.shown._learn(make_of(UNKNOWN), simulated(UNKNOWN, 4, 31.84))
        return []

    monkeypatch.setattr(DaredBeside, "left", found)
    (said,) = (await told(WITHOUT, simulate=True)).why
    assert said.startswith(f"mi300x{MAY_BE_CHEAPER}at most $31.84/h as simulated, 63% sure, ~$63.68/h beside ")


@pytest.mark.parametrize("looks", [False, True])
async def test_what_is_by_formula_is_searched_on_from_where_others_were_simulated(
    monkeypatch: pytest.MonkeyPatch, *, looks: bool
) -> None:
    asked = list[int]()

    async def look_at(self: ShownFleets, one: Candidate, _: float) -> bool:
        self.looks += [
            Look(rate=RATE, candidate=replace(one, evidence=evidence("fail", seen("all", None, "fail"))))
        ] * looks
        return False

    async def nothing(search: DaredBeside) -> list[Candidate]:
        asked.append(search.most)
        return []

    monkeypatch.setattr(ShownFleets, "look_at", look_at)
    monkeypatch.setattr(DaredBeside, "left", nothing)
    (said,) = (await told(WITHOUT, simulate=True)).why
    assert ", by formula: " in said
    assert asked == [MOST_DARED] * looks


@pytest.mark.usefixtures("looked")
@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (23.88, f"mi300x{MAY_BE_CHEAPER}$31.88/h as simulated, 63% sure, ~$63.76/h beside ~$84.96/h"),
        (40.0, f"{WITHOUT}h100, as simulated: MI300X tp2 x4, $48.00/h beside $42.48/h (+13%)"),
    ],
)
async def test_what_may_be_cheaper_is_told_as_it_was_simulated_or_else_what_is_next(cost: float, said: str) -> None:
    """Found: MI300X may be cheaper, $23.88/h; followed it took $31.84/h."""
    unknown = replace(UNKNOWN, cost_per_hour=cost)
    reason = f"mi300x{MAY_BE_CHEAPER}${cost:.2f}/h by formula"
    found = await told(reason, simulate=True, ranked=[unknown, OTHER])
    assert [one.partition(" to be 90% sure")[0] for one in found.why] == [said]
    kept = await told(reason, simulate=True, ranked=[OTHER])
    assert kept.why == (reason,), "no such fleet is ranked"


@pytest.mark.usefixtures("looked")
@pytest.mark.parametrize("reason", [(), (f"{WITHOUT}h100, by formula: H200 tp2 x3, $48.00/h",)])
async def test_what_may_be_cheaper_is_told_where_the_formulas_told_what_is_next(reason: tuple[str, ...]) -> None:
    """Found: next without b200 MI300X tp4 x1, $7.96/h beside $7.80/h, where 3 MI300X held at $5.97, set aside."""
    (said,) = (await told(*reason, simulate=True, ranked=[UNKNOWN])).why
    costs = "$31.88/h as simulated, 63% sure, ~$63.76/h beside ~$84.96/h to be 90% sure (a guess): a measurement (two "
    assert said.startswith(f"mi300x{MAY_BE_CHEAPER}{costs}")


@pytest.mark.parametrize(
    ("alone", "said"),
    [(50.0, "63% sure, mi300x alone ~$50.00/h beside ~$84.96/h"), (70.0, "63% sure, ~$60.00/h beside ~$84.96/h")],
)
async def test_what_as_good_as_sure_costs_is_of_the_best_of_its_gpu_types_that_was_looked_at(
    alone: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: h200 with mi300x $17.83/h to be 90 % sure, where 8 MI300X are for $15.92."""
    one = shape(2, 2, gpu="mi300x")
    pools = one.fleet.pools[0], replace(one.fleet.pools[1], gpu="h200")
    mixed = replace(UNKNOWN, fleet=replace(one.fleet, pools=pools), pools=one.pools, cost_per_hour=22.0)
    costs = {("mi300x",): alone, ("mi300x", "h200"): 60.0, ("h100",): 84.96}

    async def cost(_: ProvenOthers, one: Candidate) -> float:
        return costs[tuple(one.fleet.gpus_by_type)]

    async def look_at(self: ShownFleets, one: Candidate, _: float) -> bool:
        held = replace(one, evidence=evidence("pass", *(seen(pool.name, None, "pass") for pool in one.fleet.pools)))
        self.looks.append(Look(rate=RATE, candidate=held))
        self._learn(make_of(one), held)
        return True

    monkeypatch.setattr(ShownFleets, "look_at", look_at)
    monkeypatch.setattr(ProvenOthers, "_sure_cost", cost)
    (found,) = (await told(simulate=True, ranked=[UNKNOWN, mixed])).why
    assert f"as simulated, {said} to be 90% sure (a guess): " in found
    assert found.startswith(f"h200 with mi300x{MAY_BE_CHEAPER}"), "the cheapest that was seen to hold"


@pytest.mark.usefixtures("looked")
@pytest.mark.parametrize(
    ("sure", "said"),
    [
        ({}, "~$63.76/h beside ~$90.00/h"),
        ({"instead": "h200"}, "~$63.76/h beside ~$70.00/h"),
        ({"instead": "mi300x"}, "~$60.00/h beside ~$90.00/h"),
        ({"instead": "mi300x", "better_known": "h200"}, "~$60.00/h beside ~$70.00/h"),
    ],
)
async def test_beside_what_may_be_cheaper_stands_what_is_known_better_for_as_good_as_sure(
    sure: dict[str, str], said: str
) -> None:
    """Found: 3 MI300X, $8.10/h, 63 % sure, beside an answer at $9.25, 52 % sure, and no word of what 90 % takes."""
    known_as = {"mi300x": (60.0, "a guess"), "h200": (70.0, "")}
    fleets = {
        name: SureFleet(fleet=shape(3, gpu=gpu).fleet, cost=cost, speeds=speeds)
        for name, gpu in sure.items()
        for cost, speeds in [known_as[gpu]]
    }
    none = Confidence(holds=0.52, replicas=None, gpus=None, cost=90.0, span=(None, None))
    known = replace(none, instead=fleets.get("instead"), better_known=fleets.get("better_known"))
    (found,) = (await told(simulate=True, ranked=[UNKNOWN], sure=known)).why
    assert f", 63% sure, {said} to be 90% sure (a guess): " in found


@pytest.mark.parametrize(
    ("like_these", "instead", "said"),
    [
        (None, None, 84.96),
        (90.0, (6, "h100", 60.0), 60.0),
        (70.0, (6, "h100", 80.0), 70.0),
        (90.0, (6, "a100", 60.0), 90.0),
    ],
)
async def test_what_the_answers_gpus_cost_to_be_sure_is_what_the_page_says(
    like_these: float | None, instead: tuple[int, str, float] | None, said: float
) -> None:
    """Found: b200 $199.50/h by formula to be 90% sure, beside 90% with ~40 GPUs as B200 tp4 x10 ($210/h)."""
    best = replace(BEST, band=(0.3, 3.0), speeds="a guess")
    other = None if instead is None else SureFleet(fleet=shape(instead[0], gpu=instead[1]).fleet, cost=instead[2])
    sure = Confidence(holds=0.5, replicas=None, gpus=None, cost=like_these, span=(None, None), instead=other)
    (found,) = (await told(WITHOUT, simulate=False, best=best, sure=sure)).why
    assert found.endswith(f"; h100 ~${said:.2f}/h to be 90% sure (a guess)")


async def test_gpus_that_are_as_good_as_sure_as_they_are_cost_no_more_to_be_so() -> None:
    best = replace(BEST, band=(0.3, 3.0), speeds="a guess")
    sure = Confidence(holds=0.93, replicas=(2,), gpus=4, cost=28.32, span=(None, None))
    (found,) = (await told(WITHOUT, simulate=False, best=best, sure=sure)).why
    assert found.endswith("; h100 $42.48/h to be 90% sure (a guess)")


@pytest.mark.usefixtures("looked")
async def test_what_posted_prices_turn_to_is_simulated_or_says_that_it_is_by_formula() -> None:
    """Found: posted prices turned to at least 13 H100, $38.35/h, where 12 hold."""
    guessed = await told(simulate=False, ranked=[OTHER])
    assert guessed.warnings == ("kept", "posted prices: --price h100=7: this $99.00/h, ~6 H200 ~$48.00/h")
    found = await told(simulate=True, ranked=[OTHER])
    assert found.warnings == ("kept",), "the size that was refuted is not told again"


@pytest.mark.usefixtures("looked")
async def test_what_posted_prices_turn_to_is_simulated_of_one_workload_of_several_too() -> None:
    """Found: at least 4 A100 of a joint plan, $5.20/h, where they fail and 5 hold; nothing else is simulated."""
    found = await told("by formula: 6 H200 beside it", WITHOUT, simulate=False, prices=True, ranked=[OTHER])
    assert found.warnings == ("kept",), "the size that was refuted is not told"
    assert found.why == (await told("by formula: 6 H200 beside it", WITHOUT, simulate=False, ranked=[OTHER])).why


@pytest.mark.parametrize(("takes", "said"), [(44.0, "12 H200 at most $44.00/h"), (60.0, "6 H200 at most $56.00/h")])
async def test_the_gpus_that_prices_turn_to_are_divided_as_is_best(
    monkeypatch: pytest.MonkeyPatch, takes: float, said: str
) -> None:
    """Found: 2 L40S + 10 H100, $31.08/h, as simulated, where 9 of the H100 alone held for $26.55."""

    async def look_at(self: ShownFleets, one: Candidate, _: float) -> bool:
        cost = takes if one is DIVIDED else one.cost_per_hour + 8.0
        self._learn(make_of(one), replace(one, cost_per_hour=cost, evidence=evidence("pass")))
        return True

    async def turned(others: ProvenOthers, ranked: Sequence[Candidate]) -> PostedPrices | None:
        rivals = [one for one in (*others.shown.shown, *ranked) if one.fleet.pools[0].gpu == "h200"]
        found = min(rivals, key=lambda one: one.cost_per_hour, default=None)
        if found is None:
            return None
        return PostedPrices(prices=(("h100", 7.0),), own=99.0, other=found, cost=found.cost_per_hour, more=False)

    monkeypatch.setattr(ShownFleets, "look_at", look_at)
    monkeypatch.setattr(ProvenOthers, "_turned", turned)
    found = await told(simulate=True, ranked=[OTHER])
    assert found.warnings == ("kept", f"posted prices: --price h100=7: this $99.00/h, {said}")
