"""Length distributions as the papers' method takes them: breakpoints that it draws from, or atoms that it counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.domain.workload import Atom, CdfPoint
from fleettui.hardware.paper_profiles import PaperProfile
from fleettui.optimize.paper import Calibration, calibrate_by_draws, calibrate_exactly, fraction_below
from fleettui.queueing.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Drawn:
    """Breakpoints of total tokens, calibrated by the papers' draws."""

    cdf: Sequence[CdfPoint]

    def holds(self, above: int, up_to: int) -> bool:
        """Return whether a breakpoint in (above, up_to] has requests below it that are above `above`."""
        start = fraction_below(self.cdf, above)
        return any(above < tokens <= up_to and fraction > start for tokens, fraction in self.cdf)

    def below(self, tokens: float) -> float:
        """Return F(tokens)."""
        return fraction_below(self.cdf, tokens)

    def calibrate(self, profile: PaperProfile, above: int, up_to: int) -> Calibration:
        """Return the calibration by draws."""
        return calibrate_by_draws(profile, self.cdf, above=above, up_to=up_to, context=up_to)


@dataclass(frozen=True, slots=True)
class Counted:
    """Requests as (weight, prompt, output), shape (requests, 3), calibrated by exact sums."""

    requests: FloatArray

    @classmethod
    def of(cls, atoms: Sequence[Atom]) -> Counted:
        """Return the lengths of `atoms`."""
        return cls(np.asarray(atoms, float))

    def holds(self, above: int, up_to: int) -> bool:
        """Return whether a request lies in (above, up_to]."""
        return bool(len(self._within(above, up_to)))

    def below(self, tokens: float) -> float:
        """Return the share of requests of at most `tokens`."""
        return float(self._within(0, tokens)[:, 0].sum() / self.requests[:, 0].sum())

    def calibrate(self, profile: PaperProfile, above: int, up_to: int) -> Calibration:
        """Return the calibration by exact sums."""
        return calibrate_exactly(profile, self._within(above, up_to), up_to)

    def _within(self, above: float, up_to: float) -> FloatArray:
        totals = self.requests[:, 1] + self.requests[:, 2]
        return np.asarray(self.requests[(above < totals) & (totals <= up_to)])
