"""Knative's KPA on concurrency: a stable window, and a panic while the last moments ask for twice what is ready."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fleettui.autoscaling.kubernetes import TARGET
from fleettui.autoscaling.policy import Decision, Policy, Signals
from fleettui.autoscaling.recent import Recent
from fleettui.domain.autoscale import Site

STABLE, PANIC = 60.0, 2.0
ROUNDING = 1e-9


@dataclass(slots=True, kw_only=True)
class Controller:
    """The KPA; its panic window is one cycle here, where Knative looks each 2 s at the last 6."""

    site: Site
    stable: Recent = field(default_factory=lambda: Recent(STABLE))
    arrived: Recent = field(default_factory=lambda: Recent(STABLE))
    panicked: float = -math.inf
    held: int = 0

    def decide(self, seen: Signals, /) -> Decision:
        """Return what the KPA would set; in a panic it does not go down, and to none once a window saw no request."""
        each = self.site.rules.target * self.site.slots
        self.stable.note(seen.now, seen.in_flight)
        self.arrived.note(seen.now, seen.arrived)
        mean = self.stable.mean
        steady = math.ceil(mean / each - ROUNDING)
        sudden = math.ceil(seen.in_flight / each - ROUNDING)
        if sudden and sudden >= PANIC * seen.ready:
            self.panicked, self.held = seen.now, max(self.held, sudden, seen.provisioned)
        panics = seen.now - self.panicked < STABLE
        if not panics:
            self.held = 0
        wanted = max(steady, sudden, self.held) if panics else steady
        if self.arrived.total or seen.now < STABLE:
            wanted = max(wanted, 1)
        return Decision(
            min(max(wanted, self.site.least), self.site.most),
            lambda: f"{mean:.1f} in flight over {STABLE:g} s, {each:.3g} for each{'; panic' if panics else ''}",
        )


def start(site: Site) -> Controller:
    """Return the KPA on a pool."""
    return Controller(site=site)


POLICY = Policy(
    name="knative",
    help="Knative's concurrency, 60 s and panic",
    law="mean requests in flight over 60 s / (target x planned requests in service); panic at twice what is ready",
    start=start,
    knobs=TARGET,
    to_none=True,
)
