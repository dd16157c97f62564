"""The router `session-affinity`: where the round before was, else least loaded."""

import pytest

from fleettui.routing.session_affinity import choose
from tests.routing.views import part_of_view


@pytest.mark.parametrize(("home", "expected"), [(-1, 5), (4, 4), (6, 6), (3, 5), (7, 5)])
def test_a_round_goes_where_the_one_before_was_if_that_is_in_its_pool(home: int, expected: int) -> None:
    """Replicas 4, 5 and 6 are the pool's, 5 the one of least load."""
    state = part_of_view(order=[0, 1, 2, 3, 5, 4, 6], ends=[0, 0, 1, 3])
    pool = part_of_view(start=4, replicas=3, levels=0, least=2, home=home)
    assert choose(state, pool, part_of_view(tie=0.7)) == expected
