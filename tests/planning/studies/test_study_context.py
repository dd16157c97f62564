"""What is true of every kind of study of a kept plan: it is kept, shown again, listed and cancelled alike."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.plan import Look
from fleettui.domain.progress import Progress
from fleettui.planning.kept_studies import list_studies
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies import STUDIES, asked, types_of
from fleettui.planning.studies.argument import PLAN
from fleettui.planning.studies.study_context import StudyContext, make
from fleettui.planning.studies.study_type import StudyType
from fleettui.reports.study_text import study_json, study_text
from store import Store
from tests.planning.simulated import Watched, question, trace
from tests.repeated import few

OF_PLAN = tuple(one for one in STUDIES if one.command is not None and one.command.arguments[0].name == PLAN.name)


SHORT_DAY = "start,end,rate\n0,300,6\n300,600,12\n"
SERVED = '{{"arrival": {}, "input_tokens": 200, "output_tokens": 20, "ttft": 0.1, "e2e": 0.5}}\n'
SHORT_RUN = "".join(SERVED.format(0.2 * place) for place in range(40))


def typed(kind: StudyType, plan: str, folder: Path) -> dict[str, Any]:
    """Return the values of the least that asks for a study of this kind of a plan, the example of what is needed.

    A day that is replayed is ten minutes long here, and a window or an outage 20 seconds.
    """
    assert kind.command is not None
    given: dict[str, Any] = {"plan": plan}
    if len(types_of(kind.command)) > 1:
        chooses = kind.arguments[0]
        given[chooses.name] = {"flag": True, "several": (chooses.example,)}.get(chooses.form, chooses.example)
    own = {one.name for one in kind.arguments}
    given |= {name: text for name, text in (("for", "20s"), ("runs", "2"), ("load", "5s")) if name in own}
    takes = {one.name: one.example for one in kind.command.arguments}
    only = takes.get("only")
    given |= {"only": only.split(",")[0]} if only else {}
    given |= {"no-verify": True} if "no-verify" in takes else {}
    if "day" in takes:
        day = folder / "day.csv"
        day.write_text(SHORT_DAY, "utf-8")
        given |= {"day": str(day), "policies": "keda"}
    if "run" in takes:
        served = folder / "run.jsonl"
        served.write_text(SHORT_RUN, "utf-8")
        given |= {"run": str(served)}
    return asked(kind.command, given)[1]


async def test_fleets_that_are_simulated_one_after_the_other_have_numbers(store: Store, workers: Watched) -> None:
    told: list[Progress] = []
    desk = StudyContext(store, workers, told.append)
    first = desk.next_fleet("one")
    first(1, 2)
    desk.next_fleet("another")(2, 2)
    first(2, 2)
    desk.tell("words", 1, 3)
    shown = [(one.message, one.fleet, one.done, one.total) for one in told]
    assert shown[:3] == [("one", 1, 0, 0), ("one", 1, 1, 2), ("another", 2, 0, 0)]
    assert shown[3:] == [("another", 2, 2, 2), ("one", 1, 2, 2), ("words", 0, 1, 3)]


async def test_a_member_of_a_joint_plan_knows_its_own_looks_alone(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found by reading: workloads on the same replicas were corrected by what was simulated of each other."""
    found = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    assert found.answer is not None
    desk = StudyContext(store, workers)
    one, other = desk.apart(), desk.apart()
    one.looks.append(Look(candidate=found.answer, rate=1.0))
    assert one.known(found.plan.id)[-1] == one.looks[0]
    assert other.known(found.plan.id) == desk.known(found.plan.id) == one.known(found.plan.id)[:-1]


@pytest.mark.parametrize("kind", few(OF_PLAN, 1, more=3), ids=lambda kind: kind.kind)
async def test_a_study_of_a_plan_is_kept_shown_and_listed(
    store: Store, workers: Watched, tmp_path: Path, kind: StudyType
) -> None:
    plan = (await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)).plan
    values = typed(kind, plan.handle, tmp_path)
    study = await make(kind.kind, store, pool=workers, **values)
    assert kind.command is not None
    assert (study.kind, study.plan, study.seed) == (kind.kind, plan.id, plan.seed)
    assert study.question.startswith(f"{kind.command.name} {plan.handle}")
    assert study.sentences
    assert store.study(study.handle) == study
    assert list_studies(store) == ((study, plan.handle),)
    text = study_text(study)
    assert max(map(len, text.splitlines())) <= 80
    assert json.loads(json.dumps(study_json(study, kind.command.name)))["study"]["handle"] == study.handle
    again = await make(kind.kind, store, pool=workers, **{**values, "plan": plan.id})
    assert (again.question, again.sentences, again.tables) == (study.question, study.sentences, study.tables)


@pytest.mark.parametrize("kind", few(OF_PLAN, 1), ids=lambda kind: kind.kind)
async def test_a_study_that_is_cancelled_is_not_kept(
    store: Store, workers: Watched, tmp_path: Path, kind: StudyType
) -> None:
    plan = (await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)).plan
    workers.asked.clear()
    work = asyncio.create_task(make(kind.kind, store, pool=workers, **typed(kind, plan.handle, tmp_path)))
    while not workers.asked and not work.done():
        await asyncio.sleep(0)
    if work.done():  # it asks no worker, so that it is over at once
        assert store.study((await work).handle)
        return
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert store.count_studies() == 0
