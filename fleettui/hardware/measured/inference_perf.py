"""inference-perf's lifecycle report of one stage (stage_N_lifecycle_metrics.json): one JSON object, times in seconds.

Checked against inference_perf/reportgen/base.py at commit 010d12f (2026); `prompt_len` is what older versions call the
prompt's tokens. The report names neither model nor server: the options must.
"""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.hardware.measured.base import Content, Format, Run, Times, inner


def read(content: Content) -> Iterator[Run]:
    """Yield the run of each stage; where clients are stated, the rate beside them only says how fast they started."""
    for line, stage in content.objects:
        clients = inner(stage, "load_summary", "concurrency")
        done = inner(stage, "successes")
        yield Run(
            line=line,
            prompt_tokens=inner(done, "prompt_tokens", "mean") or inner(done, "prompt_len", "mean"),
            output_tokens=inner(done, "output_len", "mean") or inner(done, "output_tokens", "mean"),
            concurrency=clients,
            rate=inner(stage, "load_summary", "requested_rate") if clients is None else None,
            sent_rate=inner(stage, "load_summary", "achieved_rate") if clients is None else None,
            duration=stage.get("benchmark_time_seconds"),
            requests=inner(done, "count"),
            failed=inner(stage, "failures", "count"),
            output_throughput=inner(done, "throughput", "output_tokens_per_sec"),
            ttft=_times(done, "time_to_first_token"),
            tpot=_times(done, "time_per_output_token"),
        )


def _times(done: object, metric: str) -> Times:
    found = inner(done, "latency", metric)
    return Times(mean=inner(found, "mean"), median=inner(found, "median"), p99=inner(found, "p99"), unit=1.0)


FORMAT = Format(
    name="inference-perf",
    help="JSON of inference-perf",
    sniff=lambda content: "load_summary" in content.first and "successes" in content.first,
    read=read,
)
