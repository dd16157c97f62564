"""The estimator told the coming rates: what a perfect forecast would be worth."""

from __future__ import annotations

from fleettui.autoscaling.estimating import Estimating, estimating
from fleettui.autoscaling.policy import Policy
from fleettui.domain.autoscale import Site


def start(site: Site) -> Estimating:
    """Return the estimator, fed with the highest rate up to one provisioning delay ahead."""
    ahead = site.delay + site.rules.cycle

    def expected(now: float, rate: float) -> float:
        return max(rate, site.day.highest(now, now + ahead))

    return estimating(site, expected=expected)


POLICY = Policy(
    name="oracle",
    help="the estimator told the coming rates",
    law="estimator-beta at the highest rate up to one provisioning delay ahead; nobody has it, it bounds a forecast",
    start=start,
    foresees=True,
    to_none=True,
)
