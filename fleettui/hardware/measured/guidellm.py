"""GuideLLM's benchmarks.json: one object with a list of benchmarks, each a run.

Checked against src/guidellm/benchmark/schemas of the main branch at commits 1a145a4 and 03820eb (2026) and the request
statistics of versions 0.3 to 0.6. Before (47ce292, 2025) a benchmark's strategy was under `args` and its totals beside
its metrics. Its `time_per_output_token_ms` includes the first token; `inter_token_latency_ms`, (last token - first
token) / (tokens - 1), is what others call TPOT, and is read. Means are over successful requests.
"""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.hardware.measured.base import Content, Format, Run, Times, inner


def read(content: Content) -> Iterator[Run]:
    """Yield the run of each benchmark, whose place in the list counts as its line."""
    place = 0
    for _, report in content.objects:
        listed = report.get("benchmarks")
        for one in listed if isinstance(listed, list) else ():
            place += 1
            yield _run(place, one, inner(report, "args", "model"))


def _run(place: int, one: object, model: object) -> Run:
    strategy = inner(one, "config", "strategy") or inner(one, "args", "strategy")
    kind = inner(strategy, "type_")
    totals = inner(one, "metrics", "request_totals") or inner(one, "request_totals")
    closed = {"synchronous": 1, "concurrent": inner(strategy, "streams")}
    return Run(
        line=place,
        model=model,
        prompt_tokens=_mean(one, "prompt_token_count"),
        output_tokens=_mean(one, "output_token_count"),
        concurrency=closed.get(str(kind)),
        rate=inner(strategy, "rate") if kind in ("constant", "poisson") else None,
        duration=inner(one, "duration"),
        requests=inner(totals, "successful"),
        failed=inner(totals, "errored"),
        output_throughput=_mean(one, "output_tokens_per_second"),
        ttft=_times(one, "time_to_first_token_ms"),
        tpot=_times(one, "inter_token_latency_ms"),
        protocol="steady" if inner(strategy, "startup_duration") else "start",
    )


def _mean(one: object, metric: str) -> object:
    return inner(one, "metrics", metric, "successful", "mean")


def _times(one: object, metric: str) -> Times:
    found = inner(one, "metrics", metric, "successful")
    return Times(mean=inner(found, "mean"), median=inner(found, "median"), p99=inner(found, "percentiles", "p99"))


FORMAT = Format(
    name="guidellm",
    help="JSON of GuideLLM",
    sniff=lambda content: isinstance(content.first.get("benchmarks"), list),
    read=read,
)
