"""The limits of a question in a few words."""

from __future__ import annotations

from fleettui.domain.slo import Slo
from fleettui.reports import units


def limits(slo: Slo) -> str:
    """Return the limits in a few words, none where there are none: P99 TTFT<500ms TPOT<50ms P50 TTFT<200ms."""
    told = [f"{one.label}<{units.limit(one.seconds)}" for one in slo.limits()]
    return " ".join([f"P{units.write_percentile(slo.percentile)}", *told] if slo.shared() else told)
