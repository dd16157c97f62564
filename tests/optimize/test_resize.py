"""A fleet at other sizes keeps its engines, and the time slices that ask most of its pools."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.optimize.given_fleet import score
from fleettui.optimize.plan import find_plan
from fleettui.optimize.resize import resize
from tests.optimize import samples
from tests.optimize.samples import question
from tests.optimize.test_given_fleet import CONTEXT, FAST, LENGTHS, SLOW, found, one_pool, resized, sizes


def test_other_sizes_change_loads_and_costs_and_no_engine() -> None:
    asked = question(ttft=0.8)
    one = next(one for one in found(asked) if len(one.fleet.pools) == 2)
    more = resized(asked, one.fleet, [size + 2 for size in sizes(one.fleet)])
    assert sizes(more.fleet) == [size + 2 for size in sizes(one.fleet)]
    assert replace(more.fleet.pools[0], replicas=one.fleet.pools[0].replicas) == one.fleet.pools[0]
    assert more.gpus == one.gpus + 8
    assert more.gpus_range == one.gpus_range  # what the traffic needs, not what there is
    assert more.cost_per_hour > one.cost_per_hour
    for before, after, size in zip(one.pools, more.pools, sizes(one.fleet), strict=True):
        assert after.utilization == pytest.approx(before.utilization * size / (size + 2))


@pytest.mark.thorough
def test_the_slice_that_sized_a_pool_is_the_one_that_it_is_simulated_in() -> None:
    """Few long prompts set the size by TTFT, many short ones are busier: the search goes by the need."""
    slices = [(30.0, samples.atoms(0)), (25.0, samples.atoms(50)), (9.0, samples.atoms(90))]
    asked = question(ttft=0.8)
    answer = find_plan(asked, slices=slices, profiles=[FAST, SLOW], grid=(300, 700, 1500, 3000), context=CONTEXT)
    assert len(answer.candidates) > 10
    for one in answer.candidates:
        again = resized(asked, one.fleet, sizes(one.fleet), slices)
        assert [pool.ttft for pool in again.pools] == pytest.approx([pool.ttft for pool in one.pools], rel=1e-9)


def test_an_engine_that_somebody_gave_stays() -> None:
    whole = score(question(), one_pool(), [FAST], ((30.0, LENGTHS),), CONTEXT).candidate.fleet
    slower = replace(whole.pools[0].profile, base_step_time=whole.pools[0].profile.base_step_time * 1.3)
    fleet = replace(whole, pools=(replace(whole.pools[0], profile=slower, concurrency=50),))
    again = resize(fleet, [9], question=question(), profiles=[FAST], slices=((30.0, LENGTHS),), context=CONTEXT)
    assert again.candidate.fleet == replace(fleet, pools=(replace(fleet.pools[0], replicas=9),))


def test_a_fleet_that_is_not_to_be_ranged_differs_in_its_range_alone() -> None:
    whole = score(question(), one_pool(), [FAST], ((30.0, LENGTHS),), CONTEXT).candidate.fleet
    known, bare = (
        resize(whole, [9], question=question(), profiles=[FAST], slices=((30.0, LENGTHS),), context=CONTEXT, ranged=one)
        for one in (True, False)
    )
    assert None not in known.candidate.gpus_range
    assert bare.candidate.gpus_range == (None, None)
    assert replace(bare, candidate=replace(bare.candidate, gpus_range=known.candidate.gpus_range)) == known
