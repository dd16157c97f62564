"""What of a fleet that is given is spare or short, and up to which rate it holds: held to simulations of them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from fleettui.domain.anchor import Anchor
from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer, Candidate, Look, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.stock import Greatest, Stock
from fleettui.planning import fleet_limits
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.kept_looks import seen_in
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.ladder import is_rung
from fleettui.planning.make_plan import make_plan
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.contradictions import rows
from tests.planning.simulated import Here, Watched, question, sketch, trace
from tests.planning.test_unproven_rates import FAILS_FROM, HOLDS_TO, drawn
from tests.planning.test_unproven_rates import look as made
from tests.planning.trials import evidence, seen, shape

pytestmark = pytest.mark.looks
Ask = Callable[..., Question]


@pytest.fixture
def asked(tmp_path: Path) -> Ask:
    path = trace(tmp_path)
    return lambda **changes: question(path, gpus=(), tp=(), **changes)


def at(rate: float) -> Demand:
    return Demand(form="rate", rate=rate)


def told(answer: Answer) -> Stock:
    assert answer.stock is not None
    return answer.stock


async def holding(answer: Answer, store: Store, workers: Watched) -> str:
    """Return the replicas of the row of a step table that holds the rate of a fleet that was given."""
    rate = answer.demand.rate
    steps = await make("steps", store, pool=workers, plan=answer.plan.id, low=0.9 * rate, high=1.1 * rate)
    return str(next(row["replicas"] for row in rows(steps) if row["up_to"] >= rate * (1 - 1e-9)))


@pytest.mark.evidence
async def test_what_is_spare_is_what_simulations_show(store: Store, workers: Watched, asked: Ask) -> None:
    """Three replicas hold 20/s, two do not."""
    answer = await simulate(sketch(4), asked(), store=store, pool=workers)
    stock = told(answer)
    assert (stock.replicas, stock.gpus, stock.simulated, stock.rate_simulated) == ((3,), (24,), True, True)
    assert (store.plans(limit=1)[0].spare, store.plan(answer.plan.id).stock) == (8, stock)
    assert await holding(answer, store, workers) == "3", "the steps say the same"


@pytest.mark.evidence
async def test_the_greatest_rate_lies_between_one_that_holds_and_one_that_fails(
    store: Store, workers: Watched, asked: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    stock = told(await simulate(sketch(4), asked(), store=store, pool=workers))
    assert stock.rate is not None
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    for rate, verdict in ((0.95 * stock.rate, "pass"), (1.1 * (stock.fails_from or stock.rate), "fail")):
        other = asked(demand=at(rate), seed=9)
        assert (await simulate(sketch(4), other, store=store, pool=workers)).verdict == verdict


@pytest.mark.evidence
async def test_the_greatest_rate_is_the_same_at_whatever_rate_a_fleet_is_asked_about(
    store: Store, workers: Watched, asked: Ask
) -> None:
    """Found: it moved by up to 1.4 % with the rate asked about, as the looks were at shares of that."""
    told_at = [told(await simulate(sketch(4), asked(demand=at(rate)), store=store, pool=workers)) for rate in (17, 20)]
    assert [stock.rate_simulated for stock in told_at] == [True, True]
    assert len({stock.rate for stock in told_at}) == 1


@pytest.mark.evidence
async def test_what_a_fleet_lacks_is_told_by_pool(store: Store, workers: Watched, asked: Ask) -> None:
    """The long pool has too few replicas and the short one too many."""
    answer = await simulate(sketch(3, 1), asked(slo=Slo(ttft=0.25)), store=store, pool=workers)
    stock = told(answer)
    assert stock.replicas is not None
    assert await holding(answer, store, workers) == " + ".join(map(str, stock.replicas)), "the steps say the same"
    short, long = stock.replicas
    assert stock.simulated
    assert short < 3
    assert long > 1


async def test_nothing_is_told_without_limits_and_of_clients_that_drive_themselves(asked: Ask) -> None:
    loop = Demand(form="concurrency", concurrency=5, think=1.0)
    cases: tuple[dict[str, object], ...] = ({}, {"slo": Slo()}, {"demand": loop}, {"preset": "paper"})
    assert [fleet_limits.can_be_told(asked(**changes)) for changes in cases] == [True, False, False, False]


async def test_what_would_take_long_is_by_formula(
    store: Store, workers: Watched, asked: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 10)
    stock = told(await simulate(sketch(4), asked(seed=5), store=store, pool=workers))
    assert (stock.simulated, stock.rate_simulated) == (False, False)
    assert stock.rate is not None
    assert stock.rate > 20.0


async def test_a_plans_fleet_may_be_as_busy_as_it_was_asked_to_be(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """What would be busier fails without a run."""
    plan = await make_plan(question(trace(tmp_path), verify=False, max_utilization=0.4), store=store, pool=workers)
    kept, best = KeptPlan.of(store, plan.plan.id), plan.answer
    assert best is not None
    limits = FleetLimits.of(workers, kept.source("limits", kept.profiles), plan, best, lambda *_: None)
    workers.replications()
    look = await limits.look(limits.sizes, 40.0)
    assert look is not None
    assert (look.holds, seen_in(look, kept.question)[0].passed, workers.replications()) == (False, False, 0)
    assert look.evidence.reason.endswith("busy, above 0.40")


@pytest.mark.parametrize("more", [0.01, -0.01])
async def test_what_a_given_fleet_holds_and_how_sure_it_is_do_not_jump_where_it_is_busier_than_asked(
    store: Store, workers: Watched, asked: Ask, more: float
) -> None:
    """It passes by its latencies; what is spare, how much it carries and how sure it is keep to what was asked."""
    busy = (await simulate(sketch(4), asked(verify=False), store=store, pool=workers)).answer
    assert busy is not None
    most = busy.busiest.utilization - more
    answer = await simulate(sketch(4), asked(max_utilization=most), store=store, pool=workers)
    stock, sure = told(answer), answer.confidence
    assert sure is not None
    assert (answer.verdict, stock.replicas, stock.most_busy) == ("pass", (5 if more > 0 else 4,), most)
    assert stock.rate == pytest.approx(answer.demand.rate * most / busy.busiest.utilization, rel=0.03)
    assert sure.holds == pytest.approx(0.5 - 8 * more, abs=0.08)
    assert len([one for one in answer.warnings if one.endswith("--max-utilization moves it")]) == (more > 0)


async def test_where_no_size_holds_none_is_told(store: Store, workers: Watched, asked: Ask) -> None:
    stock = told(await simulate(sketch(2), asked(slo=Slo(ttft=0.01)), store=store, pool=workers))
    assert replace(stock, rate=None, rate_simulated=False, most_busy=None) == Stock(
        replicas=None, gpus=None, cost=None, simulated=False, rate=None, rate_simulated=False
    )


@pytest.mark.parametrize("rate", [9.0, 14.0, 20.0])
async def test_rates_that_are_not_proven_are_told_apart_from_those_that_fail_from_wherever_one_starts(
    rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: they counted as failing without a word, and where the first was met hung on the rate asked about."""

    async def look(self: FleetLimits, sizes: tuple[int, ...], at: float) -> Look:
        return self._learn(made(at, drawn(at)).candidate, at)

    async def lasts(self: FleetLimits, share: float = 0.5) -> tuple[float, tuple[float, ...]]:
        return 1.1 * self.source.rate, ()

    monkeypatch.setattr(FleetLimits, "look", look)
    monkeypatch.setattr(FleetLimits, "lasts", lasts)
    asked = Question(workload="made-up", slo=Slo(ttft=0.5), gpus=("h100",), demand=at(rate))
    source = SceneSource(key="x", question=asked, workload="", profiles="", pairing="fifo", rate=rate)
    limits = FleetLimits(
        workers=Here(), source=source, fleet=shape(2), seed=1, precision=0.02, known=(), looks=[made(rate, drawn(rate))]
    )
    found = await limits.greatest()
    assert found.simulated
    assert found.fails_from == pytest.approx(FAILS_FROM, rel=0.09)
    assert found.rate == (9.0 if rate == 9.0 and drawn(rate) == "pass" else pytest.approx(HOLDS_TO, rel=0.09))


@pytest.mark.parametrize(("lasting", "looked"), [(29.05, []), (29.376, [29.376])])
async def test_up_to_what_load_lets_it_a_fleet_is_looked_at_once_and_only_where_load_decides(
    lasting: float, looked: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: a rate up to which latency let it, between two rungs, was simulated eight times, each a hair below."""

    async def look(self: FleetLimits, sizes: tuple[int, ...], at: float) -> Look:
        busy = 0.85 * at / 29.376
        seen = made(at, "pass" if at < 29.0 else "unproven" if busy <= 0.85 else "fail")
        pools = tuple(replace(one, utilization=busy) for one in seen.candidate.pools)
        assert seen.candidate.evidence is not None
        proof = replace(seen.candidate.evidence, method="formula" if busy > 0.85 else "simulation")
        return self._learn(replace(seen.candidate, pools=pools, evidence=proof), at)

    async def lasts(self: FleetLimits, share: float = 0.5) -> tuple[float, tuple[float, ...]]:
        return lasting * (1.0 - 1e-6 * len(self.looks)), ()

    monkeypatch.setattr(FleetLimits, "look", look)
    monkeypatch.setattr(FleetLimits, "lasts", lasts)
    asked = Question(workload="made-up", slo=Slo(ttft=0.5), gpus=("h100",), demand=at(28.98))
    source = SceneSource(key="x", question=asked, workload="", profiles="", pairing="fifo", rate=28.98)
    limits = FleetLimits(
        workers=Here(), source=source, fleet=shape(2), seed=1, precision=0.02, known=(), looks=[made(28.98, "pass")]
    )
    assert (await limits.greatest()).rate == 28.98
    assert [one.rate for one in limits.looks if not is_rung(one.rate)] == pytest.approx(looked, rel=1e-4)


@pytest.mark.parametrize("proven", [True, False])
async def test_what_a_replica_less_leaves_open_is_kept_where_the_rest_is_proven(
    proven: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def smallest(self: FleetLimits, *, longer: bool) -> tuple[Candidate, bool]:
        return more, proven

    async def greatest(self: FleetLimits) -> Greatest:
        return Greatest(rate=None, simulated=False)

    opened = made(9.0, "unproven")
    (pool,) = opened.candidate.fleet.pools[:1]
    fewer = replace(opened.candidate.fleet, pools=(pool,))
    opened = replace(opened, candidate=replace(opened.candidate, fleet=fewer))
    fleet = replace(fewer, pools=(replace(pool, replicas=pool.replicas + 1),))
    more = replace(opened.candidate, fleet=fleet)
    monkeypatch.setattr(FleetLimits, "smallest", smallest)
    monkeypatch.setattr(FleetLimits, "greatest", greatest)
    asked = Question(workload="made-up", slo=Slo(ttft=0.5), gpus=("h100",), demand=at(9.0))
    source = SceneSource(key="x", question=asked, workload="", profiles="", pairing="fifo", rate=9.0)
    limits = FleetLimits(workers=Here(), source=source, fleet=more, seed=1, precision=0.02, known=(), looks=[opened])
    assert (await limits.stock()).unproven == ((pool.gpus_per_replica,) if proven else None)


@pytest.mark.parametrize(("given", "expected"), [((10, 4), (9, 3)), ((12, 5), (6, 2))])
async def test_what_of_it_is_spare_was_shown_though_short_runs_leave_it_open_and_the_formulas_begin_far_below(
    given: tuple[int, int], expected: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: nothing was spare where one pool less held and two did not, or a fleet that fails was left by formula."""
    truth: tuple[dict[int, Verdict], ...] = ({9: "pass"}, {3: "fail"})

    def verdict(place: int, size: int, longer: bool) -> Verdict:
        ((edge, seen),) = truth[place].items()
        return seen if size == edge and longer else "unproven" if size == edge else "fail" if size < edge else "pass"

    async def look(self: FleetLimits, sizes: tuple[int, int], rate: float, *, longer: bool = False) -> Look:
        found = [verdict(place, size, longer) for place, size in enumerate(sizes)]
        fleet = next(one for one in ("fail", "unproven", "pass") if one in found)
        pools = [seen(name, (0.4, 0.5), one) for name, one in zip(("short", "long"), found, strict=True)]
        return self._learn(replace(shape(*sizes), evidence=evidence(fleet, *pools)), rate)

    async def needed(self: FleetLimits) -> tuple[int, ...]:
        pairs = zip(expected, self.anchors, strict=True)
        return tuple(max(size, own.least(self.source.rate)) for size, own in pairs)

    async def staged(workers: object, source: object, fleet: object, sizes: tuple[int, int]) -> SimpleNamespace:
        return SimpleNamespace(candidate=shape(*sizes))

    async def greatest(self: FleetLimits) -> Greatest:
        return Greatest(rate=None, simulated=False)

    for name, made_up in (("look", look), ("needed", needed), ("greatest", greatest)):
        monkeypatch.setattr(FleetLimits, name, made_up)
    monkeypatch.setattr(fleet_limits, "prepared", staged)
    asked = Question(workload="made-up", slo=Slo(ttft=0.5), gpus=("h100",), demand=at(9.0))
    source = SceneSource(key="x", question=asked, workload="", profiles="", pairing="fifo", rate=9.0)
    passed = evidence("pass", seen("short", (0.4, 0.4), "pass"), seen("long", (0.4, 0.4), "pass"))
    own = replace(shape(*given), evidence=passed)
    limits = FleetLimits(
        workers=Here(),
        source=source,
        fleet=own,
        seed=1,
        precision=0.02,
        known=(Anchor(), Anchor()),
        looks=[Look(rate=9.0, candidate=own)],
    )
    stock = await limits.stock()
    assert (stock.replicas, stock.simulated, stock.unproven) == ((9, 4), True, None)
