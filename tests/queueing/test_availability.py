import math
import random
import time

import pytest

from fleettui.errors import InputError
from fleettui.queueing import availability


def test_the_published_availabilities() -> None:
    assert availability.availability(0.0065, 4 * 3600.0) == pytest.approx(0.9989, abs=1e-4)
    assert availability.availability(0.0065, 48 * 3600.0) == pytest.approx(0.9871, abs=1e-4)


@pytest.mark.parametrize("needed", [1, 2, 7, 40, 300])
@pytest.mark.parametrize("up", [0.9, 0.987, 0.9989])
@pytest.mark.parametrize("target", [0.5, 0.99, 0.9999])
def test_spares_reach_the_target_and_one_less_does_not(needed: int, up: float, target: float) -> None:
    found = availability.spares(needed, up, target)
    assert availability.all_up(needed, needed + found, up) >= target
    assert found == 0 or availability.all_up(needed, needed + found - 1, up) < target


@pytest.mark.parametrize("up", [0.9**8, 0.5**8, 0.1**5])
def test_spares_of_what_is_rarely_up_are_found_at_once(up: float) -> None:
    start = time.monotonic()
    found = availability.spares(3, up, 0.99)
    assert availability.all_up(3, 3 + found, up) >= 0.99 > availability.all_up(3, 2 + found, up)
    assert time.monotonic() - start < 0.1


def test_what_is_hardly_ever_up_has_no_spares() -> None:
    with pytest.raises(InputError, match="replicas are up too rarely"):
        availability.spares(1, 0.1**8, 0.99)
    with pytest.raises(InputError, match="replicas are up too rarely"):
        availability.spares(1, 0.0, 0.99)


def test_all_up_is_what_coins_show() -> None:
    rng = random.Random(1)
    held, needed, up = 12, 10, 0.9
    seen = sum(sum(rng.random() < up for _ in range(held)) >= needed for _ in range(20_000)) / 20_000
    assert availability.all_up(needed, held, up) == pytest.approx(seen, abs=0.01)


def test_the_papers_count_is_held_for_less_of_the_time() -> None:
    up = 0.9871
    counts = [(needed, availability.mean_count(needed, up)) for needed in (24, 100, 284)]
    assert all(0.5 < availability.all_up(needed, held, up) < 0.97 for needed, held in counts)


def test_all_of_the_replicas_are_up_by_the_binomial_law() -> None:
    up = 0.9
    assert availability.all_up(3, 3, up) == pytest.approx(up**3)
    assert availability.all_up(1, 3, up) == pytest.approx(1 - 0.1**3)
    assert availability.all_up(2, 3, up) == pytest.approx(up**3 + 3 * up**2 * 0.1)


def test_a_target_that_is_just_met_takes_no_spare() -> None:
    exactly = availability.all_up(5, 5, 0.9)
    assert availability.spares(5, 0.9, exactly) == 0
    assert availability.spares(5, 0.9, exactly + 1e-9) == 1
    with_three = availability.all_up(5, 8, 0.9)
    assert availability.spares(5, 0.9, with_three) == 3
    assert availability.spares(5, 0.9, with_three + 1e-9) == 4


def test_the_mean_count_is_rounded_up_unless_it_is_whole() -> None:
    assert availability.mean_count(9, 0.9) == 10
    assert availability.mean_count(10, 0.9) == 12
    assert availability.mean_count(7, 1.0) == 7
    for needed, up, held in ((57, 0.57, 100), (69, 0.69, 100), (21, 0.7, 30)):
        assert needed / up > held  # by rounding
        assert availability.mean_count(needed, up) == held


def test_half_the_day_under_repair_is_an_availability_of_a_half() -> None:
    assert availability.availability(1.0, 86_400.0) == 0.5
    assert availability.availability(0.0, 1e9) == 1.0
    assert availability.availability(3.0, 86_400.0) == 0.25


@pytest.mark.parametrize(("needed", "held"), [(5, 9), (5, 8), (7, 12), (3, 4), (3, 6)])
def test_replicas_that_fail_in_groups_are_up_as_coins_show(needed: int, held: int) -> None:
    rng, group = random.Random(2), availability.Group(replicas=4, up=0.8)
    sizes = [min(4, held - first) for first in range(0, held, 4)]
    drawn = (sum(size for size in sizes if rng.random() < group.up) for _ in range(20_000))
    seen = sum(up >= needed for up in drawn) / 20_000
    assert group.all_up(needed, held) == pytest.approx(seen, abs=0.015)


@pytest.mark.parametrize("needed", [1, 4, 5, 14, 100])
def test_the_fewest_whole_groups_reach_the_target(needed: int) -> None:
    group = availability.Group(replicas=4, up=0.97)
    found = group.spares(needed, 0.999)
    assert found % 4 == 0
    assert group.all_up(needed, needed + found) >= 0.999
    assert group.all_up(needed, needed + found - 4) < 0.999


@pytest.mark.parametrize(("needed", "held"), [(20, 32), (20, 28), (9, 22), (4, 6), (17, 18)])
def test_groups_of_a_rack_go_down_with_it_as_coins_show(needed: int, held: int) -> None:
    """Racks of two groups of four replicas; the last rack and the last group may be a part of one."""
    rng, group = random.Random(3), availability.Group(replicas=4, up=0.8, in_rack=2, rack_up=0.9)
    racks = [[min(4, held - first) for first in range(rack, min(held, rack + 8), 4)] for rack in range(0, held, 8)]

    def up() -> int:
        alive = (size for rack in racks if rng.random() < group.rack_up for size in rack)
        return sum(size for size in alive if rng.random() < group.up)

    seen = sum(up() >= needed for _ in range(20_000)) / 20_000
    assert group.all_up(needed, held) == pytest.approx(seen, abs=0.015)


def test_a_rack_that_fails_takes_a_rack_of_spares() -> None:
    alone = availability.Group(replicas=1, up=0.987)
    racked = alone.in_racks(4, 0.999, 1)
    assert alone.spares(8, 0.999) == 2
    assert racked.spares(8, 0.999) >= 4
    assert racked.all_up(8, 8 + racked.spares(8, 0.999)) >= 0.999 > racked.all_up(8, 7 + racked.spares(8, 0.999))
    assert alone.in_racks(4, 1.0 - 1e-12, 1).all_up(8, 10) == pytest.approx(alone.all_up(8, 10))


def test_a_group_on_more_nodes_than_a_rack_has_needs_all_of_its_racks() -> None:
    """Six nodes in racks of four are in two of them."""
    found = availability.Group(replicas=1, up=0.9).in_racks(4, 0.5, 6)
    assert (found.up, found.in_rack) == (pytest.approx(0.9 * 0.5**2), 0)
    assert availability.Group(replicas=1, up=0.9).in_racks(6, 0.5, 4).in_rack == 1


def test_a_replica_on_more_gpus_than_fail_together_fails_by_itself() -> None:
    alone = availability.Group.of(0.99, 8, 16)
    assert (alone.replicas, alone.up) == (1, pytest.approx(0.99**2))
    assert availability.Group.of(0.99, 8, 2).replicas == 4
    assert availability.Group.of(0.99, 8, 12).up == pytest.approx(0.99**2)  # the second eight in part


@pytest.mark.parametrize("replicas", [1, 4])
def test_one_of_very_many_groups_is_up_by_a_closed_form(replicas: int) -> None:
    """Of g whole groups one is up with 1 - (1 - a)^g: g = ln(1 - target)/ln(1 - a), the first group a part of one."""
    up, target = 1e-4, 0.9
    found = availability.Group(replicas=replicas, up=up).spares(1, target)
    groups = math.ceil(math.log(1.0 - target) / math.log1p(-up))
    assert found == (groups - 1) * replicas
    assert 20_000 * replicas < found < availability.MOST_HELD / 4


@pytest.mark.parametrize("replicas", [1, 4])
def test_more_replicas_than_any_fleet_has_are_refused_however_they_fail(replicas: int) -> None:
    """Groups of 1 and of 4 that are up so rarely that twice as many replicas as there can be are needed."""
    groups = 2.2 * availability.MOST_HELD / replicas
    with pytest.raises(InputError, match="replicas are up too rarely"):
        availability.Group(replicas=replicas, up=math.log(10.0) / groups).spares(1, 0.9)


def test_a_fleet_of_as_many_replicas_as_there_can_be_has_room_for_no_second_spare() -> None:
    most, group = availability.MOST_HELD, availability.Group(replicas=1, up=1.0 - 1e-6)
    assert group.spares(most, 0.7) == 1
    with pytest.raises(InputError, match="replicas are up too rarely"):
        group.spares(most, 0.9)
