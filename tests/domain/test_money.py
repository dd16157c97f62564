"""Ways to pay for a fleet's GPUs over years, against hand arithmetic."""

from dataclasses import replace

import pytest

from fleettui.domain.day import Day, Window
from fleettui.domain.money import HOURS, Need, Tariff, Tariffs, way, ways
from tests.cli.conftest import BEST

FLEET = replace(BEST.fleet, pools=(replace(BEST.fleet.pools[0], replicas=4, spares=0),))
"""4 replicas of 8 H100."""
DAY = Day(
    name="two levels",
    windows=(Window(start=0.0, end=36_000.0, rate=100.0), Window(start=36_000.0, end=86_400.0, rate=20.0)),
)
"""10 hours at the plan's rate, 14 at a fifth of it: 4 replicas, then 1."""
NEED = Need(fleet=FLEET, day=DAY, rate=100.0, years=1)


def tariff(name: str, per_hour: float, *, gpus: int = 1, years: int = 0) -> Tariff:
    return Tariff(gpu="h100", name=name, per_hour=per_hour, seller="us", date="2026-11", gpus=gpus, years=years)


def tariffs(*, spot: float | None = None, **committed: Tariff) -> dict[str, Tariffs]:
    cheap = None if spot is None else tariff("spot", spot)
    named = {one.name: one for one in committed.values()}
    return {"h100": Tariffs(on_demand=tariff("on-demand", 2.0), committed=named, spot=cheap)}


BY_HAND = (
    # per GPU on demand 2; u = 1 for 8 GPUs, 10/24 for 24 more
    ("peak, on demand", 32 * 2.0, 0),
    ("peak, reserved-1y", 32 * 1.0, 32),
    ("on demand as needed", (8 + 24 * 10 / 24) * 2.0, 0),
    ("reserved-1y + on demand", 8 * 1.0 + 24 * 10 / 24 * 2.0, 8),
    ("on demand + spot", 8 * 0.5 + 24 * 10 / 24 * 2.0, 0),  # the level that is always needed saves most
    ("reserved-1y + on demand + spot", 8 * 1.0 + 16 * 10 / 24 * 2.0 + 8 * 10 / 24 * 0.5, 8),
)


def test_the_cost_of_each_way_is_what_a_hand_comes_to() -> None:
    found = ways(NEED, tariffs(spot=0.5, one=tariff("reserved-1y", 1.0, years=1)), spot=0.25)
    costs = {one.name: (one.per_hour, one.first("reserved")) for one in found}
    for name, cost, held in BY_HAND:
        assert costs[name] == (pytest.approx(cost), held), name
    assert [one.name for one in found] == [name for name, _, _ in BY_HAND]
    assert found[0].dollars == pytest.approx(64.0 * HOURS)


def test_gpus_that_come_together_are_paid_for_together() -> None:
    node = {"h100": Tariffs(on_demand=tariff("on-demand", 2.0, gpus=24), committed={})}
    (period,) = way("nodes", NEED, node).periods
    assert (period.unit, period.cut.on_demand) == (24, 2)
    assert period.cut.cost == pytest.approx(24 * 2.0 * (1 + 10 / 24))


def test_a_commitment_is_taken_anew_and_what_it_is_too_long_for_goes_without() -> None:
    long = replace(NEED, years=4)
    three = way("3", long, tariffs(one=tariff("reserved-3y", 0.5, years=3)), committed="reserved-3y")
    assert [(one.start, one.end, one.reserved) for one in three.periods] == [(0, 3, 32), (3, 4, 0)]
    once = way("1", long, tariffs(one=tariff("reserved-1y", 1.0, years=1)), committed="reserved-1y")
    assert [(one.start, one.end, one.reserved) for one in once.periods] == [(at, at + 1, 8) for at in range(4)]


def test_growth_adds_replicas_month_by_month() -> None:
    grown = replace(NEED, growth=0.10)
    assert grown.gpus("h100", 100.0) == 32
    assert grown.gpus("h100", 100.1) == 40
    assert grown.gpus("h100", 0.0) == 8
    assert max(count for _, count in grown.spans("h100", 0, 1)) == 8 * 12  # 4 · 1.1^11 = 11.4
    assert grown.requests == pytest.approx(DAY.mean * sum(1.1**month for month in range(12)) / 12 * HOURS * 3600.0)


def test_spares_are_always_there() -> None:
    held = replace(FLEET, pools=(replace(FLEET.pools[0], spares=1),))
    assert replace(NEED, fleet=held).gpus("h100", 20.0) == 16
