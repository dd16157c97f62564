"""Where the pools of a fleet work: what a benchmark of one replica would be set to."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.calibration import OperatingPoint
from fleettui.domain.plan import Candidate, PoolFigures
from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.domain.workload import Atom


def operating_points(fleet: Candidate, traffic: Traffic) -> tuple[OperatingPoint, ...]:
    """Return what one replica of each pool runs on average under `traffic`."""
    pairs = zip(fleet.fleet.pools, fleet.pools, traffic.pools, strict=True)
    return tuple(_point(pool.replicas, figures, own) for pool, figures, own in pairs)


def _point(replicas: int, figures: PoolFigures, own: PoolTraffic) -> OperatingPoint:
    prompt, output = mean_lengths(own.atoms)
    return OperatingPoint(
        sequences=figures.batch, prompt_tokens=prompt, output_tokens=output, rate=own.arrival_rate / replicas
    )


def mean_lengths(atoms: Sequence[Atom]) -> tuple[float, float]:
    """Return the mean tokens of the prompts and of the outputs of requests."""
    weight = sum(share for share, _, _ in atoms)
    return (
        sum(share * prompt for share, prompt, _ in atoms) / weight,
        sum(share * output for share, _, output in atoms) / weight,
    )
