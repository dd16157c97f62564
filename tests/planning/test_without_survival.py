"""What surviving replicas costs is told beside the plan that survives none, known by the same means."""

from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import make_plan
from store import Store
from tests.planning.simulated import Watched, question, trace


async def made(store: Store, workers: Watched, folder: Path, **changes: Any) -> tuple[Answer, Candidate]:
    asked = question(trace(folder), **{"slo": Slo(ttft=0.6), "tp": (4, 8), "whole_nodes": True, **changes})
    answer = await make_plan(asked, store=store, pool=workers)
    assert answer.answer is not None
    return answer, answer.answer


@pytest.mark.parametrize("verify", [True, False], ids=["simulated", "by formula"])
async def test_it_costs_what_a_plan_costs_beyond_the_one_without_it(
    store: Store, workers: Watched, tmp_path: Path, verify: bool
) -> None:
    """Found: "$0.00/h more than none", as the same shape with a replica fewer pays for as many whole nodes."""
    _, plain = await made(store, workers, tmp_path, verify=verify)
    answer, best = await made(store, workers, tmp_path, verify=verify, survive=2)
    (told,) = [one for one in answer.why if one.startswith("survive 2: ")]
    known = "as simulated" if verify else "by formula"
    assert told.endswith(f" none: {fleet_words(plain.fleet)}, ${plain.cost_per_hour:,.2f}/h {known}")
    assert f"and ${best.cost_per_hour - plain.cost_per_hour:,.2f}/h more than none" in told
    assert ("is sized and proven by itself" in told) is verify


async def test_no_cost_is_told_beside_a_plan_that_is_to_be_sure(store: Store, workers: Watched, tmp_path: Path) -> None:
    answer, _ = await made(store, workers, tmp_path, verify=False, survive=1, confidence=0.9)
    (told,) = [one for one in answer.why if one.startswith("survive 1: ")]
    assert told.endswith("is sized by itself")


async def test_what_was_simulated_of_one_search_is_not_simulated_for_the_other(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """What is left of a fleet is simulated, whatever stands by."""
    counts = []
    for survive in (0, 1):
        workers.asked.clear()
        await made(store, workers, tmp_path, survive=survive, tp=(8,), whole_nodes=False)
        counts.append(workers.asked.count("verification-replicate"))
    assert counts[0] == counts[1]
