"""What `vllm bench serve --save-result` or `--append-result` writes: one JSON object a run.

Checked against vllm/benchmarks/serve.py of vLLM's main branch at commit 009e6d4 (2026): totals over all completed
requests, times in milliseconds, `request_rate` "inf" or a number, what `--metadata` gave as keys of its own. TTFT
counts from the moment that a request was sent. The range of random lengths is not written; the means are: where that of
outputs is whole they did not differ, nor did prompts but for a token or two, which are written as text and read again.
A backend may be the protocol that the client spoke, which says no engine.
"""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.hardware.measured.base import Content, Format, Object, Run, Times, ratio

PROTOCOL = "openai"
"""What backends begin with that are a protocol."""


def read(content: Content) -> Iterator[Run]:
    """Yield the run of each object; `tp`, `gpu`, `dtype`, `engine` and the like are looked for in its metadata."""
    for line, run in content.objects:
        completed = run.get("completed")
        output = ratio(run.get("total_output_tokens"), completed)
        yield Run(
            line=line,
            model=run.get("model_id"),
            gpu=run.get("gpu"),
            engine=run.get("engine") or _engine(run),
            version=run.get("version"),
            dtype=run.get("dtype") or run.get("precision"),
            kv_dtype=run.get("kv_dtype") or run.get("kv_cache_dtype"),
            tp=run.get("tp") or run.get("tensor_parallel_size"),
            ep=run.get("ep"),
            prompt_tokens=ratio(run.get("total_input_tokens"), completed),
            output_tokens=output,
            exact=isinstance(output, float) and output.is_integer(),
            concurrency=run.get("max_concurrency"),
            rate=run.get("request_rate"),
            duration=run.get("duration"),
            requests=completed,
            failed=run.get("failed"),
            output_throughput=run.get("output_throughput"),
            ttft=_times(run, "ttft"),
            tpot=_times(run, "tpot"),
            beyond={
                "speculation": "spec_decode_acceptance_length" in run,
                "a ramp": run.get("ramp_up_strategy"),
                "pp": run.get("pp"),
            },
        )


def _engine(run: Object) -> object:
    said = run.get("backend") or run.get("endpoint_type")
    return None if isinstance(said, str) and said.startswith(PROTOCOL) else said


def _times(run: Object, name: str) -> Times:
    return Times(mean=run.get(f"mean_{name}_ms"), median=run.get(f"median_{name}_ms"), p99=run.get(f"p99_{name}_ms"))


FORMAT = Format(
    name="vllm-bench",
    help="JSON of vllm bench serve --save-result",
    sniff=lambda content: "mean_ttft_ms" in content.first and "model_id" in content.first,
    read=read,
)
