"""Architectures beside each other for a small kept plan."""

from pathlib import Path

import pytest

from fleettui.architectures import ARCHITECTURES
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies import asked, commands
from fleettui.planning.studies.study_context import make
from fleettui.planning.tasks import frontier as tasks
from store import Store
from tests.planning.simulated import Here, Watched, question, trace


@pytest.mark.thorough
async def test_architectures_are_beside_each_other_by_formula_and_as_simulated(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "STEPS", 4)
    monkeypatch.setattr(tasks, "RUNS", 2)
    monkeypatch.setattr(tasks, "MOST_REQUESTS", 400)
    async with Here(1) as workers:
        plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
        layouts = "tp2dp2/tp4", "tp8/tp8x2"
        study = await make("frontier", store, pool=workers, plan="last", bounds=(0.4, 5.0), layouts=layouts)
    assert (study.kind, study.plan, store.study(study.handle)) == ("frontier", plan.plan.id, study)
    assert study.question.endswith("--ttft 0.4s,5s --afd tp2dp2/tp4,tp8/tp8x2")
    best, loose, tight, proofs = (table.records() for table in study.tables)
    names = {one.label for one in ARCHITECTURES}
    assert {row["architecture"] for row in best if row["ttft_bound"] == 5.0} == names
    for row in best:
        assert float(str(row["ttft"])) <= (0.4 if row["ttft_bound"] != 5.0 else 5.0)
    for rows in (loose, tight):
        tokens, user = ([float(str(row[name])) for row in rows] for name in ("tokens", "user"))
        assert tokens == sorted(tokens, reverse=True)
        assert user == sorted(user)
    assert len(loose) >= len(tight)
    assert {row["architecture"] for row in proofs} == names
    assert any(row["holds"] == "yes" for row in proofs)
    assert ARCHITECTURES.named("afd").caution in study.warnings


async def test_layouts_that_hold_no_model_are_refused_where_they_are_named(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    with pytest.raises(InputError, match="no experts to spread"):
        await make("frontier", store, pool=workers, plan="last", layouts=("tp2/ep8",), no_verify=True)
    with pytest.raises(InputError, match="fits on so few GPUs"):
        await make("frontier", store, pool=workers, plan="last", gpus=1, no_verify=True)


@pytest.mark.parametrize(
    ("option", "text", "words"),
    [
        ("afd", "tp2+ep8", "says no layout"),
        ("ttft", "500ms,fast", "fast"),
        ("gpus", "many", "many"),
        ("gpus", "5000", "the count is out of range"),
        ("link", "50", "bandwidth of a link"),
    ],
)
async def test_what_does_not_read_is_refused_before_any_work(option: str, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        asked(commands()["frontier"], {"plan": "last", option: text})
