"""A controller that never changes its mind."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fleettui.autoscaling.policy import Decision, Signals
from fleettui.domain.autoscale import Site

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Constant:
    """So many replicas, always."""

    target: int
    reason: str

    def decide(self, _: Signals, /) -> Decision:
        """Return what it always returns."""
        return Decision(self.target, lambda: self.reason)


def constant(site: Site, rate: float, reason: str) -> Constant:
    """Return the replicas that a rate fills as planned, rounded up, within the pool's bounds."""
    whole = math.ceil(site.replicas(rate) - ROUNDING)
    return Constant(min(max(whole, site.least), site.most), reason)
