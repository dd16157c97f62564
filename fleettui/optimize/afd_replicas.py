"""AFD replicas beside a co-located one: its numbers and engine, and what they hold on average while they decode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.afd import AfdLayout
from fleettui.domain.calibration import StepTerms
from fleettui.domain.expert_load import expert_load
from fleettui.domain.hardware import Gpu, Profile
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.afd import AfdReplica
from fleettui.hardware.engine_rules import MemoryRule
from fleettui.hardware.own_fit import fitted_step
from fleettui.optimize.ranges import Slices


def widest(profiles: Sequence[Profile]) -> Profile:
    """Return the co-located replica that AFD ones are like: that with most GPUs."""
    return max(profiles, key=lambda one: one.gpus_per_replica)


def afd_replica(
    layout: AfdLayout, gpus: tuple[Gpu, Gpu], like: Profile, question: Question, *, link: float | None
) -> AfdReplica:
    """Return AFD replicas on the GPUs of either role, whose numbers and engine are those of a co-located one.

    A typed `link` is of a whole replica of that kind. Raises InputError where no network of a GPU is known.
    """
    known = [gpu.scale_out for gpu in gpus] if link is None else [link / like.gpus_per_replica]
    for gpu, one in zip(gpus, known, strict=False):
        if one is None:
            what = f"nothing is known of the network of {gpu.name}"
            raise InputError(what, where="--link", remedy="type what a replica's link moves: --link 50GB/s")
    taken = None if question.memory_share is None else MemoryRule(share=question.memory_share)
    engine = catalog.engine(question.engine).taking(taken)
    return AfdReplica(
        model=catalog.model(question.model),
        dtype=like.dtype,
        kv_dtype=like.kv_dtype,
        attention_gpu=gpus[0],
        feed_forward_gpu=gpus[1],
        layout=layout,
        network=min(one for one in known if one is not None),
        engine=engine,
        tuning=question.tuning,
        load=expert_load(question.expert_load) if question.expert_load else None,
    )


def as_run(found: Profile, like: Profile) -> Profile:
    """Return an AFD profile whose steps take the part of their kernels that public runs of the co-located one took."""
    return replace(found, step=fitted_step(found.step, StepTerms(factor=like.public_factor), 1.0))


def mean_context(slices: Slices) -> float:
    """Return the cached tokens that a decoding sequence holds on average over its steps.

    >>> mean_context([(1.0, ((1.0, 100.0, 10.0), (1.0, 300.0, 30.0)))])
    262.5
    """
    atoms = [(rate * weight, prompt, output) for rate, part in slices for weight, prompt, output in part]
    steps = sum(weight * output for weight, _, output in atoms)
    return sum(weight * output * (prompt + output / 2.0) for weight, prompt, output in atoms) / steps
