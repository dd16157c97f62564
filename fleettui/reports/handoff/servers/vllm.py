"""vLLM: `vllm serve`, as of the version that the catalogue names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fleettui.domain.fleet import Pool, counted
from fleettui.domain.graph_bins import OWN, bins, of_steps
from fleettui.domain.speculation import MTP, Speculation
from fleettui.errors import InputError
from fleettui.reports import units
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

MIXED = "prompts in chunks beside the decodes of a step, as the plan has them"
ALONE = "the plan runs prompts in steps of their own, which this engine does not: it mixes them"


def _arguments(subject: Subject, part: PoolPlan) -> Iterator[Argument]:
    pool, question = part.pool, subject.question
    tokens = units.count(cache_tokens(part))
    yield Argument("--host", "0.0.0.0", "reached from other machines")
    yield Argument("--port", str(PORT), "on which probes, metrics and clients find it")
    own = pool.divided
    _check(pool)
    yield Argument("--tensor-parallel-size", str(own.attention_tp), f"divided among {own.attention_tp} {pool.gpu}")
    if pool.attention_dp:
        lanes = f"lanes of {counted(own.attention_tp)} each, with sequences of their own"
        yield Argument("--data-parallel-size", str(own.attention_dp), lanes)
    if pool.pp > 1:
        yield Argument("--pipeline-parallel-size", str(pool.pp), f"the layers in {pool.pp} stages of such groups")
    if pool.expert_parallel:
        yield Argument("--enable-expert-parallel", None, "every GPU holds some routed experts whole")
    yield weights(part)
    yield Argument(
        "--kv-cache-dtype",
        {"bf16": "auto", "fp8": "fp8"}[pool.kv_dtype],
        f"cached numbers in {pool.kv_dtype}; auto is that of the activations, unless the weights ask for another",
    )
    yield Argument("--max-model-len", str(pool.context), "the longest request of the pool, prompt and output together")
    yield Argument("--max-num-seqs", str(pool.max_num_seqs), "sequences that run at once, as planned")
    yield Argument("--max-num-batched-tokens", str(pool.token_budget), "tokens of one step, as planned")
    what = f"its cache holds {tokens} tokens a replica: the server's log should say at least that"
    yield from memory_share("--gpu-memory-utilization", part, what)
    if pool.speculative:
        yield Argument("--speculative-config", drafts(pool.drafting), accepted(pool.drafting))
    yield Argument("--enable-prefix-caching", None, found(subject, part))
    yield from _memory_beside(subject, part)
    yield from _graphs(question.graph_bins)
    if question.batch_share is not None:
        yield Argument(
            "--scheduling-policy",
            "priority",
            "requests of class batch carry priority 1; those without one go first",
        )
    if pool.settings.whole:
        yield Argument("--no-enable-chunked-prefill", None, "no prompt is cut; a step must take the longest request")
    else:
        yield Argument("--enable-chunked-prefill", None, ALONE if pool.settings.alone else MIXED)


def _memory_beside(subject: Subject, part: PoolPlan) -> Iterator[Argument]:
    """Yield the memory beside the caches where there is one: of all GPUs of a replica together, in GiB."""
    size, reason = memory_beside(subject, part)
    if size:
        together = size * part.pool.tp / 2**30
        yield Argument("--kv-offloading-size", f"{together:.1f}", f"{reason}; this is GiB of all {part.pool.tp}")
        yield Argument(
            "--kv-offloading-backend", "native", "the host's memory; a remote one needs a connector of its own"
        )


def _graphs(said: str) -> Iterator[Argument]:
    """Yield which steps are captured as CUDA graphs, where a plan says so and they are not the engine's own."""
    listed, only_decodes = of_steps(said)
    how: dict[str, Any] = {} if listed in ("", OWN) else {"cudagraph_capture_sizes": list(bins(listed))}
    if only_decodes:
        how["cudagraph_mode"] = "FULL_DECODE_ONLY"
    if how:
        yield Argument("--compilation-config", json.dumps(how), f"steps are padded to {said}, as planned")


def _check(pool: Pool) -> None:
    """Raise InputError where experts are spread over groups of several GPUs: vLLM spreads them over all."""
    if pool.divided.feed_forward_ep > 1 and pool.divided.feed_forward_tp > 1:
        raise InputError(
            f"pool {pool.name}: vLLM spreads experts over all GPUs of a replica, or over none",
            value=pool.layout,
            remedy=f"plan with ep{pool.tp} or tp{pool.tp} behind the stroke, or hand over to sglang or trtllm",
        )


def drafts(said: Speculation) -> str:
    """Return how drafts are made, as vLLM reads it.

    >>> from fleettui.domain.speculation import speculation
    >>> drafts(speculation("mtp:3@70%"))
    '{"method": "mtp", "num_speculative_tokens": 3}'
    """
    how = {"method": "mtp"} if said.drafter == MTP else {"method": "draft_model", "model": said.drafter}
    return json.dumps(how | {"num_speculative_tokens": said.drafts})


def _spanning(nodes: int, rank: str, first: str) -> tuple[str, ...]:
    return ("--nnodes", str(nodes), "--node-rank", rank, "--master-addr", first, "--master-port", str(SPAN_PORT))


SERVER = Server(
    name="vllm",
    help="the server command of each pool of a plan for vLLM",
    program=("vllm", "serve"),
    arguments=lambda subject, part: tuple(_arguments(subject, part)),
    metrics=Metrics(
        path="/metrics",
        running="vllm:num_requests_running",
        waiting="vllm:num_requests_waiting",
        completed="vllm:request_success_total",
        latencies={
            "ttft": "vllm:time_to_first_token_seconds",
            "tpot": "vllm:request_time_per_output_token_seconds",
            "e2e": "vllm:e2e_request_latency_seconds",
        },
    ),
    spanning=_spanning,
    following=("--headless",),
    classes=True,
    admissions=("paged", "priority"),
)
