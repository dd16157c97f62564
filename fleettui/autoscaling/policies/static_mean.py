"""As many replicas as the mean rate needs, always: what a fleet looks like that was sized by the daily total."""

from __future__ import annotations

from fleettui.autoscaling.constant import Constant, constant
from fleettui.autoscaling.policy import Policy
from fleettui.domain.autoscale import Site


def start(site: Site) -> Constant:
    """Return the fleet for the mean."""
    return constant(site, site.expected.mean, "sized for the mean rate")


POLICY = Policy(
    name="static-mean",
    help="sized for the mean rate, always",
    law="the replicas that the plan's load per replica asks for at the mean rate",
    start=start,
    constant=True,
)
