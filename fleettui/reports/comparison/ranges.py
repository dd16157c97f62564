"""Estimates with their ends: what a fleet's cost may come to, and the points that a line through one has."""

from __future__ import annotations

from fleettui.domain.plan import Candidate, Estimate


def span(fleet: Candidate) -> Estimate:
    """Return what a fleet costs in US dollars an hour, and what the fewest and the most GPUs that may do would cost."""
    per_gpu = fleet.cost_per_hour / fleet.gpus
    low, high = (None if count is None else count * per_gpu for count in fleet.gpus_range)
    return Estimate(value=fleet.cost_per_hour, low=low, high=high)


def open_ended(found: Estimate) -> bool:
    """Return whether more GPUs may do than can be had; where neither end is known, nothing is said of either."""
    return found.low is not None and found.high is None


def through(found: Estimate) -> tuple[tuple[float, ...], int]:
    """Return the ends of an estimate that are known around its value, and the value's place among them."""
    assert found.value is not None, "only what has a value is drawn"
    before = () if found.low is None else (min(found.low, found.value),)
    after = () if found.high is None else (max(found.high, found.value),)
    return (*before, found.value, *after), len(before)
