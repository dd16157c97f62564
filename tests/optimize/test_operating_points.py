"""Where pools work, by hand."""

from dataclasses import replace

from fleettui.domain.calibration import OperatingPoint
from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.optimize.operating_points import operating_points
from tests.store import samples


def test_lengths_are_means_over_a_pools_own_requests() -> None:
    known = samples.candidate()
    fleet = replace(known, pools=tuple(replace(one, batch=at + 20.0) for at, one in enumerate(known.pools)))
    atoms = ((3.0, 100.0, 10.0), (1.0, 500.0, 50.0))
    traffic = Traffic(pools=tuple(PoolTraffic(arrival_rate=1.0, atoms=atoms) for _ in fleet.pools))
    first, *_ = operating_points(fleet, traffic)
    assert first == OperatingPoint(
        sequences=20.0, prompt_tokens=200.0, output_tokens=20.0, rate=1.0 / fleet.fleet.pools[0].replicas
    )
