"""A view of some of the plans, by the whole example at the head of its file."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from fleettui.tui.tabs import jobs, plan_list
from fleettui.tui.tabs.plan_list import PlanList
from store import Store
from tests.store import samples
from tests.tui.conftest import Make
from tests.tui.driving import lines, listed, seen, until

NAMES = {"Store": Store, "samples": samples, "Make": Make, "Path": Path, "seen": seen, "listed": listed}
"""What the head says that the example's test imports."""


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the head of the file defines, its view in place of that of jobs."""
    assert plan_list.__doc__ is not None
    view, test = (f"    {part}" for part in plan_list.__doc__.split("\n\n    ", 1)[1].split("\n\nThat is"))
    found: dict[str, Any] = dict(NAMES)
    exec(textwrap.dedent(view), found)
    exec(
        textwrap.dedent(test.partition("Its test is\n\n")[2].partition("\n\nby ")[0]).replace("impossible", "jobs"),
        found,
    )
    monkeypatch.setattr(jobs, "JobsView", found["ImpossibleView"])
    return found


async def test_the_examples_test_holds(example: dict[str, Any], make_app: Make, database: Path) -> None:
    await example["test_plans_without_a_fleet_are_listed"](make_app, database)


async def test_enter_shows_a_plan_and_keys_act_on_it(example: dict[str, Any], make_app: Make, database: Path) -> None:
    with Store.open(database) as store:
        plan = samples.add(store, samples.infeasible("too dear")).plan
    app = make_app()
    async with seen(app, "jobs") as (pilot, view):
        assert isinstance(view, PlanList)
        assert view.selected_plan() == plan.id
        assert any("too dear" in line and "INFEASIBLE" in line for line in lines(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.seen == "fleet")
        assert app.state.shown is not None
        assert app.state.shown.plan == plan.id


async def test_without_such_a_plan_that_is_said(example: dict[str, Any], make_app: Make) -> None:
    async with seen(make_app(), "jobs") as (pilot, view):
        assert view.selected_plan() == ""
        assert any("Each plan has a fleet." in line for line in lines(pilot.app))
