"""Cheaper GPUs for some roles of a small kept plan's disaggregated fleets."""

from pathlib import Path
from typing import Any

import pytest

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.hetero import LEAST_EFFICIENCY
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies import asked, commands
from fleettui.planning.studies.study_context import make
from fleettui.planning.tasks import frontier as tasks
from store import Store
from tests.planning.simulated import Here, Watched, question, trace

ASKED: dict[str, Any] = {"plan": "last", "cheaper": ("h20", 1.2), "layouts": ("tp2dp2/tp4",)}


@pytest.mark.thorough
async def test_each_role_is_scored_beside_one_gpu_type(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "STEPS", 4)
    monkeypatch.setattr(tasks, "MOST_REQUESTS", 300)
    async with Here(1) as workers:
        plan = await make_plan(question(trace(tmp_path), verify=False, slo=Slo(ttft=5.0)), store=store, pool=workers)
        study = await make("hetero", store, pool=workers, **ASKED)
        formulas = await make("hetero", store, pool=workers, **ASKED, no_verify=True)
    assert (study.kind, study.plan, store.study(study.handle)) == ("hetero", plan.plan.id, study)
    assert study.question.endswith("--cheaper h20=1.2 --afd tp2dp2/tp4")
    assert formulas.question == f"{study.question} --no-verify"
    assert "simulated" not in formulas.tables[0].records()[0]
    rows, roles = (table.records() for table in study.tables)
    plain = [row for row in rows if row["cheaper"] == "none"]
    mixable = [one for one in ARCHITECTURES if one.swaps]
    assert [row["fleet"] for row in plain] == [one.label for one in mixable]
    assert {(row["spend_ratio"], row["efficiency"], row["it_is"]) for row in plain} == {(1.0, 1.0, "the base")}
    mixed = [row for row in rows if row["cheaper"] != "none"]
    assert len(mixed) == sum(len(one.swaps) for one in mixable)
    assert all(float(str(row["spend_ratio"])) > 1.0 for row in mixed)
    seen = [row for row in mixed if row["simulated"] is not None]
    assert len(seen) == sum(str(row["it_is"]).startswith(("accepted", "gate 3")) for row in mixed) > 0
    for row in seen:
        assert 0.0 < float(str(row["low"])) <= float(str(row["simulated"])) <= float(str(row["high"]))
        assert (float(str(row["simulated"])) >= LEAST_EFFICIENCY) == (row["it_is"] == "accepted")
    slower = {str(row["role"]): float(str(row["slower"])) for row in roles}
    assert slower["prefill"] > 2.0
    assert slower["prefill"] > slower["attention"]
    assert all(str(row["it_is"]).startswith("gate 1") for row in mixed if row["cheaper"] == "prefill")


async def test_a_gpu_that_saves_nothing_or_has_no_price_is_refused(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    asked = len(workers.asked)
    for cheaper, words in (
        (("h20", None), "no price of h20 is known"),
        (("h20", 90.0), "no cheaper than h100"),
        (("h100", 0.1), "no cheaper than h100"),
    ):
        with pytest.raises(InputError, match=words):
            await make("hetero", store, pool=workers, plan="last", cheaper=cheaper)
    assert len(workers.asked) == asked, "no fleet is scored first"


async def test_a_gpu_is_typed_with_its_price_or_without() -> None:
    command = commands()["hetero"]
    for text, gpu in (("H20=1.20", ("h20", 1.2)), ("a100", ("a100", None))):
        assert asked(command, {"plan": "last", "cheaper": text})[1] == {"plan": "last", "cheaper": gpu}
    with pytest.raises(InputError, match="--cheaper"):
        asked(command, {"plan": "last", "cheaper": "h20=free"})
