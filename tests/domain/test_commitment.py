"""The cut on the load duration curve against trying everything."""

import json
import math
import random
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import pytest

from fleettui.domain.commitment import best_cut, break_even, duration_curve, owned_per_hour

PROFILES = 1000
LEVELS = json.loads(Path(__file__).with_name("servegen-levels.json").read_text("utf-8"))["levels"]
"""Windows of two weeks of production traffic that need 1, 2, ... 100 GPUs, by model."""
NEAR = 0.002


def tried(
    needed: list[tuple[float, int]], reserved: float | None, on_demand: float, spot: float | None, most: int
) -> float:
    """Return the least mean cost over every number to commit to and every number of spot units."""
    whole, top = sum(length for length, _ in needed), max(units for _, units in needed)
    costs = []
    for held in range(top + 1 if reserved is not None else 1):
        for cheap in range((most if spot is not None else 0) + 1):
            used = sum(
                length * ((spot or 0.0) * min(cheap, max(0, units - held)) + on_demand * max(0, units - held - cheap))
                for length, units in needed
            )
            costs.append(held * (reserved or 0.0) + used / whole)
    return min(costs)


def test_the_cut_is_as_cheap_as_the_best_of_all_on_a_thousand_random_profiles() -> None:
    chance = random.Random(22)
    for _ in range(PROFILES):
        needed = [
            (chance.choice((0.5, 1.0, 3.0)), chance.randint(0, chance.choice((1, 4, 9))))
            for _ in range(chance.randint(1, 12))
        ]
        on_demand, most = chance.uniform(0.5, 9.0), chance.randint(0, 5)
        reserved = chance.choice((None, chance.uniform(0.1, 1.3) * on_demand))
        spot = chance.choice((None, chance.uniform(0.05, 1.2) * on_demand))
        found = best_cut(duration_curve(needed), on_demand=on_demand, reserved=reserved, spot=spot, most_spot=most)
        assert found.cost == pytest.approx(tried(needed, reserved, on_demand, spot, most), rel=1e-9, abs=1e-9)
        assert found.most == max(units for _, units in needed)
        assert found.spot <= most


def test_a_table_by_hand() -> None:
    # 10 h with 4 units, 14 h with 1: u = (1, 10/24, 10/24, 10/24)
    shares = duration_curve([(10.0, 4), (14.0, 1)])
    assert shares == pytest.approx((1.0, 10 / 24, 10 / 24, 10 / 24))
    for reserved, held, cost in (
        (1.00, 1, 1.00 + 3 * 10 / 24 * 2.0),  # 0.5 of the time breaks even: the second is used less
        (0.80, 4, 4 * 0.80),  # 0.4 does: all are used more
        (2.50, 0, (1 + 3 * 10 / 24) * 2.0),  # dearer than on demand
    ):
        found = best_cut(shares, on_demand=2.0, reserved=reserved)
        assert (found.reserved, found.cost) == (held, pytest.approx(cost))
    mixed = best_cut(shares, on_demand=2.0, reserved=1.0, spot=0.5, most_spot=2)
    assert (mixed.reserved, mixed.spot, mixed.on_demand) == (1, 2, 1)
    assert mixed.cost == pytest.approx(1.0 + 2 * 10 / 24 * 0.5 + 10 / 24 * 2.0)


def test_hours_that_break_even() -> None:
    assert break_even(1.75, 2.95) * 730 == pytest.approx(433.05, abs=0.01)  # 730 h · 1.75 / 2.95


def test_the_readme_does_it_by_hand() -> None:
    text = " ".join((Path(__file__).parents[2] / "README.md").read_text("utf-8").split())
    by_hand = re.findall(r"730 x (\d\.\d+) / (\d\.\d+) = (\d+\.\d) h", text)
    assert len(by_hand) == 2
    for reserved, on_demand, hours in by_hand:
        assert f"{730 * break_even(float(reserved), float(on_demand)):.1f}" == hours
    own = owned_per_hour(capex=38_000, years=4, resale=0, watts=1200, power_price=0.10, hosting=150 / 730)
    assert f"38,000 / 35,040 + 1.2 x (0.10 + 150 / 730) = {own:.3f} an hour" in text
    assert f"and pays from {730 * break_even(own, 2.95):.1f} h" in text


def test_nothing_is_needed() -> None:
    assert duration_curve([]) == duration_curve([(5.0, 0)]) == ()
    assert best_cut((), on_demand=2.0, reserved=1.0).cost == 0.0


def test_a_gpu_that_is_bought() -> None:
    # 30,000 over 3 years of 8,760 h is 1.1416; 1.5 kW at 0.10 + 0.20 is 0.45; a fifth comes back
    cost = owned_per_hour(capex=30_000, years=3, resale=0.2, watts=1500, power_price=0.10, hosting=0.20)
    assert cost == pytest.approx(0.8 * 30_000 / 26_280 + 0.45)
    assert math.isfinite(cost)


def shares(model: str) -> tuple[float, ...]:
    """Return the duration curve of a model's traffic, P99.9 of which needs 100 GPUs."""
    if model in LEVELS:
        return duration_curve(
            (float(windows), place) for place, windows in enumerate(LEVELS[model], start=1) if windows
        )
    name = f"day_shapes/servegen-{model}.json"
    shape: Sequence[float] = json.loads(resources.files("fleettui.workloads").joinpath(name).read_text("utf-8"))[
        "shape"
    ]
    return duration_curve((1.0, max(1, math.ceil(100.0 * one - 1e-9))) for one in shape)


@pytest.mark.parametrize(
    ("model", "on_demand", "held", "mixed"),
    [
        ("m-small", 0.375, (34, 37), (0.281, 0.234)),
        ("m-mid", 0.530, (46, 56), (0.416, 0.350)),
        ("m-large", 0.385, (32, 37), (0.294, 0.249)),
        ("deepseek-r1", 0.382, (27, 31), (0.301, 0.263)),
    ],
)
def test_production_traffic_costs_what_was_worked_out_of_it(
    model: str, on_demand: float, held: tuple[int, int], mixed: tuple[float, float]
) -> None:
    # costs over a static fleet on demand; one-year and three-year commitments at 0.63 and 0.50 of its price
    found = shares(model)
    assert best_cut(found, on_demand=1.0).cost / 100 == pytest.approx(on_demand, abs=NEAR)
    for price, count, cost in zip((0.63, 0.50), held, mixed, strict=True):
        cut = best_cut(found, on_demand=1.0, reserved=price)
        assert (cut.reserved, cut.cost / 100) == (count, pytest.approx(cost, abs=NEAR))
