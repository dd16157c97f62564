"""The capacity estimator with square-root headroom, as its article wants it for interactive traffic."""

from __future__ import annotations

from fleettui.autoscaling.estimating import FALL, LEVEL, Estimating, estimating
from fleettui.autoscaling.policy import Policy
from fleettui.domain.autoscale import Site


def start(site: Site) -> Estimating:
    """Return the estimator for interactive traffic."""
    return estimating(site)


POLICY = Policy(
    name="estimator-beta",
    help="the capacity estimator with its headroom",
    law="L + beta x sqrt(L) + drain + boost in slots, up at once, down by steps",
    start=start,
    knobs=(*LEVEL, *FALL),
    to_none=True,
)
