"""The router least-loaded: the pool with the largest share of its places free, never a shorter one."""

from typing import Any

from fleettui.routing.least_loaded import across
from tests.routing.views import part_of_view


def pool(least: int, full: int) -> Any:
    return part_of_view(least=least, full=full)


def test_a_request_goes_where_the_share_of_taken_places_is_least() -> None:
    pools = [pool(2, 8), pool(3, 16), pool(1, 4)]
    assert across(pools, part_of_view(pool=0)) == 1
    assert across(pools, part_of_view(pool=2)) == 2
    assert across([pool(2, 8), pool(1, 4)], part_of_view(pool=0)) == 0
    assert across([pool(0, 8), pool(9, 16)], part_of_view(pool=1)) == 1
