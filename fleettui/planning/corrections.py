"""The correction that a backtest finds, kept as a fit by which later plans time the steps of that hardware."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from statistics import fmean

from fleettui.domain.backtest import MOVED_TERMS, Fit, Row
from fleettui.domain.calibration import (
    BACKTEST,
    COVERED,
    PUBLIC_BAND,
    Calibration,
    Envelope,
    OperatingPoint,
    Range,
    ServerFit,
    Source,
    StepTerms,
)
from fleettui.domain.fleet import Pool
from fleettui.domain.hardware import Profile
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.domain.seen_load import SeenLoad
from fleettui.domain.serialization import dumps
from fleettui.domain.uncertain import Factors
from fleettui.reports.backtest.finding import Backtest

WITH_WAITS = ("ttft", "e2e")
"""Latencies that have waits behind other requests in them."""
VARIED = 1.25
"""Factor by which a load in production is taken to range above and below its mean."""


def hindrance(found: Backtest) -> str:
    """Return why nothing of a backtest can be kept as a fit, empty where something can."""
    fit = found.chosen
    if len(found.rows) == 1:
        return "one figure does not tell what steps take"
    if found.agrees:
        return ""
    if fit is None:
        return "no one constant is the correction"
    if fit.constant not in MOVED_TERMS:
        return f"a fit holds step times, and {fit.constant} is none"
    if fit.bounded:
        return f"x{fit.factor.value:.3g} is the end of what was tried"
    return ""


def corrected(
    found: Backtest,
    question: Question,
    points: Sequence[OperatingPoint],
    name: str,
    profiles: Sequence[Profile] = (),
    *,
    slices: int = 1,
) -> Calibration:
    """Return the fit called `name` of the backtest's correction to every kind of hardware of its fleet.

    Where the prediction holds nothing is corrected, and the fit knows the load that was seen.

    `points` are those of the pools as predicted; what ran at once is that of the figures. What a fit of the `question`
    says already is in it, or what public runs said of a pool's profile, among `profiles`, where no fit does. Of a
    workload of several `slices` no load is known as seen.
    """
    fit = found.chosen
    assert fit is not None or found.agrees, "something is to be corrected, or all agrees"
    servers: dict[ReplicaKey, list[tuple[Pool, OperatingPoint]]] = {}
    for pool, point in zip(found.fleet.fleet.pools, points, strict=True):
        as_seen = replace(point, sequences=point.sequences * _more_at_once(found.rows))
        servers.setdefault(pool.replica_key, []).append((pool, as_seen))
    seen = slices == 1 and not question.prefix_cache
    before = () if question.fit is None else question.fit.sources
    known = {profile.replica_key: profile for profile in profiles}
    source = Source(
        path=found.asked,
        digest=sha256(dumps((found.asked, found.rows, fit)).encode()).hexdigest(),
        format=BACKTEST,
        points=len(found.rows),
    )
    return Calibration(
        name=name,
        step_law=question.step_law,
        servers=tuple(
            _server(fit, found.rows, question, own, known.get(key), seen=seen) for key, own in servers.items()
        ),
        sources=(*before, source),
        skipped=(),
    )


def _more_at_once(rows: Sequence[Row]) -> float:
    """Return how many times the requests at once that were predicted were seen.

    Where nobody counted them it is how many times as long they took, by Little's law; 1 where that is not known.
    """
    ratios = {_metric(row): row.seen.value / row.predicted.value for row in rows if row.predicted.value > 0.0}
    return next((ratios[metric] for metric in ("running", "e2e", "tpot") if metric in ratios), 1.0)


def _metric(row: Row) -> str:
    """Return what a figure is of; one that a kept study tells bears its percentile in its name."""
    return row.figure.metric.partition(".")[0]


def _server(
    fit: Fit | None,
    rows: Sequence[Row],
    question: Question,
    own: Sequence[tuple[Pool, OperatingPoint]],
    profile: Profile | None,
    *,
    seen: bool,
) -> ServerFit:
    pool, points = own[0][0], [point for _, point in own]
    before = question.fit_of(pool)
    public = StepTerms() if profile is None else StepTerms(factor=profile.public_factor)
    known = public if before is None else before.terms
    moved = StepTerms() if fit is None else MOVED_TERMS[fit.constant](fit.factor.value)
    terms, open_still = _after(known, moved), _open(fit, rows)
    corrected = "what was seen at its load" if fit is None else fit.constant
    return ServerFit(
        gpu=pool.gpu,
        model=pool.model,
        engine=question.engine,
        dtype=pool.dtype,
        kv_dtype=pool.kv_dtype,
        expert_parallel=pool.expert_parallel,
        tp=pool.tp,
        pp=pool.pp,
        attention_dp=pool.attention_dp,
        layout=pool.layout,
        points=len(rows),
        configurations=len(own),
        factor=terms.factor,
        constant=terms.constant,
        context_slope=terms.context_slope,
        prompt_slope=terms.prompt_slope,
        front_end=None if before is None else before.front_end,
        band=max(PUBLIC_BAND, open_still),
        band_source="public",
        covered=COVERED,
        held_out=0,
        uncalibrated=fmean(abs(row.predicted.value / row.seen.value - 1.0) for row in rows),
        untold=(f"all but {corrected}: a backtest moves one constant at a time",),
        envelope=_envelope(points),
        seen=tuple(_seen(one, point, question, rows, open_still) for one, point in own) if seen else (),
        unfitted=_unfitted(profile) if before is None else before.unfitted,
    )


def _unfitted(profile: Profile | None) -> Factors | None:
    """Return what step times may be of those predicted by no fit, None where nothing says so."""
    return None if profile is None else profile.step_factors


def _open(fit: Fit | None, rows: Sequence[Row]) -> float:
    """Return which share of step times the figures leave open: that of a correction, or of all that agree with none."""
    if fit is not None:
        return fit.factor.high / fit.factor.value - 1.0
    return max(abs(row.gap) + row.seen.high / row.seen.value - 1.0 for row in rows)


def _seen(pool: Pool, point: OperatingPoint, question: Question, rows: Sequence[Row], band: float) -> SeenLoad:
    """Return the load that a pool was seen at, which leaves a share `band` of its step times open."""
    return SeenLoad(
        rate=point.rate,
        prompt_tokens=point.prompt_tokens,
        output_tokens=point.output_tokens,
        prefix_hit=question.prefix_hit,
        settings=pool.settings,
        band=band,
        waits=any(_metric(row) in WITH_WAITS for row in rows),
    )


def _after(before: StepTerms, moved: StepTerms) -> StepTerms:
    """Return the terms of a step that had those `before`, with what `moved` multiplies; it adds no constant."""
    return StepTerms(
        factor=before.factor * moved.factor,
        constant=before.constant * moved.factor,
        context_slope=before.context_slope * moved.context_slope,
        prompt_slope=before.prompt_slope * moved.prompt_slope,
    )


def _envelope(points: Sequence[OperatingPoint]) -> Envelope:
    """Return the ranges that production is taken to have run through, around the means of its pools."""

    def span(values: Sequence[float]) -> Range:
        return max(1, math.floor(min(values) / VARIED)), math.ceil(max(values) * VARIED)

    return Envelope(
        clients=span([one.sequences for one in points]),
        prompt_tokens=span([one.prompt_tokens for one in points]),
        output_tokens=span([one.output_tokens for one in points]),
        context_tokens=span([one.prompt_tokens + one.output_tokens for one in points]),
    )
