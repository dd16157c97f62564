"""A backtest as a study: predicted against seen, what explains the gap, one correction, and the tests before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fleettui.domain.backtest import Fit, Row
from fleettui.domain.plan import Answer
from fleettui.domain.remedy import OF_THE_SAME
from fleettui.domain.study import Quantity, Study, StudyTable, table_of
from fleettui.reports import fleet_text, observed_figures, stock_text, units
from fleettui.reports.backtest.finding import Backtest, left
from fleettui.reports.backtest.sentences import changes, sentences, warnings
from fleettui.reports.studies import subject

CORRECTION = "correction"
EXPLANATIONS = "what would explain it, one constant at a time"
SERIES = "backtests of this plan, newest first"


def backtest_study(found: Backtest) -> Study:
    """Return the study of a backtest, ready to be kept with its plan."""
    return Study.of(
        found.plan.plan,
        kind="backtest",
        title=f"backtest of {found.plan.plan.called}: what was predicted, and what was seen",
        question=found.asked,
        sentences=(*sentences(found), *_stock(found)),
        tables=_tables(found),
        warnings=warnings(found),
    )


def _stock(found: Backtest) -> Iterator[str]:
    """Yield what of a fleet that was given is spare or short, by what was seen of it."""
    gpus = fleet_text.gpu_total(found.fleet.fleet)
    if found.plan.stock is None:
        return
    if found.agrees:
        yield f"{gpus}: {stock_text.told(found.plan)}"
        yield from _divided(found.plan)
    elif found.corrected is not None and found.chosen is not None:
        known = stock_text.told(found.corrected, at=" at just these step times")
        sure = "; simulate --correct says how sure that is" if found.takes else ""
        yield f"{gpus}, {_as_corrected(found, found.chosen)}: {known}{sure}"
        fit = found.chosen
        there = "" if fit.constant == "arrival rate" else f", with {_factor(fit)} there, too"
        yield from (f"{one}{there}" for one in _divided(found.corrected))
    else:
        yield f"{gpus}: {_unknown(found)}nothing is known to be spare"


def _as_corrected(found: Backtest, fit: Fit) -> str:
    if fit.constant == "arrival rate":
        return f"at {subject.rate(found.plan.demand.rate * fit.factor.value)}"
    return f"with {_factor(fit)}"


def _factor(fit: Fit) -> str:
    return f"{fit.constant} x{fit.factor.value:.3g}"


def _divided(answer: Answer) -> list[str]:
    """Return how else the GPUs of a fleet that was given would do, as far as that was seen."""
    return [one for one in answer.why if OF_THE_SAME in one]


def _unknown(found: Backtest) -> str:
    """Return what was seen above its limit, empty where nothing was."""
    above = ", ".join(
        f"{observed_figures.words(row.figure)} {observed_figures.value(row.figure, row.seen.value)} "
        f"(limit {units.DURATION.write(limit.seconds)})"
        for row, limit in found.above
    )
    return f"seen of all requests above the limits: {above}; " if above else ""


def _tables(found: Backtest) -> Iterator[StudyTable]:
    running = [row for row in found.rows if row.figure.metric == "running"]
    latencies = [row for row in found.rows if row not in running]
    if latencies:
        yield _against("latencies of all requests, predicted against seen", latencies, "seconds", _worst(found))
    if running:
        yield _against("sequences in service, predicted against seen", running, "number", "")
    if not found.agrees:
        yield _explanations(found)
    if found.chosen is not None:
        yield _correction(found, found.chosen)
    if found.earlier:
        yield _series(found)


def _worst(found: Backtest) -> str:
    """Return what else the plan's page tells where a fleet has several pools."""
    several = len(found.fleet.fleet.pools) > 1
    return "of all requests, where the plan's page and its limits are of the worst pool; " if several else ""


def _against(title: str, rows: Sequence[Row], quantity: Quantity, note: str) -> StudyTable:
    return table_of(
        title,
        rows,
        ("figure", "text", lambda row: observed_figures.name(row.figure)),
        ("predicted", quantity, lambda row: row.predicted.value),
        ("low", quantity, lambda row: row.predicted.low),
        ("high", quantity, lambda row: row.predicted.high),
        ("seen", quantity, lambda row: row.seen.value),
        ("from", quantity, lambda row: row.seen.low),
        ("to", quantity, lambda row: row.seen.high),
        ("gap", "share", lambda row: row.gap),
        note=f"{note}low, high, from, to: ends of 95 % intervals",
    )


def _explanations(found: Backtest) -> StudyTable:
    return table_of(
        EXPLANATIONS,
        found.ranked,
        ("constant", "text", lambda fit: fit.constant),
        ("factor", "number", lambda fit: round(fit.factor.value, 3)),
        ("low", "number", lambda fit: round(fit.factor.low, 3)),
        ("high", "number", lambda fit: round(fit.factor.high, 3)),
        ("misfit", "number", lambda fit: round(fit.misfit, 1)),
        ("left", "share", lambda fit: left(fit, found.rows)[0]),
        ("left_at", "text", lambda fit: left(fit, found.rows)[1]),
        ("explains", "text", lambda fit: _word(found, fit)),
        note="factor on the constant as it is; misfit: squares in units of the errors; left: of the figure missed most",
    )


def _word(found: Backtest, fit: Fit) -> str:
    if fit is found.ranked[0] and found.coarse:
        return "coarsely"
    if fit is found.ranked[0]:
        return "likeliest" if found.explained else "nearest"
    return "as well" if fit in found.equals else "no"


def _correction(found: Backtest, fit: Fit) -> StudyTable:
    factor, rate = float(f"{fit.factor.value:.4g}"), found.plan.demand.rate
    rows = [(pool.name, *change) for pool in found.fleet.fleet.pools for change in changes(pool, fit)]
    if fit.constant == "arrival rate":
        rows.append(("", fit.constant, subject.rate(rate), subject.rate(rate * fit.factor.value)))
    return table_of(
        CORRECTION,
        rows,
        ("pool", "text", lambda row: row[0]),
        ("constant", "text", lambda row: row[1]),
        ("factor", "number", lambda _: factor),
        ("was", "text", lambda row: row[2]),
        ("is", "text", lambda row: row[3]),
    )


def _series(found: Backtest) -> StudyTable:
    return table_of(
        SERIES,
        found.earlier,
        ("made", "date", lambda one: one.created[:10]),
        ("study", "text", lambda one: one.handle),
        ("asked", "text", lambda one: one.question),
        ("found", "text", _conclusion),
    )


def _conclusion(study: Study) -> str:
    """Return what an earlier test came to, in a few words."""
    for table in study.tables:
        if table.title == CORRECTION:
            return ", ".join(dict.fromkeys(f"{row[1]} x{row[2]:.3g}" for row in table.rows))
    return study.sentences[0]
