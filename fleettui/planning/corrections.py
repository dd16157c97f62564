"""The correction that a backtest finds, kept as a fit by which later plans time the steps of that hardware."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from fleettui.domain.serialization import dumps
from fleettui.reports.backtest.finding import Backtest

VARIED = 1.25
"""Factor by which a load in production is taken to range above and below its mean."""


def hindrance(found: Backtest) -> str:
    """Return why nothing of a backtest can be kept as a fit, empty where something can."""
    fit = found.chosen
    if found.agrees:
        return "the prediction holds"
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
) -> Calibration:
    """Return the fit called `name` of the backtest's correction to every kind of hardware of its fleet.

    `points` are those of the pools. What a fit of the `question` says already is in it, or what public runs said of a
    pool's profile, among `profiles`, where no fit does.
    """
    fit = found.chosen
    assert fit is not None, "something is to be corrected"
    servers: dict[ReplicaKey, list[tuple[Pool, OperatingPoint]]] = {}
    for pool, point in zip(found.fleet.fleet.pools, points, strict=True):
        servers.setdefault(pool.replica_key, []).append((pool, point))
    before = () if question.fit is None else question.fit.sources
    public = {profile.replica_key: profile.public_factor for profile in profiles}
    source = Source(
        path=found.asked,
        digest=sha256(dumps((found.asked, found.rows, fit)).encode()).hexdigest(),
        format=BACKTEST,
        points=len(found.rows),
    )
    return Calibration(
        name=name,
        step_law=question.step_law,
        servers=tuple(_server(fit, found.rows, question, own, public.get(key, 1.0)) for key, own in servers.items()),
        sources=(*before, source),
        skipped=(),
    )


def _server(
    fit: Fit, rows: Sequence[Row], question: Question, own: Sequence[tuple[Pool, OperatingPoint]], public: float
) -> ServerFit:
    pool, points = own[0][0], [point for _, point in own]
    before = question.fit_of(pool)
    known = StepTerms(factor=public) if before is None else before.terms
    terms = _after(known, MOVED_TERMS[fit.constant](fit.factor.value))
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
        band=max(PUBLIC_BAND, fit.factor.high / fit.factor.value - 1.0),
        band_source="public",
        covered=COVERED,
        held_out=0,
        uncalibrated=fmean(abs(row.predicted.value / row.seen.value - 1.0) for row in rows),
        untold=(f"all but {fit.constant}: a backtest moves one constant at a time",),
        envelope=_envelope(points),
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
