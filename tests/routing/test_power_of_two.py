"""The router `power-of-two`, against its mean-field limit: a replica has n requests or more with chance ρ^(2ⁿ - 1)."""

import pytest

from fleettui.routing.power_of_two import choose
from tests.routing.test_router import COUNT, STEPS, queues
from tests.routing.views import part_of_view


@pytest.mark.parametrize("busy", [0.7, 0.9])
def test_its_waits_are_those_of_the_mean_field(busy: float) -> None:
    waits, alone = queues("power-of-two", replicas=50, busy=busy)
    present = sum(busy ** (2**n - 1) for n in range(1, 12))
    expected = STEPS * (present / busy - 1.0)
    assert waits[COUNT // 5 :].mean() == pytest.approx(expected, rel=0.05)
    assert expected < 0.3 * alone


@pytest.mark.parametrize("busy", [0.7, 0.9])
def test_chance_makes_each_replica_a_queue_of_its_own(busy: float) -> None:
    waits, alone = queues("random", replicas=50, busy=busy)
    assert waits[COUNT // 5 :].mean() == pytest.approx(alone, rel=0.08)


def test_every_pair_is_drawn_as_often_as_any_other() -> None:
    """The one with fewer requests is chosen; of all six pairs of four replicas three have the first."""
    seen = [part_of_view(load=load) for load in (0, 1, 2, 3)]
    pool = part_of_view(start=0, replicas=4)
    chosen = [choose(part_of_view(seen=seen), pool, part_of_view(tie=(at + 0.5) / 12)) for at in range(12)]
    assert [chosen.count(place) for place in range(4)] == [6, 4, 2, 0]


def test_one_replica_gets_all() -> None:
    assert choose(part_of_view(), part_of_view(start=3, replicas=1), part_of_view(tie=0.9)) == 3
