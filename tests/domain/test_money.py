"""Ways to pay for a fleet's GPUs over years, against hand arithmetic."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fleettui.domain.day import Day, Window
from fleettui.domain.money import BOUGHT, Tariff, Tariffs, Way, buy_or_rent, turns, way, ways
from fleettui.domain.need import HOURS, Level, Need
from tests.cli.conftest import BEST

FLEET = replace(BEST.fleet, pools=(replace(BEST.fleet.pools[0], replicas=4, spares=0),))
"""4 replicas of 8 H100."""
DAY = Day(
    name="two levels",
    windows=(Window(start=0.0, end=36_000.0, rate=100.0), Window(start=36_000.0, end=86_400.0, rate=20.0)),
)
"""10 hours at the plan's rate, 14 at a fifth of it: 4 replicas, then 1."""
LEVELS = tuple(Level(up_to=25.0 * count, gpus=(("h100", 8 * count),)) for count in range(1, 17))
"""A replica of 8 GPUs for each 25 requests/s."""
NEED = Need(fleet=FLEET, day=DAY, years=1, levels=LEVELS)


def tariff(name: str, per_hour: float, *, gpus: int = 1, years: float = 0) -> Tariff:
    return Tariff(
        gpu="h100", name=name, per_hour=per_hour, seller="us", date="2026-11", gpus=gpus, months=round(12 * years)
    )


def tariffs(*, spot: float | None = None, **committed: Tariff) -> dict[str, Tariffs]:
    cheap = None if spot is None else tariff("spot", spot)
    named = {one.name: one for one in committed.values()}
    return {"h100": Tariffs(on_demand=tariff("on-demand", 2.0), committed=named, spot=cheap)}


BY_HAND = (
    # per GPU on demand 2; u = 1 for 8 GPUs, 10/24 for 24 more
    ("peak, on demand", 32 * 2.0, 0),
    ("peak, reserved-1y", 32 * 1.0, 32),
    ("peak, on demand + spot", 24 * 2.0 + 8 * 0.5, 0),
    ("peak, reserved-1y + spot", 24 * 1.0 + 8 * 0.5, 24),
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
    assert [one.name for one in found if one.static] == [name for name, _, _ in BY_HAND if name.startswith("peak")]


def test_gpus_that_come_together_are_paid_for_together() -> None:
    node = {"h100": Tariffs(on_demand=tariff("on-demand", 2.0, gpus=24), committed={})}
    (period,) = way("nodes", NEED, node).periods
    assert (period.unit, period.cut.on_demand) == (24, 2)
    assert period.cut.cost == pytest.approx(24 * 2.0 * (1 + 10 / 24))


def test_a_commitment_is_taken_anew_and_what_it_is_too_long_for_goes_without() -> None:
    long = replace(NEED, years=4)
    three = way("3", long, tariffs(one=tariff("reserved-3y", 0.5, years=3)), committed="reserved-3y")
    assert [(one.start, one.end, one.reserved) for one in three.periods] == [(0, 36, 32), (36, 48, 0)]
    once = way("1", long, tariffs(one=tariff("reserved-1y", 1.0, years=1)), committed="reserved-1y")
    assert [(one.start, one.end, one.reserved) for one in once.periods] == [(at, at + 12, 8) for at in range(0, 48, 12)]


def test_a_capacity_block_is_taken_anew_every_few_months() -> None:
    grown = replace(NEED, growth=0.10)
    block = way("block", grown, tariffs(one=tariff("capacity-block", 1.2, years=0.25)), committed="capacity-block")
    assert [(one.start, one.end) for one in block.periods] == [(0, 3), (3, 6), (6, 9), (9, 12)]
    held = [one.reserved for one in block.periods]
    assert held == sorted(held)
    assert held[0] < held[-1]
    assert block.dollars == pytest.approx(sum(one.cut.cost * HOURS / 4 for one in block.periods))


def test_a_host_is_paid_beside_the_price() -> None:
    own = tariffs(one=tariff("reserved-1y", 1.0, years=1))["h100"]
    with_host = {
        "h100": replace(
            own,
            on_demand=replace(own.on_demand, host=0.25),
            committed={name: replace(one, host=0.25) for name, one in own.committed.items()},
        )
    }
    found = {one.name: one.per_hour for one in ways(NEED, with_host)}
    # committed 1.25, on demand 2.25: 8 GPUs always, 24 for 10 of 24 hours, which is below 1.25 / 2.25
    assert found["reserved-1y + on demand"] == pytest.approx(8 * 1.25 + 24 * 10 / 24 * 2.25)


def test_prices_at_which_another_number_is_committed_to() -> None:
    own = tariffs(one=tariff("reserved-1y", 1.0, years=1))
    (period,) = way("mix", NEED, own, committed="reserved-1y").periods
    more, fewer = turns(period, own["h100"].on_demand)
    assert more is not None
    assert fewer is not None
    assert (more.price, fewer.price) == (pytest.approx(2.0 * 10 / 24), 2.0)
    assert (more.units, fewer.units) == (3, 1), "those that are needed as long go together"
    for price, held in ((0.99 * 2 * 10 / 24, 32), (1.01 * 2 * 10 / 24, 8), (1.99, 8), (2.01, 0)):
        moved = tariffs(one=tariff("reserved-1y", price, years=1))
        assert way("mix", NEED, moved, committed="reserved-1y").first("reserved") == held


def test_what_is_bought_is_cheaper_where_more_years_bear_it() -> None:
    # 8 GPUs always: rented at 1.0, bought for 20,000 and 0.3 an hour; 20,000 / 8,760 is 2.28, over 4 years 0.57
    def over(years: int) -> dict[str, Tariffs]:
        owned = tariff(BOUGHT, 20_000 / (years * HOURS) + 0.3, years=years)
        return tariffs(one=tariff("reserved-1y", 1.0, years=1), two=owned)

    def least(found: Sequence[Way]) -> Way:
        return min(found, key=lambda one: one.dollars)

    rows = list(buy_or_rent(replace(NEED, years=4), [(years, over(years)) for years in (1, 2, 3, 4)], least, 0.0))
    assert [years for years, _, _ in rows] == [1, 2, 3, 4]
    assert [buy.dollars < rent.dollars for _, rent, buy in rows] == [False, False, False, True]
    assert all(BOUGHT in buy.name and BOUGHT not in rent.name for _, rent, buy in rows)
    assert rows[3][2].per_hour == pytest.approx(8 * over(4)["h100"].committed[BOUGHT].per_hour + 24 * 10 / 24 * 2.0)


@pytest.mark.parametrize(("price", "bought", "name"), [(3.0, 32, "peak, all bought"), (1.5, 32, "peak, bought")])
def test_who_buys_buys_some(price: float, bought: int, name: str) -> None:
    """Found: "peak, bought" cost $41.30/h, 14 H100 on demand, where to buy them costs $60."""

    def least(found: Sequence[Way]) -> Way:
        return min((one for one in found if one.static), key=lambda one: one.dollars)

    own = tariffs(two=tariff(BOUGHT, price, years=1))
    ((_, rent, buy),) = buy_or_rent(NEED, [(1, own)], least, 0.0)
    assert (buy.name, buy.first("reserved"), buy.first("on_demand")) == (name, bought, 0)
    assert (rent.per_hour, buy.per_hour) == (pytest.approx(64.0), pytest.approx(32 * price))
