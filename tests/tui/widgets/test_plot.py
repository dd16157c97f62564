from dataclasses import replace
from typing import ClassVar

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot

from fleettui.reports.canvas import Glyphs
from fleettui.reports.chart import Axis, Chart, Series
from fleettui.reports.chart_text import draw
from fleettui.tui.widgets.plot import Plot


def number(value: float) -> str:
    return f"{value:g}"


POINTS = Series(
    name="frontier", points=((80.0, 0.2), (20.0, 0.8), (50.0, 0.5)), style="points", keys=("right", "left", "middle")
)
AXIS = Axis(label="$/h", write=number)
CHART = Chart(title="cost", series=(POINTS,), x=AXIS, y=AXIS, summary="three points, 20 to 80 dollars")
FLAT = replace(CHART, series=(replace(POINTS, keys=()),))


class PlotApp(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("l", "seen"), Binding("enter", "seen")]

    def __init__(self, glyphs: Glyphs = "braille") -> None:
        super().__init__()
        self.glyphs = glyphs
        self.told: list[str] = []

    def compose(self) -> ComposeResult:
        yield Plot(id="plot")

    @on(Plot.Moved)
    def on_moved(self, event: Plot.Moved) -> None:
        assert event.control is self.plot
        self.told.append(f"moved {event.key}")

    @on(Plot.Opened, "#plot")
    def on_opened(self, event: Plot.Opened) -> None:
        self.told.append(f"opened {event.key}")

    def action_seen(self) -> None:
        self.told.append("seen")

    @property
    def plot(self) -> Plot:
        return self.query_one(Plot)


def lines(plot: Plot) -> list[str]:
    return [plot.render_line(y).text for y in range(plot.size.height)]


async def shown(pilot: Pilot[None], chart: Chart | None, empty: str = "") -> list[str]:
    assert isinstance(pilot.app, PlotApp)
    pilot.app.plot.show(chart, empty)
    await pilot.pause()
    return lines(pilot.app.plot)


async def test_the_summary_is_the_last_line_and_every_line_is_as_wide_as_the_widget() -> None:
    async with PlotApp().run_test(size=(50, 12)) as pilot:
        found = await shown(pilot, CHART)
        assert [len(line) for line in found] == [50] * 12
        assert found[-1].rstrip() == CHART.summary
        assert found[0].startswith("── cost ──")


@pytest.mark.parametrize("size", [(50, 1), (3, 3), (1, 1), (21, 5)])
async def test_any_size_will_do(size: tuple[int, int]) -> None:
    async with PlotApp().run_test(size=size) as pilot:
        found = await shown(pilot, CHART)
        assert [len(line) for line in found] == [size[0]] * size[1]
        assert found[-1].startswith(CHART.summary[: size[0] - 1])


async def test_ascii_stays_ascii() -> None:
    async with PlotApp("ascii").run_test(size=(24, 9)) as pilot:
        found = await shown(pilot, CHART)
        assert all(line.isascii() for line in found)
        assert found[-1].endswith("...")


async def test_a_long_summary_takes_two_lines_where_there_is_room() -> None:
    async with PlotApp().run_test(size=(24, 12)) as pilot:
        found = await shown(pilot, CHART)
        assert " ".join(line.strip() for line in found[-2:]) == CHART.summary


async def test_without_a_chart_the_words_are_shown() -> None:
    async with PlotApp().run_test(size=(20, 4)) as pilot:
        found = await shown(pilot, None, "no arrival times are known")
        assert [line.rstrip() for line in found] == ["no arrival times are", "known", "", ""]


async def test_keys_move_in_the_order_of_x_and_open() -> None:
    app = PlotApp()
    async with app.run_test(size=(50, 12)) as pilot:
        await shown(pilot, CHART)
        app.plot.focus()
        await pilot.press("enter")
        assert app.told == ["seen"]
        await pilot.press("l", "right", "l", "l", "h", "enter")
        assert app.told[1:] == ["moved left", "moved middle", "moved right", "moved middle", "opened middle"]
        assert ">.<" in "".join(lines(app.plot))
        assert "> 50, 0.5" in lines(app.plot)[0]


@pytest.mark.parametrize(("chart", "key", "told"), [(CHART, "left", "moved right"), (FLAT, "l", "seen")])
async def test_the_first_key_to_the_left_takes_the_last_point_and_where_none_can_be_chosen_it_goes_on(
    chart: Chart, key: str, told: str
) -> None:
    app = PlotApp()
    async with app.run_test(size=(50, 12)) as pilot:
        await shown(pilot, chart)
        app.plot.focus()
        await pilot.press(key)
        assert app.told == [told]


async def test_the_choice_is_kept_where_the_next_chart_has_it() -> None:
    app = PlotApp()
    async with app.run_test(size=(50, 12)) as pilot:
        await shown(pilot, CHART)
        app.plot.chosen = "middle"
        await shown(pilot, replace(CHART, summary="other words"))
        assert app.plot.chosen == "middle"
        await shown(pilot, FLAT)
        assert app.plot.chosen is None


@pytest.mark.drawn
async def test_it_is_drawn_once_until_something_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[int, int, str, str | None]] = []

    def counted(chart: Chart, width: int, height: int, glyphs: Glyphs, chosen: str | None = None) -> object:
        drawn.append((width, height, glyphs, chosen))
        return draw(chart, width, height, glyphs, chosen)

    monkeypatch.setattr("fleettui.reports.chart_text.draw", counted)
    app = PlotApp()
    async with app.run_test(size=(50, 12)) as pilot:
        await shown(pilot, CHART)
        drawn.clear()
        await shown(pilot, replace(CHART))
        app.plot.refresh()
        await pilot.pause()
        assert drawn == []
        app.plot.chosen = "left"
        await pilot.pause()
        assert drawn == [(50, 11, "braille", "left")]
        app.glyphs = "ascii"
        lines(app.plot)
        assert drawn[1:] == [(50, 11, "ascii", "left")]
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert drawn[2:] == [(40, 9, "ascii", "left")]


async def test_a_theme_changes_the_colours_and_not_the_words() -> None:
    app = PlotApp()
    async with app.run_test(size=(50, 12)) as pilot:
        words = await shown(pilot, CHART)
        before = [segment.style for segment in app.plot.render_line(3)]
        app.theme = "textual-light"
        await pilot.pause()
        assert lines(app.plot) == words
        assert [segment.style for segment in app.plot.render_line(3)] != before
