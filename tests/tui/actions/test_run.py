"""Work through the keys: planned, proved, stopped, taken up again."""

import asyncio
from collections.abc import Callable

import pytest
from textual.widgets import Input

from fleettui.domain.plan import Answer
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.task import Tools
from tests.tui.driving import KEY, driven, lines, settle, text_of, told, typed, until


async def endless(tools: Tools) -> Answer:
    await asyncio.Event().wait()
    raise AssertionError


def prompt(app: FleetApp) -> Callable[[], bool]:
    return lambda: isinstance(app.screen, Prompt) and bool(app.screen.query(Input))


async def test_planning_is_seen_in_the_fleets_view(app: FleetApp, monkeypatch: pytest.MonkeyPatch) -> None:
    async def planning(*_: object, **_more: object) -> Answer:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr("fleettui.planning.make_plan.make_plan", planning)
    async with driven(app) as pilot:
        await pilot.press(KEY["disagg"], "r", "x")
        await until(pilot, lambda: not app.state.thread.alive)
        assert app.seen == "fleet"
        (task,) = app.state.thread.tasks
        assert (task.kind, task.state) == ("plan", "cancelled")
        await until(pilot, lambda: any("stopped" in words for words in told(app)))


async def test_more_proof_is_asked_for_by_half_the_width_that_is_known(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await app.state.open_plan("proved")
        await settle(pilot)
        await pilot.press("v")
        await until(pilot, prompt(app))
        assert app.screen.query_one(Input).value in ("2.5%", "2%", "3%")
        await typed(pilot, "much")
        assert "x precision" in text_of(app, "#prompt-help")
        await pilot.press("escape")
        assert app.state.thread.tasks == []


@pytest.mark.evidence
async def test_proof_of_what_was_never_simulated_is_as_wide_as_usual(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("v")
        await until(pilot, prompt(app))
        assert app.screen.query_one(Input).value == "5%"
        await pilot.press("enter")
        await until(pilot, lambda: app.state.thread.tasks)
        await pilot.press("x")
        await until(pilot, lambda: not app.state.thread.alive)
        (task,) = app.state.thread.tasks
        assert (task.kind, task.error) == ("verify", None)
        assert app.state.shown is not None
        assert app.state.shown.answer.answer is not None
        assert task.title == f"verify {app.state.shown.answer.answer.handle}"


async def test_nothing_to_stop(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("x")
        await until(pilot, lambda: told(app) == ["nothing is running"])


@pytest.mark.thorough
async def test_of_several_the_work_on_the_shown_plan_is_stopped_else_the_newest(app: FleetApp) -> None:
    async with driven(app) as pilot:
        shown = app.state.shown
        assert shown is not None
        mine = app.state.thread.begin("mine", "verify", endless)
        mine.plan, mine.shown = shown.plan, True
        newer = app.state.thread.begin("newer", "verify", endless)
        app.state.changed()
        assert lines(app)[0].endswith("● 2 jobs")
        await pilot.press("x")
        await until(pilot, lambda: not mine.alive)
        assert newer.alive
        await pilot.press("x")
        await until(pilot, lambda: not newer.alive)
        await until(pilot, lambda: "job" not in lines(app)[0])


async def test_nothing_to_go_on_with(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: told(app))
        assert told(app)[0].startswith("no stopped work on this plan")
