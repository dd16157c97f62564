"""Workloads as text: the list of those at hand, and one with its lengths, its arrivals and its origin."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.workload import LengthDistribution, LengthStatistics, Workload
from fleettui.reports import units
from fleettui.reports.labelled_lines import details
from fleettui.reports.table import WIDTH, Head, Table, render

TIMING_WORDS = {
    "recorded": "as recorded",
    "ticks": "recorded in ticks, spread evenly over each",
    "fitted": "drawn from a fit to the source",
    "none": "not known",
}


def workloads_table(workloads: Iterable[Workload]) -> Table:
    """Return one row per workload: how many requests, how often, how long, under which licence."""
    columns = (
        Head(title="workload", wrap=True),
        Head(title="kind"),
        Head(title="requests", align="right"),
        Head(title="req/s", align="right"),
        Head(title="in P50", align="right"),
        Head(title="P99", align="right"),
        Head(title="out P50", align="right"),
        Head(title="P99", align="right"),
    )
    note = "fleettui workload show NAME tells the source and the licence"
    return Table(columns=columns, rows=tuple(map(_row, workloads)), note=note)


def _row(workload: Workload) -> tuple[str, ...]:
    lengths = workload.slices[0].lengths
    return (
        workload.name,
        lengths.kind,
        _count(lengths.n_samples or None),
        units.per_second(workload.arrivals.mean_rate),
        _count(lengths.prompt.p50 if lengths.prompt else None),
        _count(lengths.prompt.p99 if lengths.prompt else None),
        _count(lengths.output.p50 if lengths.output else None),
        _count(lengths.output.p99 if lengths.output else None),
    )


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
        ("slices", f"{slices}; the first is shown" if slices > 1 else ""),
        ("rate", rate + over),
        ("times", TIMING_WORDS[arrivals.timing]),
        ("bursts", f"variance over mean of the counts (Poisson: 1), by window: {bursts}" if bursts else ""),
        ("source", origin.source),
        ("url", origin.url),
        ("licence", origin.licence),
        ("credit", origin.attribution),
        ("derivation", origin.derivation),
        *(("note", note) for note in workload.notes),
    ]
    table = lengths_table(first)
    shown = f"\n\n{render(table, width)}" if table.rows else ""
    return details(workload.name, pairs, width) + shown


def lengths_table(lengths: LengthDistribution) -> Table:
    """Return percentiles, mean and scv of prompt, output and total tokens, as far as they are known."""
    titles = ("mean", "P50", "P90", "P95", "P99", "longest", "scv")
    columns = (Head(title="tokens"), *(Head(title=title, align="right") for title in titles))
    known = (("prompt", lengths.prompt), ("output", lengths.output), ("total", lengths.total))
    return Table(columns=columns, rows=tuple((name, *_figures(value)) for name, value in known if value is not None))


def _figures(value: LengthStatistics) -> tuple[str, ...]:
    tokens = (value.mean, value.p50, value.p90, value.p95, value.p99, value.maximum)
    return (*map(units.count, tokens), f"{value.scv:.2f}")


def _kind(lengths: LengthDistribution) -> str:
    if lengths.kind == "joint":
        return f"joint prompt and output, {units.count(len(lengths.atoms))} atoms"
    if lengths.kind == "total":
        share = "" if lengths.output_share is None else f", output {units.percent(lengths.output_share)} of it"
        return f"total tokens, {len(lengths.cdf)} points{share}"
    return f"prompt and output apart ({len(lengths.prompt_cdf)} and {len(lengths.output_cdf)} points), pairing unknown"


def _count(value: float | None) -> str:
    return units.UNDEFINED if value is None else units.count(value)


def _ratio(value: float | None) -> str:
    return units.UNDEFINED if value is None else f"{value:.1f}"
