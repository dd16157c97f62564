"""What production showed, as figures or as two scrapes of its metrics."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.backtest import Seen
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning import backtest as use_case
from fleettui.planning import workloads
from fleettui.planning.studies import backtest
from fleettui.workloads.measured import measure
from tests.reports.studies.test_sweep import PLAN
from tests.workloads.scrapes import pair


@pytest.mark.parametrize("given", [{}, {"observed": "running=61", "prometheus": ("a", "b")}])
def test_what_was_seen_is_said_once(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="what production showed is"):
        backtest.read({"fleet": "last", **given})


def test_scrapes_say_how_long_it_was_seen_for_unless_that_is_typed() -> None:
    scrapes = ("before.txt", "after.txt")
    assert backtest.read({"fleet": "last", "prometheus": scrapes})["window"] is None
    typed = backtest.read({"fleet": "last", "prometheus": scrapes, "over": "5min"})
    assert (typed["window"], typed["scrapes"], typed["seen"]) == (300.0, scrapes, ())
    assert backtest.read({"fleet": "last", "observed": "running=61"})["window"] == 3600.0


@pytest.mark.asyncio
async def test_two_scrapes_become_a_backtest_of_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, Any] = {}

    async def measured(scrapes: tuple[str, ...], *, between: float | None, **_: object) -> object:
        return measure(scrapes, name="seen", between=between)

    async def subject(*_: object, **__: object) -> str:
        return "0199"

    async def tested(_: object, plan: str, seen: tuple[Seen, ...], *, window: float, keep: str | None) -> Study:
        held.update(plan=plan, seen=seen, window=window, keep=keep)
        return Study(kind="backtest", title="", question="", warnings=("known",))

    monkeypatch.setattr(workloads, "measure_workload", measured)
    monkeypatch.setattr(use_case, "subject", subject)
    monkeypatch.setattr(use_case, "backtest", tested)
    desk: Any = SimpleNamespace(report=None, workers=None, kept=lambda _: SimpleNamespace(answer=PLAN))
    found = await backtest.work(desk, "last", (), window=300.0, scrapes=pair(tmp_path))
    assert (held["plan"], held["window"]) == ("0199", 300.0)
    figures = {one.figure.metric for one in held["seen"]}
    assert figures == {"ttft", "tpot", "e2e", "running"}
    assert all(one.low <= one.value <= one.high for one in held["seen"])
    assert found.warnings == (
        "known",
        "production had 10 requests/s, the plan is for 100: add --rate 10/s to hold the prediction at that rate to it",
    )
    desk.kept = lambda _: SimpleNamespace(answer=replace(PLAN, demand=replace(PLAN.demand, rate=10.2)))
    assert (await backtest.work(desk, "last", (), window=300.0, scrapes=pair(tmp_path))).warnings == ("known",)
