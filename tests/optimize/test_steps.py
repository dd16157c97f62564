from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from fleettui.domain.anchor import Anchor, SeenPool
from fleettui.domain.whatif import Step
from fleettui.errors import InputError
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.resize import resize
from fleettui.optimize.steps import Most, lasts, steps
from tests.optimize.samples import question
from tests.optimize.test_fleet_shape import CONTEXT, LENGTHS, LIMIT, found, sizes
from tests.repeated import few

FEW = Most(200, "--from, --to")


def silent(*_: int) -> None:
    """Hear of progress."""


def unscored(*_: object) -> ScoredFleet:
    pytest.fail("there is nothing to score")


@cache
def table(low: float, high: float, pools: tuple[int, ...] = (2,), **changes: object) -> tuple[Shape, tuple[Step, ...]]:
    asked, fleet, profiles = found(20.0, question(ttft=LIMIT, **changes), pools=pools)
    shape = Shape.of(fleet, asked, profiles, [(1.0, LENGTHS)])

    def score(replicas: Sequence[int], rate: float) -> ScoredFleet:
        return resize(fleet, replicas, question=asked, profiles=profiles, slices=[(rate, LENGTHS)], context=CONTEXT)

    return shape, steps(shape, (low, high), score, silent, FEW)


@pytest.mark.parametrize("pools", few([(1,), (2,)], 1, whole=True))
def test_planning_just_below_and_above_a_row_gives_its_fleet_and_the_next(pools: tuple[int, ...]) -> None:
    _shape, rows = table(10.0, 120.0, pools)
    assert len(rows) > 4
    for row, following in list(pairwise(rows))[::3]:
        assert sizes(found(row.up_to * (1 - 1e-9), pools=pools)[1]) == row.replicas
        assert sizes(found(row.up_to * (1 + 3e-6), pools=pools)[1]) == following.replicas


@pytest.mark.evidence
def test_a_scan_over_rates_finds_the_same_fleets() -> None:
    shape, rows = table(10.0, 120.0)
    for rate in np.geomspace(10.0, 120.0, 60):
        row = next(one for one in rows if rate <= one.up_to)
        assert shape.replicas(float(rate)) == row.replicas


@pytest.mark.thorough
def test_rows_rise_in_rate_gpus_and_cost_and_reach_from_end_to_end() -> None:
    _, rows = table(10.0, 120.0)
    assert rows[-2].up_to < 120.0 <= rows[-1].up_to
    assert rows[0].up_to >= 10.0
    for row, following in pairwise(rows):
        assert row.up_to < following.up_to
        assert row.gpus < following.gpus
        assert row.cost < following.cost
        grown = [more - less for less, more in zip(row.replicas, following.replicas, strict=True)]
        names = [name for name, more in zip(("short", "long"), grown, strict=True) if more]
        assert set(names) == set(row.runs_out)
        assert max(grown) == 1


def test_a_row_says_what_breaks_beyond_it() -> None:
    _, rows = table(10.0, 120.0)
    for row in rows:
        if row.limited_by == "TTFT":
            assert row.ttft == pytest.approx(LIMIT, rel=0.01)
        assert row.limited_by in {"utilization", "TTFT"}
    assert {row.limited_by for row in rows} == {"utilization", "TTFT"}


def test_a_row_that_a_simulation_ends_names_the_limit_that_is_nearest() -> None:
    """Just below its greatest load a pool keeps every limit by formula, and was seen to fail a little beyond."""
    asked, fleet, profiles = found(20.0)
    _, rows = table(10.0, 120.0)
    for limit in ("utilization", "TTFT"):
        row = next(one for one in rows[1:] if one.limited_by == limit and len(one.runs_out) == 1)
        rate = 0.999 * row.up_to
        place = [pool.name for pool in fleet.pools].index(row.runs_out[0])
        small = SeenPool(utilization=0.0, ratios=(), replicas=row.replicas[place], rate=rate, passed=False)
        anchors = [Anchor(seen=(small,) * (at == place)) for at in range(2)]
        shape = Shape.of(fleet, asked, profiles, [(1.0, LENGTHS)], anchors=anchors)

        def score(replicas: Sequence[int], rate: float) -> ScoredFleet:
            return resize(fleet, replicas, question=asked, profiles=profiles, slices=[(rate, LENGTHS)], context=CONTEXT)

        first = steps(shape, (0.999 * rate, rate), score, silent, FEW)[0]
        assert (first.replicas, first.runs_out, first.limited_by) == (row.replicas, row.runs_out, limit)
        assert first.up_to == pytest.approx(rate, rel=1e-5)


def test_a_fleet_that_was_proven_lasts_to_that_very_rate() -> None:
    """A little less, as near as a bisection comes, would be a row that the proof contradicts."""
    asked, fleet, profiles = found(20.0)
    _, rows = table(10.0, 120.0)
    rate = 1.01 * rows[0].up_to
    seen = [SeenPool(utilization=0.0, ratios=(), replicas=one, rate=rate, passed=True) for one in rows[0].replicas]
    shape = Shape.of(fleet, asked, profiles, [(1.0, LENGTHS)], anchors=[Anchor(seen=(one,)) for one in seen])
    assert lasts(shape, rows[0].replicas) == rate


@pytest.mark.evidence
def test_a_row_says_which_constraint_it_breaks() -> None:
    _, rows = table(10.0, 120.0, max_gpus=(("fast", 12),))
    assert [bool(row.shortfalls) for row in rows] == [row.gpus > 12 for row in rows]
    assert {bool(row.shortfalls) for row in rows} == {True, False}


@pytest.mark.evidence
def test_a_fleet_lasts_as_long_as_its_weakest_pool() -> None:
    shape, rows = table(10.0, 120.0)
    for row in rows[::8]:
        assert lasts(shape, row.replicas) == pytest.approx(row.up_to, rel=2e-6)
    small, large = rows[0].replicas, rows[-1].replicas
    assert lasts(shape, (small[0], large[1])) <= lasts(shape, large)


def test_too_many_rows_and_what_no_size_holds_are_refused() -> None:
    with pytest.raises(InputError, match="lie about") as refused:
        table(1.0, 100_000.0)
    assert (refused.value.where, refused.value.accepted) == ("--from, --to", "a range with up to 200 fleets in it")
    _asked, fleet, profiles = found(20.0)
    shape = Shape.of(fleet, question(ttft=0.001), profiles, [(1.0, LENGTHS)])
    with pytest.raises(InputError, match="at any rate"):
        steps(shape, (1.0, 2.0), unscored, silent, FEW)
