"""The estimator with a forecast: the trend of the last ten minutes carried on to when a replica would be ready."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import mul

from fleettui.autoscaling.estimating import FALL, LEVEL, Estimating, estimating
from fleettui.autoscaling.policy import Policy
from fleettui.autoscaling.recent import Recent
from fleettui.domain.autoscale import Site

HISTORY = 600.0
MOST = 2.0
"""A trend is carried on to at most so many times the rate that is seen."""


@dataclass(slots=True)
class Trend:
    """The line of least squares through the rates that were seen."""

    ahead: float
    seen: Recent = field(default_factory=lambda: Recent(HISTORY))

    def expected(self, now: float, rate: float) -> float:
        """Return the rate that is seen, or the one that the line foretells where that is higher."""
        self.seen.note(now, rate)
        moments, middle = self.seen.moments, sum(self.seen.moments) / len(self.seen.moments)
        away = [moment - middle for moment in moments]
        spread = sum([one**2 for one in away])
        if spread <= 0.0:
            return rate
        slope: float = sum(map(mul, away, self.seen.values)) / spread
        foretold = self.seen.mean + slope * (now + self.ahead - middle)
        return max(rate, min(foretold, MOST * rate))


def start(site: Site) -> Estimating:
    """Return the estimator, fed with the trend one provisioning delay ahead."""
    return estimating(site, expected=Trend(site.delay).expected)


POLICY = Policy(
    name="forecast",
    help="the estimator with the trend one delay ahead",
    law="estimator-beta at the higher of the rate and the trend of 600 s, carried on by the provisioning delay",
    start=start,
    knobs=(*LEVEL, *FALL),
    to_none=True,
)
