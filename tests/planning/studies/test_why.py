"""Each sentence about a kept plan is checked by doing it: in simulation, and by planning again."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study, StudyTable
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, evidence_of, question, sizes, sketch, trace


def table(study: Study, title: str) -> StudyTable:
    return next(one for one in study.tables if one.title.startswith(title))


def cells(study: Study, title: str) -> list[dict[str, object]]:
    """Return a table's rows by column."""
    found = table(study, title)
    return [dict(zip([column.name for column in found.columns], row, strict=True)) for row in found.rows]


@pytest.mark.evidence
async def test_one_replica_fewer_misses_the_latency_in_simulation(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """The formula would let two replicas pass or not; whichever it says, two fail in simulation."""
    path = trace(tmp_path)
    plan = await make_plan(question(path), store=store, pool=workers)
    assert sizes(plan.answer) == (3,)
    study = await make("why", store, pool=workers, plan="last")
    said = study.sentences[0]
    assert "one replica fewer breaks TTFT" in said or "it fails in simulation" in said
    fewer = await simulate(sketch(2), replace(question(path), gpus=(), tp=()), store=store, pool=workers)
    assert fewer.verdict == "fail"
    ttft = evidence_of(fewer.answer).pools[0].ttft
    assert ttft.low is None or ttft.low > 0.2
    simulated = next(row["simulated"] for row in cells(study, "limits on latency") if row["limit"] == "TTFT")
    assert simulated == evidence_of(plan.answer).pools[0].ttft.value


@pytest.mark.evidence
async def test_one_replica_fewer_is_too_busy_in_simulation(store: Store, workers: Watched, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), demand=Demand(form="rate", rate=60.0), slo=Slo(ttft=2.0))
    plan = await make_plan(asked, store=store, pool=workers)
    (size,) = sizes(plan.answer)
    study = await make("why", store, pool=workers, plan="last")
    match = re.search(r"one replica fewer breaks utilization of pool all: ([\d.]+), limit 0.85", study.sentences[0])
    assert match is not None
    fewer = await simulate(sketch(size - 1), replace(asked, gpus=(), tp=()), store=store, pool=workers)
    seen = evidence_of(fewer.answer).pools[0].utilization
    assert seen > 0.85
    assert seen == pytest.approx(float(match[1]), rel=0.03)


async def formula(store: Store, workers: Watched, asked: Question) -> bool:
    """Return whether a question has an answer by formula."""
    plan = await make_plan(replace(asked, verify=False), store=store, pool=workers)
    return plan.answer is not None


@pytest.mark.thorough
async def test_a_named_relaxation_makes_the_question_feasible(store: Store, workers: Watched, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.02), verify=False)
    assert not await formula(store, workers, asked)
    study = await make("why", store, pool=workers, plan="last")
    (row,) = cells(study, "what would make it feasible: latency")
    assert isinstance(row["would_do"], float)
    assert isinstance(row["would_not"], float)
    assert any(said.startswith(f"TTFT of {row['would_do']:.6g} s instead of 0.02 s") for said in study.sentences)
    assert await formula(store, workers, replace(asked, slo=Slo(ttft=row["would_do"])))
    assert not await formula(store, workers, replace(asked, slo=Slo(ttft=row["would_not"])))


@pytest.mark.thorough
async def test_prices_on_both_sides_of_a_flip(store: Store, workers: Watched, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), gpus=("h100", "h200"), slo=Slo(ttft=0.5), verify=False)
    plan = await make_plan(asked, store=store, pool=workers)
    assert plan.answer is not None
    own = {pool.gpu for pool in plan.answer.fleet.pools}
    study = await make("why", store, pool=workers, plan="last")
    rows = [row for row in cells(study, "prices at which") if row["price"] is not None]
    assert rows
    for row in rows:
        assert isinstance(row["price"], float)
        sign = 1.0 if row["flips"] == "above" else -1.0
        for step, same in ((-1e-6, True), (1e-6, False)):
            prices = ((str(row["gpu"]), row["price"] * (1.0 + sign * step)),)
            found = await make_plan(replace(asked, prices=prices), store=store, pool=workers)
            assert found.answer is not None
            assert ({pool.gpu for pool in found.answer.fleet.pools} == own) == same


async def test_a_fleet_that_was_written_down_has_no_rivals(store: Store, workers: Watched, tmp_path: Path) -> None:
    asked = replace(question(trace(tmp_path)), gpus=(), tp=())
    await simulate(sketch(3), asked, store=store, pool=workers)
    study = await make("why", store, pool=workers, plan="last")
    assert study.sentences[0].startswith("pool all: ")
    assert not [one for one in study.tables if "price" in one.title or "fail" in one.title]


async def test_the_papers_plan_is_refused(store: Store, workers: Watched) -> None:
    papers = question("azure-paper", preset="paper", gpus=("a100",), tp=(), slo=Slo(ttft=0.5))
    await make_plan(replace(papers, demand=Demand(form="rate", rate=1000.0)), store=store, pool=workers)
    with pytest.raises(InputError, match="papers' constants"):
        await make("why", store, pool=workers, plan="last")


@pytest.mark.thorough
async def test_a_plan_that_is_made_meanwhile_is_not_mixed_in(
    store: Store, workers: Watched, tmp_path: Path, crowded: Callable[[], None]
) -> None:
    plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    alone = await make("why", store, pool=workers, plan=plan.plan.id)
    crowded()
    study = await make("why", store, pool=workers, plan="last")
    assert (study.question, study.tables) == (alone.question, alone.tables)


@pytest.mark.looks
@pytest.mark.evidence
async def test_the_fleets_that_a_price_makes_cheaper_are_simulated_once(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), gpus=("h100", "a100", "h200"), slo=Slo(ttft=0.8))
    plan = await make_plan(asked, store=store, pool=workers)
    assert plan.simulation is not None
    study = await make("why", store, pool=workers, plan="last")
    rows = cells(study, "prices at which another fleet")
    looked = {look.candidate.fleet: look.evidence.verdict for look in study.looks}
    assert looked
    known = {"pass", "fail", "unproven"}
    assert {row["verdict"] for row in rows} & known
    assert any("as simulated" in said or "not proven" in said for said in study.sentences)
    workers.replications()
    again = await make("why", store, pool=workers, plan="last")
    assert (again.looks, again.tables, workers.replications()) == ((), study.tables, 0)


@pytest.mark.looks
@pytest.mark.thorough
@pytest.mark.evidence
async def test_what_a_price_turns_to_is_the_answer_at_that_price_as_simulated(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found: "above $5.90/h H100 tp2 x1 + B200 tp2 x1 costs less": planned at $6.05, and at $7.50, it failed."""
    asked = question(trace(tmp_path), gpus=("h100", "a100", "h200"), slo=Slo(ttft=0.8))
    plan = await make_plan(asked, store=store, pool=workers)
    study = await make("why", store, pool=workers, plan="last")
    row = next(row for row in cells(study, "prices at which another fleet") if row["flips"] == "above")
    assert row["verdict"] == "pass"
    assert isinstance(row["price"], float)
    for times, turned in ((0.99, False), (1.01, True)):
        prices = (("h100", times * row["price"]),)
        found = await make_plan(replace(asked, prices=prices), store=store, pool=workers)
        assert found.answer is not None
        assert plan.answer is not None
        named = row["then"] if turned else fleet_words(plan.answer.fleet)
        assert (found.verdict, fleet_words(found.answer.fleet)) == ("pass", named)


@pytest.mark.thorough
@pytest.mark.parametrize(("long", "keeps"), [(2, "every limit of this pool too"), (3, "every limit too")])
async def test_a_fleet_that_another_plan_of_the_question_simulated_is_told_as_simulated(
    store: Store, workers: Watched, tmp_path: Path, long: int, keeps: str
) -> None:
    """Found: one replica fewer kept every limit by formula where a plan of this very fleet was kept, and failed.

    With two replicas its other pool fails as given, which is what that is limited by.
    """
    demand = Demand(form="rate", rate=20.0)
    asked = question(trace(tmp_path), gpus=(), tp=(), demand=demand, slo=Slo(ttft=0.2))
    given = await simulate(sketch(2, long), asked, store=store, pool=workers)
    before = (await make("why", store, pool=workers, plan=given.plan.handle)).sentences
    for fewer in ((1, long), (2, long - 1)):
        await simulate(sketch(*fewer), asked, store=store, pool=workers)
    after = (await make("why", store, pool=workers, plan=given.plan.handle)).sentences
    assert before[0].startswith("pool short: by formula one replica fewer keeps every limit too")
    assert after[0].startswith(f"pool short: as simulated one replica fewer keeps {keeps}")
    ends = ("s over)",) * 2 if long == 2 else (", limit 0.2 s, by formula", ", limit 0.2 s, as simulated")
    assert (before[1].endswith(ends[0]), after[1].endswith(ends[1])) == (True, True)
