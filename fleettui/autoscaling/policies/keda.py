"""KEDA by the plan's thresholds, as `fleettui handoff --for keda` writes them: running and waiting requests in all."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.autoscaling.kubernetes import Behaviour, of_total
from fleettui.autoscaling.policy import Decision, Policy, Signals
from fleettui.domain.autoscale import Site

WAITING = 1.0
"""Requests that may wait at each replica."""


@dataclass(slots=True, kw_only=True)
class Controller:
    """The HPA that KEDA feeds: of its triggers the one that asks for more counts."""

    site: Site
    behaviour: Behaviour

    def decide(self, seen: Signals, /) -> Decision:
        """Return what KEDA would set."""
        running = seen.in_flight - seen.waiting
        by_running = of_total(running, self.site.slots, provisioned=seen.provisioned)
        by_waiting = of_total(seen.waiting, WAITING, provisioned=seen.provisioned)
        asked = max(by_running, by_waiting)
        target = self.behaviour.target(asked, seen.now, seen.provisioned)
        return Decision(
            target,
            lambda: f"{running} running ask for {by_running}, {seen.waiting} waiting for {by_waiting}",
        )


def start(site: Site) -> Controller:
    """Return KEDA on a pool."""
    return Controller(site=site, behaviour=Behaviour(site=site))


POLICY = Policy(
    name="keda",
    help="KEDA by the plan's own thresholds",
    law="the more of running / planned requests in service and waiting / 1, Kubernetes' defaults",
    start=start,
    to_none=True,
)
