from collections.abc import Mapping

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from fleettui.tui.widgets.choice_list import Lines
from tests.tui.driving import until
from tests.tui.frames import frame

ENTRIES = {"demand": "DEMAND  100/s\n        its own: 5/s", "slo": "SLO     P99 TTFT 500ms", "cache": "CACHE   0%"}


class Shown(App[None]):
    """Entries alone, and what was opened."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        super().__init__()
        self.entries, self.opened = entries, list[str]()

    def compose(self) -> ComposeResult:
        yield Lines(id="lines")

    def on_mount(self) -> None:
        self.lines.show(self.entries)
        self.lines.focus()

    def on_lines_opened(self, event: Lines.Opened) -> None:
        self.opened.append(event.name)

    def skinned(self, content: Content) -> Content:
        return content

    @property
    def lines(self) -> Lines:
        return self.query_one(Lines)


async def test_the_cursor_stands_before_one_entry_and_stops_at_the_ends() -> None:
    app = Shown(ENTRIES)
    async with app.run_test(size=(40, 6)) as pilot:
        assert frame(app).split("\n")[:4] == [
            "> DEMAND  100/s",
            "          its own: 5/s",
            "  SLO     P99 TTFT 500ms",
            "  CACHE   0%",
        ]
        for key, name in (("k", "demand"), ("j", "slo"), ("down", "cache"), ("j", "cache"), ("up", "slo")):
            await pilot.press(key)
            assert app.lines.chosen == name, key
        for key, name in (("g", "demand"), ("G", "cache"), ("home", "demand"), ("end", "cache")):
            await pilot.press(key)
            assert app.lines.chosen == name, key
        assert frame(app).split("\n")[3] == "> CACHE   0%"


async def test_enter_and_a_second_click_open_the_entry() -> None:
    app = Shown(ENTRIES)
    async with app.run_test(size=(40, 6)) as pilot:
        await pilot.press("j", "enter")
        assert app.opened == ["slo"]
        await pilot.click("#lines", offset=(3, 1))
        assert (app.lines.chosen, app.opened) == ("demand", ["slo"])
        await pilot.click("#lines", offset=(3, 0))
        assert app.opened == ["slo", "demand"]


async def test_the_cursor_stays_when_other_texts_come() -> None:
    app = Shown(ENTRIES)
    async with app.run_test(size=(40, 6)) as pilot:
        app.lines.chosen = "cache"
        app.lines.show({**ENTRIES, "cache": "CACHE*  55%"})
        await pilot.pause()
        assert frame(app).split("\n")[3] == "> CACHE*  55%"
        app.lines.chosen = "no such entry"
        assert app.lines.chosen == "cache"
        app.lines.show({"demand": "DEMAND"})
        assert app.lines.chosen == "demand"


async def test_nothing_is_nothing_to_open() -> None:
    app = Shown({})
    async with app.run_test(size=(40, 6)) as pilot:
        await pilot.press("j", "enter")
        assert (app.lines.chosen, app.opened) == ("", [])


class Scrolled(Shown):
    """More entries than there is room for."""

    def compose(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Lines(id="lines")


def lines_of(app: App[None]) -> list[str]:
    return [line[:12].rstrip() for line in frame(app).split("\n")]


async def test_the_cursor_stays_in_sight_where_entries_scroll() -> None:
    app = Scrolled({f"{place}": f"entry {place}\n  more" for place in range(12)})
    async with app.run_test(size=(40, 6)) as pilot:
        for keys, name in ((("j",) * 5, "5"), (("G",), "11"), (("k",) * 4, "7"), (("g",), "0")):
            await pilot.press(*keys)
            await until(pilot, lambda name=name: f"> entry {name}" in lines_of(app))  # type: ignore[misc]
