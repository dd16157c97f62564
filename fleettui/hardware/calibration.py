"""A law of steps fitted to a server's own runs: only the terms that they can tell apart, held out by configuration.

A run's time between tokens is the mean over its steps. With every step `factor` times the law's time and `constant`
seconds more, it is factor x the law's + constant, whatever the mix of steps; more context or prompt time adds the
law's own part of each. So the terms are found by least squares of the relative errors. What a law says of a run is
asked of the engine that plays it (`fleettui.simulation.played_law`), as validations and proofs ask it, or of formulas,
whose loops have other clients' prompts in the time between tokens but not in TTFT. The front end is what TTFT leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.calibration import COVERED, PUBLIC_BAND, TTFT_NOISE, Envelope, Range, ServerFit, StepTerms
from fleettui.domain.hardware import StepLaw
from fleettui.domain.server import ServerKey
from fleettui.domain.validation import MeasuredPoint, State
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.fit import DoesNotFit
from fleettui.hardware.queued_runs import QUEUED, queued
from fleettui.hardware.validation import ClosedLoop, engine_of, loop_of

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
LEAST_FRONT = 5e-3
"""Seconds in front of the steps that nobody knows better than so: others may have as much more, or nothing."""
SMALLEST_BAND = 0.02
"""Runs of one server repeat within so much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLaw:
    """What a law says of one run: the columns of its time between tokens, and its TTFT by terms.

    The columns are the law's time, what a second more for each step adds, and what more context and more time for
    prompts add, each as a multiple of the law's. TTFT is without a front end, None where the law cannot say what waits
    before it.
    """

    tpot: tuple[float, float, float, float]
    ttft: Callable[[StepTerms], float] | None


@dataclass(frozen=True, slots=True)
class _Run:
    """One run with what the law says of it."""

    point: MeasuredPoint
    law: RunLaw

    @property
    def lengths(self) -> Range:
        return self.point.prompt_tokens, self.point.output_tokens


Laws = Callable[[MeasuredPoint], tuple[State, Callable[[], RunLaw]]]
"""Whether a run counts, and what a law says of it; raises InputError where its server does not fit."""
Unfitted = tuple[MeasuredPoint, str]
"""A point that is in no fit, and why."""


def by_formula(step_law: StepLaw) -> Laws:
    """Return what a law says of runs by the formulas of their closed loop."""

    def read(point: MeasuredPoint) -> tuple[State, Callable[[], RunLaw]]:
        loop, state = loop_of(point, step_law)
        return state, partial(_of_loop, loop)

    return read


def _of_loop(loop: ClosedLoop) -> RunLaw:
    """Return what a closed loop's formulas say: of TTFT, where all clients' prompts fit in one step."""
    unread, steps, plain = replace(loop, context_share=0.0), loop.chunks + 0.5, loop.step(0)
    tpot, ttft = loop.tpot(), loop.ttft()
    waits = np.array((ttft, steps, ttft - unread.ttft(), ttft - steps * plain))
    fits = loop.clients * loop.prompt_tokens <= loop.token_budget
    return RunLaw(
        tpot=(tpot, 1.0, tpot - unread.tpot(), tpot - plain),
        ttft=(lambda terms: float(waits @ _values(terms))) if fits else None,
    )


def _values(terms: StepTerms) -> Floats:
    """Return the values of the columns that terms are."""
    slopes = terms.factor * (terms.context_slope - 1.0), terms.factor * (terms.prompt_slope - 1.0)
    return np.array((terms.factor, terms.constant, *slopes))


def fit_points(
    points: Iterable[MeasuredPoint], laws: Laws, in_front: Callable[[MeasuredPoint], float] | None = None
) -> tuple[tuple[ServerFit, ...], tuple[Unfitted, ...]]:
    """Return a fit of a law for each server among `points`, sorted, and the points that are in none with why.

    `in_front` are the seconds of a request in front of the steps of a server that nobody measured, else the engine's.
    Raises InputError where no server has LEAST_POINTS usable runs.
    """
    every = tuple(points)
    waiting = queued(every)
    servers: dict[ServerKey, list[_Run]] = {}
    unfitted: list[Unfitted] = []
    for point in every:
        try:
            state, law = laws(point)
        except InputError as refusal:
            why = f"{point.server} does not fit" if isinstance(refusal, DoesNotFit) else refusal.what
            unfitted.append((point, why))
            continue
        if state != "unsaturated":
            unfitted.append((point, f"{state}: not a run of this server below its limits"))
        elif point in waiting:
            unfitted.append((point, QUEUED))
        else:
            servers.setdefault(point.server_key, []).append(_Run(point, law()))
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
    known = in_front or _engines_own
    return tuple(_fit(runs, known(runs[0].point)) for _, runs in sorted(servers.items())), tuple(unfitted)


def _engines_own(point: MeasuredPoint) -> float:
    return engine_of(point).front_end.request


def predicted(law: RunLaw, fit: ServerFit) -> float:
    """Return the seconds between tokens of a run of the fitted server."""
    return float(np.array(law.tpot) @ _values(fit.terms))


def _fit(runs: Sequence[_Run], in_front: float) -> ServerFit:
    columns = np.array([run.law.tpot for run in runs])
    measured = np.array([run.point.tpot for run in runs])
    folds = _folds(runs)
    chosen, untold = _terms(columns, measured, folds)
    terms = _as_terms(_solve(columns, measured, chosen))
    errors = np.abs(_held_out(columns, measured, chosen, folds))
    front_end, told = _front_end(runs, terms, in_front)
    band, band_source = _band(errors)
    point = runs[0].point
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
        factor=terms.factor,
        constant=terms.constant,
        context_slope=terms.context_slope,
        prompt_slope=terms.prompt_slope,
        front_end=front_end,
        band=band,
        band_source=band_source,
        covered=COVERED,
        held_out=len(errors),
        uncalibrated=float(np.mean(np.abs(columns[:, FACTOR] / measured - 1.0))),
        untold=(*untold, *told),
        envelope=_envelope([run.point for run in runs]),
        ttft_gap=_ttft_gap(runs, terms, in_front if front_end is None else front_end),
    )


def _ttft_gap(runs: Sequence[_Run], terms: StepTerms, front_end: float) -> float | None:
    """Return by which share the median run's TTFT is above that by the fit, None where the law predicts none."""
    said = [run.point.ttft / (run.law.ttft(terms) + front_end) for run in runs if run.law.ttft is not None]
    return float(np.median(said)) - 1.0 if said else None


def _as_terms(values: Floats) -> StepTerms:
    factor, constant, context, prompt = map(float, values)
    return StepTerms(
        factor=factor, constant=constant, context_slope=1.0 + context / factor, prompt_slope=1.0 + prompt / factor
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
    beside = sorted({*terms, CONSTANT} - {term})
    condition = _condition(columns[:, [*beside, term]] / measured[:, None])
    if condition > CONDITION:
        others = " and ".join(TERMS[one] for one in beside)
        alike = f"these runs cannot tell it from {others}, they are too alike"
        return f"{alike}: runs of other lengths, or with other clients, would"
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


def _front_end(runs: Sequence[_Run], terms: StepTerms, in_front: float) -> tuple[float | None, tuple[str, ...]]:
    """Return the seconds before a request's first step, None with why where the runs cannot tell.

    It is the mean of what the terms leave of each TTFT, the less that is beside the whole the less it counts. It is
    drawn towards what is `in_front` of servers that nobody measured, as factor and constant are towards the law.
    """
    said = [(run.point.ttft, run.law.ttft(terms)) for run in runs if run.law.ttft is not None]
    if not said:
        point = runs[0].point
        budget = engine_of(point).settings_on(catalog.gpu(point.gpu)).settings.token_budget
        return None, (f"front end: takes a run whose clients' prompts all fit in one step of {budget:,} tokens",)
    ttft, steps = np.array(said).T
    left = ttft - steps
    scatter = (TTFT_NOISE**2 + np.sum(((left - np.median(left)) / ttft) ** 2)) / len(left)
    sure, drawn = 1.0 / (scatter * ttft**2), 1.0 / max(in_front, LEAST_FRONT) ** 2
    if np.sum(sure) < drawn:
        return None, ("front end: takes runs with a shorter TTFT, in these it is lost; held at the engine's",)
    return max(0.0, float((sure @ left + drawn * in_front) / (np.sum(sure) + drawn))), ()


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
