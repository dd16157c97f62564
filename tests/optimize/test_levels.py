"""The GPUs that a fleet's shape needs at each rate, against what it sizes there."""

from dataclasses import replace

import pytest

from fleettui.domain.need import Level
from fleettui.errors import InputError
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.levels import levels
from tests.optimize.test_fleet_shape import LENGTHS, found, sizes

RATE = 40.0


def shape_of(*, whole_nodes: bool = False) -> tuple[Shape, tuple[int, ...]]:
    wanted, fleet, profiles = found(RATE)
    return Shape.of(fleet, replace(wanted, whole_nodes=whole_nodes), profiles, [(1.0, LENGTHS)]), sizes(fleet)


def gpus_at(found: tuple[Level, ...], rate: float) -> int:
    return next(dict(level.gpus) for level in found if rate <= level.up_to)["fast"]


@pytest.mark.parametrize("rate", [2.0, 13.0, 39.0, 40.0, 41.0, 77.0, 120.0])
@pytest.mark.parametrize("whole_nodes", [False, True])
def test_a_rate_needs_what_the_shape_is_sized_to_there(rate: float, whole_nodes: bool) -> None:
    shape, owned = shape_of(whole_nodes=whole_nodes)
    needed = shape.replicas(rate)
    assert needed is not None
    gpus = sum(shape.gpus(needed))
    assert gpus_at(levels(shape, owned, RATE, (2.0, 120.0)), rate) == (-(-gpus // 8) * 8 if whole_nodes else gpus)


def test_a_larger_fleet_is_kept_from_its_own_rate_on_and_a_smaller_one_at_its_own_alone() -> None:
    shape, owned = shape_of()
    more, fewer = (tuple(max(1, size + by) for size in owned) for by in (2, -1))
    own, held = (sum(shape.gpus(one)) for one in (owned, more))
    larger, smaller = (levels(shape, one, RATE, (2.0, 120.0)) for one in (more, fewer))
    assert [gpus_at(larger, RATE * by) for by in (0.999, 1.0, 1.01)] == [own, held, held]
    assert [gpus_at(smaller, RATE * by) for by in (0.999, 1.0, 1.01)] == [sum(shape.gpus(fewer))] * 2 + [
        gpus_at(levels(shape, owned, RATE, (2.0, 120.0)), RATE * 1.01)
    ]


def test_rates_that_are_not_the_fleets_own_have_levels_too() -> None:
    shape, owned = shape_of()
    for rates in ((0.0, 1.0), (90.0, 120.0)):
        found = levels(shape, owned, RATE, rates)
        assert [level.up_to for level in found] == sorted({level.up_to for level in found})
        assert found[-1].up_to >= max(rates[1], RATE)
        assert gpus_at(found, RATE) == sum(shape.gpus(owned))


def test_more_fleets_than_are_looked_through_are_refused_with_their_options() -> None:
    shape, owned = shape_of()
    with pytest.raises(InputError, match="lie about") as refused:
        levels(shape, owned, RATE, (2.0, 1e6))
    assert refused.value.where == "--years, --growth"
