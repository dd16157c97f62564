"""InferenceX's aggregated results, as JSON objects, a list of them, or a CSV with the same names: times in seconds.

Checked against utils/process_result.py of SemiAnalysisAI/InferenceX at commit 77f3e68 (2026). Its clients all start at
once and draw lengths from 0.8 to 1 of `isl` and `osl`. `output_tput_per_gpu` are output tokens a second over `tp`.
Where attention is data parallel, it is over all `tp` GPUs of a replica. Speculation and disaggregation are not modelled
here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fleettui.hardware.measured.base import Content, Format, Run, Times
from fleettui.hardware.measured.point import ATTENTION_DP, number

NEEDED = frozenset({"hw", "conc", "isl", "osl", "mean_ttft", "mean_tpot"})


def read(content: Content) -> Iterator[Run]:
    """Yield the run of each object or row."""
    for line, run in content.objects or tuple(content.records()):
        yield _run(line, run)


def _run(line: int, run: Mapping[str, object]) -> Run:
    return Run(
        line=line,
        model=run.get("model"),
        gpu=run.get("hw"),
        engine=run.get("framework"),
        dtype=run.get("precision"),
        tp=run.get("tp"),
        ep=run.get("ep"),
        prompt_tokens=run.get("isl"),
        output_tokens=run.get("osl"),
        concurrency=run.get("conc"),
        output_throughput=_output(run),
        ttft=_times(run, "ttft"),
        tpot=_times(run, "tpot"),
        uniform=True,
        beyond={
            "speculation": run.get("spec_decoding") or run.get("mtp"),
            "disaggregation": run.get("disagg"),
            "several nodes": run.get("is_multinode"),
            ATTENTION_DP: run.get("tp") if str(run.get("dp_attention")).lower() == "true" else None,
        },
    )


def _output(run: Mapping[str, object]) -> object:
    """Return the output tokens a second of all GPUs, what is said of one where that or their number is none."""
    each, gpus = number(run.get("output_tput_per_gpu")), number(run.get("tp"))
    return run.get("output_tput_per_gpu") if each is None or gpus is None else each * gpus


def _times(run: Mapping[str, object], name: str) -> Times:
    return Times(mean=run.get(f"mean_{name}"), median=run.get(f"median_{name}"), p99=run.get(f"p99_{name}"), unit=1.0)


FORMAT = Format(
    name="inferencex",
    help="JSON or CSV of InferenceX",
    sniff=lambda content: set(content.first) >= NEEDED or set(content.header) >= NEEDED,
    read=read,
)
