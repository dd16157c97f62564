"""A picture for each value of a drawn table's first column, whose points tell their rows."""

from dataclasses import replace

import pytest

from fleettui.domain.study import Study, StudyColumn, StudyTable
from fleettui.reports.drawn_tables import drawn_charts, study_charts
from fleettui.reports.picture import Picture

TABLE = StudyTable(
    title="each over time",
    columns=(
        StudyColumn(name="policy"),
        StudyColumn(name="hour", quantity="number"),
        StudyColumn(name="demand", quantity="count"),
        StudyColumn(name="gpus", quantity="count"),
        StudyColumn(name="slo_met", quantity="share"),
        StudyColumn(name="decided"),
    ),
    rows=(
        ("keda", 0.0, 4.0, 8.0, 1.0, "2 replicas at the start"),
        ("keda", 0.5, 12.0, 8.0, 0.25, "4 replicas since 00:31: 9 waiting"),
        ("keda", 1.0, 4.0, 16.0, None, "4 replicas since 00:31: 9 waiting"),
        ("static", 0.0, 4.0, 12.0, 1.0, "3 replicas at the start"),
        ("static", 0.5, 12.0, 12.0, 0.995, "3 replicas at the start"),
    ),
    drawn=True,
)


def test_each_value_has_a_picture_of_figures_and_shares() -> None:
    keda, static = drawn_charts(TABLE)
    assert (keda.title, static.title) == ("policy keda, 1 of 2", "policy static, 2 of 2")
    assert [one.name for one in keda.series] == ["demand", "SLO met, top is 100%", "GPUs"]
    assert keda.series[0].points == ((0.0, 4.0), (0.5, 12.0), (1.0, 4.0))
    assert keda.series[1].points == ((0.0, 16.0), (0.5, 4.0))
    assert keda.summary.startswith("policy keda; SLO met lowest at hour 0.5, 25.00%; h and l")


def test_a_point_tells_its_row_figures_before_texts() -> None:
    choices = drawn_charts(TABLE)[0].choices()
    assert [(one.x, one.y) for one in choices] == [(0.0, 8.0), (0.5, 8.0), (1.0, 16.0)]
    assert choices[1].words == "hour 0.5, demand 12, GPUs 8, SLO met 25.00%, 4 replicas since 00:31: 9 waiting"
    assert "SLO met" not in choices[2].words


@pytest.mark.parametrize("drop", [(2, 3), (1,)])
def test_without_figures_over_figures_nothing_is_drawn(drop: tuple[int, ...]) -> None:
    kept = [at for at in range(6) if at not in drop]
    table = replace(
        TABLE,
        columns=tuple(TABLE.columns[at] for at in kept),
        rows=tuple(tuple(row[at] for at in kept) for row in TABLE.rows if 1 not in drop),
    )
    assert drawn_charts(table) == ()


def test_a_study_has_its_main_picture_and_those_of_drawn_tables() -> None:
    main = replace(TABLE, columns=TABLE.columns[1:4], rows=tuple(row[1:4] for row in TABLE.rows[:3]), drawn=False)
    study = Study(kind="autoscale", title="a day", question="autoscale", tables=(main, TABLE))
    assert [one.title for one in study_charts(study, Picture(titled=True))] == [
        "each over time",
        "policy keda, 1 of 2",
        "policy static, 2 of 2",
    ]
    assert study_charts(replace(study, tables=()), Picture()) == ()
