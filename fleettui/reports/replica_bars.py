"""One replica in pictures: what fills the memory of its GPUs, and what its steps are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import SEQUENCES as SEQUENCES_KEPT
from fleettui.domain.hardware import Gpu, Model, Profile, StepTable
from fleettui.domain.replica import OfReplica
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.memory import CacheBudget, budget_in
from fleettui.reports import units
from fleettui.reports.bars import Bars, Whole

LAUNCH, SAMPLING, EAGER = "launch and scheduling", "sampling", "eager launch"
"""What the engine adds beside kernels: to every step, for each sequence that runs, to steps with prompts."""
ENGINE = "which the engine adds"


class Share(NamedTuple):
    """Seconds that an operator, or the engine, takes of the two steps that stand for others, and how they are known."""

    name: str
    decode: float
    prompt: float
    evidence: str


def step_shares(step: StepTable, per_sequence: float = 0.0) -> tuple[Share, ...]:
    """Return what the two steps are made of, kernels and engine.

    `per_sequence` are the seconds that the engine takes to sample a token of a sequence.
    """
    kernels = [Share(part.operator, part.decode, part.prompt, part.evidence) for part in step.parts]
    eager = step.prompt_extra + max(step.prompt_least - sum(part.prompt for part in step.parts), 0.0)
    engine = (
        Share(SAMPLING, step.width * step.shown_sequences * per_sequence, 0.0, ENGINE),
        Share(EAGER, 0.0, eager, ENGINE),
    )
    used = [one for one in engine if one.decode or one.prompt]
    return (Share(LAUNCH, step.overhead, step.overhead, ENGINE), *kernels, *used)


class Known(NamedTuple):
    """What a profile does not say of its replica: GPU and model, and the engine's seconds to sample a token.

    Without them GPU and model are those of the catalogue that the profile names.
    """

    gpu: Gpu | None = None
    model: Model | None = None
    per_sequence: float = 0.0

    @classmethod
    def of(cls, gpu: str, model: str, engine: str) -> Self:
        """Return what names and paths stand for; raises as `catalog` does."""
        known = catalog.model(model)
        return cls(catalog.gpu(gpu), known, catalog.engine(engine).terms.sampling(known))


def replica_bars(profile: Profile, known: Known) -> tuple[Bars, ...]:
    """Return the pictures of a replica's memory and of its step; either is left out where it is not known.

    The memory is left out where its arithmetic gives other blocks today, the step where it is no sum of kernels.
    """
    memory, step = _memory(profile, known), profile.step
    return (
        *([memory] if memory else []),
        *([step_bars(step_shares(step, known.per_sequence), step, profile)] if isinstance(step, StepTable) else []),
    )


def fleet_bars(fleet: Fleet, question: Question, profiles: Iterable[Profile]) -> tuple[Bars, ...]:
    """Return the pictures of each kind of replica in a fleet that answers a question, of the `profiles` it rests on."""
    kinds = dict.fromkeys(pool.replica_key for pool in fleet.pools)
    known = {one.replica_key: one for one in profiles}
    terms = catalog.engine(question.engine).terms
    found: list[Bars] = []
    for profile in (known[kind] for kind in kinds if kind in known):
        own = question.fit_of(profile)
        model = _model_of(profile)
        sampling = terms.sampling(model) if model else 0.0
        found += replica_bars(profile, Known(model=model, per_sequence=sampling * (own.factor if own else 1.0)))
    return tuple(found)


def _model_of(profile: Profile) -> Model | None:
    """Return the model of the catalogue, or of the file, that a profile names, where there is one."""
    try:
        return catalog.model(profile.model)
    except InputError:
        return None


def _memory(profile: Profile, known: Known) -> Bars | None:
    try:
        gpu, model = known.gpu or catalog.gpu(profile.gpu), known.model or catalog.model(profile.model)
        forms = [_budget(profile, gpu, model, keeps_all=one) for one in (False, True)]
    except InputError:
        return None
    budget = next((one for one in forms if one.blocks == profile.kv_blocks), None)
    if budget is None:
        return None
    whole = Whole(
        title=f"{units.gigabytes(gpu.memory)} in all",
        parts=tuple(part.size for part in budget.parts),
        told=tuple(units.gigabytes(part.size) for part in budget.parts),
    )
    held = profile.kv_blocks * profile.batches
    labels, on = tuple(part.name for part in budget.parts), f"{profile.gpus_per_replica} {profile.gpu.upper()}"
    return Bars(
        title=f"memory of one of {on} that hold {profile.model} {profile.dtype}",
        labels=labels,
        wholes=(whole,),
        summary=f"the replica's cache holds {units.count(held * profile.block_size)} tokens",
    )


def _budget(profile: Profile, gpu: Gpu, model: Model, *, keeps_all: bool) -> CacheBudget:
    return budget_in(
        gpu,
        model,
        dtype=profile.dtype,
        tp=profile.tp,
        room=profile.room,
        kv_dtype=profile.kv_dtype,
        sequences=profile.sequences or SEQUENCES_KEPT,
        pp=profile.pp,
        ways=profile.divided.attention_tp,
        keeps_all=keeps_all,
        block_size=profile.block_size,
    )


def step_bars(shares: Sequence[Share], step: StepTable, served: OfReplica) -> Bars:
    """Return what the two steps of a replica that stand for others are made of."""
    longest, labels = units.count(step.shown_tokens), tuple(one.name for one in shares)
    decodes = _step(f"{step.shown_sequences} decodes at {longest}", tuple(one.decode for one in shares))
    prompt = _step(f"prompt of {longest}", tuple(one.prompt for one in shares))
    return Bars(
        title=f"a step of {served.model} {served.dtype} on {served.gpus_per_replica} {served.gpu.upper()}",
        labels=labels,
        wholes=(decodes, prompt),
        summary=(
            f"most: {_said(decodes, labels)} of {step.shown_sequences} decodes, each after {longest} tokens; "
            f"{_said(prompt, labels)} of a prompt of {longest} alone"
        ),
    )


def _step(title: str, seconds: tuple[float, ...]) -> Whole:
    told = tuple(units.seconds(one) if one else "-" for one in seconds)
    return Whole(title=f"{units.seconds(sum(seconds))}, {title}", parts=seconds, told=told)


def _said(whole: Whole, labels: tuple[str, ...]) -> str:
    """Return the largest part of a whole in words."""
    row = max(range(len(labels)), key=whole.parts.__getitem__)
    return f"{labels[row]}, {units.percent(whole.share(row))}"
