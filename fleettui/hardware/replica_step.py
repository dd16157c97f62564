"""The step of one replica by a law: what `build_profile` and predictions of measured runs have in common."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.dtype import Dtype
from fleettui.domain.expert_load import WHERE as LOAD
from fleettui.domain.expert_load import ExpertLoad
from fleettui.domain.hardware import Gpu, Model, StepCost, StepLaw, StepTable
from fleettui.domain.layout import Layout
from fleettui.domain.speculation import Speculation
from fleettui.errors import InputError
from fleettui.hardware.attention_dp import check_attention_dp
from fleettui.hardware.drafter import WHERE, drafter_of, with_drafts
from fleettui.hardware.engine_record import Engine
from fleettui.hardware.pipeline import staged
from fleettui.hardware.roofline import step_cost
from fleettui.hardware.sequence_cache import SequenceCache, counted_in_full
from fleettui.hardware.step_table import step_table


def step_of(
    gpu: Gpu,
    model: Model,
    *,
    dtype: Dtype,
    tp: int,
    engine: Engine,
    engine_overhead: float | None,
    step_law: StepLaw,
    cache: SequenceCache,
    expert_parallel: bool = False,
    pp: int = 1,
    attention_dp: bool = False,
    said: Speculation | None = None,
    load: ExpertLoad | None = None,
    layout: Layout | None = None,
) -> StepCost | StepTable:
    """Return the step of `model` on `pp` stages of `tp` GPUs by a law.

    `engine_overhead` replaces what the engine adds to each. It verifies the drafts that are `said`. Experts are chosen
    by a `load`; a drafter's are as they were measured. Lanes and groups that hold experts are as large as a
    `layout` says.

    Raises InputError by the roofline for experts that are spread, stages and attention that divides sequences: it does
    not know how unevenly the first are chosen, nor how the others wait for each other. It is the same for a load, and
    for drafts, which no pipeline has.
    """
    if attention_dp:
        check_attention_dp(tp=tp, pp=pp, step_law=step_law)
    if said:
        _check_drafts(said, pp=pp, attention_dp=attention_dp, step_law=step_law)
    if step_law == "kernels":
        table = step_table(
            gpu,
            model,
            dtype=dtype,
            tp=tp,
            engine=engine.family,
            terms=engine.terms,
            overhead=engine_overhead,
            cache=cache,
            expert_parallel=expert_parallel,
            attention_dp=attention_dp,
            width=said.width if said else 1,
            load=load,
            layout=layout,
            fused=engine.fused,
        )
        if said:
            table = _with_drafts(table, said, gpu, model, dtype=dtype, tp=tp, engine=engine, cache=cache)
        return staged(table, gpu, model, tp=tp, pp=pp)
    if load is not None:
        what = "the roofline's line does not know how unevenly experts are chosen"
        raise InputError(what, where=LOAD, value=load.short, remedy=f"add --step-law kernels, or leave out {LOAD}")
    if expert_parallel:
        what = "the roofline does not know how unevenly experts that are spread are chosen"
        raise InputError(
            what, where="--expert-parallel", remedy="add --step-law kernels, or leave out --expert-parallel"
        )
    if pp > 1:
        what = "the roofline's line does not know how the stages of a pipeline wait for each other"
        raise InputError(what, where="--pp", remedy="add --step-law kernels, or leave out --pp")
    overhead = engine.overhead if engine_overhead is None else engine_overhead
    return step_cost(gpu, model, dtype=dtype, tp=tp, engine_overhead=overhead, cache=cache)


def _check_drafts(said: Speculation, *, pp: int, attention_dp: bool, step_law: StepLaw) -> None:
    """Raise InputError where nothing times the steps that verify drafts."""
    ways = {"--step-law roofline": step_law == "roofline", "--pp": pp > 1, "--attention-dp": attention_dp}
    other = next((name for name, is_so in ways.items() if is_so), None)
    if other is not None:
        what = f"steps that verify drafts are not timed with {other}"
        raise InputError(what, where=WHERE, value=said.text, remedy=f"leave out {other}, or --speculative")


def _with_drafts(
    table: StepTable,
    said: Speculation,
    gpu: Gpu,
    model: Model,
    *,
    dtype: Dtype,
    tp: int,
    engine: Engine,
    cache: SequenceCache,
) -> StepTable:
    """Return a step that verifies with its drafter's passes, launched as layers of the same step."""
    drafter = drafter_of(model, said)
    own = step_table(
        gpu,
        drafter,
        dtype=dtype,
        tp=tp,
        engine=engine.name,
        terms=replace(engine.terms, step=0.0, logit=0.0),
        cache=counted_in_full(drafter, cache.dtype),
        fused=engine.fused,
    )
    return with_drafts(table, own, said, drafter)
