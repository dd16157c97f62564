"""Kubernetes' HPA on the requests in flight at each ready replica."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.autoscaling.kubernetes import TARGET, Behaviour, of_pods
from fleettui.autoscaling.policy import Decision, Policy, Signals
from fleettui.domain.autoscale import Site


@dataclass(slots=True, kw_only=True)
class Controller:
    """The HPA on requests in flight as a share of the planned ones."""

    site: Site
    behaviour: Behaviour

    def decide(self, seen: Signals, /) -> Decision:
        """Return what the HPA would set."""
        each = self.site.rules.target * self.site.slots
        starting = seen.provisioned - seen.ready
        asked = of_pods(seen.in_flight, each, ready=seen.ready, starting=starting)
        target = self.behaviour.target(asked, seen.now, seen.provisioned)
        return Decision(
            target,
            lambda: f"{seen.in_flight} in flight, {each:.3g} for each of {seen.ready} ready: asks for {asked}",
        )


def start(site: Site) -> Controller:
    """Return the HPA on a pool."""
    return Controller(site=site, behaviour=Behaviour(site=site))


POLICY = Policy(
    name="hpa-in-flight",
    help="Kubernetes HPA on requests in flight",
    law="replicas x requests in flight / (target x planned requests in service), Kubernetes' defaults",
    start=start,
    knobs=TARGET,
)
