"""A controller that follows the capacity estimator, with the rate as it was, or as it is expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fleettui.autoscaling.estimator import BURST_WINDOW, Estimator, Kind, Observed, Settings
from fleettui.autoscaling.policy import Decision, Knob, Signals
from fleettui.autoscaling.recent import Recent
from fleettui.domain.autoscale import Site

LEVEL = (Knob(rule="beta", values=(0.5, 1.0, 1.5, 2.0, 2.5, 3.0)), Knob(rule="buffer", values=(0.0, 1.0, 2.0)))
"""How much the estimator holds."""
FALL = (Knob(rule="step", values=(0.5, 1.0, 2.0, 4.0)), Knob(rule="hold", values=(0.0, 300.0, 900.0)))
"""How it falls."""
WINDOW = 120.0
"""Seconds over which the rate is averaged."""
Expected = Callable[[float, float], float]
"""The rate to reckon with: of the moment and the rate that was seen."""


def as_seen(_: float, rate: float) -> float:
    """Return the rate as it was seen."""
    return rate


@dataclass(slots=True, kw_only=True)
class Estimating:
    """The estimator on one pool; the service time is that of a replica at full load."""

    site: Site
    estimator: Estimator
    expected: Expected = as_seen
    arrived: Recent = field(default_factory=lambda: Recent(WINDOW))
    seconds: Recent = field(default_factory=lambda: Recent(WINDOW))
    rejected: Recent = field(default_factory=lambda: Recent(BURST_WINDOW))

    def decide(self, seen: Signals, /) -> Decision:
        """Return the estimator's target and its reason."""
        self.arrived.note(seen.now, seen.arrived)
        self.seconds.note(seen.now, seen.seconds)
        self.rejected.note(seen.now, seen.rejected)
        rate = self.expected(seen.now, self.arrived.total / self.seconds.total)
        rejected = int(self.rejected.total)
        observed = Observed(rate, self.site.service_time, seen.in_flight, rejected, seen.provisioned)
        found = self.estimator.cycle(observed, seen.now)
        return Decision(found.target, lambda: found.reason)


def settings(site: Site, kind: Kind = "interactive") -> Settings:
    """Return the estimator's settings on a pool."""
    rules = site.rules
    return Settings(
        kind=kind,
        slots=site.slots,
        beta=rules.beta,
        step=rules.step,
        hold=rules.hold,
        warm=rules.buffer,
        cycle=rules.cycle,
        least=site.least,
        most=site.most,
    )


def estimating(site: Site, kind: Kind = "interactive", expected: Expected = as_seen) -> Estimating:
    """Return the estimator at work on a pool."""
    return Estimating(site=site, estimator=Estimator(settings=settings(site, kind)), expected=expected)
