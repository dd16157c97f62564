"""Hardware whose steps take longer than predicted, as long as a wished share of the cases asks for."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.hardware import Profile
from fleettui.domain.uncertain import factor_at, slower_than
from fleettui.hardware.step_cost import rescaled


def as_slow(profile: Profile, share: float) -> Profile:
    """Return a profile whose steps take as long as in a share of the cases none takes longer than."""
    factor, step = factor_at(profile.step_factors, slower_than(share)), profile.step
    reached = 1.0 / factor
    return replace(profile, step=rescaled(step, overhead=step.overhead * factor, bandwidth=reached, compute=reached))
