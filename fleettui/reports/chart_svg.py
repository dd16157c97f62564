"""A chart as an SVG picture that needs no other file: axes with ticks, series with a legend, limits as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

from fleettui.reports.chart import Chart, Point, Series, corners
from fleettui.reports.svg import COLOURS, LIMIT, MUTED, PAPER, RULE, line, text
from fleettui.reports.ticks import Scale, scale, ticks

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 78, 16, 56, 84
"""Room around the box of the data."""
MOST_TICKS = 6
LETTER = 7
"""Width of a character of this size at most."""

Place = Callable[[float, float], Point]


def chart_svg(chart: Chart, name: str = "") -> str:
    """Return `chart` as a picture; its summary in words is the picture's description.

    A `name` tells it from others on one page.
    """
    title, about = f"{name}title", f"{name}about"
    shown = [(number, series) for number, series in enumerate(chart.series) if chart.shown(series)]
    points = [point for _, series in shown for point in chart.shown(series)]
    x = scale(chart.x, (*(one for one, _ in points), *(mark.value for mark in chart.stops)), MOST_TICKS)
    y = scale(chart.y, (*(one for _, one in points), *(mark.value for mark in chart.levels)), MOST_TICKS)

    def place(across: float, up: float) -> Point:
        return (
            LEFT + x.place(across) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - y.place(up) * (HEIGHT - TOP - BOTTOM),
        )

    parts = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' role="img" aria-labelledby="{title} {about}" font-family="system-ui, sans-serif" font-size="12">',
        f'<title id="{title}">{escape(chart.title)}</title>',
        f'<desc id="{about}">{escape(chart.summary)}</desc>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
        text(LEFT, 22, chart.title, size=15),
        *_axes(chart, x, y, place),
        *(_level(mark.label, place(x.low, mark.value)[1]) for mark in chart.levels),
        *(one for mark in chart.stops for one in _stop(mark.label, place(mark.value, y.low)[0])),
        *(one for number, series in shown for one in _series(series, chart, number, place)),
        *_legend([(number, f"{series.letter} {series.name}".strip()) for number, series in shown]),
        "</svg>",
    )
    return "\n".join(parts)


def _axes(chart: Chart, x: Scale, y: Scale, place: Place) -> Iterator[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for tick in ticks(chart.y, y, MOST_TICKS):
        height = place(x.low, tick.value)[1]
        yield line(LEFT, height, right, height, RULE)
        yield text(LEFT - 8, height + 4, tick.label, anchor="end", colour=MUTED)
    for tick in ticks(chart.x, x, MOST_TICKS):
        across = place(tick.value, y.low)[0]
        yield line(across, bottom, across, bottom + 5, MUTED)
        # The last label would be cut where the picture ends.
        inside = across + LETTER * len(tick.label) / 2 <= WIDTH
        yield text(across, bottom + 19, tick.label, anchor="middle" if inside else "end", colour=MUTED)
    yield line(LEFT, bottom, right, bottom, MUTED)
    yield line(LEFT, TOP, LEFT, bottom, MUTED)
    yield text(right, bottom + 37, chart.x.label, anchor="end")
    yield text(LEFT, TOP - 7, chart.y.label)
    yield text(LEFT, bottom + 37, "; ".join(chart.notes), colour=MUTED)


def _level(label: str, height: float) -> str:
    right = WIDTH - RIGHT
    return line(LEFT, height, right, height, LIMIT, dashes="6 4") + text(
        right, height - 5, label, anchor="end", colour=LIMIT
    )


def _stop(label: str, across: float) -> Iterator[str]:
    yield line(across, TOP, across, HEIGHT - BOTTOM, LIMIT, dashes="6 4")
    yield text(across - 4, TOP + 12, label, anchor="end", colour=LIMIT)


def _series(series: Series, chart: Chart, number: int, place: Place) -> Iterator[str]:
    found = [place(*point) for point in chart.shown(series)]
    if series.style == "points":
        yield from (_mark(across, up, number) for across, up in found)
        return
    turns = list(corners(found)) if series.style == "step" else found
    path = " ".join(f"{across:.1f},{up:.1f}" for across, up in turns)
    dashes = f' stroke-dasharray="{8 / series.every:g} {2 * series.every}"' if series.every > 1 else ""
    yield f'<polyline points="{path}" fill="none" stroke="{_colour(number)}" stroke-width="2"{dashes}/>'
    if series.at is not None:
        yield _mark(*place(*series.points[series.at]), number)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _mark(across: float, up: float, number: int) -> str:
    """Return a series' sign: a ring, a cross, a square or a larger disc, by its place."""
    colour = _colour(number)
    match number % 4:
        case 0:
            return f'<circle cx="{across:.1f}" cy="{up:.1f}" r="3" fill="none" stroke="{colour}"/>'
        case 1:
            ends = f"M{across - 3:.1f} {up - 3:.1f}l6 6m0-6l-6 6"
            return f'<path d="{ends}" stroke="{colour}" fill="none"/>'
        case 2:
            return f'<rect x="{across - 3.5:.1f}" y="{up - 3.5:.1f}" width="7" height="7" fill="{colour}"/>'
        case _:
            return (
                f'<circle cx="{across:.1f}" cy="{up:.1f}" r="6" fill="{colour}" stroke="{PAPER}" stroke-width="1.5"/>'
            )


def _legend(names: list[tuple[int, str]]) -> Iterator[str]:
    across, height = float(LEFT), HEIGHT - 18
    for number, name in names:
        yield _mark(across + 6, height - 4, number)
        yield text(across + 17, height, name)
        across += 40 + LETTER * len(name)
