"""How much traffic the GPUs that a question allows carry: between a rate that a fleet holds and one that none does."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.planning.ladder import above
from fleettui.planning.make_plan import make_plan
from fleettui.planning.stock_rate import FARTHEST, greatest_place
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, question, trace

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]


@pytest.mark.parametrize("start", [-400, -3, 5, 6, 7, 20, 41])
@pytest.mark.parametrize("limit", [5, 6, 30, 40])
async def test_the_greatest_place_is_found_from_wherever_the_search_begins(start: int, limit: int) -> None:
    asked: list[int] = []

    async def holds(at: int) -> bool:
        assert at not in asked, "asked twice"
        asked.append(at)
        return at <= limit

    assert await greatest_place(holds, start, 40) == min(limit, 40)
    assert max(asked) <= 40


@pytest.mark.parametrize(("limit", "off", "most"), [(-60, 0, 4), (-60, 3, 7), (-60, -3, 7), (35, 0, 4)])
async def test_what_failed_says_where_to_go_on(limit: int, off: int, most: int) -> None:
    """Found: from 100 rungs too high it went down by one, two, four, and each that fails takes minutes."""
    asked: list[int] = []

    async def holds(at: int) -> bool:
        assert at not in asked, "asked twice"
        asked.append(at)
        return at <= limit

    def expected(at: int) -> int | None:
        assert at == asked[-1] > limit
        return limit + off

    assert await greatest_place(holds, 40, 40, expected) == limit
    assert len(asked) <= most
    assert asked[1] == min(39, limit + off)


async def test_where_nothing_holds_the_search_ends() -> None:
    asked: list[int] = []

    async def holds(at: int) -> bool:
        asked.append(at)
        return False

    assert await greatest_place(holds, 7, 7) is None
    assert min(asked) >= 7 - 2 * FARTHEST
    assert len(asked) < 12


@pytest.mark.thorough
async def test_what_the_limits_carry_is_what_plans_within_them_come_to(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found: of a plan that found no fleet no greatest rate could be told, as no latency was said to be limited."""
    asked = question(trace(tmp_path), demand=Demand(form="rate", rate=70.0), max_gpus=(("h100", 16),))
    plan = await make_plan(asked, store=store, pool=workers)
    assert plan.verdict == "infeasible"
    study = await make("capacity", store, pool=workers, fleet=plan.plan.id, confidence=0.9)
    ((rate, less, fleet, gpus, _),) = study.tables[0].rows
    assert isinstance(rate, float)
    assert (fleet, gpus, less) == ("H100 tp8 x2", 16, pytest.approx(rate / 70.0 - 1.0))
    assert study.sentences[0].startswith("within 16 H100 a fleet carries up to ")
    for one, verdict in ((rate, "pass"), (above(rate), "infeasible")):
        again = await make_plan(replace(asked, demand=Demand(form="rate", rate=one)), store=store, pool=workers)
        assert again.verdict in (verdict, "fail")
        assert (again.verdict == "pass") is (verdict == "pass")
