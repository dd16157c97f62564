"""Predicted against measured as text: means and bias by model and tensor parallelism, then the worst points."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.validation import Comparison, Summary, Validation
from fleettui.reports import units
from fleettui.reports.table import WIDTH, Head, Table, render

WORST = 8
STATE_WORDS = {"unsaturated": "", "kv-bound": "KV", "impossible": "odd"}
STATES = (
    "KV: bound by the cache, clients wait. odd: measured faster than the memory's bandwidth allows, so the record "
    "is of another set-up. Neither counts."
)


def validation_text(validation: Validation, width: int = WIDTH) -> str:
    """Return the summaries, then the points that are farthest off; what does not count is listed by its state."""
    comparisons, summaries = validation.comparisons, validation.summaries
    counted = [one for one in comparisons if one.state == "unsaturated"]
    worst = sorted(counted, key=lambda one: -abs(one.tpot_error))[:WORST]
    parts = [render(summaries_table(summaries), width), render(comparisons_table(worst, "worst points"), width)]
    apart = [one for one in comparisons if one.state != "unsaturated"]
    if apart:
        parts.append(render(comparisons_table(apart, "points that do not count"), width))
    parts.append("TTFT has no target here: its measured mean contains the start-up pile-up.")
    return "\n\n".join(parts)


def summaries_table(summaries: Iterable[Summary]) -> Table:
    """Return one row per model, precision and tensor parallelism; errors are those of TPOT."""
    titles = ("tp", "points", "counted", "KV", "odd", "mean", "bias", "worst")
    columns = (Head(title="model", wrap=True), *(Head(title=title, align="right") for title in titles))
    rows = tuple(
        (
            f"{one.model} {one.dtype}",
            str(one.tp),
            str(one.points),
            str(one.unsaturated),
            str(one.kv_bound),
            str(one.impossible),
            _error(one.mean_absolute_error, signed=False),
            _error(one.bias),
            _error(one.worst.tpot_error if one.worst else None),
        )
        for one in summaries
    )
    return Table(title="error of the predicted TPOT, nothing calibrated", columns=columns, rows=rows, note=STATES)


def comparisons_table(comparisons: Iterable[Comparison], title: str) -> Table:
    """Return one row per point: what was run, measured and predicted times, and the error of TPOT."""
    titles = ("tp", "in/out x clients", "TTFT", "pred.", "TPOT", "pred.", "error")
    columns = (
        Head(title="model", wrap=True),
        *(Head(title=title, align="right") for title in titles),
        Head(title=""),
    )
    return Table(title=title, columns=columns, rows=tuple(map(_row, comparisons)))


def _row(one: Comparison) -> tuple[str, ...]:
    point = one.point
    return (
        f"{point.model} {point.dtype}",
        str(point.tp),
        f"{point.prompt_tokens}/{point.output_tokens} x {point.concurrency}",
        units.seconds(point.ttft),
        units.seconds(one.predicted_ttft),
        units.seconds(point.tpot),
        units.seconds(one.predicted_tpot),
        _error(one.tpot_error),
        STATE_WORDS[one.state],
    )


def _error(value: float | None, *, signed: bool = True) -> str:
    if value is None:
        return units.UNDEFINED
    if abs(value) < 0.005:
        return "0%"
    return f"{value:+.0%}" if signed else f"{value:.0%}"
