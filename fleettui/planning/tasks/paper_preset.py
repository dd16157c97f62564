"""Preset `paper`: the papers' hand-set profiles and their method in place of ours."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.fleet import BLOCK_SIZE
from fleettui.domain.hardware import STOCK, Citation, Gpu, Profile, StepCost
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.paper_profiles import CALIBRATION_CONTEXT, PaperProfile, paper_names, paper_profile
from fleettui.optimize.paper import Lengths
from fleettui.optimize.paper_lengths import Counted, Drawn
from fleettui.optimize.paper_plan import PaperDemand, find_paper_plan
from fleettui.planning.tasks.workload_slices import Case
from fleettui.routing import ROUTERS
from fleettui.workloads.arrivals import ARRIVALS

MODEL = "llama-3.1-70b"
"""The papers calibrated Llama-3-70B; the two have one architecture."""
CONTEXT = 65_536
ONLY_TOTALS = "fixed output share"
"""The pairing of a workload of total lengths; then the papers' draws from its breakpoints are repeated."""


def as_in_the_papers(question: Question) -> Question:
    """Return `question` with what the papers take for granted: their GPUs, 65,536 tokens in the last pool.

    Raises InputError for what their method cannot answer: another model or parallelism, limits but on TTFT.
    """
    for option, value, known in (
        ("--model", question.model, MODEL),
        ("--tp", question.tp or (1,), (1,)),
        ("--dtype", question.dtype, "bf16"),
    ):
        if value != known:
            raise InputError("preset paper has no profile of it", where=option, value=value, accepted=f"{known}")
    if question.slo.ttft is None or len(question.slo.limits()) > 1 or question.slo.percentile != 0.99:
        raise InputError("preset paper sizes by the P99 TTFT alone", accepted="--slo-ttft 500ms and no other limit")
    for option, asked in _unknown(question):
        if asked:
            raise InputError("preset paper does not have this option", where=option, remedy=f"leave out {option}")
    return replace(question, context=question.context or CONTEXT, gpus=question.gpus or paper_names())


def _unknown(question: Question) -> tuple[tuple[str, object], ...]:
    """Return (option, what it asks for beyond the papers' method) for each option that the method has no place for."""
    return (
        ("--budget", question.budget),
        ("--max-power", question.max_power),
        ("--max-feed", question.max_feed),
        ("--power-cap", question.power_cap),
        ("--max-gpus", question.max_gpus),
        ("--prefix-hit", question.prefix_hit),
        ("--prefix-cache", question.prefix_cache),
        ("--sessions", question.sessions),
        ("--headroom", question.headroom),
        ("--engine-overhead", question.engine_overhead),
        ("--front-end", question.front_end),
        ("--api-token", question.api_token),
        ("--memory-share", question.memory_share),
        ("--profile", question.fit),
        ("--kv-dtype", question.kv_dtype),
        ("--tuning", question.tuning != STOCK),
        ("--expert-parallel", question.expert_parallel),
        ("--parallel", question.parallel),
        ("--pp", question.pp != (1,)),
        ("--attention-dp", question.attention_dp),
        ("--layout", question.layout),
        ("--speculative", question.speculative),
        ("--graph-bins", question.graph_bins),
        ("--kv-offload", question.kv_offload),
        ("--expert-load", question.expert_load),
        *((feature.option, said) for feature, said in question.features.said()),
        ("--token-budget auto", question.token_budget == SEARCHED),
        ("--max-total-gpus", question.max_total_gpus),
        ("--whole-nodes", question.whole_nodes),
        ("--objective", question.objective != "cost"),
        ("--router", question.router != ROUTERS.default.name),
        ("--router-refresh", question.router_refresh),
        ("--length-error", question.length_error),
        ("--arrivals", question.arrivals != ARRIVALS.default.name),
        ("--queue-limit", question.bounds.queue),
        ("--client-timeout", question.bounds.timeout),
        ("--retries", question.bounds.retries),
        ("--batch-share", question.batch_share),
        ("--pools", max(question.pools) > 2),
    )


def paper_gpus(question: Question) -> tuple[tuple[PaperProfile, Gpu], ...]:
    """Return each GPU of `question` with the papers' profile of it, at the price given or else at theirs.

    Raises UnknownNameError for a GPU that they do not have.
    """
    prices = dict(question.prices)
    found = [(paper_profile(name), catalog.gpu(name)) for name in question.gpus]
    return tuple((replace(one, price_per_hour=prices.get(one.gpu, one.price_per_hour)), gpu) for one, gpu in found)


def answer_as_in_the_papers(question: Question, case: Case, rate: float) -> Answer:
    """Return what the papers' method answers for `case` at `rate` requests per second."""
    if len(case.slices) > 1:
        raise InputError("preset paper knows no time slices", value=len(case.slices), accepted="a workload of one")
    assert question.context is not None, "as_in_the_papers sets the context"
    return find_paper_plan(
        question,
        PaperDemand(rate=rate, lengths=lengths_of(case)),
        gpus=paper_gpus(question),
        model=catalog.model(MODEL),
        splits=splits_of(question, case),
        context=question.context,
    )


def lengths_of(case: Case) -> Lengths:
    """Return the lengths as the papers draw them from breakpoints; where there are none the atoms, by exact sums."""
    return Drawn(case.slices[0].cdf) if case.pairing == ONLY_TOTALS else Counted.of(case.atoms)


def splits_of(question: Question, case: Case) -> tuple[int, ...]:
    """Return the splits that a question asks for, else the distribution's own points."""
    assert question.context is not None, "as_in_the_papers sets the context"
    return question.splits or _breakpoints(case, question.context)


def _breakpoints(case: Case, context: int) -> tuple[int, ...]:
    """Return the distribution's own points below `context` with requests on both sides, else the search's grid."""
    inside = tuple(int(tokens) for tokens, fraction in case.slices[0].cdf if 0 < fraction < 1 and tokens < context)
    return inside or case.grid()


def paper_profiles(question: Question) -> tuple[Profile, ...]:
    """Return the papers' step W + H·Σcontext/8192 on each GPU as a profile to keep; it claims no compute."""
    return tuple(_profile(paper, gpu) for paper, gpu in paper_gpus(question))


def _profile(paper: PaperProfile, gpu: Gpu) -> Profile:
    return Profile(
        name=paper.name,
        gpu=gpu.name,
        model=MODEL,
        dtype="bf16",
        tp=1,
        price_per_hour=paper.price_per_hour,
        price_note="as in the papers, or given",
        step=StepCost(
            overhead=paper.base_step_time,
            weight_time=0.0,
            linear_time=0.0,
            all_reduce_time=0.0,
            context_time=paper.time_per_sequence / CALIBRATION_CONTEXT,
            attention_time=0.0,
        ),
        kv_blocks=paper.kv_blocks,
        block_size=BLOCK_SIZE,
        context=CONTEXT,
        peak=gpu.peak_bf16,
        bandwidth=gpu.bandwidth,
        flops_per_token=0.0,
        attention_flops=0.0,
        bytes_per_step=0.0,
        kv_bytes_per_token=0.0,
        power=gpu.power,
        gpus_per_node=gpu.gpus_per_node,
        model_error=0.0,
        citations=(Citation(field="step", source=paper.source, confidence="low"),),
    )
