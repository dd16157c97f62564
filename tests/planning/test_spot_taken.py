"""Which replicas of a fleet are gone with its spot GPUs."""

from dataclasses import replace

from fleettui.domain.commitment import best_cut
from fleettui.domain.fleet import Fleet
from fleettui.domain.money import Period
from fleettui.planning.spot_taken import all_gone, one_gone
from tests.domain.test_fleet import POOL

SHORT = replace(POOL, gpu="a100", tp=1, replicas=1)
LONG = replace(POOL, name="long", above=4096, up_to=8192, tp=1, replicas=2)


def taken(gpu: str, *, of: int, most: int, unit: int = 1) -> Period:
    """Return a period that holds `of` units, of which `most` are spot."""
    cut = best_cut((1.0,) * of, on_demand=3.0, spot=1.0, most_spot=most)
    return Period(gpu=gpu, start=0, end=12, unit=unit, committed=None, cut=cut, shares=(1.0,) * of)


def test_what_is_on_demand_stays() -> None:
    """Found: beside one spot H100 of three the only A100 went, too, and 0.007 % stood beside 43.59 % of one event."""
    fleet, spot = Fleet(pools=(SHORT, LONG)), (taken("h100", of=4, most=1),)
    assert [case.down for case in one_gone(fleet, spot)] == [(0, 1)]
    assert [case.down for case in all_gone(fleet, spot)] == [(0, 1)], "one unit is all of it"


def test_a_fleet_that_grows_has_the_same_share_as_spot() -> None:
    fleet = Fleet(pools=(SHORT, replace(LONG, replicas=8)))
    assert [case.down for case in all_gone(fleet, (taken("h100", of=16, most=6),))] == [(0, 3)]
    both = (taken("h100", of=8, most=2), taken("a100", of=1, most=1))
    assert [case.down for case in all_gone(fleet, both)] == [(1, 2)]
    assert [case.down for case in one_gone(fleet, both)] == [(1, 0), (0, 1)]


def test_of_pools_with_the_same_gpus_each_has_what_it_can_of_the_spot() -> None:
    fleet, spot = (
        Fleet(pools=(replace(SHORT, gpu="h100"), replace(LONG, tp=2, replicas=4))),
        taken("h100", of=9, most=2),
    )
    assert [case.down for case in one_gone(fleet, (spot,))] == [(1, 0), (0, 1)]
    assert [case.down for case in all_gone(fleet, (spot,))] == [(1, 1), (0, 1)]
    assert [case.down for case in one_gone(fleet, (replace(spot, unit=8),))] == [(1, 0), (0, 4)], "what comes together"
