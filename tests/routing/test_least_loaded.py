"""The router least-loaded: the pool with the largest share of its places free, never a shorter one."""

from types import SimpleNamespace

from fleettui.routing.least_loaded import across


def pool(least: int, full: int) -> SimpleNamespace:
    return SimpleNamespace(least=least, full=full)


def test_a_request_goes_where_the_share_of_taken_places_is_least() -> None:
    pools = [pool(2, 8), pool(3, 16), pool(1, 4)]
    assert across(pools, SimpleNamespace(pool=0)) == 1
    assert across(pools, SimpleNamespace(pool=2)) == 2
    assert across([pool(2, 8), pool(1, 4)], SimpleNamespace(pool=0)) == 0
    assert across([pool(0, 8), pool(9, 16)], SimpleNamespace(pool=1)) == 1
