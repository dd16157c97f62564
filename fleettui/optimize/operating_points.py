"""Where the pools of a fleet work: what a benchmark of one replica would be set to."""

from __future__ import annotations

from fleettui.domain.calibration import OperatingPoint
from fleettui.domain.plan import Candidate, PoolFigures
from fleettui.domain.simulation import PoolTraffic, Traffic


def operating_points(fleet: Candidate, traffic: Traffic) -> tuple[OperatingPoint, ...]:
    """Return what one replica of each pool runs on average under `traffic`."""
    return tuple(map(_point, fleet.pools, traffic.pools))


def _point(figures: PoolFigures, own: PoolTraffic) -> OperatingPoint:
    weight = sum(share for share, _, _ in own.atoms)
    return OperatingPoint(
        sequences=figures.batch,
        prompt_tokens=sum(share * prompt for share, prompt, _ in own.atoms) / weight,
        output_tokens=sum(share * output for share, _, output in own.atoms) / weight,
    )
