"""A plan handed on from the palette: to a file that is new, in the format that its name says."""

from pathlib import Path

import pytest
from textual.widgets import Input

from fleettui.planning.export import export
from fleettui.planning.handoff import formats_of, hand_over
from fleettui.planning.report import report_plan, written
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.palette_commands import ENTRIES
from store import Store
from tests.store import samples
from tests.tui import driving
from tests.tui.driving import driven, text_of, told, typed, until
from tests.tui.frames import frame


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "fleettui.db"))
    monkeypatch.setenv("FLEETTUI_STATE", str(tmp_path / "state"))
    with Store.open(tmp_path / "fleettui.db") as store:
        samples.add(store)
    made = driving.new()
    yield made
    driving.close(made)


async def asked(pilot, app: FleetApp, name: str) -> None:
    await until(pilot, lambda: bool(app.view.selected_plan()))
    app.do(lambda: ENTRIES[name][1](app))
    await until(pilot, lambda: isinstance(app.screen, Prompt) and app.focused is not None)


def handle_of(app: FleetApp) -> str:
    assert app.state.shown is not None
    return app.state.shown.answer.plan.handle


async def test_the_report_is_written_and_read(app: FleetApp, tmp_path: Path) -> None:
    async with driven(app) as pilot:
        await asked(pilot, app, "report")
        handle = handle_of(app)
        assert app.screen.query_one(Input).value == f"plan-{handle}.html"
        await typed(pilot, str(tmp_path / "plan.doc"))
        assert "html, md, text" in " ".join(text_of(app, "#prompt-help").split())
        await typed(pilot, str(tmp_path / "plan.html"))
        await until(pilot, lambda: isinstance(app.screen, Page))
        assert f"report {handle} " in f"{frame(app)} "
    with Store.open(tmp_path / "fleettui.db") as store:
        page = report_plan(store, "last")
    assert (tmp_path / "plan.html").read_text("utf-8") == written(page, "html") + "\n"


async def test_an_export_is_what_its_name_says(app: FleetApp, tmp_path: Path) -> None:
    path = tmp_path / "candidates.csv"
    async with driven(app) as pilot:
        await asked(pilot, app, "export")
        assert app.screen.query_one(Input).value == f"candidates-{handle_of(app)}.csv"
        await typed(pilot, str(path))
        await until(pilot, lambda: told(app))
        assert told(app) == [f"written: {path}"]
    with Store.open(tmp_path / "fleettui.db") as store:
        assert path.read_text("utf-8") == export(store, "last", "csv")


@pytest.mark.thorough
async def test_a_hand_off_goes_to_a_folder_and_is_shown(app: FleetApp, tmp_path: Path) -> None:
    folder = tmp_path / "deploy"
    async with driven(app) as pilot:
        await asked(pilot, app, "handoff")
        assert app.screen.query_one(Input).value == "vllm"
        await typed(pilot, "chef")
        assert "kubernetes" in text_of(app, "#prompt-help")
        await typed(pilot, "vllm,alerts")
        await until(pilot, lambda: app.screen.query_one(Input).value == f"deploy-{handle_of(app)}")
        await typed(pilot, str(folder))
        await until(pilot, lambda: isinstance(app.screen, Page))
    with Store.open(tmp_path / "fleettui.db") as store:
        files = hand_over(store, "last", formats_of("vllm,alerts"))
    assert {one.name: one.text for one in files} == {one.name: one.read_text("utf-8") for one in folder.iterdir()}
