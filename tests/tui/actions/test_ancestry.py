"""F over a real store: the tree of the plan, one of which is opened; a plan alone says that it is."""

from pathlib import Path

import pytest

from fleettui.planning import ancestry as use_case
from fleettui.tui.modals.choose import Choose
from fleettui.tui.widgets.choice_list import Lines
from store import Store
from tests.store import samples
from tests.tui.conftest import Make
from tests.tui.driving import KEY, driven, settle, text_of, told, until


async def test_the_tree_is_shown_and_a_plan_in_it_is_opened(make_app: Make, database: Path) -> None:
    with Store.open(database, clock=samples.clock()) as store:
        first = samples.add(store, samples.at(71.1, "first")).plan
        second = samples.add(store, samples.at(78.08, "second"), parent=first.id).plan
        third = samples.add(store, samples.at(79.0, "third"), parent=second.id).plan
    app = make_app()
    async with driven(app) as pilot:
        await app.state.open_plan(second.id)
        await pilot.press(KEY["plans"])
        await until(pilot, lambda: app.seen == "plans" and app.view.selected_plan())
        await pilot.press("F")
        await settle_on(pilot, app)
        await pilot.press("escape", KEY["routing"], "F")
        await settle_on(pilot, app)
        entries = app.screen.query_one(Lines)
        assert entries.chosen == second.id, "the cursor begins on the plan itself"
        text = text_of(app, "#finder-rows")
        assert [plan.handle in text for plan in (first, second, third)] == [True] * 3
        assert "+$6.98/h" in text
        await pilot.press("up", "enter")
        await until(
            pilot, lambda: app.seen == "fleet" and app.state.shown is not None and app.state.shown.plan == first.id
        )


async def test_a_family_that_is_cut_says_so(make_app: Make, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_case, "PARENTS", 1)
    monkeypatch.setattr(use_case, "CHILDREN", 1)
    plan = ""
    with Store.open(database, clock=samples.clock()) as store:
        for number in range(3):
            plan = samples.add(store, samples.at(71.1, f"step {number}"), parent=plan).plan.id
        for number in range(2):
            samples.add(store, samples.at(71.1, f"child {number}"), parent=plan)
    app = make_app()
    async with driven(app) as pilot:
        await app.state.open_plan(plan)
        await pilot.press("F")
        await settle_on(pilot, app)
        assert text_of(app, "#finder-label") == "forks   ... earlier ones   ... and more"


async def settle_on(pilot, app) -> None:
    await until(pilot, lambda: isinstance(app.screen, Choose) and app.screen.query_one(Lines).chosen)


async def test_a_plan_without_kin_says_so(make_app: Make, database: Path) -> None:
    with Store.open(database, clock=samples.clock()) as store:
        plan = samples.add(store, samples.at(71.1, "alone")).plan
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press("F")
        await until(pilot, lambda: told(app))
        assert f"{plan.handle} was forked from no plan, and none from it" in told(app)[0]
        await pilot.press(KEY["plans"])
        await settle(pilot)
        await until(pilot, lambda: "forked from no plan" in text_of(app, "#plans-preview"))
