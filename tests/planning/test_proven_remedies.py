"""What limit would do is what the fleet at it is simulated to take."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

from fleettui.domain.plan import Candidate, Look, Verdict
from fleettui.domain.remedy import breaks_several
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import make_plan
from fleettui.planning.proven_remedies import NOTHING_DOES, Remedies, with_least_remedy, with_proven_remedies
from fleettui.planning.rerun import rerun
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, question, trace
from tests.planning.trials import evidence
from tests.store import samples

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]


@pytest.mark.thorough
async def test_a_limit_that_would_do_does(store: Store, workers: Watched, tmp_path: Path) -> None:
    """Found: 41.3 kW would do, by formula, and with 41.3 kW the plan failed at 45.4 kW."""
    asked = question(trace(tmp_path))
    free = await make_plan(asked, store=store, pool=workers)
    assert free.answer is not None
    tight = replace(asked, max_power=0.8 * free.answer.power)
    told = await make_plan(tight, store=store, pool=workers)
    assert told.verdict == "infeasible"
    said = re.match(r"a limit of ([\d.]+) kW on the GPUs would do, as simulated \(", told.why[0])
    assert said is not None, told.why
    assert float(said[1]) == pytest.approx(free.answer.power / 1e3, abs=0.1)
    again = await make_plan(replace(tight, max_power=float(said[1]) * 1e3), store=store, pool=workers)
    assert again.verdict == "pass"
    same = await rerun(store, told.plan.handle, pool=workers)
    assert same.again.why == told.why
    by_formula = await make_plan(replace(tight, verify=False), store=store, pool=workers)
    assert by_formula.why[0].endswith(", by formula")


@pytest.mark.parametrize(
    ("seconds", "limit", "objective", "said"),
    [
        (0.7, "budget", "cost", r"a budget of \$([\d.]+)/h would do, as simulated \(L40S tp8 x1 \+ H100 tp8 x1\)"),
        (0.3, "max_power", "power", r"a limit of ([\d.]+) kW on the GPUs would do, as simulated \(H100 tp8 x1"),
    ],
)
@pytest.mark.thorough
async def test_what_would_do_is_the_least_that_any_fleet_takes(
    store: Store, workers: Watched, tmp_path: Path, seconds: float, limit: str, objective: Any, said: str
) -> None:
    """Found: 11.3 kW would do, of a make that took more as simulated than by formula; another took 9.73."""
    asked = question(
        trace(tmp_path), tp=(), pools=(1, 2), slo=Slo(ttft=seconds), gpus=("h100", "l40s"), objective=objective
    )
    free = await make_plan(asked, store=store, pool=workers)
    assert free.answer is not None
    least = free.answer.cost_per_hour if limit == "budget" else free.answer.power
    tight: dict[str, Any] = {limit: 0.8 * least}
    told = await make_plan(replace(asked, objective="cost", **tight), store=store, pool=workers)
    found = re.match(said, told.why[0])
    assert found is not None, told.why
    would_do = float(found[1]) * (1.0 if limit == "budget" else 1e3)
    assert would_do == pytest.approx(least, rel=2e-3)
    looser: dict[str, Any] = {limit: would_do}
    again = await make_plan(replace(asked, objective="cost", **looser), store=store, pool=workers)
    assert again.verdict == "pass"
    study = await make("why", store, pool=workers, plan=told.plan.handle)
    rows = [row for table in study.tables if table.title.startswith("what would make it") for row in table.records()]
    name = limit.removeprefix("max_")
    assert [row["would_do"] for row in rows if row["constraint"] == name] == [pytest.approx(would_do, rel=2e-3)], rows


@pytest.mark.parametrize("seen", [True, False], ids=["simulated", "would take long"])
async def test_what_simulations_showed_not_to_do_is_not_told(monkeypatch: pytest.MonkeyPatch, *, seen: bool) -> None:
    """Found: 14 H200 beside 16 H100 would do, by formula, and with these no fleet held."""
    nearest = samples.candidate(cost=80.0)
    kept = SimpleNamespace(question=Question(slo=Slo(ttft=0.5), budget=50.0))
    tried = Remedies(kept=cast(Any, kept), workers=cast(Any, None), report=None)

    async def found(_: Remedies, __: str, one: Candidate) -> None:
        tried.looks += [Look(rate=30.0, candidate=one)] if seen else []

    monkeypatch.setattr(Remedies, "_found", found)
    reason = "a budget of $80.00/h would do, by formula"
    assert await tried.told(reason, nearest) == ("" if seen else reason)


class Known(Remedies):
    """Remedies whose searches come to what is known: by the most GPUs in all that a question allows, or none."""

    by_most: ClassVar[dict[int | None, Candidate]] = {}

    async def _smallest(self, _: str, nearest: Candidate) -> Candidate | None:
        self.looks.append(Look(rate=30.0, candidate=nearest))
        return nearest

    async def _planned(self, asked: Question) -> Candidate | None:
        return self.by_most.get(asked.max_total_gpus)


def remedies(asked: Question, **known: Any) -> Known:
    return Known(kept=cast(Any, SimpleNamespace(question=asked)), workers=cast(Any, None), report=None, **known)


async def test_what_would_do_is_the_least_that_a_search_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: 22 GPUs would do, at $85.90/h, where 21 did, at $84.00/h: the nearest by formula held as it was."""
    nearest, fewer = samples.candidate(4, cost=85.9), samples.candidate(3, cost=84.0)
    tried = remedies(Question(slo=Slo(ttft=0.5), max_total_gpus=12))
    reason = "20 GPUs would do, at $85.90/h, by formula"
    assert (await tried.told(reason, nearest)).startswith("20 GPUs would do, at $85.90/h, as simulated (")
    monkeypatch.setattr(Known, "by_most", {19: fewer})
    told = await tried.told(reason, nearest)
    assert told.startswith("16 GPUs would do, at $84.00/h, as simulated (")
    assert (await tried.least_of(told, nearest)) == told
    assert (await tried.least_of("pool all: busy", nearest)) == "pool all: busy"


@pytest.mark.parametrize("a100", [4, 12])
async def test_more_stock_of_one_gpu_makes_the_advice_on_another_no_dearer(a100: int) -> None:
    """Found: with 4 H200 24 H100 beside 2 of them would do, at $78.80/h, with 12 beside 6, at $94.80/h."""
    best, nearest = samples.candidate(6, cost=78.8), samples.candidate(5, cost=94.8)
    tried = remedies(Question(slo=Slo(ttft=0.5), max_gpus=(("h100", 16), ("a100", a100))), least=best)
    told = await tried.told("20 h100 would do beside 4 a100, at $94.80/h, by formula", nearest)
    assert told.startswith("24 h100 would do beside 4 a100, at $78.80/h, as simulated (")
    assert tried.alone([nearest]) == ()
    assert tried.alone([]) == (told,), "by formula it breaks several"


@pytest.mark.parametrize("size", [None, 3, 5], ids=["refuted", "breaks one", "breaks two"])
async def test_what_breaks_several_limits_by_formula_is_told_where_none_alone_would_do_and_as_simulated(
    monkeypatch: pytest.MonkeyPatch, size: int | None
) -> None:
    """Found: beside what would do as simulated a fleet broke several limits by formula, at a size that did not hold."""
    asked = Question(slo=Slo(ttft=0.5), max_total_gpus=8, budget=86.0)
    several, nearest = breaks_several(samples.candidate(4, cost=90.0), ["budget", "GPUs"]), samples.candidate(4)
    answer = replace(samples.infeasible(), why=(several,), candidates=(replace(nearest, cost_per_hour=90.0),))
    seen = samples.candidate(size or 4, cost=84.0 if size == 3 else 95.0)
    verdict: Verdict = "fail" if size is None else "pass"
    look = Look(rate=30.0, candidate=replace(seen, evidence=evidence(verdict)))

    async def smallest() -> None:
        return None

    async def stage(*_: Any) -> Any:
        return SimpleNamespace(candidate=replace(seen, shortfalls=("P99 TTFT 1 s", "budget: $95.00/h", "GPUs: 20")))

    limits = SimpleNamespace(smallest=smallest, looks=[look])
    monkeypatch.setattr(Remedies, "_limits", lambda *_: limits)
    monkeypatch.setattr("fleettui.planning.proven_remedies.prepared", stage)
    kept: Any = SimpleNamespace(question=asked, answer=answer, id="", profiles=(), source=lambda *_: None)
    found = await with_proven_remedies(kept, cast(Any, SimpleNamespace(workers=None, report=None)))
    said = {
        None: NOTHING_DOES,
        3: "16 GPUs would do, at $84.00/h, as simulated (",
        5: "as simulated a fleet at $95.00/h breaks several limits at once: budget: $95.00/h; GPUs: 20",
    }
    (told,) = found.why
    assert told.startswith(said[size])
    assert found.looks == (look,)


async def test_what_breaks_several_limits_is_not_told_beside_what_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    several, fleet = breaks_several(samples.candidate(2, cost=70.0), ["budget"]), samples.candidate(2, cost=70.0)
    nearest = samples.candidate(4, cost=85.9)
    asked = Question(slo=Slo(ttft=0.5), max_total_gpus=8, budget=86.0)
    answer = replace(
        samples.infeasible(),
        why=(several, "20 GPUs would do, at $85.90/h, by formula"),
        candidates=(replace(fleet, cost_per_hour=90.0), nearest),
    )
    monkeypatch.setattr("fleettui.planning.proven_remedies.Remedies", Known)
    kept = cast(Any, SimpleNamespace(question=asked, answer=answer))
    found = await with_proven_remedies(kept, cast(Any, SimpleNamespace(workers=None, report=None)))
    assert [one.partition(" would")[0] for one in found.why] == ["20 GPUs"]


async def test_where_fleets_within_the_limits_fail_the_best_past_them_is_told_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Found: with 14 H200 21 of them would do, at $84.00/h, with 12 24 H100 beside 2 of them, at $78.80/h."""
    best, nearest = samples.candidate(6, cost=78.8), samples.candidate(4, cost=94.8)
    asked = Question(slo=Slo(ttft=0.5), max_gpus=(("h100", 20),))
    answer = replace(samples.answer(), answer=nearest, why=("the nearest of 5",))
    monkeypatch.setattr("fleettui.planning.proven_remedies.Remedies", Known)
    kept = cast(Any, SimpleNamespace(question=asked, answer=answer))
    nobody = cast(Any, SimpleNamespace(workers=None, report=None))
    found = await with_least_remedy(kept, nobody, answer, best)
    assert found.why[0] == "the nearest of 5"
    assert found.why[1].startswith("24 h100 would do beside 4 a100, at $78.80/h, as simulated (")
