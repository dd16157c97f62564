"""A text above the view: read to its end, copied, left."""

from collections.abc import Callable, Coroutine
from typing import Any

from textual.app import App
from textual.containers import VerticalScroll

from fleettui.tui.modals.page import Page
from tests.tui.driving import SHEET, lines, until

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
