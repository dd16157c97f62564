"""What a backtest found: whether the prediction holds, and which constant explains the gap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist

from fleettui.domain.backtest import Figure, Fit, Row
from fleettui.domain.limit import Limit
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.seen_load import NEAR_BAND
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study
from fleettui.reports import observed_figures

NORMAL = NormalDist().inv_cdf(0.975)
AS_WELL = NORMAL**2
"""By how much more two constants' misfits may differ before one is the better explanation."""
UNLIKELY = NormalDist().inv_cdf(0.99)
USUAL = 0.25
"""The error of a profile that names none."""


@dataclass(frozen=True, kw_only=True)
class Backtest:
    """A plan with its fleet, the rows, and the fits; `probes` are what nobody looked at.

    `asked` is the question as typed, `earlier` the tests of the plan before, `engine_overhead` the seconds a step that
    the serving engine is taken to need, None where the fleet's profiles are not the catalogue's. `slices` are the time
    slices of the workload, of which the busiest is predicted. `corrected` is the plan's answer with what of its fleet
    is spare as the correction has it, None where that is not known, and `slo` what the plan holds its latencies to.
    `takes` where another question can take the correction in.
    """

    plan: Answer
    fleet: Candidate
    engine_overhead: float | None = None
    asked: str
    rows: tuple[Row, ...]
    probes: tuple[Figure, ...]
    fits: tuple[Fit, ...]
    earlier: tuple[Study, ...] = ()
    slices: int = 1
    corrected: Answer | None = None
    slo: Slo = field(default_factory=Slo)
    takes: bool = False

    @cached_property
    def agrees(self) -> bool:
        """Whether every figure was seen where it was predicted."""
        return all(map(inside, self.rows))

    @cached_property
    def ranked(self) -> list[Fit]:
        """The fits, the likeliest first: those that explain what was seen, then the others by what they leave.

        Two constants may move every figure alike; then the one whose factor is nearer to the profile's own error is the
        likelier.
        """
        usual = math.log(self.fleet.step_factors[1] if self.fleet.model_error else 1.0 + USUAL) / NORMAL

        def rank(fit: Fit) -> tuple[bool, float]:
            far = (math.log(fit.factor.value) / usual) ** 2 if self._explains(fit) else 0.0
            return not self._explains(fit), fit.misfit + far

        found = sorted(self.fits, key=rank)
        coarse = None if self._explains(found[0]) else self._coarse()
        return found if coarse is None else [coarse, *(one for one in found if one.constant != coarse.constant)]

    @cached_property
    def explained(self) -> bool:
        """Whether what the likeliest constant leaves is no more than chance."""
        return self._explains(self.ranked[0])

    @cached_property
    def coarse(self) -> bool:
        """Whether the constant to correct explains what was seen but for a little, which is left open."""
        return self.chosen is not None and not self.explained

    @cached_property
    def equals(self) -> list[Fit]:
        """The constants that what was seen does not tell from the likeliest."""
        best, *others = self.ranked
        return [one for one in others if self.explained and one.misfit <= best.misfit + AS_WELL]

    @cached_property
    def chosen(self) -> Fit | None:
        """The constant to correct; None where all agrees, none explains it, or one figure cannot tell."""
        if self.agrees or len(self.rows) == 1:
            return None
        return self.ranked[0] if self.explained or self._coarse() is not None else None

    def _coarse(self) -> Fit | None:
        """Return the correction of all step times where it halves the gap and leaves no more than near loads do anyway.

        What it leaves is in its interval. Any other constant would claim to know which of the steps it is.
        """
        fit = next((one for one in self.fits if one.constant == "all step times" and not one.bounded), None)
        if fit is None or len(self.rows) == 1:
            return None
        missed, gap = abs(left(fit, self.rows)[0]), max(abs(row.gap) for row in self.rows)
        if missed > min(NEAR_BAND, gap / 2.0):
            return None
        factor, reach = fit.factor, 1.0 + missed
        return replace(fit, factor=replace(factor, low=factor.low / reach, high=factor.high * reach))

    @property
    def above(self) -> list[tuple[Row, Limit]]:
        """The figures that were seen above the plan's limits on them, with these."""
        limits = {
            Figure(metric=one.metric, share=self.slo.share(one)): one for one in self.slo.limits() if not one.batch
        }
        known = ((row, limits.get(row.figure)) for row in self.rows)
        return [(row, limit) for row, limit in known if limit is not None and row.seen.value > limit.seconds]

    def _explains(self, fit: Fit) -> bool:
        return fit.misfit <= _most(max(len(self.rows) - 1, 1))


def inside(row: Row) -> bool:
    """Return whether a figure was seen where it was predicted, as far as chance goes."""
    return abs(math.log(1.0 + row.gap)) <= NORMAL * row.error


def left(fit: Fit, rows: Sequence[Row]) -> tuple[float, str]:
    """Return by how much a fit misses the figure that it misses most, and which that is."""
    pairs = zip(rows, fit.figures[: len(rows)], strict=True)
    missed = [(row.seen.value / value - 1.0, observed_figures.name(row.figure)) for row, value in pairs]
    return max(missed, key=lambda one: abs(one[0]))


def _most(freedom: int) -> float:
    """Return what a sum of so many squares of standard normal numbers exceeds once in a hundred (Wilson, Hilferty)."""
    ninth = 2.0 / (9.0 * freedom)
    return float(freedom * (1.0 - ninth + UNLIKELY * math.sqrt(ninth)) ** 3)
