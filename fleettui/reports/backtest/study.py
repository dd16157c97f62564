"""A backtest as a study: predicted against seen, what explains the gap, one correction, and the tests before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fleettui.domain.backtest import Fit, Row
from fleettui.domain.study import Cell, Quantity, Study, StudyColumn, StudyTable
from fleettui.reports import observed_figures
from fleettui.reports.backtest.finding import Backtest, left
from fleettui.reports.backtest.sentences import changes, sentences, warnings
from fleettui.reports.studies import subject

CORRECTION = "correction"
SERIES = "backtests of this plan, newest first"


def backtest_study(found: Backtest) -> Study:
    """Return the study of a backtest, ready to be kept with its plan."""
    name = found.plan.plan.name or found.plan.plan.handle
    return Study(
        kind="backtest",
        title=f"backtest of {name}: what was predicted, and what was seen",
        question=found.asked,
        plan=found.plan.plan.id,
        seed=found.plan.plan.seed,
        sentences=tuple(sentences(found)),
        tables=tuple(_tables(found)),
        warnings=tuple(warnings(found)),
    )


def _tables(found: Backtest) -> Iterator[StudyTable]:
    running = [row for row in found.rows if row.figure.metric == "running"]
    latencies = [row for row in found.rows if row not in running]
    if latencies:
        yield _against("latencies, predicted against seen", latencies, "seconds")
    if running:
        yield _against("sequences in service, predicted against seen", running, "number")
    if not found.agrees:
        yield _explanations(found)
    if found.chosen is not None:
        yield _correction(found, found.chosen)
    if found.earlier:
        yield _series(found)


def _against(title: str, rows: Sequence[Row], quantity: Quantity) -> StudyTable:
    names = ("predicted", "low", "high", "seen", "from", "to")
    columns = (
        StudyColumn(name="figure"),
        *(StudyColumn(name=name, quantity=quantity) for name in names),
        StudyColumn(name="gap", quantity="share"),
    )
    cells = tuple(
        (
            observed_figures.name(row.figure),
            *(getattr(band, end) for band in (row.predicted, row.seen) for end in ("value", "low", "high")),
            row.gap,
        )
        for row in rows
    )
    return StudyTable(title=title, columns=columns, rows=cells, note="low, high, from, to: ends of 95 % intervals")


def _explanations(found: Backtest) -> StudyTable:
    columns = (
        StudyColumn(name="constant"),
        *(StudyColumn(name=name, quantity="number") for name in ("factor", "low", "high", "misfit")),
        StudyColumn(name="left", quantity="share"),
        StudyColumn(name="left_at"),
        StudyColumn(name="explains"),
    )
    rows = tuple(
        (
            fit.constant,
            *(round(end, 3) for end in (fit.factor.value, fit.factor.low, fit.factor.high)),
            round(fit.misfit, 1),
            *left(fit, found.rows),
            _word(found, fit),
        )
        for fit in found.ranked
    )
    return StudyTable(
        title="what would explain it, one constant at a time",
        columns=columns,
        rows=rows,
        note="factor on the constant as it is; misfit: squares in units of the errors; left: of the figure missed most",
    )


def _word(found: Backtest, fit: Fit) -> str:
    if fit is found.ranked[0]:
        return "likeliest" if found.explained else "nearest"
    return "as well" if fit in found.equals else "no"


def _correction(found: Backtest, fit: Fit) -> StudyTable:
    columns = (
        StudyColumn(name="pool"),
        StudyColumn(name="constant"),
        StudyColumn(name="factor", quantity="number"),
        StudyColumn(name="was"),
        StudyColumn(name="is"),
    )
    factor, rate = float(f"{fit.factor.value:.4g}"), found.plan.demand.rate
    rows: list[tuple[Cell, ...]] = [
        (pool.name, name, factor, was, new) for pool in found.fleet.fleet.pools for name, was, new in changes(pool, fit)
    ]
    if fit.constant == "arrival rate":
        rows.append(("", fit.constant, factor, subject.rate(rate), subject.rate(rate * fit.factor.value)))
    return StudyTable(title=CORRECTION, columns=columns, rows=tuple(rows))


def _series(found: Backtest) -> StudyTable:
    columns = (
        StudyColumn(name="made", quantity="date"),
        StudyColumn(name="study"),
        StudyColumn(name="asked"),
        StudyColumn(name="found"),
    )
    rows = tuple((one.created[:10], one.handle, one.question, _conclusion(one)) for one in found.earlier)
    return StudyTable(title=SERIES, columns=columns, rows=rows)


def _conclusion(study: Study) -> str:
    """Return what an earlier test came to, in a few words."""
    for table in study.tables:
        if table.title == CORRECTION:
            return ", ".join(dict.fromkeys(f"{row[1]} x{row[2]:.3g}" for row in table.rows))
    return study.sentences[0]
