"""Workloads as text: the list of those at hand, and one with its lengths, its arrivals and its origin."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.workload import LengthDistribution, LengthStatistics, TimeSlice, Workload
from fleettui.reports import units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.table import WIDTH, Table, render
from fleettui.reports.text_page import details
from fleettui.workloads.arrivals import bursty
from fleettui.workloads.arrivals.process import Stream
from fleettui.workloads.recorded import record_of

TIMING_WORDS = {
    "recorded": "as recorded",
    "ticks": "recorded in ticks, spread evenly over each",
    "fitted": "drawn from a fit to the source",
    "profile": "rates by a file, the busiest slice of it",
    "none": "not known",
}


def workloads_table(workloads: Iterable[Workload]) -> Table:
    """Return one row per workload: how many requests, how often, how long, under which licence."""
    columns: tuple[Column[Workload], ...] = (
        words("workload", lambda one: one.name, wrap=True),
        words("kind", lambda one: one.slices[0].lengths.kind),
        figure("requests", lambda one: one.slices[0].lengths.n_samples or None, units.count),
        figure("req/s", lambda one: one.arrivals.mean_rate, units.per_second),
        figure("in P50", lambda one: getattr(one.slices[0].lengths.prompt, "p50", None), units.count),
        figure("P99", lambda one: getattr(one.slices[0].lengths.prompt, "p99", None), units.count),
        figure("out P50", lambda one: getattr(one.slices[0].lengths.output, "p50", None), units.count),
        figure("P99", lambda one: getattr(one.slices[0].lengths.output, "p99", None), units.count),
    )
    return table(columns, workloads, note="fleettui workload show NAME tells the source and the licence")


def workload_text(workload: Workload, width: int = WIDTH) -> str:
    """Return one workload: percentiles of its lengths, its arrivals, and where it is from."""
    first = workload.slices[0].lengths
    origin, arrivals = workload.origin, workload.arrivals
    bursts = ", ".join(f"{units.seconds(window)}: {_ratio(ratio)}" for window, ratio in arrivals.dispersion)
    rate = "" if arrivals.mean_rate is None else f"{units.per_second(arrivals.mean_rate)} requests/s"
    over = "" if arrivals.duration is None else f" over {units.seconds(arrivals.duration)}"
    slices = len(workload.slices)
    pairs = [
        ("requests", units.count(first.n_samples) if first.n_samples else ""),
        ("lengths", _kind(first)),
        ("left out", f"{units.count(workload.dropped)} requests longer than the context" if workload.dropped else ""),
        ("slices", f"{slices}; lengths are those of the first" if slices > 1 else ""),
        ("rate", rate + over),
        ("times", TIMING_WORDS[arrivals.timing]),
        ("bursts", f"variance over mean of the counts (Poisson: 1), by window: {bursts}" if bursts else ""),
        ("bursty", _fit(workload)),
        ("source", origin.source),
        ("url", origin.url),
        ("licence", origin.licence),
        ("credit", origin.attribution),
        ("derivation", origin.derivation),
        *(("note", note) for note in workload.notes),
    ]
    tables = [lengths_table(first), *([slices_table(workload)] if slices > 1 else [])]
    shown = [f"\n\n{render(one, width)}" for one in tables if one.rows]
    return "".join((details(workload.name, pairs, width), *shown))


def _fit(workload: Workload) -> str:
    """Return what --arrivals bursty makes of the workload's bursts, at its own rate."""
    record = record_of(workload)
    return "" if record is None else bursty.tell(Stream(rate=record.rate, record=record)).rpartition(";")[0]


def slices_table(workload: Workload) -> Table:
    """Return the time slices, numbered as answers name them: rate and lengths of each."""
    columns: tuple[Column[tuple[int, TimeSlice]], ...] = (
        words("slice", lambda row: str(row[0])),
        words("from", lambda row: units.seconds(row[1].start) if row[1].start else "0"),
        words("for", lambda row: units.seconds(row[1].duration) if row[1].duration else units.UNDEFINED),
        figure("req/s", lambda row: row[1].rate, units.per_second),
        figure("requests", lambda row: row[1].lengths.n_samples or None, units.count),
        figure("prompt mean", lambda row: _mean(row[1].lengths.prompt), units.count),
        figure("output mean", lambda row: _mean(row[1].lengths.output), units.count),
    )
    return table(columns, list(enumerate(workload.slices, 1)))


def _mean(known: LengthStatistics | None) -> float | None:
    return None if known is None else known.mean


def lengths_table(lengths: LengthDistribution) -> Table:
    """Return percentiles, mean and scv of prompt, output and total tokens, as far as they are known."""
    known = (("prompt", lengths.prompt), ("output", lengths.output), ("total", lengths.total))
    columns: tuple[Column[tuple[str, LengthStatistics]], ...] = (
        words("tokens", lambda row: row[0]),
        figure("mean", lambda row: row[1].mean, units.count),
        figure("P50", lambda row: row[1].p50, units.count),
        figure("P90", lambda row: row[1].p90, units.count),
        figure("P95", lambda row: row[1].p95, units.count),
        figure("P99", lambda row: row[1].p99, units.count),
        figure("longest", lambda row: row[1].maximum, units.count),
        figure("scv", lambda row: row[1].scv, "{:.2f}".format),
    )
    return table(columns, [(name, one) for name, one in known if one is not None])


def _kind(lengths: LengthDistribution) -> str:
    if lengths.kind == "joint":
        return f"joint prompt and output, {units.count(len(lengths.atoms))} atoms"
    if lengths.kind == "total":
        share = "" if lengths.output_share is None else f", output {units.percent(lengths.output_share)} of it"
        return f"total tokens, {len(lengths.cdf)} points{share}"
    return f"prompt and output apart ({len(lengths.prompt_cdf)} and {len(lengths.output_cdf)} points), pairing unknown"


def _ratio(value: float | None) -> str:
    return units.UNDEFINED if value is None else f"{value:.1f}"
