"""The trade-off of a small kept plan, its best rows held to planning anew."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.study import Cell, Study
from fleettui.errors import InputError
from fleettui.optimize.pareto import TRADED
from fleettui.planning.make_plan import make_plan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from fleettui.reports.studies.pareto import fleet
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace
from tests.planning.studies.conftest import StudyOf


def small(folder: Path) -> Question:
    gpus = ("h100", "a100")
    return question(
        trace(folder), verify=False, name="small", pools=(1, 2), splits=(1000,), gpus=gpus, slo=Slo(ttft=0.4)
    )


def rows(study: Study, place: int) -> list[dict[str, Cell]]:
    names = [column.name for column in study.tables[place].columns]
    return [dict(zip(names, row, strict=True)) for row in study.tables[place].rows]


@pytest.mark.thorough
async def test_best_rows_are_what_planning_for_each_objective_finds(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = small(tmp_path)
    plan = await make_plan(asked, store=store, pool=workers)
    study = await make("pareto", store, pool=workers, plan="small")
    best = {str(row["least"]): row for row in rows(study, 0)}
    assert tuple(best) == TRADED
    for objective in TRADED:
        with Store.open() as own:
            anew = (await make_plan(replace(asked, objective=objective), store=own, pool=workers)).answer
        assert anew is not None
        row = best[objective]
        assert (row["fleet"], row["gpus"]) == (fleet(anew.fleet), anew.gpus)
        assert row["cost_per_hour"] == pytest.approx(anew.cost_per_hour)
        assert row["ttft"] == pytest.approx(max(pool.ttft for pool in anew.pools))
    assert rows(study, 1)[0]["cost_per_hour"] == best["cost"]["cost_per_hour"]
    assert (study.kind, study.plan, store.study(study.handle)) == ("pareto", plan.plan.id, study)
    again = await make("pareto", store, pool=workers, plan=plan.plan.handle)
    assert (again.sentences, again.tables) == (study.sentences, study.tables)


@pytest.mark.evidence
async def test_a_fleet_that_was_written_down_is_held_to_all_that_could_be_rented(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = replace(question(trace(tmp_path)), gpus=(), tp=())
    await simulate(sketch(6), asked, store=store, pool=workers)
    study = await make("pareto", store, pool=workers, plan="last")
    assert len({str(row["fleet"]).split()[0] for row in rows(study, 1)} | {"H100"}) > 1
    assert any("this plan, 48 GPUs" in said and "beaten by" in said for said in study.sentences)


async def test_in_a_closed_loop_the_rate_is_the_plans(study_of: StudyOf) -> None:
    _, study = await study_of("pareto", demand=Demand(form="concurrency", concurrency=20, think=1.0))
    assert study.tables[1].rows
    assert any("closed loop" in said for said in study.warnings)


async def test_where_nothing_holds_there_is_no_front(store: Store, workers: Watched, tmp_path: Path) -> None:
    await make_plan(replace(small(tmp_path), budget=0.5), store=store, pool=workers)
    with pytest.raises(InputError, match="no fleet holds every limit"):
        await make("pareto", store, pool=workers, plan="last")
    assert store.count_studies() == 0


@pytest.mark.evidence
async def test_of_the_papers_plan_it_is_the_cheapest_fleet_of_each_split(store: Store, workers: Watched) -> None:
    papers = question("azure-paper", preset="paper", gpus=("a100",), tp=(), pools=(1, 2), slo=Slo(ttft=0.5))
    papers = replace(papers, splits=(4096,))
    await make_plan(replace(papers, demand=Demand(form="rate", rate=1000.0)), store=store, pool=workers)
    study = await make("pareto", store, pool=workers, plan="last")
    assert [row["gpus"] for row in rows(study, 0)][-1] == 174
    steps = await make("steps", store, pool=workers, plan="last", low=900.0, high=1100.0)
    assert any(row["gpus"] == 174 for row in rows(steps, 0))


@pytest.mark.thorough
async def test_a_plan_that_is_made_meanwhile_is_not_mixed_in(
    store: Store, workers: Watched, tmp_path: Path, crowded: Callable[[], None]
) -> None:
    plan = await make_plan(small(tmp_path), store=store, pool=workers)
    alone = await make("pareto", store, pool=workers, plan=plan.plan.id)
    crowded()
    study = await make("pareto", store, pool=workers, plan="last")
    assert (study.question, study.tables) == (alone.question, alone.tables)
