"""A study in its short form says on a page what it finds, and refuses a plan without a finished fleet."""

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies import STUDIES, plan_page
from fleettui.planning.studies.plan_page import PlanPage, of_plan
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports.pools_table import by_formula
from store import Store
from tests.planning.simulated import Watched, question, trace
from tests.planning.studies.conftest import StudyOf


async def tell(page: PlanPage, least: int = 1) -> None:
    """Tell how busy each pool is that has so many replicas."""
    rows = [row for row in by_formula(page.best) if row.pool.lanes >= least]
    page.say(f"{len(rows)} pools")
    page.pools(
        "all", ("lanes", "count", lambda row: row.pool.lanes), ("cost", "dollars per hour", page.cost), note="all"
    )
    page.table("pools", rows, ("pool", "text", lambda row: row.pool.name), note="by formula")
    page.warn(*(() if rows else ("none is so large",)))


async def test_what_is_written_on_the_page_is_the_study(store: Store, workers: Watched, tmp_path: Path) -> None:
    kind = of_plan(tell, kind="idle", help="what is idle", paper="has no pools")
    plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    assert plan.answer is not None
    desk, name = StudyContext(store, workers), plan.answer.fleet.pools[0].name
    full, none = await kind.work(desk, "last"), await kind.work(desk, "last", least=1000)
    assert (full.plan, full.seed) == (plan.plan.id, plan.plan.seed)
    assert (full.sentences, full.tables[1].records(), full.warnings) == (("1 pools",), [{"pool": name}], ())
    pool, known = plan.answer.fleet.pools[0], plan.answer.pools[0]
    (row,) = full.tables[0].records()
    assert list(row) == ["pool", "gpus", "rate", "busy", "lanes", "cost"]
    cost = plan.answer.cost_per_hour
    assert list(row.values()) == [name, pool.gpus, known.arrival_rate, known.utilization, pool.lanes, cost]
    assert (full.tables[0].note, none.tables[1].note) == ("by formula; all", "by formula")
    assert (none.sentences, none.tables[1].rows, none.warnings) == (("0 pools",), (), ("none is so large",))


async def test_a_plan_of_the_papers_preset_is_refused(store: Store, workers: Watched, tmp_path: Path) -> None:
    kind = of_plan(tell, kind="idle", help="what is idle", paper="has no pools")
    await make_plan(question(trace(tmp_path), verify=False, preset="paper", tp=(1,)), store=store, pool=workers)
    with pytest.raises(InputError, match="papers' constants has no pools"):
        await kind.work(StudyContext(store, workers), "last")


@pytest.mark.parametrize("replicas", [(), (2,)])
async def test_the_example_at_the_head_is_a_whole_study_with_its_test(
    study_of: StudyOf, monkeypatch: pytest.MonkeyPatch, replicas: tuple[int, ...]
) -> None:
    assert plan_page.__doc__ is not None
    parts = re.findall(r"(?:^(?:    .*)?\n)+", plan_page.__doc__, re.MULTILINE)
    study, test = (textwrap.dedent(part) for part in parts if part.strip())
    found: dict[str, Any] = {"__name__": "fleettui.planning.studies.waits", "StudyOf": StudyOf}
    exec(study + test, found)
    monkeypatch.setattr(STUDIES, "_members", (*STUDIES, found["STUDY"]))
    monkeypatch.setattr(STUDIES, "names", (*STUDIES.names, "waits"))
    await found["test_waits_are_told"](study_of)
    best, told = await study_of("waits", replicas=replicas)
    assert isinstance(told, Study)
    assert told.sentences == ("requests wait so long in 0 of 1 pools",)
    assert told.warnings == (("simulated they may wait longer",) if best.simulation else ())
