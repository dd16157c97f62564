"""Fleets that were simulated: what one shows of another's pools."""

from dataclasses import replace

from fleettui.domain.pareto import SeenFleet, settled
from tests.planning.trials import shape


def seen(*passed: bool | None, sizes: tuple[int, ...]) -> SeenFleet:
    return SeenFleet(fleet=shape(*sizes).fleet, passed=passed)


def test_a_pool_that_is_proven_to_hold_holds_in_fleets_whose_few_runs_left_it_open() -> None:
    """A long pool of 15 holds; beside another short pool it, a larger and a smaller one had few runs."""
    proven = seen(True, True, sizes=(2, 15))
    others = [seen(False, False, sizes=(1, size)) for size in (15, 16, 14)]
    found = settled([others[0], proven, *others[1:]])
    assert [one.passed for one in found] == [(False, True), (True, True), (False, True), (False, False)]
    assert not any(one.rules_out(proven.fleet, meeting=False) for one in found)
    assert others[0].rules_out(proven.fleet, meeting=False)


def test_pools_of_other_requests_and_what_nothing_was_said_of_stay_as_they_are() -> None:
    proven = seen(True, sizes=(4,))
    open_ = seen(None, sizes=(5,))
    pool = replace(proven.fleet.pools[0], up_to=500)
    other = SeenFleet(fleet=replace(proven.fleet, pools=(pool,)), passed=(False,))
    assert [one.passed for one in settled([proven, other])] == [(True,), (False,)]
    assert [one.passed for one in settled([seen(False, sizes=(3,)), open_])] == [(False,), (None,)]
