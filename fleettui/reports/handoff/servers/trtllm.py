"""TensorRT-LLM: `trtllm-serve` with its file of options, as of the version that the catalogue names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fleettui.domain.fleet import Pool
from fleettui.domain.graph_bins import OWN, bins, of_steps
from fleettui.domain.speculation import MTP, Speculation
from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.handoff.model import PoolPlan, Subject
from fleettui.reports.handoff.servers.server import (
    PORT,
    Argument,
    Metrics,
    Server,
    cache_tokens,
    memory_beside,
    memory_share,
    of_weights,
)


def _arguments(part: PoolPlan) -> Iterator[Argument]:
    pool, tokens = part.pool, units.count(cache_tokens(part))
    yield Argument("--host", "0.0.0.0", "reached from other machines")
    yield Argument("--port", str(PORT), "on which probes, metrics and clients find it")
    yield Argument("--backend", "pytorch", of_weights(pool.dtype))
    yield Argument("--tensor_parallel_size", str(pool.tp), f"each matrix divided among {pool.tp} {pool.gpu}")
    if pool.pp > 1:
        yield Argument("--pipeline_parallel_size", str(pool.pp), f"the layers in {pool.pp} stages of such groups")
    if pool.expert_parallel:
        own = pool.divided
        groups = "every GPU" if own.feed_forward_tp == 1 else f"every group of {own.feed_forward_tp} GPUs"
        what = f"{groups} holds some routed experts whole"
        yield Argument("--moe_expert_parallel_size", str(own.feed_forward_ep), what)
    yield Argument("--max_seq_len", str(pool.context), "the longest request of the pool, prompt and output together")
    yield Argument("--max_batch_size", str(pool.max_num_seqs), "sequences that run at once, as planned")
    yield Argument("--max_num_tokens", str(pool.token_budget), "tokens of one step, as planned")
    what = f"of what is free; max_tokens of the options holds the cache to the {tokens} tokens that the plan counts on"
    yield from memory_share("--kv_cache_free_gpu_memory_fraction", part, what)
    if not pool.settings.whole:
        yield Argument("--enable_chunked_prefill", None, "prompts run in chunks, as planned, and whole without it")


def _settings(subject: Subject, part: PoolPlan) -> dict[str, Any]:
    """Return the options that have no argument: the cache, how requests are admitted, what metrics need."""
    paged = subject.fleet.admission == "paged"
    return {
        "kv_cache_config": {
            "dtype": {"bf16": "auto", "fp8": "fp8"}[part.pool.kv_dtype],
            "max_tokens": cache_tokens(part),
            **({} if part.memory_share is None else {"free_gpu_memory_fraction": part.memory_share}),
            "enable_block_reuse": True,
            **({"host_cache_size": int(beside)} if (beside := memory_beside(subject, part)[0]) else {}),
        },
        **_graphs(subject.question.graph_bins),
        **_drafts(part.pool.drafting),
        **_lanes(part.pool),
        "scheduler_config": {"capacity_scheduler_policy": "MAX_UTILIZATION" if paged else "GUARANTEED_NO_EVICT"},
        "enable_iter_perf_stats": True,
        "return_perf_metrics": True,
    }


def _graphs(said: str) -> dict[str, Any]:
    """Return which steps are captured as CUDA graphs, nothing where a plan does not say or has the engine's own."""
    listed, _ = of_steps(said)
    return (
        {}
        if listed in ("", OWN)
        else {"cuda_graph_config": {"batch_sizes": list(bins(listed)), "enable_padding": True}}
    )


def _bins_not_set(said: str) -> str:
    """Return what of graph bins no option here sets: steps with prompts run as they are."""
    return "" if of_steps(said)[1] else "those with prompts run as they are in trtllm"


def _lanes(pool: Pool) -> dict[str, Any]:
    """Return that each GPU keeps sequences of its own, nothing where none does; lanes of several GPUs raise."""
    if not pool.attention_dp:
        return {}
    if pool.divided.attention_tp > 1:
        raise InputError(
            f"pool {pool.name}: lanes of TensorRT-LLM have one GPU each",
            value=pool.layout,
            remedy=f"plan with dp{pool.tp} before the stroke, or hand over to sglang or vllm",
        )
    return {"enable_attention_dp": True}


def _drafts(said: Speculation) -> dict[str, Any]:
    """Return how drafts are made, nothing where none are."""
    if not said.drafts:
        return {}
    if said.drafter == MTP:
        return {"speculative_config": {"decoding_type": "MTP", "num_nextn_predict_layers": said.drafts}}
    how = {"decoding_type": "DraftTarget", "max_draft_len": said.drafts, "speculative_model_dir": said.drafter}
    return {"speculative_config": how}


SERVER = Server(
    name="trtllm",
    help="the same for TensorRT-LLM, with its options",
    program=("trtllm-serve",),
    arguments=lambda _, part: tuple(_arguments(part)),
    settings=_settings,
    settings_argument="--config",
    admissions=("paged", "reserved"),
    bins_not_set=_bins_not_set,
    metrics=Metrics(
        path="/prometheus/metrics",
        running="trtllm_num_requests_running",
        waiting="trtllm_num_requests_waiting",
        completed="trtllm_request_success_total",
        latencies={
            "ttft": "trtllm_time_to_first_token_seconds",
            "tpot": "trtllm_time_per_output_token_seconds",
            "e2e": "trtllm_e2e_request_latency_seconds",
        },
        caution="TensorRT-LLM tells running and waiting requests since 2026: older servers have no such series",
    ),
)
