"""What limit would do is what the fleet at it is simulated to take."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.planning.make_plan import make_plan
from fleettui.planning.rerun import rerun
from store import Store
from tests.planning.simulated import Watched, question, trace

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]


@pytest.mark.thorough
async def test_a_limit_that_would_do_does(store: Store, workers: Watched, tmp_path: Path) -> None:
    """Found: 41.3 kW would do, by formula, and with 41.3 kW the plan failed at 45.4 kW."""
    asked = question(trace(tmp_path))
    free = await make_plan(asked, store=store, pool=workers)
    assert free.answer is not None
    tight = replace(asked, max_power=0.8 * free.answer.power)
    told = await make_plan(tight, store=store, pool=workers)
    assert told.verdict == "infeasible"
    said = re.match(r"a limit of ([\d.]+) kW on the GPUs would do, as simulated \(", told.why[0])
    assert said is not None, told.why
    assert float(said[1]) == pytest.approx(free.answer.power / 1e3, abs=0.1)
    again = await make_plan(replace(tight, max_power=float(said[1]) * 1e3), store=store, pool=workers)
    assert again.verdict == "pass"
    same = await rerun(store, told.plan.handle, pool=workers)
    assert same.again.why == told.why
    by_formula = await make_plan(replace(tight, verify=False), store=store, pool=workers)
    assert by_formula.why[0].endswith(", by formula")
