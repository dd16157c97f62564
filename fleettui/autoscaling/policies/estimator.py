"""The capacity estimator as its article prints the whole of it: without headroom for interactive traffic."""

from __future__ import annotations

from fleettui.autoscaling.estimating import Estimating, estimating
from fleettui.autoscaling.policy import Policy
from fleettui.domain.autoscale import Site


def start(site: Site) -> Estimating:
    """Return the estimator for batch traffic."""
    return estimating(site, "batch")


POLICY = Policy(
    name="estimator",
    help="the capacity estimator as printed, no headroom",
    law="L + drain + boost, up at once, down by steps; the article's last block leaves its own headroom out",
    start=start,
    to_none=True,
)
