"""What drafts tokens for a model: its own layer for multi-token prediction, or a smaller model of the same vocabulary.

A step with drafts verifies them first, d + 1 tokens of each sequence in one pass. The drafter then goes over all tokens
of that step, prompts too, which makes its first draft, and d − 1 times over one token of each sequence for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.hardware import Citation, Model, StepPart, StepTable
from fleettui.domain.speculation import MTP, Speculation
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.step_cost import step_time
from fleettui.hardware.table_cost import decode_time, straight
from fleettui.hardware.weights import always_read

WHERE = "--speculative"
OPERATOR = "drafts"
SHOWN = (1, 8, 32, 128, 512)
MOST = 2048
"""Sequences at once that are told of, and up to which it is looked for where drafts cost more than they bring."""
CITATION = Citation(
    field="speculation",
    source=(
        "acceptance as given; kernels of all drafted tokens for matrices, their queries beside those of a sequence for "
        "attention: no run of a server with drafts was held to it"
    ),
    confidence="low",
)


def drafter_of(model: Model, said: Speculation) -> Model:
    """Return the drafter of `model` as a model of its own.

    Raises InputError where it has no such layer, and for a drafter that is no smaller or has other tokens.
    """
    if said.drafter == MTP:
        if not model.mtp_layers:
            raise InputError(
                f"{model.name} is not known to have a layer for multi-token prediction",
                where=WHERE,
                value=said.text,
                accepted=f"mtp with {', '.join(one.name for one in catalog.models() if one.mtp_layers)}",
                remedy="draft with a smaller model of the same vocabulary: llama-3.1-8b:4@65%",
            )
        return _own_layer(model)
    found = catalog.model(said.drafter)
    if found.shape.vocabulary != model.shape.vocabulary:
        raise InputError(
            f"{found.name} has other tokens than {model.name}",
            where=WHERE,
            value=f"{found.shape.vocabulary:,} against {model.shape.vocabulary:,}",
            accepted="a drafter of the same vocabulary",
        )
    if found.active_parameters >= model.active_parameters:
        raise InputError(f"{found.name} drafts no faster than {model.name} itself", where=WHERE, value=said.text)
    return found


def _own_layer(model: Model) -> Model:
    """Return one of a model's layers behind its own head, with the projection of two states into one before it.

    It is like the others on average, with all experts of one. Embedding and head are the model's.
    """
    head = float(model.shape.vocabulary * model.hidden)
    sparse = model.layers - model.shape.dense_layers
    expert = model.expert_parameters / sparse if model.experts else 0.0
    always = (always_read(model) - head) / model.layers + 2.0 * model.hidden**2
    return replace(
        model,
        name=f"{model.name} {MTP}",
        parameters=always + model.experts * expert,
        active_parameters=always + head + model.experts_per_token * expert,
        layers=1,
        expert_parameters=expert,
        windowed_layers=0,
        recurrent_layers=0,
        state_bytes=0.0,
        shape=replace(model.shape, dense_layers=0 if model.experts else 1),
    )


def with_drafts(step: StepTable, own: StepTable, said: Speculation, drafter: Model) -> StepTable:
    """Return a step that verifies with the drafter's passes in it; `own` are its steps, at the same points."""
    first, later = np.array(own.linear), straight(np.array(step.sequences), own.tokens, own.linear)
    fixed = said.drafts * np.array(own.fixed) + (said.drafts - 1) * later
    return replace(
        step,
        overhead=step.overhead + said.drafts * own.overhead,
        linear=_sum(step.linear, first),
        fixed=_sum(step.fixed, fixed),
        slope=_sum(step.slope, said.drafts * np.array(own.slope)),
        attention=_sum(step.attention, np.array(own.attention)),
        prompt_floor=step.prompt_floor + own.prompt_floor,
        prompt_least=step.prompt_least + own.prompt_least,
        prompt_extra=step.prompt_extra + own.prompt_extra,
        parts=(*step.parts, _part(step, own, said, drafter)),
    )


def payoff(step: StepTable, plain: StepTable, said: Speculation) -> tuple[str, ...]:
    """Return what drafts come to beside the `plain` step, at sequences of `shown_tokens`.

    Those are the tokens by batch, and where drafts cost more than they bring. Tokens a second are c·t(n)/t'(n) times as
    many, with n sequences in a step of t seconds without and t' with drafts.
    """
    gain = gains(step, plain, said, SHOWN)
    told = ", ".join(f"{one:.2g}x at {count}" for count, one in zip(SHOWN, gain, strict=True))
    end = _where_lost(gains(step, plain, said, range(1, MOST + 1)))
    return (
        f"{said.committed:.3g} tokens a step, of {said.width} that it computes for each sequence",
        f"tokens a second by batch, sequences of {step.shown_tokens:,} tokens: {told}; {end}",
    )


def _where_lost(gain: Sequence[float]) -> str:
    """Return at which batches, from 1 on, drafts pay: with experts the gain may fall below 1 and rise again."""
    lost = {count for count, one in enumerate(gain, 1) if one < 1.0}
    begins = sorted(one for one in lost if one - 1 not in lost)
    spans = [(one, next(end for end in range(one, MOST + 1) if end + 1 not in lost)) for one in begins]
    if not spans:
        return f"they pay at every batch up to {MOST:,}"
    if spans == [(1, MOST)]:
        return "they cost more than they bring at any batch"
    if len(spans) == 1 and spans[0][1] == MOST:
        return f"they pay up to a batch of {spans[0][0] - 1}"
    told = [f"from {low} on" if high == MOST else f"{low} to {high}" for low, high in spans]
    return f"they cost more than they bring at batches {', '.join(told)}"


def gains(step: StepTable, plain: StepTable, said: Speculation, counts: Iterable[int]) -> list[float]:
    """Return how many times the tokens a second come with drafts, at so many sequences of `shown_tokens` each."""
    held = np.array(list(counts), np.float64)
    with_them, without = (
        step_time(one, decodes=held, context_tokens=held * step.shown_tokens) for one in (step, plain)
    )
    found: list[float] = (said.committed * without / with_them).tolist()
    return found


def _part(step: StepTable, own: StepTable, said: Speculation, drafter: Model) -> StepPart:
    count, length = np.array(float(step.shown_sequences)), float(step.shown_tokens)
    points, seconds = own.tokens, own.linear
    decode = said.drafts * (own.overhead + decode_time(own, count, count * length))
    decode = decode + straight(count * said.width, points, seconds)
    decode = decode + (said.drafts - 1) * straight(count, points, seconds)
    prompt = straight(np.array(length), points, seconds) + own.prompt_floor
    prompt = prompt + straight(np.array(length**2 / 2.0), own.pairs, own.attention)
    return StepPart(
        operator=OPERATOR, decode=float(decode), prompt=float(prompt), evidence=f"{said.drafts} by {drafter.name}"
    )


def _sum(one: tuple[float, ...], other: np.ndarray) -> tuple[float, ...]:
    return tuple((np.array(one) + other).tolist())
