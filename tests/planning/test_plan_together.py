"""What a joint plan says of its stock is what whoever asks for that comes to."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.joint import JointQuestion, SharedLimits
from fleettui.planning.shared_runs import REPLICATE, SharedRuns, key_of_run
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from store import Store
from tests.planning.simulated import Here, Watched, trace
from tests.planning.test_joint import joint, made
from tests.planning.test_stock_share import at


class Noted(SharedRuns):
    """Workers that note how often they are asked for a run."""

    def __init__(self, workers: WorkerPool) -> None:
        super().__init__(workers)
        self.runs = Counter[str]()

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Note a run."""
        if name == REPLICATE:
            self.runs[key_of_run(payload)] += 1
        return await super().run_plain(name, payload, report)


def over(asked: JointQuestion, **stock: int) -> JointQuestion:
    """Ask the same over other GPUs."""
    return replace(asked, limits=SharedLimits(max_gpus=tuple(sorted(stock.items()))))


def sure(asked: JointQuestion, share: float) -> JointQuestion:
    """Ask the same, to be so sure of each."""
    entries = (replace(one, question=replace(one.question, confidence=share)) for one in asked.entries)
    return replace(asked, entries=tuple(entries))


async def agrees(asked: JointQuestion, store: Store, workers: WorkerPool) -> None:
    """Hold what a plan says that the limits give to the plan that asks for it."""
    plan, study = await made(asked, store=store, pool=workers)
    assert plan.verdict == "pass"
    assert plan.surer is not None
    assert plan.surer.is_likely
    wished, other = await made(sure(asked, 0.9), store=store, pool=workers)
    assert wished.verdict == "pass"
    kinds = zip(wished.kinds, wished.joint.paid, strict=True)
    assert plan.surer.gpus == tuple((kind.name, count) for kind, count in kinds if count)
    assert plan.surer.cost == wished.joint.cost > plan.joint.cost
    assert [one.plan.answer.fleet for one in wished.planned if one.plan and one.plan.answer] == [
        best.fleet for _, best, _ in plan.surer.fleets
    ]
    assert " + ".join(f"{count} {gpu.upper()}" for gpu, count in plan.surer.gpus) in study.sentences[2]
    assert other.sentences[0].startswith(f"{'~' * (not asked.verify)}PASS, each 90% sure, ")


def short(folder: Path, *, verify: bool) -> JointQuestion:
    """Ask for what takes 20 H100s each by formula, 28 with 90 % sure, or 60 A100s, with 90 % sure 128."""
    asked = at(joint(trace(folder), 0, verify=verify, gpus=("h100", "a100"), tp=(4,)), 40.0)
    return over(asked, h100=50, a100=140)


async def test_what_the_stock_gives_by_formula_is_what_a_plan_for_it_has(store: Store, tmp_path: Path) -> None:
    """Found: 56 H100s were said to be 90 % sure, of a stock of 50, and nothing of the A100s beside them."""
    await agrees(short(tmp_path, verify=False), store, Here())


@pytest.mark.thorough
@pytest.mark.own_workers
async def test_what_the_stock_gives_as_simulated_is_what_a_plan_for_it_has(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Each of the two plans simulates a run once; found: the first one's searches repeated 147 of 468."""
    noted = Noted(workers)
    await agrees(short(tmp_path, verify=True), store, noted)
    assert max(noted.runs.values()) <= 2


async def test_where_the_stock_does_not_give_90_percent_it_says_how_much_it_does(store: Store, tmp_path: Path) -> None:
    plan, study = await made(over(short(tmp_path, verify=False), h100=50, a100=0), store=store, pool=Here())
    assert plan.surer is not None
    assert not plan.surer.is_likely
    assert plan.surer.holds > 0.75
    less, more = study.sentences[2:4]
    assert less == "the limits let each be 84% sure, the surest that was found, by formula: 48 H100 ($142/h)"
    assert more == "to be 90% sure of each, ~56 H100 (~$165/h), beyond the stock of H100 (56 of 50)"
    assert [one.title for one in study.tables][2] == "The surest within the limits"
