"""A profile whose steps, front end and band are those of a fit to its own server's runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.calibration import Calibration, ServerFit, StepTerms
from fleettui.domain.hardware import Citation, Confidence, Profile, StepCost, StepTable
from fleettui.domain.uncertain import error_of
from fleettui.errors import InputError
from fleettui.hardware.step_cost import step_time, touched_share
from fleettui.hardware.table_cost import straight

FULL = 0.98
"""Share of its blocks that a cache counted as full holds."""
SEQUENCES_IN_FULL = 64
"""Sequences that share a full cache."""


def fitted(profile: Profile, fit: Calibration, *, engine: str, front_end: float | None) -> Profile:
    """Return `profile`, of a server under `engine`, as `fit` knows it; as it is where the fit does not.

    A `front_end` that was given, seconds a request, stays. Raises InputError for a fit by which the hardware would do
    more than it can, and for one whose band has no slower end.
    """
    own = fit.of(profile, engine)
    if own is None:
        return profile
    step = usable_step(profile, own, fit.name)
    band = own.step_factors
    in_front = own.front_end if front_end is None else None
    return replace(
        profile,
        step=step,
        front_end=profile.front_end if in_front is None else in_front,
        band=band,
        model_error=error_of(band),
        evidence=fit.words,
        citations=_citations(profile, fit, own, has_front_end=in_front is not None),
    )


def usable_step(profile: Profile, own: ServerFit, name: str) -> StepCost | StepTable:
    """Return the step of a server's profile as its fit, part of the one called `name`, knows it.

    Raises InputError for a fit by which the hardware would do more than it can, and for one whose band has no slower
    end: plans take no such fit.
    """
    step = fitted_step(profile.step, own.terms, own.envelope.clients[1])
    _check_possible(replace(profile, step=step), own, name)
    own.check_certain()
    return step


def fitted_step(step: StepCost | StepTable, terms: StepTerms, clients: float) -> StepCost | StepTable:
    """Return a step with the `terms` of what up to so many `clients` showed.

    The context's slope is exact. The prompts' is exact for attention; of the matrices' time it multiplies what tokens
    add beyond as many as there were clients, by the roofline all of it.
    """
    factor, context, prompt = terms.factor, terms.factor * terms.context_slope, terms.factor * terms.prompt_slope
    overhead = factor * step.overhead + terms.constant
    if isinstance(step, StepCost):
        return replace(
            step,
            overhead=overhead,
            weight_time=factor * step.weight_time,
            expert_time=factor * step.expert_time,
            linear_time=prompt * step.linear_time,
            all_reduce_time=factor * step.all_reduce_time,
            context_time=context * step.context_time,
            attention_time=prompt * step.attention_time,
            sequence_time=factor * step.sequence_time,
        )
    tokens, linear = _linear(step, step.linear, terms, clients)
    _, alone = _linear(step, step.alone, terms, clients) if step.alone else ((), ())
    return replace(
        step,
        overhead=overhead,
        tokens=tokens,
        linear=linear,
        gathered=_gathered(step, tokens, linear),
        alone=alone,
        fixed=tuple(factor * one for one in step.fixed),
        slope=tuple(context * one for one in step.slope),
        attention=tuple(prompt * one for one in step.attention),
        prompt_floor=prompt * step.prompt_floor,
        prompt_least=prompt * step.prompt_least,
        prompt_extra=prompt * step.prompt_extra,
        parts=tuple(replace(one, decode=factor * one.decode, prompt=factor * one.prompt) for one in step.parts),
    )


def _check_possible(profile: Profile, own: ServerFit, name: str) -> None:
    """Raise InputError where a step of one token, of a full cache, or of prompts alone takes less than its hardware."""
    cached, prompts = FULL * profile.block_size * profile.kv_blocks, profile.settings.token_budget
    read = float(touched_share(profile.step, 1)) * profile.bytes_per_step / profile.bandwidth
    rows = (
        ("one token", step_time(profile.step, decodes=1, context_tokens=0), read),
        (
            "a full cache",
            step_time(profile.step, decodes=SEQUENCES_IN_FULL, context_tokens=cached),
            read + cached * profile.kv_bytes_per_token / profile.bandwidth,
        ),
        (
            "prompts",
            step_time(profile.step, decodes=0, context_tokens=0, prompt_tokens=prompts),
            prompts * profile.flops_per_token / profile.peak,
        ),
    )
    for what, seconds, possible in rows:
        if float(seconds) < possible:
            raise InputError(
                f"by the fit {name} a step of {what} is faster than its hardware can be",
                value=f"{float(seconds) * 1e3:.3g} ms, at least {possible * 1e3:.3g} for {own.server}",
                remedy="check the GPU, precision and parallelism of its runs; or fit to more of them",
            )


def _linear(
    step: StepTable, seconds: tuple[float, ...], terms: StepTerms, clients: float
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the points of all but attention, in tokens and `seconds`, the prompts' slope beyond the most clients."""
    if terms.prompt_slope == 1.0:
        return step.tokens, tuple(terms.factor * one for one in seconds)
    most = min(max(float(clients), step.tokens[0]), step.tokens[-1])
    tokens = np.array(sorted({*step.tokens, most}))
    plain, start = straight(tokens, step.tokens, seconds), straight(np.array(most), step.tokens, seconds)
    bent = np.where(tokens > most, start + terms.prompt_slope * (plain - start), plain)
    return tuple(tokens.tolist()), tuple((terms.factor * bent).tolist())


def _gathered(step: StepTable, tokens: Sequence[float], linear: Sequence[float]) -> tuple[float, ...]:
    """Return the part of all but attention that works for all GPUs: as large a part as it was."""
    if not step.gathered:
        return ()
    part = straight(np.array(tokens), step.tokens, np.array(step.gathered) / np.array(step.linear))
    return tuple((np.clip(part, 0.0, 1.0) * np.array(linear)).tolist())


def _citations(profile: Profile, fit: Calibration, own: ServerFit, *, has_front_end: bool) -> tuple[Citation, ...]:
    """Return the sources of a profile, those of what the fit says in place of the catalogue's."""
    replaced = {"band", *(("engine.front_end",) if has_front_end else ())}
    files = "; ".join(f"{one.path}, sha256 {one.short_digest}" for one in fit.sources)
    source = f"{fit.words}: {fit.counted(own)} of {own.server} ({files})"
    confidence: Confidence = "high" if own.band_source == "held-out" else "medium"
    kept = tuple(one for one in profile.citations if one.field not in replaced)
    return (
        *kept,
        *(Citation(field=field, source=source, confidence=confidence) for field in ("step", *sorted(replaced))),
    )
