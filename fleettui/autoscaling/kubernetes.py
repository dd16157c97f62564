"""The law of Kubernetes' HorizontalPodAutoscaler (autoscaling/v2) with its defaults.

desired = ceil(current · ratio) with ratio = metric/target; nothing is done within a tolerance of 0.1. Upwards at once,
by at most 4 pods or 100 % each 15 s, whichever is more; downwards to the highest of the last 300 s' recommendations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fleettui.autoscaling.policy import Knob
from fleettui.autoscaling.recent import Recent
from fleettui.domain.autoscale import Site

TOLERANCE, STABILIZATION = 0.1, 300.0
UP_PODS, UP_SHARE, UP_PERIOD = 4, 1.0, 15.0
ROUNDING = 1e-9
TARGET = (Knob(rule="target", values=(0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),)
"""What a policy on requests in flight is tuned by."""


def desired(current: int, ratio: float) -> int:
    """Return the replicas that a ratio of metric to target asks for, those there are within the tolerance.

    >>> desired(4, 1.5), desired(4, 1.05), desired(10, 0.5)
    (6, 4, 5)
    """
    return current if abs(ratio - 1.0) <= TOLERANCE else math.ceil(current * ratio - ROUNDING)


def of_pods(used: float, target: float, *, ready: int, starting: int) -> int:
    """Return what a metric of pods asks for: `used` is its sum over the ready ones, `target` for each.

    Where it asks for more, pods that are starting count as unused; where they would turn that round, nothing is done.

    >>> of_pods(4.0, 0.5, ready=4, starting=0), of_pods(4.0, 0.5, ready=4, starting=4)
    (8, 8)
    """
    provisioned, ratio = ready + starting, used / (ready * target)
    if ratio <= 1.0 or not starting:
        return provisioned if abs(ratio - 1.0) <= TOLERANCE else desired(ready, ratio)
    damped = used / (provisioned * target)
    if damped <= 1.0 or abs(damped - 1.0) <= TOLERANCE:
        return provisioned
    return math.ceil(provisioned * damped - ROUNDING)


def of_total(used: float, target: float, *, provisioned: int) -> int:
    """Return what an external metric asks for: `used` in all, `target` for each pod (AverageValue).

    >>> of_total(100.0, 10.0, provisioned=4), of_total(100.0, 10.0, provisioned=10)
    (10, 10)
    """
    if provisioned and abs(used / (provisioned * target) - 1.0) <= TOLERANCE:
        return provisioned
    return math.ceil(used / target - ROUNDING)


@dataclass(slots=True, kw_only=True)
class Behaviour:
    """How recommendations become a target: the windows and the limits of a change."""

    site: Site
    recommended: Recent = field(default_factory=lambda: Recent(STABILIZATION))
    added: Recent = field(default_factory=lambda: Recent(UP_PERIOD))

    def target(self, recommendation: int, now: float, provisioned: int) -> int:
        """Return the replicas to have from `now` on, where so many are provisioned."""
        if not self.recommended.values:  # as the HPA does when it starts
            self.recommended.note(now, provisioned)
        self.recommended.note(now, recommendation)
        if recommendation > provisioned:
            self.added.note(now, 0.0)
            before = provisioned - self.added.total
            most = max(before + UP_PODS, math.ceil(before * (1.0 + UP_SHARE)))
            wanted = min(recommendation, int(most))
            self.added.note(now, max(0, wanted - provisioned))
        else:
            wanted = min(provisioned, int(self.recommended.highest))
        return min(max(wanted, self.site.least), self.site.most)
