from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from fleettui.domain.anchor import Anchor, SeenPool
from fleettui.domain.confidence import LIKELY
from fleettui.domain.uncertain import END, share_below
from fleettui.hardware.what_was_measured import bands_record
from fleettui.optimize.confidence import _told, confidence, holds
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.held_fleet import HeldFleet, Situation
from fleettui.optimize.sensitivity import draw
from tests.optimize.test_fleet_shape import LENGTHS, found, sizes

RATE = 60.0


def shape(anchors: tuple[Anchor, ...] = ()) -> tuple[Shape, tuple[int, ...]]:
    asked, fleet, profiles = found(RATE)
    return Shape.of(fleet, asked, profiles, [(1.0, LENGTHS)], anchors=anchors), sizes(fleet)


@pytest.mark.evidence
def test_the_share_is_that_of_draws_of_the_same_step_times() -> None:
    asked, fleet, profiles = found(RATE)
    held = HeldFleet.of(fleet, asked, profiles, [(1.0, LENGTHS)])
    base, own = Situation(rate=RATE), sizes(fleet)
    drawn = [replace(base, step_time=one.step_time) for one in draw(base, samples=400, seed=5)]
    needed = [held.replicas(one) for one in drawn]
    enough = [one is not None and all(np.less_equal(one, own)) for one in needed]
    sure = confidence(held.planned, own, RATE)
    assert np.mean(enough) == pytest.approx(sure.holds, abs=0.05)
    assert sure.replicas is not None
    likely = [one is not None and all(np.less_equal(one, sure.replicas)) for one in needed]
    assert np.mean(likely) >= LIKELY - 0.04


def test_what_is_as_good_as_sure_holds_in_at_least_so_many_cases() -> None:
    own, planned = shape()
    sure = confidence(own, planned, RATE)
    assert sure.replicas is not None
    assert holds(own, sure.replicas, RATE) >= LIKELY
    assert 0.5 <= sure.holds < LIKELY
    assert (sure.gpus, sure.cost) == (sum(own.gpus(sure.replicas)), own.cost(sure.replicas))
    low, high = sure.span
    assert low is not None
    assert high is not None
    assert low <= sum(own.gpus(planned)) <= sure.gpus <= high  # type: ignore[operator]


def test_a_fleet_that_is_sure_enough_needs_no_more_replicas_for_it() -> None:
    """Formulas need not agree with themselves to a replica: at the step times of 90 % one more may be asked for."""
    own, planned = shape()
    more = tuple(size + 1 for size in planned)
    for share, likely, told in (
        (0.91, more, planned),
        (0.91, None, planned),
        (0.89, more, more),
        (0.91, (1, 1), (1, 1)),
    ):
        sure = _told(own, planned, share, likely, (planned, more))
        assert (sure.replicas, sure.cost) == (told, own.cost(told))


def test_a_fleet_that_is_not_sure_enough_needs_more_of_the_pool_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: 88% sure that 12 GPUs suffice, 90% with ~12 like these."""
    own, planned = shape()
    short, long = planned[0], planned[1]

    def uneven(_shape: Shape, _rate: float, step_times: Sequence[float]) -> list[tuple[int, ...] | None]:
        return [(short, long + (0.7 < towards < 0.77) + (towards > 1.0)) for towards in step_times]

    monkeypatch.setattr(Shape, "replicas_at", uneven)
    sure = confidence(own, planned, RATE)
    assert sure.holds == pytest.approx(share_below(0.7), abs=1e-4)
    assert (sure.replicas, sure.gpus) == ((short, long + 1), sum(own.gpus((short, long + 1))))
    assert confidence(own, (short, long + 1), RATE).holds >= LIKELY


def test_gpus_of_whole_nodes_beyond_the_fleets_own_are_told_as_paid() -> None:
    """Found: 90% with ~12 like these ($47/h), where 16 were paid for."""
    own, planned = shape()
    sure = confidence(own, planned, RATE)
    nodes = confidence(replace(own, question=replace(own.question, whole_nodes=True)), planned, RATE)
    assert sure.paid is None
    assert nodes.gpus == sure.gpus
    assert nodes.paid is not None
    assert nodes.paid > (nodes.gpus or 0)
    assert nodes.paid % min(one.profile.gpus_per_node for one in own.pools) == 0
    assert (sure.cost or 0.0) < (nodes.cost or 0.0)


def test_more_replicas_hold_in_more_cases_and_none_in_none() -> None:
    own, planned = shape()
    shares = [holds(own, [size + more for size in planned], RATE) for more in range(-1, 4)]
    assert all(low <= high for low, high in pairwise(shares))
    assert shares[0] < 0.5 <= shares[1] < shares[-1]
    assert holds(own, [1, 1], 100 * RATE) == 0.0
    assert holds(own, [1000, 1000], RATE) == 1.0


def test_a_simulation_that_failed_as_predicted_leaves_less_than_half_of_the_cases() -> None:
    _, planned = shape()
    seen = [SeenPool(utilization=0.8, ratios=(), replicas=size, rate=RATE, passed=False) for size in planned]
    own, _ = shape(tuple(Anchor(seen=(one,)) for one in seen))
    assert holds(own, planned, RATE) <= 0.5
    assert holds(own, [size + 1 for size in planned], RATE) >= 0.5


def test_the_bands_say_which_share_lies_between_their_factors() -> None:
    assert share_below(1.0) - share_below(-1.0) == pytest.approx(bands_record().number("share"))
    assert pytest.approx(1.6448536269514722) == END
