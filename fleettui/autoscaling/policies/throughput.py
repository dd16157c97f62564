"""Replicas by the rate of the last three minutes and the rate that one replica is planned for, as Dynamo's planner."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fleettui.autoscaling.policy import Decision, Policy, Signals
from fleettui.domain.autoscale import Site

INTERVAL = 180.0
ROUNDING = 1e-9


@dataclass(slots=True, kw_only=True)
class Controller:
    """Decides once in each interval, and expects of the next what the last one had (the constant predictor)."""

    site: Site
    since: float = 0.0
    arrived: int = 0
    decided: Decision | None = None

    def decide(self, seen: Signals, /) -> Decision:
        """Return what it wants, as before until its interval is over."""
        self.arrived += seen.arrived
        spent = seen.now - self.since
        if spent + ROUNDING >= INTERVAL:
            rate = self.arrived / spent
            wanted = math.ceil(self.site.replicas(rate) - ROUNDING)
            self.decided = Decision(
                min(max(wanted, self.site.least), self.site.most),
                lambda: f"{rate:.3g}/s over {spent:g} s, {self.site.replica_rate:.3g}/s for each replica",
            )
            self.since, self.arrived = seen.now, 0
        return self.decided or Decision(seen.provisioned, lambda: "the first interval is not over")


def start(site: Site) -> Controller:
    """Return the planner on a pool."""
    return Controller(site=site)


POLICY = Policy(
    name="throughput",
    help="rate of the last 180 s, as Dynamo's planner",
    law="rate of the last 180 s / the rate that a replica is planned for",
    start=start,
)
