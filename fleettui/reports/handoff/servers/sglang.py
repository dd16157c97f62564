"""SGLang: `python3 -m sglang.launch_server`, as of the version that the catalogue names."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.fleet import Pool, counted
from fleettui.domain.graph_bins import OWN, bins, of_steps
from fleettui.domain.speculation import MTP
from fleettui.errors import InputError
from fleettui.reports.handoff.model import PoolPlan, Subject
from fleettui.reports.handoff.servers.server import (
    PORT,
    SPAN_PORT,
    Argument,
    Metrics,
    Server,
    accepted,
    cache_tokens,
    found,
    memory_beside,
    memory_share,
    weights,
)


def _arguments(subject: Subject, part: PoolPlan) -> Iterator[Argument]:
    pool, question = part.pool, subject.question
    _check(pool)
    yield Argument("--host", "0.0.0.0", "reached from other machines")
    yield Argument("--port", str(PORT), "on which probes, metrics and clients find it")
    yield Argument("--tensor-parallel-size", str(pool.tp), f"each matrix divided among {pool.tp} {pool.gpu}")
    if pool.pp > 1:
        yield Argument("--pipeline-parallel-size", str(pool.pp), f"the layers in {pool.pp} stages of such groups")
    yield from _divided(pool)
    yield weights(part)
    yield Argument(
        "--kv-cache-dtype",
        {"bf16": "auto" if pool.dtype == "bf16" else "bf16", "fp8": "fp8_e4m3"}[pool.kv_dtype],
        f"cached numbers in {pool.kv_dtype}",
    )
    yield Argument("--context-length", str(pool.context), "the longest request of the pool, prompt and output together")
    lanes = pool.divided.attention_dp if pool.attention_dp else 1
    most, chunk = pool.max_num_seqs * lanes, pool.token_budget * lanes
    yield Argument("--max-running-requests", str(most), "sequences that run at once, as planned")
    shared = f" of all {lanes} lanes, which share them" if lanes > 1 else ""
    yield Argument("--chunked-prefill-size", str(chunk), f"prompt tokens of one step{shared}, as planned")
    if not pool.settings.alone:
        yield Argument("--enable-mixed-chunk", None, "the plan has prompts beside the decodes of a step")
    yield from memory_share("--mem-fraction-static", part, "weights and cache; what runs has the rest")
    yield Argument(
        "--max-total-tokens",
        str(cache_tokens(part)),
        "the cache that the plan counts on; where less is free the server takes that, and says so",
    )
    if pool.speculative:
        said, own = pool.drafting, pool.drafting.drafter == MTP
        yield Argument("--speculative-algorithm", "EAGLE" if own else "STANDALONE", accepted(said))
        if not own:
            yield Argument("--speculative-draft-model-path", said.drafter, "the drafter: put its path here")
        yield Argument("--speculative-num-steps", str(said.drafts), "drafts of a step, one after the other")
        yield Argument("--speculative-eagle-topk", "1", "one draft at each place, as planned")
        yield Argument("--speculative-num-draft-tokens", str(said.width), "tokens of a sequence that a step verifies")
    yield Argument("--schedule-policy", "fcfs", f"first come, first served; {found(subject, part)}")
    if question.bounds.queue is not None:
        yield Argument("--max-queued-requests", str(question.bounds.queue), "requests that may wait, as planned")
    size, reason = memory_beside(subject, part)
    if size:
        yield Argument("--enable-hierarchical-cache", None, reason)
        yield Argument("--hicache-size", f"{max(1.0, size / 1e9):.0f}", "GB of it for each GPU")
    yield from _graphs(question.graph_bins)
    yield Argument("--enable-metrics", None, "for alerts and scaling")


def _check(pool: Pool) -> None:
    """Raise InputError where whole prompts run beside decodes: SGLang has those that it does not cut in own steps."""
    if pool.settings.whole:
        raise InputError(
            f"pool {pool.name}: SGLang has no steps of decodes and whole prompts",
            value=f"prompt_steps {pool.prompt_steps}",
            remedy="plan with --prompt-steps alone, or hand over to vllm or trtllm",
        )


def _graphs(said: str) -> Iterator[Argument]:
    """Yield which steps are captured as CUDA graphs, where a plan says so."""
    listed, only_decodes = of_steps(said)
    if listed not in ("", OWN):
        first, *more = map(str, bins(listed))
        yield Argument("--cuda-graph-bs", first, f"steps of decodes are padded to {listed}, as planned", tuple(more))
    if said and not only_decodes:
        yield Argument("--enable-piecewise-cuda-graph", None, "steps with prompts are padded too, as planned")


def _bins_not_set(said: str) -> str:
    """Return what of graph bins no argument here sets: the sizes of steps with prompts, which are SGLang's own."""
    listed, only_decodes = of_steps(said)
    return "" if only_decodes or listed == OWN else "those with prompts are padded to sglang's own sizes"


def _divided(pool: Pool) -> Iterator[Argument]:
    """Yield how many lanes attention has, and over how many groups of GPUs experts are spread."""
    own = pool.divided
    if pool.attention_dp:
        yield Argument("--enable-dp-attention", None, "sequences are divided among lanes, each with its own cache")
        yield Argument("--dp-size", str(own.attention_dp), f"lanes of {counted(own.attention_tp)} each")
    if pool.expert_parallel:
        groups = "every GPU" if own.feed_forward_tp == 1 else f"every group of {own.feed_forward_tp} GPUs"
        yield Argument("--expert-parallel-size", str(own.feed_forward_ep), f"{groups} holds some routed experts whole")


def _spanning(nodes: int, rank: str, first: str) -> tuple[str, ...]:
    return ("--nnodes", str(nodes), "--node-rank", rank, "--dist-init-addr", f"{first}:{SPAN_PORT}")


SERVER = Server(
    name="sglang",
    help="the same for SGLang",
    program=("python3", "-m", "sglang.launch_server", "--model-path"),
    arguments=lambda subject, part: tuple(_arguments(subject, part)),
    metrics=Metrics(
        path="/metrics",
        running="sglang:num_running_reqs",
        waiting="sglang:num_queue_reqs",
        completed="sglang:num_requests_total",
        latencies={
            "ttft": "sglang:time_to_first_token_seconds",
            "tpot": "sglang:inter_token_latency_seconds",
            "e2e": "sglang:e2e_request_latency_seconds",
        },
        caution="SGLang tells the time between tokens, not the mean of a request: its percentiles scatter more",
    ),
    spanning=_spanning,
    bounds_queue=True,
    admissions=("paged", "prefill-first"),
    bins_not_set=_bins_not_set,
)
