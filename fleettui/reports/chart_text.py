"""A chart as lines of text with roles, for a terminal of any size and any set of characters."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from typing import NamedTuple

from fleettui.reports.canvas import Canvas, Cell, Dots, Glyphs, Line
from fleettui.reports.chart import Axis, Chart, Mark
from fleettui.reports.chart_series import Drawn, drawn, letter_place
from fleettui.reports.plot_area import Area
from fleettui.reports.table import WIDTH, wrap
from fleettui.reports.ticks import Tick, scale, ticks

LEAST_WIDTH, LEAST_HEIGHT = 20, 4
"""Below either there is room for the data alone."""
NOTES_FROM = 60
"""Columns from which notes stand to the right of the plot."""
LABEL_EVERY = 8
"""Columns for each label of the x axis."""
TITLE_FROM, HEAD_FROM, LEGEND_FROM, FLOOR_FROM = 8, 10, 6, 5
"""Lines from which there is room for the title, what y is, the signs of the series, and the rule of the x axis."""


PRINTED = 20
"""Lines of a chart that is printed."""


class Frame(NamedTuple):
    """The characters of axes and marks."""

    side: str
    side_tick: str
    corner: str
    floor: str
    floor_tick: str
    level: str
    stop: str


LINES = Frame(side="│", side_tick="┤", corner="└", floor="─", floor_tick="┬", level="╌", stop="┊")
PLAIN = Frame(side="|", side_tick="+", corner="+", floor="-", floor_tick="+", level="- ", stop=":")


def draw(chart: Chart, width: int, height: int, glyphs: Glyphs, chosen: str | None = None) -> tuple[Line, ...]:
    """Return exactly `height` lines of exactly `width` cells; `chosen` is the key of the point to point out."""
    canvas = Canvas(width, height)
    if canvas.width and canvas.height:
        _Drawing(chart, canvas, glyphs, chosen).draw()
    return canvas.lines()


def chart_text(chart: Chart, width: int = WIDTH, height: int = PRINTED, glyphs: Glyphs = "ascii") -> str:
    """Return a chart as it is printed, in characters that every terminal has unless said, with its summary below."""
    return "\n".join([chart_lines(chart, width, height, glyphs), *wrap(chart.summary, width)])


def chart_lines(chart: Chart, width: int = WIDTH, height: int = PRINTED, glyphs: Glyphs = "ascii") -> str:
    """Return the same without its summary."""
    return "\n".join("".join(span.text for span in line).rstrip() for line in draw(chart, width, height, glyphs))


class _Drawing:
    """One drawing under way: what there is room for is settled first, then each part is put on the canvas."""

    def __init__(self, chart: Chart, canvas: Canvas, glyphs: Glyphs, chosen: str | None) -> None:
        self.chart, self.canvas = chart, canvas
        self.chosen = next((choice for choice in chart.choices() if choice.key == chosen), None)
        self.frame = PLAIN if glyphs == "ascii" else LINES
        self.drawn = drawn(chart)
        self.whole = canvas.width >= LEAST_WIDTH and canvas.height >= LEAST_HEIGHT
        self.titled = self.whole and canvas.height >= TITLE_FROM
        self.told_apart = len(self.drawn) > 1 or any(one.series.letter for one in self.drawn)
        least = LEGEND_FROM if self.told_apart else HEAD_FROM
        self.headed = self.whole and canvas.height >= least
        self.ruled = self.whole and canvas.height >= FLOOR_FROM
        notes = chart.notes if self.whole and canvas.width >= NOTES_FROM else ()
        self.notes_width = min(max(map(len, notes), default=0), canvas.width // 3)
        self.area = self._laid_out(glyphs)
        self.levels = _inside(chart.levels, chart.y, self.area.row)
        self.stops = _inside(chart.stops, chart.x, self.area.column)

    def draw(self) -> None:
        """Put everything on the canvas, what must not be hidden last."""
        if self.whole:
            self._title()
            self._head()
            self._side()
            self._floor()
            self._notes()
        self._marks()
        self._data()
        self._level_labels()
        self._stop_labels()
        self._choice()

    def _laid_out(self, glyphs: Glyphs) -> Area:
        """Return the box of the data: title and signs above it, labels at its left and below, notes at the right."""
        chart, canvas = self.chart, self.canvas
        top = self.titled + self.headed
        rows = max(canvas.height - top - self.whole - self.ruled, 1)
        y_values = (y for one in self.drawn for _, y in one.points)
        y = scale(chart.y, (*y_values, *(mark.value for mark in chart.levels)), _few(rows))
        labels = max((len(tick.label) for tick in ticks(chart.y, y, _few(rows))), default=0)
        left = (1 + (labels if labels * 3 <= canvas.width else 0)) if self.whole else 0
        columns = max(canvas.width - left - (self.notes_width + 2 if self.notes_width else 0), 1)
        x_values = (x for one in self.drawn for x, _ in one.points)
        x = scale(chart.x, (*x_values, *(mark.value for mark in chart.stops)), columns // LABEL_EVERY)
        return Area(left=left, top=top, columns=columns, rows=rows, x=x, y=y, glyphs=glyphs)

    def _title(self) -> None:
        """Write the title into a rule across the top, and the figures of what is chosen at its end."""
        if not self.titled:
            return
        self.canvas.put(0, 0, self.frame.floor * self.canvas.width, "axis")
        self.canvas.put(2, 0, f" {self.chart.title} "[: self.canvas.width - 2], "label")
        if self.chosen is not None:
            words = f" > {self.chart.x.write(self.chosen.x)}, {self.chart.y.write(self.chosen.y)} "
            self.canvas.put(self.canvas.width - len(words) - 2, 0, words, "chosen")

    def _head(self) -> None:
        """Write the signs of the series at the right, the last for certain, and what y is at the left."""
        end = self.canvas.width
        if not self.headed:
            return
        label = _axis_label(self.chart.y)
        for one in reversed(self.drawn) if self.told_apart else ():
            words = f"{one.sign} {one.series.name}"
            if len(words) + len(label) + 2 > end and end < self.canvas.width:
                break
            self.canvas.put(end - len(words), self.titled, words, one.role)
            end -= len(words) + 2
        if len(label) <= end:
            self.canvas.put(0, self.titled, label, "axis")

    def _side(self) -> None:
        """Draw the y axis with its labels, no two on one row."""
        area, side = self.area, self.area.left - 1
        for row in range(area.top, area.top + area.rows):
            self.canvas.put(side, row, self.frame.side, "axis")
        taken = set()
        for tick in ticks(self.chart.y, area.y, _few(area.rows)):
            at = area.row(tick.value)
            if at is None or at in taken or len(tick.label) > side:
                continue
            self.canvas.put(side - len(tick.label), at, tick.label + self.frame.side_tick, "axis")
            taken.add(at)

    def _floor(self) -> None:
        """Draw the x axis: its labels, and above them, where there is a line for it, a rule that says what x is."""
        canvas, area = self.canvas, self.area
        row, free = area.top + area.rows, 0
        if self.ruled:
            canvas.put(area.left - 1, row, self.frame.corner + self.frame.floor * area.columns, "axis")
        for tick in self._floor_ticks():
            column = area.column(tick.value)
            start = (column or 0) - len(tick.label) // 2
            start = max(min(start, canvas.width - len(tick.label)), 0)
            if column is None or start < free:
                continue
            if self.ruled:
                canvas.put(column, row, self.frame.floor_tick, "axis")
            canvas.put(start, row + self.ruled, tick.label, "axis")
            free = start + len(tick.label) + 1
        self._floor_label(row)

    def _floor_ticks(self) -> tuple[Tick, ...]:
        """Return as many ticks as there is room for their labels, one for eight columns at most."""
        found = ticks(self.chart.x, self.area.x, self.area.columns // LABEL_EVERY)
        every = max(LABEL_EVERY, *(len(tick.label) + 2 for tick in found), 0)
        return ticks(self.chart.x, self.area.x, self.area.columns // every)

    def _floor_label(self, row: int) -> None:
        """Say what x is, behind the rule where notes leave room, else over the rule's end."""
        words, beside = f" {_axis_label(self.chart.x)}", self.canvas.width - self.area.left - self.area.columns
        if self.ruled and len(words) <= beside:
            self.canvas.put(self.area.left + self.area.columns, row, words, "axis")
        elif self.ruled and len(words) <= self.area.columns // 2:
            self.canvas.put(self.area.left + self.area.columns - len(words), row, words, "axis")

    def _notes(self) -> None:
        width = self.notes_width
        lines = [line for note in self.chart.notes for line in textwrap.wrap(note, width) or [""]] if width else []
        for row, line in enumerate(lines[: self.area.rows], start=self.area.top):
            self.canvas.put(self.canvas.width - width, row, line, "note")

    def _marks(self) -> None:
        """Draw the lines of percentiles and limits; the data go over them."""
        area = self.area
        for column, _ in self.stops:
            for row in range(area.top, area.top + area.rows):
                self.canvas.put(column, row, self.frame.stop, "limit")
        for row, _ in self.levels:
            self.canvas.put(area.left, row, (self.frame.level * area.columns)[: area.columns], "limit")

    def _data(self) -> None:
        """Draw the series in their order, and each line's letter; in ASCII the lines under the last are all letters.

        But for a range: the letter on it is its value's.
        """
        lines = [(one, self.area.dots(one.points, one.series.style)) for one in self.drawn if not one.is_points]
        for index, (one, dots) in enumerate(lines):
            is_range = one.series.style == "line" and one.series.at is not None
            plain = self.area.glyphs == "ascii" and index < len(lines) - 1 and not is_range
            for _, other in () if self.area.glyphs == "ascii" else lines[:index]:
                dots.over(other)
            for place, (cell, character) in enumerate(dots.cells()):
                if place % one.series.every == 0:
                    self.canvas.put(*cell, one.sign if plain else character, one.role)
        self._letters(lines)
        for one in self.drawn:
            for x, y in one.points if one.is_points else ():
                if at := self.area.cell(x, y):
                    self.canvas.put(*at, one.sign, one.role)

    def _letters(self, lines: list[tuple[Drawn, Dots]]) -> None:
        """Write each line's letter on its own point, or farthest from the others, at its end if it can be."""
        every = [(one, {cell for cell, _ in dots.cells()}) for one, dots in lines]
        taken: set[Cell] = set()
        for one, cells in every:
            others = set().union(*(more for other, more in every if other is not one))
            if one.series.at is not None:
                if cell := self.area.cell(*one.series.points[one.series.at]):
                    own = self._beside(*cell, taken)
                    taken.add(own)
                    self.canvas.put(*own, one.sign, one.role)
            elif cells and (others or len(cells) == 1):
                self.canvas.put(*letter_place(cells, others), one.sign, one.role)

    def _beside(self, column: int, row: int, taken: set[Cell]) -> Cell:
        """Return the free cell of a row that is nearest, so that equal points do not hide each other's letters."""
        columns = range(self.area.left, self.area.left + self.area.columns)
        free = [at for at in columns if (at, row) not in taken]
        return min(free, key=lambda at: (abs(at - column), -at), default=column), row

    def _level_labels(self) -> None:
        """Write each level's label into its line, as far right as the data leave it free."""
        area = self.area
        for row, label in self.levels:
            words = f" {label} "
            last = area.left + area.columns - len(words)
            starts = range(last, area.left - 1, -1)
            if len(words) <= area.columns:
                start = next((at for at in starts if self._is_free(at, row, len(words), self.frame.level)), last)
                self.canvas.put(start, row, words, "limit")

    def _stop_labels(self) -> None:
        """Write each stop's label beside its line where cells are free, from the top down."""
        area = self.area
        for column, label in self.stops:
            places = (
                (start, row)
                for row in range(area.top, area.top + area.rows)
                for start in (column + 1, column - len(label))
            )
            inside = (place for place in places if area.left <= place[0] <= area.left + area.columns - len(label))
            found = next(
                (place for place in inside if self._is_free(place[0] - 1, place[1], len(label) + 2, self.frame.stop)),
                None,
            )
            if found is not None:
                self.canvas.put(*found, label, "limit")

    def _is_free(self, column: int, row: int, length: int, mark: str) -> bool:
        """Return whether nothing stands in the cells, but for the characters of a mark's own line."""
        cells = (self.canvas.at(at, row) for at in range(column, column + length))
        return all(cell.text == " " or (cell.role == "limit" and cell.text in mark) for cell in cells)

    def _choice(self) -> None:
        """Put the chosen point between `>` and `<`."""
        cell = None if self.chosen is None else self.area.cell(self.chosen.x, self.chosen.y)
        if cell is not None:
            column, row = cell
            self.canvas.put(column - 1, row, f">{self.canvas.at(column, row).text}<", "chosen")


def _axis_label(axis: Axis) -> str:
    return f"{axis.label}, log" if axis.log else axis.label


def _few(rows: int) -> int:
    """Return how many labels a y axis of `rows` lines has room for."""
    return (rows + 1) // 2


def _inside(marks: Iterable[Mark], axis: Axis, place: Callable[[float], int | None]) -> list[tuple[int, str]]:
    """Return (cell, label) of each mark that has a place on its axis."""
    found = ((place(mark.value), mark.label) for mark in marks if axis.shows(mark.value))
    return [(at, label) for at, label in found if at is not None]
