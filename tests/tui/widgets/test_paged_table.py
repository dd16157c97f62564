"""A table of any length, in an app, over rows that are counted, slow, changing or broken."""

import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from rich.style import Style
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input

from fleettui.errors import StoreBusyError
from fleettui.reports.table import Head, Table
from fleettui.tui.widgets.paged_table import Page, PagedTable
from tests.repeated import few
from tests.tui.frames import frame, rules

COLUMNS = (Head(title="plan"), Head(title="fleet", wrap=True), Head(title="$/h", align="right"))


class Fleets:
    """Rows 0, 1, 2 ... under names; `gate` lets a reading wait, `error` lets it fail."""

    def __init__(self, *names: str, length: int = 0) -> None:
        self.names: list[str] | range = list(names) or range(length)
        self.gate = threading.Event()
        self.gate.set()
        self.error: Exception | None = None
        self.reads: list[int] = []
        self.busy, self.overlapped = 0, False

    def count(self) -> int:
        self._visit()
        return len(self.names)

    def page(self, offset: int, limit: int) -> Page:
        self._visit()
        self.reads.append(offset)
        names = [str(name) for name in self.names[offset : offset + limit]]
        rows = tuple((name, f"{name} x H100", f"{3.49 * len(name):,.2f}") for name in names)
        return Page(table=Table(columns=COLUMNS, rows=rows), keys=tuple(f"id-{name}" for name in names))

    def _visit(self) -> None:
        self.busy += 1
        self.overlapped = self.overlapped or self.busy > 1
        self.gate.wait(10)
        self.busy -= 1
        if self.error is not None:
            raise self.error


class Tables(App[None]):
    def __init__(self, rows: Any = None, empty: str = "", glyphs: str = "braille") -> None:
        super().__init__()
        self.rows, self.empty, self.glyphs = rows, empty, glyphs
        self.said: list[tuple[str, object]] = []

    def compose(self) -> ComposeResult:
        table = PagedTable()
        table.show(self.rows, empty=self.empty)
        yield table
        yield Input(id="elsewhere")

    def on_mount(self) -> None:
        self.query_one(PagedTable).focus()

    def on_paged_table_moved(self, message: PagedTable.Moved) -> None:
        assert message.control is self.table
        self.said.append(("moved", message.key))

    def on_paged_table_opened(self, message: PagedTable.Opened) -> None:
        self.said.append(("opened", message.key))

    def on_paged_table_counted(self, message: PagedTable.Counted) -> None:
        self.said.append(("counted", message.count))

    @property
    def table(self) -> PagedTable:
        return self.query_one(PagedTable)

    @property
    def lines(self) -> list[str]:
        """The lines of the table: those above the input."""
        return frame(self).split("\n")[: self.table.size.height]


async def until(pilot: Pilot[None], done: Callable[[], bool]) -> None:
    """Wait for a condition, which no reading takes long to make true."""
    end = time.monotonic() + 10
    while not done():
        assert time.monotonic() < end, frame(pilot.app)
        await pilot.pause(0.005)


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing is being read, and what was read is drawn."""
    table = pilot.app.query_one(PagedTable)
    await pilot.pause()
    await until(pilot, lambda: table._worker is None)
    await pilot.pause()


SMALL = (40, 10)
"""Of which the input takes three lines and the head one, so six rows are in view."""


async def test_rows_stand_under_their_heads() -> None:
    app = Tables(Fleets("41a7", "9", "40e9"))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert app.lines[:5] == [
            "  plan  fleet          $/h",
            "> 41a7  41a7 x H100  13.96",
            "  9     9 x H100      3.49",
            "  40e9  40e9 x H100  13.96",
            "",
        ]
        assert (app.table.key, app.table.cursor, app.table.count) == ("id-41a7", 0, 3)
        assert app.said == [("counted", 3), ("moved", "id-41a7")]
        assert rules(frame(app), *SMALL) == []


async def test_a_million_rows_open_at_once_and_only_what_is_in_view_is_read() -> None:
    rows = Fleets(length=1_000_000)
    app = Tables(rows)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert rows.reads == [0]
        await pilot.press("G")
        await settled(pilot)
        assert rows.reads == [0, 999_900]
        assert app.table.key == "id-999999"
        assert app.lines[-1].startswith("> 999999  999999 x H100")
        await pilot.press("k", "home")
        await settled(pilot)
        assert app.table.key == "id-0"
        assert rows.reads == [0, 999_900]
        assert app.lines[1].startswith("> 0 ")
        assert app.lines[2].startswith("  1       1 x H100 "), "the widths of the last rows stay"
        assert len(app.query("*")) < 10


@pytest.mark.parametrize(
    ("keys", "cursor"),
    few(
        [
            (("j", "down", "j", "k", "up"), 1),
            (("k",), 0),
            (("G",), 199),
            (("end", "j"), 199),
            (("end", "home"), 0),
            (("G", "g"), 0),
            (("pagedown",), 6),
            (("pagedown", "pagedown", "pageup"), 6),
            (("ctrl+d", "ctrl+d", "ctrl+u"), 3),
            (("G", "pagedown"), 199),
        ],
        6,
    ),
)
async def test_keys_move_the_cursor_and_keep_it_in_view(keys: tuple[str, ...], cursor: int) -> None:
    app = Tables(Fleets(length=200))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
        await settled(pilot)
        assert (app.table.cursor, app.table.key) == (cursor, f"id-{cursor}")
        assert [line.split()[1] for line in app.lines if line.startswith(">")] == [str(cursor)]
        assert app.said[-1] == ("moved", f"id-{cursor}")


async def test_enter_opens_and_the_mouse_moves_then_opens() -> None:
    app = Tables(Fleets(length=50))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter")
        assert app.said[-1] == ("opened", "id-1")
        await pilot.click(PagedTable, offset=(5, 4))
        assert app.said[-1] == ("moved", "id-3")
        await pilot.click(PagedTable, offset=(9, 4))
        assert app.said[-1] == ("opened", "id-3")
        said = list(app.said)
        await pilot.click(PagedTable, offset=(5, 0))
        assert app.said == said, "the heads are no row"
        await pilot.click(PagedTable, offset=(5, 2))
        await pilot.press("j", "k")
        await pilot.click(PagedTable, offset=(5, 2))
        assert ("opened", "id-1") not in app.said[len(said) :], "keys between two clicks make them two"


async def test_the_wheel_scrolls_and_leaves_the_cursor() -> None:
    app = Tables(Fleets(length=500))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        wheel = events.MouseScrollDown(None, 5, 3, 0, 1, 0, False, False, False)
        for _ in range(100):
            app.table.post_message(wheel)
        await settled(pilot)
        assert app.table.cursor == 0
        assert app.table.scroll_offset.y >= 100
        assert "…" not in frame(app)
        await pilot.press("j")
        assert app.lines[1].startswith("> 1 "), "a key brings the cursor back"


async def test_a_click_below_the_last_row_is_none() -> None:
    app = Tables(Fleets("a", "b"))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.click(PagedTable, offset=(5, 5))
        assert app.table.key == "id-a"


async def test_marks_and_the_cursor_are_signs_and_styles() -> None:
    def style(y: int) -> Style:
        return next(iter(app.table.render_line(y))).style or Style()

    app = Tables(Fleets("a", "b", "c"))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        app.table.marks = frozenset({"id-a", "id-c"})
        await pilot.pause()
        assert [line[:3] for line in app.lines[1:4]] == [">+a", "  b", "+ c"]
        assert app.table.marks == {"id-a", "id-c"}
        assert (style(1).reverse, style(3).bold, style(2).bold) == (True, True, None)
        app.query_one(Input).focus()
        await pilot.pause()
        assert (style(1).reverse, style(1).underline) == (None, True)


async def test_rows_not_read_yet_are_dots_and_the_app_goes_on() -> None:
    rows = Fleets(length=1000)
    app = Tables(rows)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        rows.gate.clear()
        await pilot.press("end")
        assert app.lines[-1] == "> …"
        assert app.table.key is None
        await pilot.press("enter", "k")
        assert app.said[-1] == ("moved", "id-0"), "nothing is said of a row that is not known"
        rows.gate.set()
        await settled(pilot)
        assert app.lines[-2].startswith("> 998 ")
        assert app.said[-1] == ("moved", "id-998")
    assert not rows.overlapped


async def test_before_the_first_rows_come_there_is_a_sign_of_them() -> None:
    rows = Fleets("a")
    rows.gate.clear()
    app = Tables(rows, empty="No plan.")
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("j", "G", "enter", "pageup")
        assert app.lines[0] == "…"
        assert app.table.count is None
        rows.gate.set()
        await settled(pilot)
        assert app.lines[1].startswith("> a")


async def test_nothing_to_show_says_why_in_lines_that_fit() -> None:
    app = Tables(Fleets(length=0), empty="No plan matches slo:pass cost<5.\n41 without cost<5.  esc clears the filter")
    async with app.run_test(size=(24, 12)) as pilot:
        await settled(pilot)
        assert app.lines[:4] == ["No plan matches", "slo:pass cost<5.", "41 without cost<5.  esc", "clears the filter"]
        assert app.table.key is None
        assert app.said == [("counted", 0)]
        await pilot.press("j", "G", "enter", "ctrl+u")


async def test_no_rows_at_all_is_the_same() -> None:
    app = Tables(Fleets("a"))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        app.table.show(None, empty="Mark plans first.")
        await settled(pilot)
        assert app.lines[0] == "Mark plans first."
        assert app.said[-2:] == [("counted", 0), ("moved", None)]


async def test_a_reading_that_fails_is_a_line_and_the_next_one_may_succeed() -> None:
    rows = Fleets(length=1000)
    app = Tables(rows)
    async with app.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        rows.error = StoreBusyError("another program writes")
        await pilot.press("G")
        await settled(pilot)
        assert app.lines[-1] == "! the rows cannot be read: another program writes"
        assert app.lines[-2] == "  …"
        rows.error = None
        app.table.reload()
        await settled(pilot)
        assert app.lines[-1].startswith("> 999 ")


async def test_where_the_first_reading_fails_the_error_stands_alone() -> None:
    rows = Fleets("a")
    rows.error = ValueError("a bug")
    app = Tables(rows, empty="No plan.")
    async with app.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        assert app.lines[:2] == ["! the rows cannot be read: ValueError: a bug", ""]
        rows.error = None
        app.table.show(rows)
        await settled(pilot)
        assert app.lines[1].startswith("> a")


async def test_reload_shows_the_old_rows_until_the_new_ones_come_and_follows_the_key() -> None:
    rows = Fleets("a", "b", "c")
    app = Tables(rows)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.press("j")
        rows.gate.clear()
        rows.names = ["new", "a", "b", "c"]
        app.table.reload()
        app.table.reload()
        await pilot.pause()
        assert [line[:3] for line in app.lines[1:4]] == ["  a", "> b", "  c"]
        rows.gate.set()
        await settled(pilot)
        assert [line[:5] for line in app.lines[1:5]] == ["  new", "  a  ", "> b  ", "  c  "]
        assert app.said[-1] != ("moved", "id-new")
    assert not rows.overlapped


async def test_rows_that_come_before_those_in_view_do_not_shift_them() -> None:
    rows = Fleets(length=300)
    app = Tables(rows)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        for _ in range(4):
            await pilot.press("pagedown")
        await settled(pilot)
        before = app.lines[1:]
        rows.names = [*(f"new-{number}" for number in range(5)), *map(str, range(300))]
        app.table.reload()
        await settled(pilot)
        assert [line.split() for line in app.lines[1:]] == [line.split() for line in before]
        assert app.table.cursor == 29


async def test_where_the_key_is_gone_the_cursor_keeps_its_place() -> None:
    rows = Fleets("a", "b", "c")
    app = Tables(rows)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.press("j")
        rows.names = ["a", "c"]
        app.table.reload()
        await settled(pilot)
        assert app.table.key == "id-c"
        rows.names = ["a"]
        app.table.reload()
        await settled(pilot)
        assert app.table.key == "id-a"
        assert app.said[-1] == ("moved", "id-a")


async def test_rows_that_go_while_one_scrolls_are_noticed() -> None:
    rows = Fleets(length=1000)
    app = Tables(rows)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        rows.names = range(130)
        await pilot.press("G")
        await settled(pilot)
        app.table.reload()
        await settled(pilot)
        assert app.table.count == 130
        assert app.lines[-1].startswith("> 129 ")


async def test_other_rows_take_the_place_of_those_that_are_still_being_read() -> None:
    slow, quick = Fleets("slow"), Fleets("quick", "b")
    slow.gate.clear()
    app = Tables(slow)
    async with app.run_test(size=SMALL) as pilot:
        app.table.show(quick)
        await settled(pilot)
        assert app.lines[1].startswith("> quick")
        slow.gate.set()
        await settled(pilot)
        assert app.lines[1].startswith("> quick")
        assert app.table.count == 2


async def test_keep_decides_whether_the_cursor_begins_anew() -> None:
    app = Tables(Fleets(length=300))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.press("pagedown", "pagedown")
        app.table.show(Fleets(length=200))
        await settled(pilot)
        assert app.table.key == "id-12"
        app.table.show(Fleets(length=100), keep=False)
        await settled(pilot)
        assert (app.table.key, app.table.scroll_offset.y) == ("id-0", 0)


@pytest.mark.parametrize(("glyphs", "cut", "dots"), [("braille", "…", "> …"), ("ascii", "~", "> ...")])
async def test_narrow_and_in_ascii(glyphs: str, cut: str, dots: str) -> None:
    rows = Fleets(*(f"{number}-{'x' * 20}" for number in range(300)))
    app = Tables(rows, glyphs=glyphs)
    async with app.run_test(size=(48, 10)) as pilot:
        await settled(pilot)
        assert re.fullmatch(f"0-x{{10,11}}{cut}", app.lines[1].split()[2])
        assert "$/h" in app.lines[0]
        rows.gate.clear()
        await pilot.press("end")
        assert app.lines[-1].rstrip(" ▁▂▃▄▅▆▇█") == dots
        rows.gate.set()
        await pilot.resize_terminal(36, 10)
        await settled(pilot)
        assert "$/h" not in app.lines[0]
        assert app.lines[-1].startswith("> 299-")
        assert rules("\n".join(app.lines), 36, ascii_only=glyphs == "ascii") == []


async def test_the_cursor_stays_in_view_when_the_screen_shrinks() -> None:
    app = Tables(Fleets(length=300))
    async with app.run_test(size=(40, 24)) as pilot:
        await settled(pilot)
        for _ in range(15):
            await pilot.press("j")
        await pilot.resize_terminal(40, 8)
        await settled(pilot)
        assert [line.split()[1] for line in app.lines if line.startswith(">")] == ["15"]


def test_every_action_can_be_read() -> None:
    app = Tables()
    for binding in PagedTable.BINDINGS:
        _, name, arguments = app._parse_action(binding.action, app)  # type: ignore[union-attr]
        assert callable(getattr(PagedTable, f"action_{name}"))
        assert isinstance(arguments, tuple)


async def test_a_reading_writes_out_nothing_of_what_the_rows_hold() -> None:
    class Told(Fleets):
        written = 0

        def __repr__(self) -> str:
            self.written += 1
            return "all fleets"

    rows = Told(length=40)
    async with Tables(rows).run_test() as pilot:
        await pilot.pause()
        await pilot.press("end")
        await pilot.pause()
    assert rows.reads
    assert not rows.written
