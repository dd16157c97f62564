"""A fleet is as sure of a rate whoever asks: its capacity, a simulation at that rate, its growth and its steps."""

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest

from fleettui.domain.anchor import Anchor, SeenPool
from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch
from fleettui.domain.plan import Answer, Look
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning import surest_rate, synchronous
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.ladder import APART, as_the_rungs_tell, rungs
from fleettui.planning.make_plan import make_plan
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from fleettui.reports.confidence_text import surely
from store import Store
from tests.planning.contradictions import START, rows
from tests.planning.simulated import Watched, question, sizes, sketch, trace
from tests.planning.trials import evidence, seen, shape

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]

A100, B200 = {"gpu": "a100"}, {"gpu": "b200", "tp": 4}
MIXED = replace(sketch(2, 2), pools=(sketch(2, 2, **B200).pools[0], sketch(2, 2).pools[1]))
FLEETS = {
    "one pool": (sketch(3), 20.0, Slo(ttft=0.35)),
    "another rate": (sketch(3), 9.0, Slo(ttft=0.35)),
    "a small one": (sketch(1), 5.0, Slo(ttft=0.5)),
    "another GPU": (sketch(4, **A100), 10.0, Slo(ttft=1.0)),
    "other groups": (sketch(4, **B200), 30.0, Slo(ttft=0.3)),
    "two limits": (sketch(3), 20.0, Slo(ttft=0.35, tpot=0.05)),
    "two pools": (sketch(2, 2), 15.0, Slo(ttft=0.35)),
    "two GPUs": (MIXED, 15.0, Slo(ttft=0.35)),
}


def sure(answer: Answer) -> Confidence:
    assert answer.confidence is not None
    return answer.confidence


async def surest(store: Store, workers: Watched, plan: Answer) -> float:
    """Return the rate up to which a plan's fleet is told to hold in most of the cases."""
    study = await make("capacity", store, pool=workers, fleet=plan.plan.id, confidence=LIKELY)
    (_, rate, *_) = study.tables[0].rows[1]
    assert isinstance(rate, float)
    return rate


@pytest.mark.evidence
@pytest.mark.parametrize(("fleet", "rate", "slo"), FLEETS.values(), ids=FLEETS)
async def test_a_fleet_is_as_sure_of_its_capacity_as_that_says(
    store: Store, workers: Watched, tmp_path: Path, fleet: FleetSketch, rate: float, slo: Slo
) -> None:
    """So it is whatever rate its capacity was asked from; and a little above that it is short."""
    asked = question(trace(tmp_path), gpus=(), tp=(), slo=slo, precision=0.05)

    async def simulated(rate: float) -> Answer:
        own = replace(asked, demand=Demand(form="rate", rate=rate))
        return await simulate(fleet, own, store=store, pool=workers)

    most = await surest(store, workers, await simulated(rate))
    there, beyond = await simulated(most), await simulated(1.03 * most)
    assert surely(sure(there).holds) in ("90%", "91%")
    assert sure(there).replicas is not None
    pairs = [*zip(sure(there).replicas or (), sizes(there.answer), strict=True)]
    assert all(need <= own for need, own in pairs), pairs
    assert sure(beyond).holds < LIKELY
    assert await surest(store, workers, there) == pytest.approx(most, rel=APART)


async def wished(store: Store, workers: Watched, folder: Path, rate: float, slo: float) -> tuple[Answer, Question]:
    """Return a plan that is to hold in most of the cases, and the question by which a fleet is judged for it."""
    demand = Demand(form="rate", rate=rate)
    asked = question(trace(folder), demand=demand, slo=Slo(ttft=slo), confidence=LIKELY, precision=0.05)
    plan = await make_plan(asked, store=store, pool=workers)
    return plan, replace(asked, gpus=(), tp=(), confidence=None)


@pytest.mark.evidence
@pytest.mark.parametrize(("rate", "slo"), [(20.0, 0.35), (35.0, 0.3), (28.0, 0.5)])
async def test_a_plan_that_is_sized_for_it_and_its_studies_are_as_sure(
    store: Store, workers: Watched, tmp_path: Path, rate: float, slo: float
) -> None:
    """Its fleet is ordered to grow from the rate on to which its capacity is as sure as was wished."""
    plan, given = await wished(store, workers, tmp_path, rate, slo)
    assert (plan.verdict, sure(plan).holds >= LIKELY) == ("pass", True)
    growth = await make(
        "growth", store, pool=workers, plan=plan.plan.id, per_month=0.1, lead_days=9.0, start=START, months=24
    )
    steps = await make("steps", store, pool=workers, plan=plan.plan.id)
    own = " + ".join(map(str, sizes(plan.answer)))
    most = await surest(store, workers, plan)
    assert most >= rate
    assert rows(growth)[1]["at_rate"] == pytest.approx(most, rel=0.01)
    assert next(row["up_to"] for row in rows(steps) if row["replicas"] == own) == pytest.approx(most, rel=0.01)
    judged = await simulate(sketch(*sizes(plan.answer)), given, store=store, pool=workers)
    assert sure(judged).holds == pytest.approx(sure(plan).holds, abs=0.01)


@pytest.mark.evidence
@pytest.mark.parametrize(("rate", "slo"), [(20.0, 0.35), (35.0, 0.3)])
async def test_growth_that_is_asked_for_again_is_the_same(
    store: Store, workers: Watched, tmp_path: Path, rate: float, slo: float
) -> None:
    """What it simulated on its way moved the orders before, so nothing is left to simulate and nothing moves."""
    plan, _ = await wished(store, workers, tmp_path, rate, slo)
    asked: dict[str, Any] = {"per_month": 0.06, "lead_days": 56.0, "start": START, "months": 18, "orders": "each"}
    first, again = [await make("growth", store, pool=workers, plan=plan.plan.id, **asked) for _ in range(2)]
    assert (again.sentences, again.tables) == (first.sentences, first.tables)
    assert (bool(first.looks), again.looks) == (True, ())
    steps = await make("steps", store, pool=workers, plan=plan.plan.id, low=rate, high=3.0 * rate)
    lasts = {row["replicas"]: row["up_to"] for row in rows(steps)}
    for before, row in pairwise(rows(first)):
        assert row["at_rate"] == pytest.approx(lasts[before["replicas"]], rel=1e-5)


@pytest.mark.evidence
async def test_a_sweep_knows_what_studies_showed_where_longer_steps_decide(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Its fleets are those of the steps, which know the same: looks at the plan's fleet at the rungs."""
    plan, _ = await wished(store, workers, tmp_path, 35.0, 0.3)
    steps = rows(await make("steps", store, pool=workers, plan=plan.plan.id, low=35.0, high=105.0))
    ends = [row["up_to"] for row in steps if row["up_to"] > 38.5]
    among = ",".join(f"{math.sqrt(low * high):.4f}/s" for low, high in pairwise(ends))
    sweep = await make("whatif", store, pool=workers, plan=plan.plan.id, sweep=[f"rate={among}"])
    for row in rows(sweep):
        assert row["gpus"] == min(one["gpus"] for one in steps if one["up_to"] >= row["rate"]), row


@pytest.mark.evidence
@pytest.mark.parametrize(("rate", "slo"), [(36.0, 0.5), (24.0, 0.35), (20.0, 0.5)])
async def test_no_plan_that_is_sized_for_it_has_a_replica_too_many(
    store: Store, workers: Watched, tmp_path: Path, rate: float, slo: float
) -> None:
    """With one fewer a simulation tells that it is less sure, as near as that may be by formula."""
    plan, given = await wished(store, workers, tmp_path, rate, slo)
    (own,) = sizes(plan.answer)
    assert sure(await simulate(sketch(own - 1), given, store=store, pool=workers)).holds < LIKELY <= sure(plan).holds


@pytest.mark.parametrize(("rate", "slo"), [(36.0, 0.5), (24.0, 0.35)])
async def test_one_fleet_needs_as_many_more_wherever_it_is_met(
    store: Store, workers: Watched, tmp_path: Path, rate: float, slo: float
) -> None:
    """Found: what else a search had simulated moved it, 58 to 78 GPUs for one fleet under one question."""
    demand = Demand(form="rate", rate=rate)
    asked = question(trace(tmp_path), demand=demand, slo=Slo(ttft=slo), precision=0.05)
    plan = await make_plan(asked, store=store, pool=workers)
    own = sketch(*sizes(plan.answer))
    given = await simulate(own, replace(asked, gpus=(), tp=()), store=store, pool=workers)
    assert sure(given).holds == pytest.approx(sure(plan).holds, abs=0.01)
    assert replace(sure(given), instead=None, holds=0.0) == replace(sure(plan), instead=None, holds=0.0)


@pytest.mark.thorough
async def test_of_one_fleet_as_many_are_told_to_be_sure_beside_any_sizes_of_it(store: Store, workers: Watched) -> None:
    """Found: ~28 GPUs, 6 + 16 replicas for $98/h, on a plan's page and ~24, 6 + 12 for $85/h, on a given fleet's."""
    limits: dict[str, Any] = {"slo_ttft": "1500ms", "slo_tpot": "70ms", "price": "h100=3.10"}
    asked = synchronous.question(
        "azure-2023-code", rate="19/s", model="llama-3.1-70b", dtype="fp8", gpu="h100,a100,h200", **limits
    )
    plan = await make_plan(asked, store=store, pool=workers)
    assert plan.answer is not None
    own = FleetSketch.of(plan.answer.fleet)
    pools = tuple(replace(pool, replicas=size) for pool, size in zip(own.pools, (5, 13), strict=True))
    given = await simulate(replace(own, pools=pools), replace(asked, gpus=(), tp=()), store=store, pool=workers)
    assert sizes(plan.answer) == (4, 10)
    assert sure(plan).replicas == sure(given).replicas == (6, 12)
    assert sure(plan).cost == pytest.approx(85.2)
    assert sure(plan).best_cost == pytest.approx(80.3), "as --confidence 90% answers: the same replicas, 5 + 13"


SHARES = {6: 1.0, 5: 0.97, 4: 0.83, 3: 0.4}
"""How sure a fleet of so many replicas is by what it shows itself."""


class Judged(WorkerPool):
    """Says how sure fleets are: by SHARES, where formulas that larger ones correct have four replicas suffice."""

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:  # noqa: ARG002
        """Answer of the fleet in the payload what suffices: what was shown, or by the formulas."""
        assert name == "confidence"
        (pool,) = payload["fleet"]["pools"]
        own, shown = pool["replicas"], payload["shown"]
        likely = shown or [own + 1 if SHARES[own] < LIKELY else 4 if own == 6 else own]
        return {"holds": SHARES[own], "replicas": likely, "gpus": 2 * likely[0], "cost": 1.0, "span": [1, 20]}


@pytest.mark.parametrize(("own", "likely", "looked"), [(6, 5, [4, 5]), (5, 5, []), (4, 5, [5]), (3, 5, [4, 5])])
async def test_replicas_that_are_told_to_be_sure_are_so_by_what_they_show_themselves(
    monkeypatch: pytest.MonkeyPatch, own: int, likely: int, looked: list[int]
) -> None:
    """Found: "~4 H100 are spare with 90%" of 20 by what 20 showed, where 16 of them are 83% sure; "90% with ~36 like
    these" by what 12 showed, where 36 are 82% sure and 60 are 92%.
    """
    taken = list[int]()

    async def taken_at(limits: FleetLimits, sizes: tuple[int, ...], rate: float) -> Look:
        taken.extend(sizes)
        proof = evidence("pass", seen("short", (0.3, 0.4), "pass"))
        limits.looks.append(Look(rate=rate, candidate=replace(shape(*sizes), evidence=proof)))
        return limits.looks[-1]

    async def nothing(*_known: Any, **_sizes: Any) -> bool:
        return False

    asked = Question(workload="made-up", slo=Slo(ttft=0.5), gpus=("h100",), demand=Demand(form="rate", rate=9.0))
    source = SceneSource(key="x", question=asked, workload="", profiles="", pairing="fifo", rate=9.0)
    monkeypatch.setattr(FleetLimits, "look", taken_at)
    monkeypatch.setattr(surest_rate, "decided", nothing)
    monkeypatch.setattr(surest_rate, "looked_as_loaded", nothing)
    limits = FleetLimits(
        workers=Judged(), source=source, fleet=shape(own), seed=1, precision=0.02, known=(Anchor(seen=()),)
    )
    found = await surest_rate.how_sure(limits)
    assert found is not None
    assert (found.holds, found.replicas, found.gpus) == (SHARES[own], (likely,), 2 * likely)
    assert taken == looked


class Rising(WorkerPool):
    """Tells of a fleet that it holds up to a rung beyond the highest look, and up to 19/s by those at its rungs."""

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:  # noqa: ARG002
        """Answer with the rate, and with the load that it is."""
        (anchor,) = payload["anchors"]
        rate = min(19.0, 1.02 * max((100.0 * one["utilization"] for one in anchor["seen"]), default=15.0))
        return rate if name == "confidence-surest" else [rate, [rate]]


async def test_a_rate_is_followed_as_far_as_looks_at_it_make_it_rise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: two pools of two are told to hold 10.65/s in 90% of the cases, which they do up to 11.77/s."""

    async def taken_at(limits: FleetLimits, _sizes: tuple[int, ...], rate: float) -> Look:
        limits.looks.append(look(rate))
        return limits.looks[-1]

    asked = Question(workload="made-up", slo=Slo(ttft=0.5), gpus=("h100",), demand=Demand(form="rate", rate=9.0))
    source = SceneSource(key="x", question=asked, workload="", profiles="", pairing="fifo", rate=9.0)
    monkeypatch.setattr(FleetLimits, "look", taken_at)
    limits = FleetLimits(
        workers=Rising(), source=source, fleet=shape(1), seed=1, precision=0.02, known=(Anchor(seen=()),)
    )
    assert await surest_rate.surest_rate(limits, LIKELY) == 19.0


async def test_where_no_number_is_as_good_as_sure_that_is_told_once_the_first_was_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def unsure(_limits: FleetLimits, sizes: tuple[int, ...]) -> Confidence:
        judged.append(sizes)
        return Confidence(holds=0.7, replicas=None if sizes == (9,) else (8,), gpus=None, cost=None, span=(1, 20))

    judged = list[tuple[int, ...]]()
    monkeypatch.setattr(surest_rate, "sure_at", unsure)
    limits = FleetLimits.__new__(FleetLimits)
    assert await surest_rate.judged(limits, (7,)) is None
    assert judged == [(7,), (8,), (9,)], "one more each where no more are expected"


def told_of(sizes: tuple[int, ...], likely: tuple[int, ...] | None) -> Confidence:
    """Return how sure a fleet is that takes 6 and 12 replicas to be as good as sure, and how many are expected to."""
    holds = 0.93 if all(own >= need for own, need in zip(sizes, (6, 12), strict=True)) else 0.8
    return Confidence(holds=holds, replicas=likely, gpus=None, cost=None, span=(1, 20))


EXPECTED: dict[Any, Any] = {(6, 16): (6, 10), (6, 10): (6, 26), (6, 13): (6, 10), (6, 12): (6, 10), (6, 11): (6, 12)}
"""How many are expected to be as good as sure by what fleets show: too few where many are seen, too many where few are.
"""


@pytest.mark.parametrize(
    ("first", "expected", "looked"),
    [
        ((6, 16), EXPECTED, [(6, 16), (6, 10), (6, 13), (6, 12), (6, 11)]),
        ((6, 12), EXPECTED, [(6, 12), (6, 10), (6, 11)]),
        ((4, 16), {(4, 16): (6, 26), (6, 26): (5, 10), (5, 10): (7, 11), (6, 11): (6, 12), (6, 12): (6, 11)}, None),
    ],
)
async def test_no_fewer_do_than_are_told_to_be_sure(
    monkeypatch: pytest.MonkeyPatch, first: tuple[int, int], expected: dict[Any, Any], looked: list[Any] | None
) -> None:
    """Found: "90% with ~28 like these, 6 + 16 replicas ($98/h)" where 6 + 12 are 94% sure ($85/h), as the page of
    another fleet of them said: once 10 were too few, whose own runs had the formulas ask for 26, no others were tried.
    """
    taken = list[Any]()

    async def sure_at(_limits: FleetLimits, sizes: tuple[int, ...]) -> Confidence:
        taken.append(sizes)
        return told_of(sizes, expected[sizes])

    monkeypatch.setattr(surest_rate, "sure_at", sure_at)
    assert await surest_rate.judged(FleetLimits.__new__(FleetLimits), first) == (6, 12)
    assert taken == (looked or list(expected))


@pytest.mark.parametrize(("far", "told"), [((6, 13), (6, 16)), ((6, 10), (6, 10))])
async def test_of_numbers_that_are_not_looked_at_in_short_none_is_told_once_formulas_have_erred(
    monkeypatch: pytest.MonkeyPatch, far: tuple[int, int], told: tuple[int, int]
) -> None:
    async def sure_at(_limits: FleetLimits, sizes: tuple[int, ...]) -> Confidence | None:
        return None if sizes == far else told_of(sizes, EXPECTED[sizes])

    monkeypatch.setattr(surest_rate, "sure_at", sure_at)
    assert await surest_rate.judged(FleetLimits.__new__(FleetLimits), (6, 16)) == told


def look(rate: float, method: Literal["formula", "simulation"] = "simulation") -> Look:
    """Return what was seen of a fleet whose one replica is a hundredth as busy as its rate."""
    own = replace(evidence("pass", seen("short", (0.3, 0.4), "pass")), method=method)
    return Look(rate=rate, candidate=replace(shape(1, work=[rate / 100]), evidence=own))


async def test_between_two_rungs_at_which_a_fleet_was_seen_nothing_else_counts() -> None:
    (low, high), middle = rungs(60.0), 60.0
    _, above = rungs(high * 1.001)
    loads = [rate / 100 for rate in (low, middle, high)]
    seen = (SeenPool(utilization=load, ratios=(("ttft", 1.0),), replicas=3, rate=9.0, passed=True) for load in loads)
    anchors = (Anchor(seen=tuple(seen)),)
    (own,) = as_the_rungs_tell(anchors, [look(high), look(low)])
    assert [load for load, _ in own.ratios("ttft")] == [low / 100, high / 100]
    assert own.most(9.0) == 3, "it is known to hold as before"
    for looks in ([look(low), look(above)], [look(middle), look(high)], [look(low), look(high, "formula")], []):
        assert as_the_rungs_tell(anchors, looks) == anchors
