"""A first table over a figure that goes one way is a picture; any other is not."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fleettui.domain.study import Cell, Quantity, Study, StudyColumn, StudyTable
from fleettui.reports.chart import Chart
from fleettui.reports.chart_text import draw
from fleettui.reports.picture import Picture
from fleettui.reports.study_chart import study_chart
from tests.store.samples import study

LINE = Picture()


def chart(columns: Sequence[tuple[str, Quantity]], *rows: tuple[Cell, ...], picture: Picture = LINE) -> Chart | None:
    table = StudyTable(
        title="t", columns=tuple(StudyColumn(name=name, quantity=one) for name, one in columns), rows=rows
    )
    return study_chart(replace(study(), tables=(table,)), picture)


RATE: tuple[str, Quantity] = ("rate", "rate")
GPUS: tuple[str, Quantity] = ("gpus", "count")
COST: tuple[str, Quantity] = ("cost_per_hour", "dollars per hour")


def test_a_sweep_is_drawn_over_its_first_column() -> None:
    found = chart(
        (RATE, ("fleet", "text"), COST, ("cheapest", "dollars per hour"), GPUS),
        *((float(rate), "f", 2.5 * rate, None if rate == 20 else 2.0 * rate, rate) for rate in (10, 20, 30, 40)),
    )
    assert found
    assert [one.name for one in found.series] == ["cost per hour", "cheapest"]
    assert found.series[0].points == ((10, 25), (20, 50), (30, 75), (40, 100))
    assert found.series[1].points == ((10, 20), (30, 60), (40, 80))
    assert (found.x.label, found.x.write(20), found.y.write(50)) == ("rate", "20/s", "$50/h")
    assert (found.title, found.summary, found.y.log) == (
        "cost per hour at each rate, by formula",
        study().sentences[0],
        False,
    )


def test_a_picture_begins_with_the_column_that_it_names() -> None:
    columns, rows = (RATE, GPUS, COST), [(10.0, 3, 7.5), (20.0, 2, 5.0), (30.0, 1, 2.5)]
    found = chart(columns, *rows, picture=Picture(column="cost_per_hour"))
    assert found
    assert [one.points[0] for one in found.series] == [(10, 7.5)]
    assert chart(columns, *rows, picture=Picture(column="none")) is None


def test_a_falling_first_column_is_drawn_from_left_to_right() -> None:
    found = chart((RATE, GPUS), (30.0, 3), (20.0, 2), (10.0, 1))
    assert found
    assert (found.series[0].points, found.series[0].style) == (((10, 1), (20, 2), (30, 3)), "line")


def test_a_step_table_is_drawn_with_the_fleet_that_holds_at_each_rate() -> None:
    rows = (50.0, 26), (66.0, 34), (83.0, 44), (100.0, 52)
    found = chart((("up_to", "rate"), GPUS), *rows, picture=Picture(between="after"))
    assert found
    drawn = found.series[0]
    assert (drawn.style, found.x.label, found.title) == ("step", "rate", "GPUs at each rate, by formula")
    for rate in (51.0, 65.9, 66.1, 83.1, 99.9):
        holds = next(gpus for up_to, gpus in rows if rate <= up_to)
        assert [y for x, y in drawn.points if x <= rate][-1] == holds
    assert (drawn.points[0], drawn.points[-1]) == (rows[0], rows[-1])


def test_a_front_keeps_its_own_title_and_holds_from_row_to_row() -> None:
    rows = (11.0, 0.5, 1), (12.0, 0.4, 1), (13.0, 0.3, 1)
    best = StudyTable(title="best", columns=(), rows=())
    front = StudyTable(
        title="the front",
        columns=(*(StudyColumn(name=name, quantity=one) for name, one in (COST, ("ttft", "seconds"), GPUS)),),
        rows=rows,
    )
    found = study_chart(replace(study(), tables=(best, front)), Picture(table=1, between="before", titled=True))
    assert found
    assert (found.title, found.series[0].style) == ("the front", "step")
    assert found.series[0].points == tuple(row[:2] for row in rows)


def test_a_fleet_of_a_step_table_is_drawn_up_to_its_own_rate() -> None:
    found = chart((("up_to", "rate"), GPUS), (90.0, 5), (110.0, 6), (130.0, 7), picture=Picture(between="after"))
    assert found
    assert found.series[0].style == "step"
    points = found.series[0].points
    assert points == ((90, 5), (90, 6), (110, 7), (130, 7))
    for rate, gpus in ((91.0, 6), (109.0, 6), (111.0, 7), (130.0, 7)):
        assert [y for x, y in points if x <= rate][-1] == gpus


def test_figures_that_are_far_apart_are_drawn_on_a_log_axis() -> None:
    found = chart((RATE, ("ttft", "seconds")), (1.0, 0.01), (2.0, 0.1), (3.0, 30.0))
    assert found
    assert found.y.log
    none = chart((RATE, ("ttft", "seconds")), (1.0, 0.0), (2.0, 0.1), (3.0, 30.0))
    assert none
    assert not none.y.log


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ((("fleet", "text"), GPUS), [("a", 1), ("b", 2), ("c", 3)]),
        ((RATE, ("fleet", "text")), [(1.0, "a"), (2.0, "b"), (3.0, "c")]),
        ((RATE, GPUS), [(1.0, 1), (2.0, 2)]),
        ((RATE, GPUS), [(1.0, 1), (3.0, 2), (2.0, 3)]),
        ((RATE, GPUS), [(1.0, 1), (None, 2), (3.0, 3)]),
        ((RATE, GPUS), [(1.0, 1), (2.0, None), (3.0, 3)]),
        ((RATE,), [(1.0,), (2.0,), (3.0,)]),
    ],
)
def test_what_makes_no_line_is_not_drawn(
    columns: Sequence[tuple[str, Quantity]], rows: Sequence[tuple[Cell, ...]]
) -> None:
    assert chart(columns, *rows) is None
    assert study_chart(Study(kind="whatif", title="t", question=""), LINE) is None


@pytest.mark.parametrize("quantity", ["count", "number", "rate", "dollars per hour", "dollars per year", "share"])
@pytest.mark.parametrize("across", ["seconds", "watts", "tokens", "share"])
def test_every_quantity_can_be_written_on_an_axis(quantity: Quantity, across: Quantity) -> None:
    found = chart((("x", across), ("y", quantity)), (0.1, 1.0), (0.2, 20.0), (0.9, 300.0))
    assert found
    lines = ["".join(span.text for span in line) for line in draw(found, 76, 12, "ascii")]
    assert len(lines) == 12
    assert any(line.strip() for line in lines)
