"""The HPA's law against cases of its own tests (replica_calculator_test.go, horizontal_test.go)."""

import pytest

from fleettui.autoscaling.kubernetes import Behaviour, of_pods, of_total
from fleettui.domain.autoscale import Rules, Site
from fleettui.domain.day import steady


def site(least: int = 1, most: int = 100) -> Site:
    return Site(
        slots=10.0,
        service_time=5.0,
        replica_rate=2.0,
        delay=0.0,
        least=least,
        most=most,
        rules=Rules(),
        day=steady(1.0, 60.0),
    )


@pytest.mark.parametrize(
    ("used", "target", "ready", "starting", "asked"),
    [
        (1.5, 0.3, 3, 0, 5),  # ScaleUp: 300m, 500m, 700m of 1
        (1.2, 0.3, 2, 1, 4),  # ScaleUpUnreadyLessScale
        (0.4, 0.3, 1, 2, 3),  # ScaleUpUnreadyNoScale
        (1.4, 0.5, 5, 0, 3),  # ScaleDown: 100m, 300m, 500m, 250m, 250m
        (3.06, 1.0, 3, 0, 3),  # Tolerance: 1010m, 1030m, 1020m
        (0.0, 0.5, 4, 0, 0),
    ],
)
def test_a_metric_of_pods(used: float, target: float, ready: int, starting: int, asked: int) -> None:
    assert of_pods(used, target, ready=ready, starting=starting) == asked


def test_an_external_metric() -> None:
    assert of_total(8600.0, 2200.0, provisioned=3) == 4
    assert of_total(8600.0, 2867.0, provisioned=3) == 3
    assert of_total(0.0, 5.0, provisioned=3) == 0


def test_it_rises_at_once_by_four_or_the_double_in_fifteen_seconds() -> None:
    own = Behaviour(site=site())
    assert own.target(50, 15.0, 2) == 6
    assert own.target(50, 15.0, 6) == 6
    assert own.target(50, 30.0, 6) == 12
    assert own.target(50, 45.0, 12) == 24


def test_it_falls_to_the_highest_that_was_asked_for_in_five_minutes() -> None:
    own = Behaviour(site=site())
    assert own.target(8, 0.0, 8) == 8
    assert [own.target(2, float(now), 8) for now in (15, 285)] == [8, 8]
    assert own.target(3, 299.0, 8) == 8
    assert own.target(2, 301.0, 8) == 3


def test_it_keeps_within_its_bounds() -> None:
    own = Behaviour(site=site(least=2, most=5))
    assert own.target(50, 0.0, 3) == 5
    falling = Behaviour(site=site(least=2))
    assert [falling.target(0, now, 3) for now in (0.0, 299.0, 300.0)] == [3, 3, 2]
