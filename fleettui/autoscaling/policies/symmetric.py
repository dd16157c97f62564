"""The estimator smoothed alike in both directions: what its instant rise is worth."""

from __future__ import annotations

from dataclasses import dataclass, field

from fleettui.autoscaling.estimating import LEVEL, Estimating, estimating
from fleettui.autoscaling.estimator import replicas_for
from fleettui.autoscaling.policy import Decision, Policy, Signals
from fleettui.autoscaling.recent import Recent
from fleettui.domain.autoscale import Site

AVERAGED = 300.0
"""Seconds over which the estimate is averaged."""


@dataclass(slots=True, kw_only=True)
class Controller:
    """The estimator's raw slots, averaged."""

    inner: Estimating
    raw: Recent = field(default_factory=lambda: Recent(AVERAGED))

    def decide(self, seen: Signals, /) -> Decision:
        """Return what the average of the last minutes asks for."""
        estimator = self.inner.estimator
        estimator.smooth = None
        reason = self.inner.decide(seen).reason
        assert estimator.smooth is not None, "set in every cycle"
        self.raw.note(seen.now, estimator.smooth)
        mean = self.raw.mean
        target = replicas_for(mean, estimator.settings)
        return Decision(target, lambda: f"{reason()}; {mean:.1f} on average of {AVERAGED:g} s")


def start(site: Site) -> Controller:
    """Return the estimator for interactive traffic, averaged."""
    return Controller(inner=estimating(site))


POLICY = Policy(
    name="symmetric",
    help="the estimator, slow in both directions",
    law="estimator-beta averaged over 300 s both up and down",
    start=start,
    knobs=LEVEL,
    to_none=True,
)
