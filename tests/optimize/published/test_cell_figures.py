"""Reading a figure of a fleet, and the last rate that a number of GPUs serves."""

import math

import pytest

from fleettui.optimize.published.cell_figures import FleetFound, PoolFound, figure, last_rate
from fleettui.optimize.published.cell_questions import AZURE, FleetAsked, FleetFigure, OfFleet

SPLIT, WHOLE = FleetAsked(workload=AZURE, rate=1.0, cut=4096), FleetAsked(workload=AZURE, rate=1.0)


def pool(gpus: int, busy: float, ttft: float) -> PoolFound:
    return PoolFound(
        gpus=gpus, cost_per_hour=2.0 * gpus, utilization=busy, ttft=ttft, claimed_ttft=ttft / 2, concurrency=8
    )


FLEETS = {
    SPLIT: FleetFound(pools=(pool(3, 0.5, 0.1), pool(5, 0.8, 0.4)), gamma=1.5),
    WHOLE: FleetFound(pools=(pool(10, 0.7, 0.2),)),
}


@pytest.mark.parametrize(
    ("name", "place", "expected"),
    [
        ("replicas", None, 8),
        ("replicas", 1, 5),
        ("cost", 0, 6.0 * 8760),
        ("utilization", 0, 0.5),
        ("gamma", None, 1.5),
        ("ttft", None, 0.4),
        ("mean prefill", 1, 0.2),
    ],
)
def test_a_figure_is_of_the_fleet_or_of_a_pool(name: FleetFigure, place: int | None, expected: float) -> None:
    assert figure(OfFleet(fleet=SPLIT, figure=name, pool=place), FLEETS.__getitem__) == pytest.approx(expected)


def test_a_saving_is_against_another_fleet() -> None:
    asked = OfFleet(fleet=SPLIT, figure="saving", against=WHOLE)
    assert figure(asked, FLEETS.__getitem__) == pytest.approx(0.2)


@pytest.mark.parametrize(("start", "expected"), [(10.0, 14.0), (14.5, 21.0), (21.1, 28.0)])
def test_the_last_rate_is_where_another_gpu_is_needed(start: float, expected: float) -> None:
    assert last_rate(lambda rate: math.ceil(rate / 7.0), start) == pytest.approx(expected, rel=2e-3)


def test_a_fleet_that_never_runs_out_is_not_followed_for_ever() -> None:
    assert last_rate(lambda _: 1.0, 1.0) >= 32.0
