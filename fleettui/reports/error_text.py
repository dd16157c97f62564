"""How far step times may be from those predicted, in words."""

from __future__ import annotations

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.uncertain import Factors
from fleettui.reports import units

UNCALIBRATED = "roofline, not calibrated"
"""How the speeds of hardware are known that has no band: of plans that were kept before there were any."""


def known_by(one: Candidate | Profile) -> str:
    """Return how the speeds of a fleet's or a profile's hardware are known."""
    return (one.speeds if isinstance(one, Candidate) else one.evidence) or UNCALIBRATED


def error(one: Candidate | Profile) -> str:
    """Return how much less and more a step may take than predicted: -18% to +26%, or +-25% where both are one."""
    return shares(one.step_factors)


def shares(factors: Factors) -> str:
    """Return factors on step times as what is taken off and added.

    >>> shares((0.82, 1.26)), shares((0.75, 1.25))
    ('-18% to +26%', '+-25%')
    """
    faster, slower = 1.0 - factors[0], factors[1] - 1.0
    if abs(faster - slower) < 1e-9:
        return f"+-{units.percent(slower)}"
    return f"-{units.percent(faster)} to +{units.percent(slower)}"
