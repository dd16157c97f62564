"""What aiperf and genai-perf write: profile_export_aiperf.json, profile_export_genai_perf.json, and the same as CSV.

Checked against AIPerf's guide to its exports (docs/tutorials/working-with-profile-exports.md, 2025), and for genai-perf
against what others' readers of its JSON are tested with. `inter_token_latency` is (latency - TTFT) / (tokens - 1), what
others call TPOT. AIPerf does not promise that `input_config` stays as it is, and a CSV has none: where it names no
load, the clients are the request throughput times the request latency (Little's law).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fleettui.hardware.measured.base import Content, Format, Object, Run, Times, inner

UNITS: Mapping[str, float] = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "seconds": 1.0}
NAME = re.compile(r"(?P<name>.+?) \((?P<unit>[^()]+)\)$")
"""A metric's name in a CSV: words, then its unit in brackets."""


def read(content: Content) -> Iterator[Run]:
    """Yield the run of each object, or the one of a table."""
    if content.rows:
        yield _run(content.rows[0][0], _metrics(content))
    for line, run in content.objects:
        yield _run(line, run)


def _metrics(content: Content) -> Object:
    """Return a table's metrics in the form of the JSON: the second column is the mean, or the only value."""
    names: tuple[str, ...] = ()
    found: dict[str, object] = {}
    for _, cells in content.rows:
        if cells[0] == "Metric":
            names = tuple(cells)
        elif (match := NAME.match(cells[0])) and len(cells) > 1:
            values: dict[str, object] = dict(zip(names[1:], cells[1:], strict=False))
            key = match["name"].lower().replace(" ", "_")
            found[key] = values | {"avg": cells[1], "unit": match["unit"]}
    return found


def _run(line: int, run: Object) -> Run:
    asked = run.get("input_config")
    stimulus = inner(asked, "perf_analyzer", "stimulus")
    models = inner(asked, "endpoint", "model_names") or inner(asked, "model_names") or inner(asked, "model")
    rate = inner(asked, "loadgen", "request_rate") or inner(stimulus, "request_rate")
    clients = inner(asked, "loadgen", "concurrency") or inner(stimulus, "concurrency") or inner(asked, "concurrency")
    return Run(
        line=line,
        model=_only(models),
        prompt_tokens=_mean(run, "input_sequence_length"),
        output_tokens=_mean(run, "output_sequence_length"),
        concurrency=_only(clients) or _in_flight(run),
        rate=_only(rate),
        duration=_mean(run, "benchmark_duration"),
        requests=_mean(run, "request_count"),
        failed=_mean(run, "error_request_count"),
        output_throughput=_mean(run, "output_token_throughput"),
        ttft=_times(run, "time_to_first_token"),
        tpot=_times(run, "inter_token_latency"),
    )


def _only(value: object) -> object:
    """Return a value, or the one that a list of one holds."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _mean(run: Object, metric: str) -> object:
    return inner(run, metric, "avg")


def _times(run: Object, metric: str) -> Times:
    found = run.get(metric)
    named = inner(found, "unit")
    unit = UNITS.get(str(named), 0.0)
    odd = None if found is None else f"in {'no unit' if named is None else named}"
    return Times(
        mean=inner(found, "avg") if unit else odd,
        median=inner(found, "p50"),
        p99=inner(found, "p99"),
        unit=unit,
    )


def _in_flight(run: Object) -> object:
    """Return the requests in flight by Little's law, None where throughput or latency are missing."""
    unit = UNITS.get(str(inner(run, "request_latency", "unit")))
    try:
        rate, latency = (float(str(_mean(run, name))) for name in ("request_throughput", "request_latency"))
        return None if unit is None else max(1, round(rate * latency * unit))
    except (ValueError, OverflowError):
        return None


def _sniff(content: Content) -> bool:
    if content.rows:
        return content.header[:1] == ("Metric",) and "avg" in content.header
    return inner(content.first, "time_to_first_token", "avg") is not None


FORMAT = Format(
    name="aiperf",
    help="JSON or CSV of aiperf or genai-perf",
    sniff=_sniff,
    read=read,
)
