"""Studies through their key: found of the plan, chosen among several, read as their command printed them."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from fleettui.domain.progress import Progress
from fleettui.domain.study import Study
from fleettui.planning.kept_studies import list_studies
from fleettui.planning.studies import commands
from fleettui.reports.study_text import study_text
from fleettui.tui.actions.studies import entries, worked_out
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.choose import Choose
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.palette_commands import ENTRIES
from fleettui.tui.task import Tools
from store import Store
from tests.repeated import few
from tests.store import samples
from tests.tui.driving import KEY, driven, lines, settle, text_of, told, until
from tests.tui.test_palette_commands import answered, look_up

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


@pytest.mark.parametrize("view", few(["fleet", "plans"], 1))
async def test_the_only_study_is_shown_at_once(filled: Path, make_app: Make, view: str) -> None:
    (study,) = keep(filled, samples.study("last"))
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press(KEY[view])
        await until(pilot, lambda: "t tables" in lines(app)[-1])
        await pilot.press("t")
        assert await page(pilot) == study_text(study, PAGE)
        await pilot.press("escape")
        assert not isinstance(app.screen, Page)


@pytest.mark.thorough
async def test_one_of_several_is_chosen_those_of_the_plan_first_then_of_no_plan(filled: Path, make_app: Make) -> None:
    of = samples.study("last", title="old"), samples.study("last", title="new"), samples.study(title="printed")
    old, new, lone = keep(filled, *of)
    (foreign,) = keep(filled, samples.study("proved", title="foreign"))
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, Choose) and any("> " in line for line in lines(app)))
        titles, *offered = [line[2:].split() for line in lines(app)[-6:-1]]
        assert titles == ["study", "made", "(UTC)", "kind", "plan", "title"]
        assert [(line[0], line[-1]) for line in offered] == [
            (study.handle, study.title) for study in (new, old, lone, foreign)
        ]
        assert offered[2][-2] == "-"
        await pilot.press("down", "enter")
        assert await page(pilot) == study_text(old, PAGE)
        await pilot.press("escape", "t")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


async def test_without_any_study_none_is_offered_and_what_makes_one_is_told(filled: Path, make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        assert "t tables" not in lines(app)[-1]
        await pilot.press("t")
        await until(pilot, lambda: told(app))
        assert "no study is kept yet" in told(app)[0]
        assert all(name in told(app)[0] for name in commands())


@pytest.mark.thorough
async def test_the_list_of_plans_counts_those_of_the_plan_under_the_cursor(filled: Path, make_app: Make) -> None:
    keep(filled, samples.study("proved", title="old"), samples.study("proved", title="When?"))
    app = make_app()
    async with driven(app, (80, 40)) as pilot:
        await pilot.press(KEY["plans"])
        await until(pilot, lambda: any(line.startswith("again ") for line in lines(app)))
        assert not any(line.startswith("studies") for line in lines(app))
        assert "t tables" in lines(app)[-1]
        await pilot.press("G")
        await until(pilot, lambda: "studies 2, newest: When?" in [line.rstrip(" ▎▌▁▂▃▄▅▆▇█") for line in lines(app)])
        assert "t tables" in lines(app)[-1]


@pytest.mark.parametrize("width", [80, 120])
def test_the_lines_to_choose_from_line_up_and_wrap_in_the_width_of_the_screen(width: int) -> None:
    study = replace(samples.study(title="long words " * 6), handle="41a7", created="2026-11-21T20:51:01.000Z")
    other = replace(study, handle="9f3c", kind="sensitivity", title="short")
    titles, found = entries([(study, "4c1b"), (other, "")], width)
    assert titles == "study  made (UTC)   kind         plan   title"
    assert found["9f3c"] == "9f3c   11-21 20:51  sensitivity  -      short"
    first, *others = found["41a7"].split("\n")
    assert first.startswith("41a7   11-21 20:51  steps        4c1b   long words")
    assert all(line[:40].isspace() for line in others)
    assert max(map(len, (first, *others))) <= width - 3


@pytest.mark.thorough
async def test_the_trade_off_of_the_plan_is_worked_out_kept_and_shown_below_its_picture(
    filled: Path, make_app: Make
) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press(KEY["fleet"])
        app.do(lambda: ENTRIES["pareto"][1](app))
        text = await page(pilot)
        ((kept, _), *_more) = list_studies(await app.state.thread.store(), app.view.selected_plan())
        assert kept.kind == "pareto"
        assert text == study_text(kept, PAGE)
        assert kept.plan == app.view.selected_plan()
        assert app.screen.query("#page-plot")


async def test_without_a_plan_there_is_nothing_to_trade(make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.do(lambda: ENTRIES["pareto"][1](app))
        await until(pilot, lambda: any("no kept plan here" in one for one in told(app)))


async def test_work_of_some_seconds_is_told_until_it_ends(filled: Path, make_app: Make) -> None:
    app, begun, go_on = make_app(), threading.Event(), threading.Event()

    async def work(_: Tools) -> Study:
        begun.set()
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        return samples.study(title="found")

    async with driven(app) as pilot:
        app.do(lambda: worked_out(app, "why 9d03", work))
        await until(pilot, begun.is_set)
        assert told(app) == [f"why 9d03: at work; {KEY['jobs']} shows how far, x there stops it"]
        assert lines(app)[0].endswith("● 1 job")
        assert lines(app)[2].startswith("starting")
        go_on.set()
        await until(pilot, lambda: told(app) == [])


@pytest.mark.thorough
async def test_a_study_tells_how_far_it_is_and_is_stopped_by_the_key_for_that(filled: Path, make_app: Make) -> None:
    """Seen: half a minute without a bar, and no key that ends it."""
    app, shown = make_app(), []

    async def work(tools: Tools) -> Study:
        tools.task.report(Progress(message="without its reasons", done=3, total=12))
        await asyncio.Event().wait()
        raise AssertionError

    async def study() -> None:
        shown.append(await worked_out(app, "why 9d03", work))

    async with driven(app) as pilot:
        app.do(study)
        await until(pilot, lambda: lines(app)[2].startswith("without its reasons  3/12  "))
        assert lines(app)[0].endswith("● 1 job 25%")
        await pilot.press(KEY["jobs"])
        await until(pilot, lambda: any("why 9d03" in line and "3/12" in line for line in lines(app)))
        await pilot.press("x")
        await until(pilot, lambda: any("why 9d03: stopped" in one for one in told(app)))
        await settle(pilot)
        assert "job" not in lines(app)[0]
    assert shown == []


async def test_growth_with_a_lead_time_is_asked_for_and_its_study_shown(
    filled: Path, make_app: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    async def make(kind: str, _: Store, *, pool: object, **values: Any) -> Study:
        assert kind == "growth"
        asked.append(values)
        return samples.study(title="found")

    monkeypatch.setattr("fleettui.planning.studies.study_context.make", make)
    app = make_app()
    async with driven(app) as pilot:
        plan = app.view.selected_plan()
        assert await look_up(pilot, "whatif", "growth 8%/month lead 4w") == study_text(
            samples.study(title="found"), PAGE
        )
        assert asked[0]["plan"] == plan
        assert (asked[0]["per_month"], asked[0]["lead_days"]) == (0.08, 28.0)
        leave = app.state.thread.tasks[-1].leave
        assert leave is not None
        with Store.open(filled) as store:
            assert leave(store).title == f"whatif {store.row(plan).handle} --growth 8%/month --lead-time 4w"


async def test_the_options_of_any_study_are_asked_for_and_what_does_not_read_is_refused(
    filled: Path, make_app: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen: a study without a line of its own took no options in the app."""
    asked: list[dict[str, Any]] = []

    async def make(kind: str, _: Store, *, pool: object, report: object, **values: Any) -> Study:
        asked.append({"kind": kind, **values})
        return samples.study(title="found")

    monkeypatch.setattr("fleettui.planning.studies.study_context.make", make)
    app = make_app()
    async with driven(app) as pilot:
        plan = app.view.selected_plan()
        app.do(lambda: ENTRIES["hetero"][1](app))
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        assert text_of(app, "#prompt-help").startswith("any of: cheaper h20=1.20 | gpus 64 | gpu h100 |")
        await answered(pilot, "gpus 5000")
        await until(pilot, lambda: "the count is out of range" in text_of(app, "#prompt-help"))
        await answered(pilot, "gpus 64 --cheaper h20=1.2")
        await page(pilot)
        assert asked == [{"kind": "hetero", "plan": plan, "gpus": 64, "cheaper": ("h20", 1.2)}]


async def test_a_line_that_does_not_read_is_refused_where_it_is_typed(filled: Path, make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.do(lambda: ENTRIES["whatif"][1](app))
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        assert "growth 8%/month lead 12w   (also: months" in text_of(app, "#prompt-help")
        await answered(pilot, "growth 8%/month 12")
        await until(pilot, lambda: text_of(app, "#prompt-help").startswith("x "))
        assert "lead time needs a unit" in text_of(app, "#prompt-help")
        await pilot.press("escape")
        await settle(pilot)


@pytest.mark.thorough
async def test_a_published_table_is_shown_as_the_command_prints_it_and_kept(app: FleetApp) -> None:
    async with driven(app) as pilot:
        text = await look_up(pilot, "published", "ifs eq 6")
        ((kept, _), *_more) = list_studies(await app.state.thread.store())
        assert text == study_text(kept, PAGE)
        assert "A, repaired in 48 h" in text


async def test_an_unknown_published_table_is_told_where_it_was_typed(app: FleetApp) -> None:
    async with driven(app) as pilot:
        app.do(lambda: ENTRIES["published"][1](app))
        await answered(pilot, "FO T9")
        await until(pilot, lambda: "unknown published table" in text_of(app, "#prompt-help"))
        assert app.screen.query_one(Input).value == "FO T9"
        assert told(app) == []
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, (Prompt, Page)))
