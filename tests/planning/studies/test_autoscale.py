"""A small day under some policies on a small kept plan's fleet."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.autoscaling.policies import POLICIES
from fleettui.domain.autoscale import Delay, Rules
from fleettui.domain.bounds import Bounds
from fleettui.errors import InputError, UnknownNameError
from fleettui.planning.simulate import simulate
from fleettui.planning.studies import asked, commands, read_line
from fleettui.planning.studies.autoscale import STUDY, read
from fleettui.planning.studies.study_context import make
from fleettui.reports.study_chart import study_chart
from fleettui.reports.study_text import study_text
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace

FEW = ("static-peak", "static-mean", "keda", "estimator-beta", "oracle")


def values(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    day = tmp_path / "day.csv"
    day.write_text("start,end,rate\n0,300,6\n300,600,20\n600,900,4\n")
    given = {"plan": "last", "day": str(day), "delay": "60s", "policies": ",".join(FEW), "runs": "2"}
    return asked(commands()["autoscale"], given | changes)[1]


async def test_policies_meet_the_same_day(store: Store, workers: Watched, tmp_path: Path) -> None:
    plan = await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("autoscale", store, pool=workers, **values(tmp_path))
    assert (study.kind, study.plan, store.study(study.handle)) == ("autoscale", plan.plan.id, study)
    assert study.question == (
        f"autoscale {plan.plan.handle} --day {tmp_path / 'day.csv'} --delay 60s --runs 2 --policies {','.join(FEW)}"
    )
    costs, dearer, safer, does, over_time, staffing, largest, laws, settings, bound, each = (
        table.records() for table in study.tables
    )
    by_name = {str(row["policy"]): row for row in costs}
    assert set(by_name) == set(FEW)
    peak = by_name["static-peak"]["gpu_hours"]
    assert peak == 3 * 8 * 0.25
    assert by_name["oracle"]["front"] == "told"
    assert any(row["front"] in {"front", "keeps"} for row in costs)
    assert {row["policy"] for row in dearer} == {row["policy"] for row in safer} == set(FEW) - {"static-peak"}
    assert [row["policy"] for row in does] == [row["policy"] for row in laws] == [*FEW]
    assert [row["hour"] for row in over_time] == [0.0, 300 / 3600, 600 / 3600]
    assert [row["static_peak"] for row in over_time] == [24.0] * 3
    assert len(staffing) == 1
    assert largest
    assert all(isinstance(row["over_least"], float) and row["over_least"] > 1.0 for row in bound)
    assert [row["policy"] for row in each] == [name for name in FEW for _ in range(3)]
    assert all(row["decided"] for row in each)
    assert [(row["least"], row["starts_in"]) for row in settings] == [(1, 60.0)]
    assert any("a replica serves 60 s after its launch (as typed)" in one for one in study.sentences)
    assert max(map(len, study_text(study).splitlines())) <= 80
    chart = study_chart(study, STUDY.picture)
    assert chart is not None
    assert [one.name for one in chart.series][:2] == ["demand", "static peak"]


@pytest.mark.evidence
async def test_it_comes_out_again_and_a_setting_is_tuned_on_one_half_and_judged_on_the_other(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    own = values(tmp_path, policies="keda", event=("loss=50%@6min", "spike=2x@2min+2min"))
    first, second = [await make("autoscale", store, pool=workers, **own) for _ in range(2)]
    assert first.tables == second.tables
    assert first.tables[-1].title == "after what nobody foresaw"
    workers.asked.clear()
    tuned = values(tmp_path, policies="static-peak,hpa-in-flight,estimator-beta", tune=True)
    rows = (await make("autoscale", store, pool=workers, **tuned)).tables[-1].records()
    assert {row["policy"] for row in rows} == {"hpa-in-flight", "estimator-beta"}
    assert str(rows[0]["setting"]).endswith("tuned")
    assert all(name in str(rows[-1]["setting"]) for name in ("beta", "buffer", "step", "hold"))
    knobs = [knob for name in ("hpa-in-flight", "estimator-beta") for knob in POLICIES.named(name).knobs]
    played = sum(len(knob.values) - 1 for knob in knobs) + 2  # each value once beside what was chosen so far
    assert workers.asked.count("autoscale-replay") - 3 * 2 == 2 * (played + len(rows))


@pytest.mark.thorough
async def test_a_study_that_was_stopped_goes_on_and_ends_alike(store: Store, workers: Watched, tmp_path: Path) -> None:
    await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    own = values(tmp_path, policies="static-peak,keda,knative", retries="2", queue="3")
    whole = await make("autoscale", store, pool=workers, **own)
    assert not begun(store)
    left = asyncio.create_task(make("autoscale", store, pool=workers, **own))
    while not any(file.read_text().count("\n") >= 2 for file in begun(store)):
        await asyncio.sleep(0.01)
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    (file,) = begun(store)
    done = file.read_text().count("\n")
    assert 2 <= done < 6
    with file.open("a") as torn:
        torn.write('["half of a li')
    workers.asked.clear()
    found = await make("autoscale", store, pool=workers, **own)
    assert workers.asked.count("autoscale-replay") == 6 - done
    assert (found.tables, found.sentences) == (whole.tables, whole.sentences)
    assert not begun(store)
    again = next(table for table in found.tables if table.title == "requests that came again")
    assert [row["policy"] for row in again.records()] == ["static-peak", "keda", "knative"]
    assert any("comes again up to 2 times" in one for one in found.sentences)


@pytest.mark.thorough
async def test_the_bounds_of_a_plan_hold_over_the_day(store: Store, workers: Watched, tmp_path: Path) -> None:
    bounds = Bounds(queue=9, timeout=0.1, retries=2, backoff=1.0)
    await simulate(sketch(3), question(trace(tmp_path), verify=False, bounds=bounds), store=store, pool=workers)
    own = {"policies": "static-peak,keda", "max": "1"}
    found = await make("autoscale", store, pool=workers, **values(tmp_path, **own))
    assert "--queue" not in found.question
    tables: dict[str, Any] = {table.title: table.records() for table in found.tables}
    assert all(0.0 < row["left"] < 1.0 for row in tables["clients that left"])
    assert all(row["came"] > 1.0 for row in tables["requests that came again"])
    typed = await make("autoscale", store, pool=workers, **values(tmp_path, **own, queue="1", retries="0"))
    assert "--queue 1 --retries 0" in typed.question
    others: dict[str, Any] = {table.title: table.records() for table in typed.tables}
    assert "requests that came again" not in others
    for row, other in zip(tables["clients that left"], others["clients that left"], strict=True):
        assert row["rejected"] < other["rejected"]


def begun(store: Store) -> list[Path]:
    return [*store.path.parent.glob("*.begun-*")]


@pytest.mark.thorough
async def test_what_cannot_be_replayed_is_refused(store: Store, workers: Watched, tmp_path: Path) -> None:
    own = question(trace(tmp_path), verify=False)
    await simulate(sketch(3), own, store=store, pool=workers)
    for changes, words in (
        ({"day": "servegen-m-larg"}, "did you mean servegen-m-large"),
        ({"day": "recorded"}, "do not come at recorded times"),
        ({"event": ("loss=20%@1h",)}, "--event: it is not within the day"),
        ({"event": ("slow=2x@1min+1min", "slow=3x@3min+1min")}, "--event: two events slow the first replica"),
        ({"runs": "100", "day": "servegen-m-large"}, "these replays would take ten minutes or more"),
    ):
        with pytest.raises(InputError, match=words):
            await make("autoscale", store, pool=workers, **values(tmp_path, **changes))
    await simulate(replace(sketch(3), router="random"), own, store=store, pool=workers)
    with pytest.raises(InputError, match="--exclude: router random sends without regard"):
        await make("autoscale", store, pool=workers, **values(tmp_path, exclude="2"))


def test_what_is_asked_is_read() -> None:
    command = commands()["autoscale"]
    found = read({"plan": "41a7", "delay": "node=0s", "beta": "2"})
    assert (found["delay"], found["rules"]) == (Delay(node=0.0), Rules(beta=2.0))
    assert (found["day"], found["runs"]) == ("", 3)
    assert read_line(command, "delay 300s --beta=2 day a.csv") == {"delay": "300s", "beta": "2", "day": "a.csv"}
    assert read({"plan": "last", "reserved": "60%"})["reserved"] == 0.6
    assert read_line(command, "tune delay 5min") == {"tune": True, "delay": "5min"}
    assert read_line(command, "event loss=20%@1h event=spike=2x@1h+5min") == {
        "event": ("loss=20%@1h", "spike=2x@1h+5min")
    }
    with pytest.raises(UnknownNameError, match="did you mean keda"):
        read({"plan": "last", "policies": "keds"})
    for given, words in (({"runs": "1"}, "this is no whole number, 2 or above"), ({"runs": "101"}, "too many runs")):
        with pytest.raises(InputError, match=words):
            read({"plan": "last", **given})
    with pytest.raises(InputError, match="no word for autoscale"):
        read_line(command, "speed 3")
