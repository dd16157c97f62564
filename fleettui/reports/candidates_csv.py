"""Candidates as CSV in SI units, for a spreadsheet or a script: one row each, with a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from fleettui.domain.plan import Candidate, Estimate
from fleettui.reports import fleet_text

METRICS = ("ttft", "tpot", "e2e")
HEADER = (
    "candidate",
    "answer",
    "fleet",
    "pools",
    "up_to",
    "gpus",
    "cost_per_hour",
    "cost_per_million_output_tokens",
    "power",
    "gpus_low",
    "gpus_high",
    "model_error",
    "method",
    "verdict",
    "replications",
    *(f"{metric}{end}" for metric in METRICS for end in ("", "_low", "_high")),
    "shortfalls",
)
"""`up_to` are the tokens at which the pools end. Costs are in US dollars, power in watts, latencies in seconds in the
worst pool; an empty cell is undefined."""


def candidates_csv(candidates: Iterable[Candidate], answer: Candidate | None) -> str:
    """Return one line per candidate below the header; `answer` is 1 in the line of the plan's answer."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(_row(one, one == answer) for one in candidates)
    return text.getvalue()


def _row(one: Candidate, chosen: bool) -> list[object]:
    seen = fleet_text.simulation_of(one)
    ends = [end for metric in METRICS for end in _ends(fleet_text.worst(one, metric))]
    return [
        one.handle,
        int(chosen),
        fleet_text.fleet(one.fleet),
        len(one.fleet.pools),
        " ".join(str(pool.up_to) for pool in one.fleet.pools),
        one.gpus,
        one.cost_per_hour,
        one.cost_per_million_output_tokens,
        one.power,
        *one.gpus_range,
        one.model_error,
        "formula" if seen is None else "simulation",
        None if seen is None else seen.verdict,
        0 if seen is None else seen.replications,
        *ends,
        "; ".join(one.shortfalls),
    ]


def _ends(found: Estimate | None) -> tuple[float | None, ...]:
    return (None, None, None) if found is None else (found.value, found.low, found.high)
