"""Handing over through the keys: copied, written to a file that is new."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot

from fleettui.planning.export import export
from fleettui.planning.report import report_plan, written
from fleettui.reports.plan_text import plan_text
from fleettui.tui import tabs
from fleettui.tui.actions import copy_and_write
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.choose import Choose
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.new_file import new
from fleettui.tui.widgets.choice_list import Lines
from store import Store
from tests.repeated import few
from tests.tui.conftest import Make
from tests.tui.driving import KEY, driven, settle, text_of, told, typed, until


def printed(app: FleetApp) -> str:
    assert app.state.shown is not None
    return plan_text(app.state.shown.answer, app.state.shown.question)


async def chosen(pilot: Pilot[int], app: FleetApp, name: str) -> None:
    """Choose one of what can be written, and wait for the question of where."""
    await until(pilot, lambda: isinstance(app.screen, Choose) and app.screen.query_one(Lines).chosen)
    app.screen.query_one(Lines).chosen = name
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, Prompt) and app.focused is not None)


async def test_a_copy_is_the_printed_plan_and_lies_in_a_file_too(app: FleetApp, tmp_path: Path) -> None:
    async with driven(app) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: told(app))
        assert told(app)[0].startswith("copied to ~/state/last-copy.txt")
        assert app.clipboard == printed(app)
        assert (tmp_path / "state" / "last-copy.txt").read_text() == printed(app)


async def test_what_is_written_is_the_same_and_nothing_is_written_over(app: FleetApp, tmp_path: Path) -> None:
    taken = tmp_path / "taken.txt"
    taken.write_text("mine")
    async with driven(app) as pilot:
        await pilot.press("w")
        await chosen(pilot, app, "text")
        await typed(pilot, str(taken))
        assert "the file exists" in text_of(app, "#prompt-help")
        await typed(pilot, "~/plan.txt")
        await until(pilot, lambda: told(app))
        assert told(app) == [f"written: {tmp_path / 'plan.txt'}"]
        assert (tmp_path / "plan.txt").read_text() == printed(app) + "\n"
    assert taken.read_text() == "mine"


async def test_a_file_that_cannot_be_written_is_told_as_what_it_is(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    async with driven(app) as pilot:
        await pilot.press("w")
        await chosen(pilot, app, "text")
        monkeypatch.setattr(Path, "replace", full_disk)
        await typed(pilot, "~/plan.txt")
        await until(pilot, lambda: told(app))
        assert "No space left on device" in told(app)[0]
        assert "bug" not in told(app)[0]


@pytest.mark.thorough
async def test_a_file_that_comes_after_the_look_is_not_written_over(
    app: FleetApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = tmp_path / "plan.txt"

    def looked(text: str) -> Path:
        free = new(text)
        if app.screen is app.base:
            taken.write_text("mine")
        return free

    monkeypatch.setattr(copy_and_write, "new", looked)
    async with driven(app) as pilot:
        await pilot.press("w")
        await chosen(pilot, app, "text")
        await typed(pilot, "~/plan.txt")
        await until(pilot, lambda: told(app))
        assert "File exists" in told(app)[0]
    assert taken.read_text() == "mine"


WRITERS: dict[str, Callable[[Store, str], str]] = {
    "html": lambda store, plan: written(report_plan(store, plan), "html"),
    **{name: partial(export, format=name) for name in ("md", "csv", "json", "yaml", "svg")},
}


@pytest.mark.parametrize("view", few([view.name for view in tabs.VIEWS if "write" in view.verbs.split()], 1))
async def test_from_every_view_the_plan_is_written_as_the_commands_write_it(
    app: FleetApp, filled: Path, tmp_path: Path, view: str
) -> None:
    name, write = list(WRITERS.items())[tabs.named(view).number % len(WRITERS)]
    async with driven(app) as pilot:
        rows = await app.state.thread.read(lambda store: store.plans())
        app.state.marks = frozenset(row.id for row in rows[:2])
        app.action_do(f"view_{view}")
        await until(pilot, lambda: app.seen == view and app.view.selected_plan())
        plan = app.view.selected_plan()
        await pilot.press("w")
        await chosen(pilot, app, name)
        assert text_of(app, "#prompt-label").startswith("write to")
        await typed(pilot, str(tmp_path / "handed-over"))
        await until(pilot, lambda: told(app))
        assert told(app) == [f"written: {tmp_path / 'handed-over'}"]
    with Store.open(filled) as store:
        assert (tmp_path / "handed-over").read_text("utf-8").rstrip("\n") == write(store, plan).rstrip("\n")


@pytest.mark.parametrize(
    ("name", "told_in_it"),
    few([("comparison md", "| --- |"), ("comparison json", '"rows"'), ("comparison svg", "<svg")], 1),
)
async def test_a_comparison_is_written_in_every_form(app: FleetApp, tmp_path: Path, name: str, told_in_it: str) -> None:
    async with driven(app) as pilot:
        rows = await app.state.thread.read(lambda store: store.plans())
        app.state.marks = frozenset(row.id for row in rows[:2])
        await pilot.press(KEY["compare"])
        await until(pilot, lambda: app.seen == "compare" and app.view.selected_plan())
        await pilot.press("p", "p")
        await settle(pilot)
        await pilot.press("w")
        await chosen(pilot, app, name)
        await typed(pilot, str(tmp_path / "compared"))
        await until(pilot, lambda: told(app))
    assert told_in_it in (tmp_path / "compared").read_text("utf-8")


async def test_of_the_example_only_what_is_shown_can_be_written(make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press(KEY["fleet"], "w")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        assert text_of(app, "#prompt-help").startswith("what is shown here")


async def test_where_nothing_is_shown_there_is_nothing_to_hand_over(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with driven(app) as pilot:
        monkeypatch.setattr(type(app.view), "copied", lambda _: "")
        monkeypatch.setattr(type(app.view), "selected_plan", lambda _: "")
        await pilot.press("y")
        await until(pilot, lambda: told(app))
        await pilot.press("w")
        await until(pilot, lambda: len(told(app)) == 2)
        assert told(app) == ["there is nothing here to copy", "there is nothing here to write"]
