"""The router `session-bounded`: where the round before was, while that is within 1.25 times the mean load."""

import pytest

from fleettui.routing.session_bounded import choose
from tests.routing.views import part_of_view


@pytest.mark.parametrize(
    ("loads", "home", "expected"),
    [
        ([4, 4, 4], 0, 0),  # 13 requests, 1.25 x 13 / 3 rounded up are 6
        ([5, 4, 3], 0, 0),
        ([7, 4, 3], 0, 2),  # 15 with it: at most 7, and it has as many already
        ([1, 0, 0], 0, 1),
        ([7, 4, 3], -1, 2),
    ],
)
def test_a_round_goes_home_unless_that_has_too_much(loads: list[int], home: int, expected: int) -> None:
    seen = [part_of_view(load=load) for load in loads]
    order = sorted(range(3), key=lambda index: loads[index])
    least = min(loads)
    ends = [sum(load <= most for load in loads) for most in range(10)]
    pool = part_of_view(start=0, replicas=3, levels=0, least=least, home=home)
    assert choose(part_of_view(seen=seen, order=order, ends=ends), pool, part_of_view(tie=0.0)) == expected
