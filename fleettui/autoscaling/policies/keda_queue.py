"""KEDA on the length of the queue alone, as tutorials set it."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.autoscaling.kubernetes import Behaviour, of_total
from fleettui.autoscaling.policy import Decision, Policy, Signals
from fleettui.domain.autoscale import Site

WAITING = 5.0
"""Requests that wait at each replica, from vLLM's production stack: `vllm:num_requests_waiting`, 5."""


@dataclass(slots=True, kw_only=True)
class Controller:
    """The HPA that KEDA feeds with what waits."""

    site: Site
    behaviour: Behaviour

    def decide(self, seen: Signals, /) -> Decision:
        """Return what KEDA would set."""
        asked = of_total(seen.waiting, WAITING, provisioned=seen.provisioned)
        target = self.behaviour.target(asked, seen.now, seen.provisioned)
        return Decision(
            target,
            lambda: f"{seen.waiting} waiting, {WAITING:g} for each replica: asks for {asked}",
        )


def start(site: Site) -> Controller:
    """Return KEDA on a pool."""
    return Controller(site=site, behaviour=Behaviour(site=site))


POLICY = Policy(
    name="keda-queue",
    help="KEDA on waiting requests, 5 for each replica",
    law="waiting requests / 5, Kubernetes' defaults; no queue asks for the least",
    start=start,
    to_none=True,
)
