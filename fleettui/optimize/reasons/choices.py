"""For a question that nothing answers: other choices of hardware, precision or context that would make it feasible."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.plan import Candidate
from fleettui.domain.remedy import BY_FORMULA, USUAL_GPUS, usual_gpus_would_do
from fleettui.domain.scenario import EVERY_GPU, Question
from fleettui.optimize.reasons.inputs import Ground, words
from fleettui.scheduling import SCHEDULERS

CONTEXT_STEP = 256
"""Tokens between the contexts that are tried, as a default context is rounded."""
MOST_LEFT_OUT = 0.1
"""A context that leaves out a larger share of the requests answers another question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One option set otherwise ("--tp auto"), and the fleet that then answers; None where none does.

    `left_out` is the share of the requests that it does not serve.
    """

    option: str
    now: str
    question: Question
    candidate: Candidate | None
    left_out: float = 0.0


def usual_gpus(question: Question) -> Change | None:
    """Return the choice of no GPUs by a question that names some, nothing answered yet; None where it names none."""
    if not question.gpus or EVERY_GPU in question.gpus:
        return None
    now = ",".join(question.gpus)
    return Change(option=USUAL_GPUS, now=now, question=replace(question, gpus=()), candidate=None)


def changes(ground: Ground, context: int) -> tuple[Change, ...]:
    """Return what each choice that the question makes, made freely, comes to; `context` is what the fleet serves.

    What the kept plan tells of the usual GPUs, which it simulated where it could, is not told anew by formula.
    """
    question, told = ground.question, of_usual_gpus(ground.kept.why)
    found = [
        Change(option=option, now=now, question=asked, candidate=ground.unrefuted(asked))
        for option, now, asked in _freed(question)
        if not (told and option == USUAL_GPUS)
    ]
    shorter = _shorter(ground, context)
    return (*found, *([] if shorter is None else [shorter]))


def of_usual_gpus(why: Iterable[str]) -> tuple[str, ...]:
    """Return what a plan tells of the usual GPUs among its reasons."""
    return tuple(one for one in why if one.startswith(USUAL_GPUS))


def _freed(question: Question) -> Iterable[tuple[str, str, Question]]:
    if question.tp:
        yield "--tp auto", f"--tp {','.join(map(str, question.tp))}", replace(question, tp=())
    if question.pp != (1,):
        yield "--pp 1", f"--pp {','.join(map(str, question.pp))}", replace(question, pp=(1,))
    if question.dtype == "bf16":
        yield "--dtype fp8", "--dtype bf16", replace(question, dtype="fp8")
    if question.kv_dtype != "fp8":
        yield "--kv-dtype fp8", f"--kv-dtype {question.kv_dtype or 'engine'}", replace(question, kv_dtype="fp8")
    if (usual := usual_gpus(question)) is not None:
        yield usual.option, usual.now, usual.question
    if question.admission != SCHEDULERS.default.name:
        yield (
            f"--admission {SCHEDULERS.default.name}",
            f"--admission {question.admission}",
            replace(question, admission=SCHEDULERS.default.name),
        )


def _shorter(ground: Ground, context: int) -> Change | None:
    """Return the largest context, in steps, with which the rest can be served, longer requests left out.

    None where all of them leave out more than MOST_LEFT_OUT of the requests, or that does not help either.
    """
    high = -(-context // CONTEXT_STEP)

    def at(steps: int) -> Question:
        question = replace(ground.question, context=steps * CONTEXT_STEP, drop_longer=True)
        splits = tuple(split for split in question.splits if split < steps * CONTEXT_STEP)
        most = len(splits) + 1 if question.splits else max(question.pools)
        return replace(question, splits=splits, pools=tuple(sorted({min(count, most) for count in question.pools})))

    low = bisect_left(range(1, high), True, key=lambda steps: ground.drop(at(steps)) <= MOST_LEFT_OUT) + 1
    best = ground.unrefuted(at(low)) if low < high else None
    if best is None:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        candidate = ground.unrefuted(at(middle))
        low, high, best = (low, middle, best) if candidate is None else (middle, high, candidate)
    return Change(
        option=f"--context {low * CONTEXT_STEP} --drop-longer",
        now=f"context {context}",
        question=at(low),
        candidate=best,
        left_out=ground.drop(at(low)),
    )


def sentences(found: Sequence[Change]) -> tuple[str, ...]:
    """Return, per choice, whether it would do and with which fleet."""
    said = []
    for one in found:
        if one.option == USUAL_GPUS:
            said.append(usual_gpus_would_do(one.now.split(","), one.candidate))
        elif one.candidate is None:
            said.append(f"{one.option} instead of {one.now} alone does not help")
        else:
            fleet = f"{words(one.candidate)}, ${one.candidate.cost_per_hour:.2f}/h"
            less = f", which leaves out {one.left_out:.2%} of the requests," if one.left_out else ""
            said.append(f"{one.option} instead of {one.now}{less} alone would do, {BY_FORMULA}: {fleet}")
    return tuple(said)
