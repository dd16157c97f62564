"""Studies through their key: found of the plan, chosen among several, read as their command printed them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from fleettui.domain.study import Study
from fleettui.reports.study_text import study_text
from fleettui.tui.actions.studies import entries, listed
from fleettui.tui.app import FleetApp
from fleettui.tui.lookups import LOOKUPS
from fleettui.tui.modals.choose import Choose
from fleettui.tui.modals.page import Page
from store import Store
from tests.store import samples
from tests.tui.driving import driven, lines, told, until

PAGE = 76
"""Columns of a page's text on a screen of 80."""
Make = Callable[..., FleetApp]


def keep(file: Path, *studies: Study) -> list[Study]:
    """Put studies into the store and return them as they are kept."""
    with Store.open(file) as store:
        return [store.add_study(one) for one in studies]


async def page(pilot: Pilot[int]) -> str:
    """Return the text of the page that is open."""
    await until(pilot, lambda: isinstance(pilot.app.screen, Page) and pilot.app.screen.query("#page-text"))
    return str(pilot.app.screen.query_one("#page-text", Static).content)


@pytest.mark.parametrize("view", ["2", "6"])
async def test_the_only_study_is_shown_at_once(filled: Path, make_app: Make, view: str) -> None:
    (study,) = keep(filled, samples.study("last"))
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press(view)
        await until(pilot, lambda: "t studies" in lines(app)[-1])
        await pilot.press("t")
        assert await page(pilot) == study_text(study, PAGE)
        await pilot.press("escape")
        assert not isinstance(app.screen, Page)


async def test_one_of_several_is_chosen_those_of_no_plan_last(filled: Path, make_app: Make) -> None:
    of = samples.study("last", title="old"), samples.study("last", title="new"), samples.study(title="printed")
    old, new, lone = keep(filled, *of)
    keep(filled, samples.study("proved", title="of another plan"))
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, Choose) and any("> " in line for line in lines(app)))
        offered = [line for line in lines(app) if " steps  " in line]
        assert [line.split()[-1] for line in offered] == ["new", "old", "plan)"]
        assert offered[2].split()[0] == lone.handle
        await pilot.press("j", "enter")
        assert await page(pilot) == study_text(old, PAGE)
        await pilot.press("escape", "t")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("escape")
        assert len(app.screen_stack) == 1
    assert new.handle != old.handle


async def test_a_plan_without_studies_offers_none_and_says_so(filled: Path, make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        assert "t studies" not in lines(app)[-1]
        await pilot.press("t")
        await until(pilot, lambda: told(app))
        assert "no study is kept of this plan" in told(app)[0]


async def test_the_list_of_plans_counts_those_of_the_plan_under_the_cursor(filled: Path, make_app: Make) -> None:
    keep(filled, samples.study("proved", title="old"), samples.study("proved", title="When?"))
    app = make_app()
    async with driven(app, (80, 40)) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: any(line.startswith("again ") for line in lines(app)))
        assert not any(line.startswith("studies") for line in lines(app))
        assert "t studies" not in lines(app)[-1]
        await pilot.press("G")
        await until(pilot, lambda: "studies 2: When?" in [line.rstrip(" ▎▌▁▂▃▄▅▆▇█") for line in lines(app)])
        assert "t studies" in lines(app)[-1]


def test_more_studies_than_the_screen_holds_are_cut_to_its_width() -> None:
    study = replace(samples.study(title="x" * 200), handle="41a7", created="2026-11-21T20:51:01.000Z")
    other = replace(study, handle="9f3c", kind="sensitivity", title="short")
    found = entries([(study, "p"), (other, "")], 80)
    assert found["9f3c"] == "9f3c  11-21 20:51  sensitivity  short  (of no plan)"
    assert found["41a7"].startswith("41a7  11-21 20:51  steps        xxx")
    assert len(found["41a7"]) < 80


def test_an_example_that_is_not_kept_has_those_of_no_plan(database: Path) -> None:
    with Store.open(database) as store:
        lone = store.add_study(samples.study())
        assert listed(store, "") == [(lone, "")]


async def test_the_trade_off_of_the_plan_is_worked_out_kept_and_shown_below_its_picture(
    filled: Path, make_app: Make
) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press("2")
        app.do(lambda: LOOKUPS["pareto"][1](app))
        text = await page(pilot)
        ((kept, _), *_more) = listed(await app.desk.engine.store(), app.view.selected_plan())
        assert kept.kind == "pareto"
        assert text == study_text(kept, PAGE)
        assert kept.plan == app.view.selected_plan()
        assert app.screen.query("#page-plot")


async def test_without_a_plan_there_is_nothing_to_trade(make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.do(lambda: LOOKUPS["pareto"][1](app))
        await until(pilot, lambda: any("no kept plan here" in one for one in told(app)))
