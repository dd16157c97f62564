"""Predicted against measured as text: means and bias by model and tensor parallelism, then the worst points."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

from fleettui.domain.capacity_cells import CLOSE, capacity_cells
from fleettui.domain.validation import Comparison, MeasuredPoint, State, Summary, Validation
from fleettui.hardware.measured import counted
from fleettui.hardware.measured.base import Skipped
from fleettui.hardware.queued_runs import QUEUED
from fleettui.reports import units
from fleettui.reports.chart_text import chart_text
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.table import WIDTH, Table
from fleettui.reports.text_page import Item, text_page
from fleettui.reports.validation_chart import validation_chart

WORST = 8
STATE_WORDS = {"unsaturated": "", "kv-bound": "KV", "impossible": "odd", "queued": "wait"}
STATES = (
    "KV: bound by the cache, clients wait. odd: measured faster than the memory's bandwidth allows, so the record "
    "is of another set-up. wait: clients wait for a place. None of them counts."
)
APART: Mapping[State, str] = {
    "kv-bound": "bound by the cache",
    "impossible": "faster than the memory's bandwidth allows",
    "queued": QUEUED,
}


def validation_text(validation: Validation, width: int = WIDTH, *, pictured: bool = True) -> str:
    """Return the summaries, a picture, then the points that are farthest off; what does not count is listed by state.

    It is not `pictured` where the picture stands beside it.
    """
    comparisons, summaries = validation.comparisons, validation.summaries
    own = [one for one in comparisons if one.state == "unsaturated"]
    worst = sorted(own, key=lambda one: -abs(one.tpot_error))[:WORST]
    apart = [one for one in comparisons if one.state != "unsaturated"]
    chart = validation_chart(validation) if pictured else None
    head: list[list[Item]] = [[summaries_table(summaries)], [_overall(validation)]]
    blocks: list[list[Item]] = [
        [comparisons_table(worst, "worst points")],
        [comparisons_table(apart, "points that do not count")] if apart else [],
        [f"{count} run{'s do' if count > 1 else ' does'} not count, {why}" for why, count in _apart(apart)],
        [f"left out, {count} row{'s' * (count > 1)}: {why}" for why, count in validation.skipped],
    ]
    picture = [] if chart is None else [chart_text(chart, width)]
    return "\n\n".join([text_page(head, width), *picture, text_page(blocks, width)])


def _apart(found: Iterable[Comparison]) -> Sequence[tuple[str, int]]:
    """Return why runs do not count, with their lines, and how many."""
    return counted(Skipped(line=one.point.line, why=f"{_file(one)}{APART[one.state]}") for one in found)


def _file(one: Comparison) -> str:
    """Return what stands before a run's line where there are several files."""
    return f"{one.point.file}: " if one.point.file else ""


def _overall(validation: Validation) -> str:
    errors = validation.errors()
    if not errors:
        return "No point counts."
    cells = capacity_cells(validation.comparisons)
    close, inside = (sum(getattr(one, name) for one in cells) for name in ("is_close", "is_in_range"))
    found = (
        f"{close} of {len(cells)} capacities (clients at a limit) are within a factor of {CLOSE:g}, {inside} in the "
        "range of that band."
        if cells
        else ""
    )
    lines = (
        f"{name} over {len(values)} points that count: {statistics.median(values):.1%} off in the median, 90% of them "
        f"within {_at(values, 0.9):.1%}."
        for name, values in (
            ("TPOT", errors),
            ("TTFT", validation.ttft_errors()),
            ("Output tokens/s", validation.throughput_errors()),
        )
        if values
    )
    inside = f"{validation.in_band():.0%} of TPOT lie in their band."
    return " ".join(filter(None, (*lines, inside, found, _implied(validation))))


def _implied(validation: Validation) -> str:
    """Return the MFU that the measurements themselves imply, and which runs are beyond what their GPUs can do."""
    shares = [one.mfu for one in validation.comparisons if one.state == "unsaturated"]
    beyond = [f"{_file(one)}line {one.point.line}" for one in validation.comparisons if one.mfu > 1.0]
    impossible = f"; above the peak, so the record is of another set-up: {beyond[0]}" if beyond else ""
    impossible += f" and {len(beyond) - 1} more" if len(beyond) > 1 else ""
    return (
        f"MFU that the measurements imply: {statistics.median(shares):.0%} in the median, {max(shares):.0%} at most"
        f"{impossible}."
    )


def _at(errors: Sequence[float], share: float) -> float:
    """Return the error that a share of the sorted errors does not exceed."""
    return errors[min(len(errors) - 1, int(share * len(errors)))]


def summaries_table(summaries: Iterable[Summary]) -> Table:
    """Return one row per model, precision, cache and parallelism; errors are those of TPOT."""
    columns: tuple[Column[Summary], ...] = (
        words("model", _served, wrap=True),
        figure("tp", lambda one: one.tp),
        figure("points", lambda one: one.points),
        figure("counted", lambda one: one.unsaturated),
        figure("KV", lambda one: one.kv_bound),
        figure("odd", lambda one: one.impossible),
        figure("wait", lambda one: one.queued),
        figure("mean", lambda one: one.mean_absolute_error, "{:.0%}".format),
        figure("bias", lambda one: one.bias, _error),
        figure("worst", lambda one: one.worst.tpot_error if one.worst else None, _error),
    )
    return table(columns, summaries, title="error of the predicted TPOT, nothing calibrated to this file", note=STATES)


def comparisons_table(comparisons: Iterable[Comparison], title: str) -> Table:
    """Return one row per point: what was run, measured and predicted times, and the error of TPOT."""
    columns: tuple[Column[Comparison], ...] = (
        words("model", lambda one: _served(one.point), wrap=True),
        figure("tp", lambda one: one.point.tp),
        figure("in/out x clients", lambda one: _load(one.point)),
        figure("TTFT", lambda one: one.point.ttft, units.seconds),
        figure("pred.", lambda one: one.predicted_ttft, units.seconds),
        figure("TPOT", lambda one: one.point.tpot, units.seconds),
        figure("pred.", lambda one: one.predicted_tpot, units.seconds),
        figure("error", lambda one: one.tpot_error, _error),
        words("", lambda one: STATE_WORDS[one.state]),
    )
    return table(columns, comparisons, title=title)


def _served(one: Summary | MeasuredPoint) -> str:
    """Return what was served and how; a bf16 cache and experts that are divided are not named."""
    cache = "" if one.kv_dtype == "bf16" else f" kv-{one.kv_dtype}"
    return f"{one.model} {one.dtype}{cache}{' ep' if one.expert_parallel else ''}{' dp' if one.attention_dp else ''}"


def _load(point: MeasuredPoint) -> str:
    return f"{point.prompt_tokens}/{point.output_tokens} x {point.concurrency}"


def _error(value: float) -> str:
    return "0%" if abs(value) < 0.005 else f"{value:+.0%}"
