"""Kubernetes' HPA on GPU utilization, the share of time in which a GPU does anything at all."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.autoscaling.kubernetes import Behaviour, of_pods
from fleettui.autoscaling.policy import Decision, Policy, Signals
from fleettui.domain.autoscale import Site


@dataclass(slots=True, kw_only=True)
class Controller:
    """The HPA on the share of ready replicas at work."""

    site: Site
    behaviour: Behaviour

    def decide(self, seen: Signals, /) -> Decision:
        """Return what the HPA would set."""
        target = self.site.rules.target
        starting = seen.provisioned - seen.ready
        asked = of_pods(seen.busy * seen.ready, target, ready=seen.ready, starting=starting)
        wanted = self.behaviour.target(asked, seen.now, seen.provisioned)
        return Decision(
            wanted,
            lambda: f"utilization {seen.busy:.0%} of {seen.ready} ready, target {target:.0%}: asks for {asked}",
        )


def start(site: Site) -> Controller:
    """Return the HPA on a pool."""
    return Controller(site=site, behaviour=Behaviour(site=site))


POLICY = Policy(
    name="hpa-utilization",
    help="Kubernetes HPA on GPU utilization",
    law="replicas x GPU utilization / target, Kubernetes' defaults; a GPU with one request is as busy as a full one",
    start=start,
)
