"""How much of several workloads' traffic a stock carries: between a share that fleets hold and one that none do."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.joint import Joint, JointPlan, JointQuestion, Use
from fleettui.domain.slo import Slo
from fleettui.planning.ladder import above
from fleettui.planning.stock_share import StockShares, asked_again, part_held
from fleettui.planning.studies.study_context import make
from fleettui.reports.study_text import study_json
from store import Store
from tests.planning.simulated import Watched, trace
from tests.planning.test_joint import joint, made
from tests.reports.test_joint_study import plan

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]


def at(asked: JointQuestion, rate: float) -> JointQuestion:
    """Ask for a rate of each, with answers soon enough where hardly any waits."""
    changed: dict[str, Any] = {"demand": Demand(form="rate", rate=rate), "slo": Slo(ttft=2.0)}
    entries = tuple(replace(one, question=replace(one.question, **changed)) for one in asked.entries)
    return replace(asked, entries=entries)


@pytest.mark.thorough
async def test_a_stock_that_is_too_small_carries_what_joint_plans_within_it_come_to(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found: of a joint plan that found no fleets no traffic could be told."""
    asked = at(joint(trace(tmp_path), 16, verify=True), 40.0)
    found = await make("joint", store, pool=workers, question=asked)
    assert found.verdict == "infeasible"
    study = await make("capacity", store, pool=workers, fleet=found.handle, confidence=0.9)
    seen = {float(row[0] or 0): row[1] for row in study.tables[1].rows}
    share = max(one for one, verdict in seen.items() if verdict == "fleets hold")
    assert seen[above(share)] == "none were shown to hold"
    assert study.sentences[0].startswith("within 16 H100 fleets carry up to ")
    assert "; 16 H100, $" in study.sentences[0]
    rows = study.tables[0].records()
    assert [(row["name"], row["fleet"]) for row in rows] == [("chat", "H100 tp8 x1"), ("code", "H100 tp8 x1")]
    assert [row["rate"] for row in rows] == pytest.approx([40.0 * share] * 2)
    assert store.count() == 0, "what was planned on the way is not kept"
    assert study_json(study, "capacity")["study"]["kind"] == "capacity"
    for one, verdict in ((share, "pass"), (above(share), "no answer")):
        again, _ = await made(at(asked, 40.0 * one), store=store, pool=workers)
        assert (again.verdict == "pass") is (verdict == "pass")


async def test_traces_are_found_again_from_any_folder(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = trace(tmp_path)
    monkeypatch.chdir(tmp_path)
    asked = joint(Path(whole).name, 8, verify=False)
    shipped = replace(asked.entries[1], question=replace(asked.entries[1].question, workload="azure-2023-conv"))
    found, _ = await made(replace(asked, entries=(asked.entries[0], shipped)), store=store, pool=workers)
    kept = asked_again(found, "jsonl")
    assert kept is not None
    assert [one.question.workload for one in kept.question.entries] == [whole, "azure-2023-conv"]
    assert (kept.rates, kept.trace_format) == ((20.0, 8.0), "jsonl")
    unknown = replace(found, planned=tuple(replace(one, rate=None) for one in found.planned))
    assert asked_again(unknown, None) is None


@pytest.mark.parametrize(
    ("uses", "together", "part"),
    [
        ((("stock of h100", 8.0, 12.0),), (), 64.0 / 76.0),  # 40 A100 at a dollar and 8 H100 at three
        ((("stock of h100", 8.0, 12.0), ("cost", 100.0, 110.0)), (), 100.0 / 110.0),
        ((("stock of h100", 8.0, None),), (("stock of h100", 16.0), ("cost", 150.0)), 100.0 / 150.0),
        ((("stock of h100", 8.0, None),), (), None),
    ],
)
def test_what_failed_says_what_part_of_it_the_limits_hold(
    uses: tuple[tuple[str, float, float | None], ...], together: tuple[tuple[str, float], ...], part: float | None
) -> None:
    rows = tuple(Use(resource=name, used=None, most=most, would_do=needed) for name, most, needed in uses)
    found = Joint(chosen=None, uses=rows, together=together)
    assert part_held(plan(verdict="fail", joint=found)) == (None if part is None else pytest.approx(part))
    by_formula = Joint(chosen=None, uses=(Use(resource="cost", used=None, most=100.0, would_do=1000.0),))
    shown = plan(verdict="fail", joint=by_formula, proven=found)
    assert part_held(shown) == part_held(replace(shown, joint=found)), "what was simulated counts"


async def test_who_stops_it_is_told_that_the_shares_that_are_done_are_kept(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: nothing of it was said to be kept, and the same command went on from there."""

    async def stopped(self: StockShares, question: JointQuestion, where: str) -> JointPlan:
        if done:
            raise KeyboardInterrupt
        done.append(where)
        return replace(nothing, verdict="fail")

    asked = at(joint(trace(tmp_path), 8, verify=True), 40.0)
    kept = await make("joint", store, pool=workers, question=asked)
    nothing, _ = await made(asked, store=store, pool=workers)
    monkeypatch.setattr(StockShares, "_plan", stopped)
    monkeypatch.setattr(StockShares, "_by_formula", AsyncMock(return_value=True))
    asking = partial(make, "capacity", store, pool=workers, fleet=kept.handle, confidence=0.9)
    done, left = ["one before"], Mock()
    with pytest.raises(KeyboardInterrupt):
        await asking(left=left)
    left.assert_not_called()
    done.clear()
    with pytest.raises(KeyboardInterrupt):
        await asking(left=left)
    left.assert_called_once_with()
