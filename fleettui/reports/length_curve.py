"""The share of requests up to each length, by steps or evenly between points, and what is read off it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from fleettui.domain.workload import CdfPoint, LengthDistribution


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthCurve:
    """A CDF of one length in tokens. `even` spreads the requests of each interval over it, else they are at its end."""

    name: str
    points: tuple[CdfPoint, ...]
    even: bool

    def share(self, tokens: float) -> float:
        """Return the share of requests of at most `tokens` tokens."""
        before, below = 0.0, 0.0
        for point, fraction in self.points:
            if tokens < point:
                return below + (fraction - below) * (tokens - before) / (point - before) if self.even else below
            before, below = point, fraction
        return 1.0

    def quantile(self, share: float) -> float:
        """Return the length that the share `share` of requests does not pass."""
        before, below = 0.0, 0.0
        for point, fraction in self.points:
            if fraction >= share and fraction > below:
                return before + (point - before) * (share - below) / (fraction - below) if self.even else point
            before, below = point, fraction
        return self.points[-1][0]

    @property
    def mean(self) -> float:
        """The mean length."""
        return math.fsum((end - below) * middle for below, end, middle in self._pieces(0.0))

    def carried_above(self, tokens: float) -> float:
        """Return which share of all tokens the requests of more than `tokens` tokens carry."""
        return math.fsum((end - below) * middle for below, end, middle in self._pieces(tokens)) / self.mean

    def _pieces(self, above: float) -> Iterator[tuple[float, float, float]]:
        """Yield (share at the start, share at the end, mean length) of each interval above `above` tokens."""
        for (before, below), (point, fraction) in pairwise(((0.0, 0.0), *self.points)):
            if point <= above:
                continue
            start = max(before, above) if self.even else before
            first = below + (fraction - below) * (start - before) / (point - before) if self.even else below
            yield first, fraction, (start + point) / 2 if self.even else point


@lru_cache(maxsize=4)
def curves(lengths: LengthDistribution) -> tuple[LengthCurve, ...]:
    """Return the curves that are known: total alone, output and prompt, or all three with total last.

    They are kept, since a view that is seen again draws them again.
    """
    if lengths.kind == "total":
        return (LengthCurve(name="total", points=lengths.cdf, even=True),)
    if lengths.kind == "marginals":
        known = (("output", lengths.output_cdf), ("prompt", lengths.prompt_cdf))
        return tuple(LengthCurve(name=name, points=points, even=True) for name, points in known)
    weights = [weight for weight, _, _ in lengths.atoms]
    found = (
        ("output", [output for _, _, output in lengths.atoms]),
        ("prompt", [prompt for _, prompt, _ in lengths.atoms]),
        ("total", [prompt + output for _, prompt, output in lengths.atoms]),
    )
    return tuple(
        LengthCurve(name=name, points=_cumulated(zip(tokens, weights, strict=True)), even=False)
        for name, tokens in found
    )


def _cumulated(masses: Iterable[tuple[float, float]]) -> tuple[CdfPoint, ...]:
    """Return the CDF of weighted lengths, one point for each distinct length."""
    at: dict[float, float] = {}
    for tokens, weight in masses:
        at[tokens] = at.get(tokens, 0.0) + weight
    lengths = sorted(at)
    whole, passed, points = math.fsum(at.values()), 0.0, []
    for tokens in lengths:
        passed += at[tokens]
        points.append((tokens, min(passed / whole, 1.0)))
    return (*points[:-1], (lengths[-1], 1.0))
