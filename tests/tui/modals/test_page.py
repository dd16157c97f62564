"""A text above the view: read to its end, copied, left."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.containers import VerticalScroll

from fleettui.reports.chart import Axis, Chart, Series
from fleettui.tui.actions.pages import show
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt
from tests.tui.driving import SHEET, driven, lines, told, until

LONG = "\n".join(f"line {number} [b]of[/b] many" for number in range(60))


class Reading(App[None]):
    """Shows a page at once, and keeps what is copied."""

    CSS_PATH = SHEET

    def __init__(self, text: str, title: str = "jobs log") -> None:
        super().__init__()
        self.text, self.title_of_page, self.copied = text, title, ""

    def on_mount(self) -> None:
        self.push_screen(Page(self.title_of_page, self.text))

    def do(self, handler: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.run_worker(handler())

    async def copy_text(self, text: str) -> None:
        self.copied = text


async def test_the_text_is_shown_as_it_is_under_its_title() -> None:
    app = Reading(LONG)
    async with app.run_test(size=(60, 12)):
        assert "line 0 [b]of[/b] many" in "\n".join(lines(app))
        assert app.screen.query_one("#page").border_title == "jobs log"
        assert any("esc back  y copy  j k scroll" in line for line in lines(app))


async def test_a_title_is_text_whatever_was_typed() -> None:
    app = Reading("short", "what if [/b] [red]rate[/red]=1")
    async with app.run_test(size=(60, 12)):
        assert "what if [/b] [red]rate[/red]=1" in lines(app)[0]


@pytest.mark.evidence
async def test_it_is_scrolled_by_lines_and_pages() -> None:
    app = Reading(LONG)
    async with app.run_test(size=(60, 12)) as pilot:
        page = app.screen.query_one("#page", VerticalScroll)
        await pilot.press("j", "j", "k")
        assert page.scroll_y == 1
        await pilot.press("pagedown")
        await until(pilot, lambda: page.scroll_y > 5)
        await pilot.press("end")
        await until(pilot, lambda: "line 59" in "\n".join(lines(app)))


async def test_y_copies_the_whole_text() -> None:
    app = Reading(LONG)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: app.copied)
        assert app.copied == LONG
        assert isinstance(app.screen, Page)


async def test_three_keys_leave_it() -> None:
    for key in ("escape", "q", "enter"):
        app = Reading("short")
        async with app.run_test(size=(60, 12)) as pilot:
            await pilot.press(key)
            assert not isinstance(app.screen, Page)
            assert app.is_running


async def test_its_plot_is_written_as_a_picture(app: FleetApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = Series(name="a", points=((1.0, 1.0), (2.0, 3.0)))
    chart = Chart(title="two", series=(line,), x=Axis(label="x", write=str), y=Axis(label="y", write=str), summary="up")
    async with driven(app) as pilot:
        show(app, "profile validate m.csv", lambda _: "text", [chart])
        await until(pilot, lambda: any("w write the picture" in line for line in lines(app)))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        await pilot.press("enter")
        await until(pilot, lambda: told(app))
        assert told(app) == ["written: profile-validate.svg"]
        assert (tmp_path / "profile-validate.svg").read_text("utf-8").startswith("<svg")
        assert isinstance(app.screen, Page)


async def test_its_pictures_are_leafed_through_and_their_points_told(app: FleetApp) -> None:
    axis = Axis(label="x", write=str)
    line = Series(name="a", points=((1.0, 1.0), (2.0, 3.0)), keys=("k1", "k2"), words=("first words", "second words"))
    plain = Chart(title="plain", series=(replace(line, keys=(), words=()),), x=axis, y=axis, summary="up")
    told_of = Chart(title="told", series=(line,), x=axis, y=axis, summary="choose")

    def seen(words: str) -> bool:
        return any(words in line for line in lines(app))

    async with driven(app) as pilot:
        show(app, "autoscale", lambda _: "text", [plain, told_of])
        await until(pilot, lambda: seen("n p pictures"))
        assert seen("up")
        assert not seen("h l through it")
        await pilot.press("l")
        assert seen("up")
        await pilot.press("n")
        await until(pilot, lambda: seen("h l through it"))
        assert seen("choose")
        for key, words in (("l", "first words"), ("l", "second words"), ("h", "first words")):
            await pilot.press(key)
            await until(pilot, lambda words=words: seen(words))  # type: ignore[misc]
        await pilot.press("n")
        await until(pilot, lambda: seen("plain"))
        await pilot.press("p")
        await until(pilot, lambda: seen("told"))
