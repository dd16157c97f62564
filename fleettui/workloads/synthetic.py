"""Lengths from a few percentiles: a lognormal law for the prompt and one for the output, pairing unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist

from fleettui.domain import checks
from fleettui.domain.workload import CdfPoint, LengthDistribution
from fleettui.errors import InputError
from fleettui.workloads.json_fields import MOST_TOKENS

CUT_AT = 0.9999
"""The law is cut at this share: beyond it a lognormal promises requests that nobody has seen."""

FIXED = 1e-9
"""A spread of log lengths below which all requests are of one length."""
_STEP = 0.02
_NORMAL = NormalDist()

Percentiles = Sequence[tuple[float, float]]


def lognormal_marginals(prompt: Percentiles, output: Percentiles) -> LengthDistribution:
    """Return `marginals` of two lognormal laws, each fitted to its (share, tokens) by `fit_lognormal`.

    Each is cut at the share 0.9999, what lies beyond being spread over the rest, and no length is below one token.
    Where all percentiles are the same, so are all requests, in whole tokens.
    Raises InputError for fewer than two percentiles, or ones that do not rise.
    """
    return LengthDistribution(
        kind="marginals",
        prompt_cdf=_cdf("--prompt", *fit_lognormal("--prompt", prompt)),
        output_cdf=_cdf("--output", *fit_lognormal("--output", output)),
    )


def fit_lognormal(where: str, percentiles: Percentiles) -> tuple[float, float]:
    """Return (μ, σ) of log tokens, by least squares on log tokens against the normal quantile of each share.

    >>> mu, sigma = fit_lognormal("--prompt", ((0.5, 900), (0.99, 8000)))
    >>> round(math.exp(mu)), round(math.exp(mu + sigma * _NORMAL.inv_cdf(0.99)))
    (900, 8000)
    """
    points = sorted(percentiles)
    _check(where, points)
    quantiles = [_NORMAL.inv_cdf(share) for share, _ in points]
    logs = [math.log(tokens) for _, tokens in points]
    middle, mean = math.fsum(quantiles) / len(points), math.fsum(logs) / len(points)
    spread = math.fsum((z - middle) ** 2 for z in quantiles)
    sigma = math.fsum((z - middle) * (log - mean) for z, log in zip(quantiles, logs, strict=True)) / spread
    return mean - sigma * middle, sigma


def _check(where: str, points: Percentiles) -> None:
    if len(points) < 2:
        raise InputError(
            "two percentiles are needed to know how lengths vary",
            where=where,
            value=listed(points) or None,
            accepted="such as p50=900,p99=8k",
            remedy="add a second percentile",
        )
    for share, tokens in points:
        checks.open_share(f"{where} percentile", share)
        checks.positive(f"{where} tokens", tokens)
    alike = len({tokens for _, tokens in points}) == 1
    for (lower, few), (upper, many) in pairwise(points):
        if not (lower < upper and (alike or few < many)):
            raise InputError(
                "lengths must rise with the percentile",
                where=where,
                value=listed(((lower, few), (upper, many))),
                accepted="such as p50=900,p99=8k",
            )


def listed(points: Percentiles) -> str:
    """Return percentiles as they are typed.

    >>> listed(((0.5, 900.0), (0.999, 8000.0)))
    'p50=900, p99.9=8000'
    """
    return ", ".join(f"p{100 * share:g}={tokens:g}" for share, tokens in points)


def _cdf(where: str, mu: float, sigma: float) -> tuple[CdfPoint, ...]:
    """Return F at even steps of the normal quantile, from the share 0.0001 to the cut, scaled to end at 1.

    Where σ is next to nothing all mass is at one whole length.
    """
    top = _NORMAL.inv_cdf(CUT_AT)
    if mu + sigma * top > math.log(MOST_TOKENS):
        raise InputError(
            "these percentiles promise requests beyond any context",
            where=where,
            value=f"p{100 * CUT_AT:g}={math.exp(min(mu + sigma * top, 700)):.3g}",
            accepted=f"up to {MOST_TOKENS:,} tokens",
            remedy="give percentiles that lie closer together",
        )
    if sigma < FIXED:
        only = max(1.0, round(math.exp(mu)))
        return ((only - 1.0, 0.0), (only, 1.0)) if only > 1.0 else ((1.0, 1.0),)
    steps = round(2 * top / _STEP)
    points = [(math.exp(mu + sigma * z), _NORMAL.cdf(z) / CUT_AT) for z in _even(-top, top, steps)]
    points[-1] = (points[-1][0], 1.0)
    inside = tuple(point for point in points if point[0] > 1)
    return inside if inside else ((1.0, 1.0),)


def _even(low: float, high: float, steps: int) -> list[float]:
    return [low + (high - low) * index / steps for index in range(steps + 1)]
