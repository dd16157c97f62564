"""A law of steps fitted to a server's own runs: only the terms that they can tell apart, held out by configuration.

A run's time between tokens is the mean over its steps. With every step `factor` times the law's time and `constant`
seconds more, it is factor x the law's + constant, whatever the mix of steps; more context or prompt time adds the
law's own part of each. So the terms are found by least squares of the relative errors. The front end is what is left of
the time to the first token where all clients' prompts fit in one step, since waiting for others' prompts is not in the
closed loop; it is the median over such runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.calibration import COVERED, PUBLIC_BAND, Envelope, Range, ServerFit
from fleettui.domain.hardware import StepLaw
from fleettui.domain.validation import MeasuredPoint, ServerKey, State
from fleettui.errors import InputError
from fleettui.hardware.fit import DoesNotFit
from fleettui.hardware.queued_runs import QUEUED, queued
from fleettui.hardware.validation import ClosedLoop, loop_of

Floats = NDArray[np.float64]
TERMS = ("step factor", "step constant", "context slope", "prompt slope")
FACTOR, CONSTANT, CONTEXT, PROMPT = range(len(TERMS))
LEAST_POINTS = 2
CONDITION = 10.0
"""Largest condition number of the terms' scaled columns; with 2 % of noise a factor is then within about 10 %."""
SPARE_RUNS = 2
"""Runs that a slope needs beyond one for each term."""
CONFIRMED = 0.9
"""Share of the held-out error that a slope must leave."""
FEWEST_HELD_OUT, MANY_HELD_OUT = 8, 20
"""Held-out predictions from which their own error alone makes the band, and from which it is the band."""
WIDER = 1.5
"""By what factor it is wider where they are not many: public servers' other runs are further off than that error."""
APART = 0.2
"""How far factors are from 1, and constants from 0 as a share of the law's mean step: one standard deviation."""
NOISE = 0.05
"""Relative error of a run that nothing was told of by others, as that of one run counts."""
SMALLEST_BAND = 0.02
"""Runs of one server repeat within so much."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One run with its loop by the law, and the columns of its two times: law, steps, context part, prompt part."""

    point: MeasuredPoint
    loop: ClosedLoop

    def tpot(self) -> tuple[float, ...]:
        law = self.loop.tpot()
        unread = replace(self.loop, context_share=0.0).tpot()
        return law, 1.0, law - unread, law - self.loop.step(0)

    def ttft(self) -> tuple[float, ...]:
        steps = self.loop.chunks + 0.5
        law = self.loop.ttft()
        unread = replace(self.loop, context_share=0.0).ttft()
        return law, steps, law - unread, law - steps * self.loop.step(0)

    @property
    def lengths(self) -> Range:
        return self.point.prompt_tokens, self.point.output_tokens


Loops = Callable[[MeasuredPoint], tuple[ClosedLoop, State]]
Unfitted = tuple[MeasuredPoint, str]
"""A point that is in no fit, and why."""


def fit_points(
    points: Iterable[MeasuredPoint], step_law: StepLaw, loops: Loops | None = None
) -> tuple[tuple[ServerFit, ...], tuple[Unfitted, ...]]:
    """Return a fit of a law for each server among `points`, sorted, and the points that are in none with why.

    The law is the one of that name as it is shipped, or has the `loops` that are given.
    Raises InputError where no server has LEAST_POINTS usable runs.
    """
    every = tuple(points)
    read, waiting = loops or partial(loop_of, step_law=step_law), queued(every)
    servers: dict[ServerKey, list[_Run]] = {}
    unfitted: list[Unfitted] = []
    for point in every:
        try:
            loop, state = read(point)
        except InputError as refusal:
            why = f"{point.server} does not fit" if isinstance(refusal, DoesNotFit) else refusal.what
            unfitted.append((point, why))
            continue
        if state != "unsaturated":
            unfitted.append((point, f"{state}: not a run of this server below its limits"))
        elif point in waiting:
            unfitted.append((point, QUEUED))
        else:
            servers.setdefault(point.server_key, []).append(_Run(point, loop))
    for key, runs in list(servers.items()):
        if len(runs) < LEAST_POINTS:
            unfitted += [(run.point, f"the only run of {run.point.server}") for run in runs]
            del servers[key]
    if not servers:
        raise InputError(
            "no server has two runs that can be fitted",
            value="; ".join(dict.fromkeys(why for _, why in unfitted)) or None,
            remedy="give at least two runs of one server, best with few and with many clients",
        )
    return tuple(_fit(servers[key]) for key in sorted(servers)), tuple(unfitted)


def predicted(point: MeasuredPoint, fit: ServerFit, step_law: StepLaw) -> tuple[float, float]:
    """Return the seconds between tokens of a run of the fitted server, by the fit and by its law alone."""
    law, steps, context, prompt = _Run(point, loop_of(point, step_law)[0]).tpot()
    more = (fit.context_slope - 1.0) * context + (fit.prompt_slope - 1.0) * prompt
    return fit.factor * (law + more) + fit.constant * steps, law


def _fit(runs: Sequence[_Run]) -> ServerFit:
    columns = np.array([run.tpot() for run in runs])
    measured = np.array([run.point.tpot for run in runs])
    folds = _folds(runs)
    terms, untold = _terms(columns, measured, folds)
    values = _solve(columns, measured, terms)
    errors = np.abs(_held_out(columns, measured, terms, folds))
    front_end, told = _front_end(runs, values)
    band, band_source = _band(errors)
    point = runs[0].point
    factor = float(values[FACTOR])
    return ServerFit(
        gpu=point.gpu,
        model=point.model,
        engine=point.engine,
        dtype=point.dtype,
        kv_dtype=point.kv_dtype,
        expert_parallel=point.expert_parallel,
        attention_dp=point.attention_dp,
        tp=point.tp,
        points=len(runs),
        configurations=len({run.lengths for run in runs}),
        factor=factor,
        constant=float(values[CONSTANT]),
        context_slope=1.0 + float(values[CONTEXT]) / factor,
        prompt_slope=1.0 + float(values[PROMPT]) / factor,
        front_end=front_end,
        band=band,
        band_source=band_source,
        covered=COVERED,
        held_out=len(errors),
        uncalibrated=float(np.mean(np.abs(columns[:, FACTOR] / measured - 1.0))),
        untold=(*untold, *told),
        envelope=_envelope([run.point for run in runs]),
    )


def _folds(runs: Sequence[_Run]) -> tuple[NDArray[np.bool_], ...]:
    """Return what is held out together: each pair of lengths, or each run where there are fewer than three pairs."""
    lengths = [run.lengths for run in runs]
    groups = sorted(set(lengths))
    if len(groups) < 3:
        return tuple(np.arange(len(runs)) == at for at in range(len(runs)))
    return tuple(np.array([one == group for one in lengths]) for group in groups)


def _terms(columns: Floats, measured: Floats, folds: Sequence[NDArray[np.bool_]]) -> tuple[list[int], tuple[str, ...]]:
    """Return the terms that the runs can tell apart, and why the others are held."""
    terms, untold = [FACTOR], []
    for term in (CONSTANT, CONTEXT, PROMPT):
        why = _untold(term, terms, columns, measured, folds)
        if why is None:
            terms.append(term)
        else:
            untold.append(f"{TERMS[term]}: {why}; held at {'0' if term == CONSTANT else '1'}")
    return terms, tuple(untold)


def _untold(
    term: int, terms: Sequence[int], columns: Floats, measured: Floats, folds: Sequence[NDArray[np.bool_]]
) -> str | None:
    """Return why a term cannot be told beside `terms`, None where it can."""
    trial = [*terms, term]
    spare = 0 if term == CONSTANT else SPARE_RUNS
    if len(measured) < len(trial) + spare:
        return f"takes {len(trial) + spare} runs"
    condition = _condition(columns[:, trial] / measured[:, None])
    if condition > CONDITION:
        others = " and ".join(TERMS[one] for one in terms)
        return f"these runs cannot tell it from {others}, they are too alike (condition {condition:.0f})"
    values = _solve(columns, measured, trial)
    if np.any(columns @ values <= 0) or values[FACTOR] <= 0 or np.any(values[[CONTEXT, PROMPT]] < -values[FACTOR]):
        return "with it the best fit is no server that could be"
    without = _held_out(columns, measured, terms, folds)
    with_it = _held_out(columns, measured, trial, folds)
    share = 1.0 if term == CONSTANT else CONFIRMED
    if len(with_it) == len(without) and _mean_square(with_it) >= share**2 * _mean_square(without):
        return "runs that are held out do not confirm it"
    return None


def _condition(weighted: Floats) -> float:
    lengths = np.linalg.norm(weighted, axis=0)
    if np.any(lengths == 0):
        return math.inf
    return float(np.linalg.cond(weighted / lengths))


def _solve(columns: Floats, measured: Floats, terms: Sequence[int]) -> Floats:
    """Return the values of all terms, those not in `terms` 0, by least squares of the relative errors.

    Factor and constant are drawn towards the law by as much as the runs scatter about the fit that is not.
    """
    own = list(terms)
    weighted, ones = columns[:, own] / measured[:, None], np.ones(len(measured))
    plain = np.linalg.lstsq(weighted, ones, rcond=None)[0]
    spare = len(measured) - len(own)
    scatter = math.sqrt((NOISE**2 + float(np.sum((weighted @ plain - 1.0) ** 2))) / (1 + spare))
    drawn = np.zeros((2, len(TERMS)))
    drawn[0, FACTOR], drawn[1, CONSTANT] = 1.0, 1.0 / float(np.mean(columns[:, FACTOR]))
    towards = scatter / APART * drawn[:, own]
    values = np.zeros(len(TERMS))
    rows, wanted = np.vstack((weighted, towards)), np.concatenate((ones, (scatter / APART, 0.0)))
    values[own] = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    return values


def _held_out(columns: Floats, measured: Floats, terms: Sequence[int], folds: Sequence[NDArray[np.bool_]]) -> Floats:
    """Return the relative errors of runs that were held out in turn; none where too few would be left to fit."""
    if len(measured) - max(int(fold.sum()) for fold in folds) < len(terms):
        return np.empty(0)
    errors = []
    for fold in folds:
        values = _solve(columns[~fold], measured[~fold], terms)
        errors.append(columns[fold] @ values / measured[fold] - 1.0)
    return np.concatenate(errors)


def _mean_square(errors: Floats) -> float:
    return float(np.mean(errors**2)) if len(errors) else math.inf


def _band(errors: Floats) -> tuple[float, Literal["held-out", "public"]]:
    """Return the relative error that COVERED of the next predictions keep, and whose predictions say so.

    That of those held out is a split conformal one; of fewer than FEWEST_HELD_OUT it is no less than PUBLIC_BAND.
    """
    rank = min(len(errors), math.ceil((len(errors) + 1) * COVERED))
    wider = WIDER if len(errors) < MANY_HELD_OUT else 1.0
    own = max(SMALLEST_BAND, wider * float(np.sort(errors)[rank - 1]) if rank else 0.0)
    if len(errors) < FEWEST_HELD_OUT and own < PUBLIC_BAND:
        return PUBLIC_BAND, "public"
    return own, "held-out"


def _front_end(runs: Sequence[_Run], values: Floats) -> tuple[float | None, tuple[str, ...]]:
    """Return the seconds before a request's first step, None where every run has others' prompts before it."""
    alone = [run for run in runs if run.point.concurrency * run.point.prompt_tokens <= run.loop.token_budget]
    if not alone:
        budget = runs[0].loop.token_budget
        return None, (f"front end: takes a run whose clients' prompts all fit in one step of {budget:,} tokens",)
    left = [run.point.ttft - float(np.dot(run.ttft(), values)) for run in alone]
    return max(0.0, float(np.median(left))), ()


def _envelope(points: Sequence[MeasuredPoint]) -> Envelope:
    def span(values: Iterable[int]) -> Range:
        found = sorted(values)
        return found[0], found[-1]

    return Envelope(
        clients=span(one.concurrency for one in points),
        prompt_tokens=span(one.prompt_tokens for one in points),
        output_tokens=span(one.output_tokens for one in points),
        context_tokens=span(one.prompt_tokens + one.output_tokens for one in points),
    )
