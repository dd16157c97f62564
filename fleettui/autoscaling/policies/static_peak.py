"""As many replicas as the highest rate needs, always: what a plan buys."""

from __future__ import annotations

from fleettui.autoscaling.constant import Constant, constant
from fleettui.autoscaling.policy import Policy
from fleettui.domain.autoscale import Site


def start(site: Site) -> Constant:
    """Return the fleet for the peak."""
    return constant(site, site.expected.peak, "sized for the highest rate")


POLICY = Policy(
    name="static-peak",
    help="sized for the highest rate, always",
    law="the replicas that the plan's load per replica asks for at the highest rate",
    start=start,
    constant=True,
)
