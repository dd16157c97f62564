"""What limits a pool against removing a replica."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.optimize import sizing
from fleettui.optimize.offers import offer
from fleettui.optimize.pool_figures import limits
from fleettui.optimize.ranges import Demanded, Ranges
from fleettui.optimize.terms import Terms
from fleettui.queueing.latency import PoolLoad
from tests.optimize.samples import atoms, profile, question


def load(
    rate: float = 20.0, asked: Question | None = None, one: Profile | None = None
) -> tuple[PoolLoad, Profile, Terms]:
    asked, one = asked or question(ttft=1.0), one or profile()
    ranges = Ranges.of((), 16_384)
    slices = [Demanded.of(rate, atoms(4), ranges, chunk=one.settled(asked).token_budget, prefix_hit=0.0)]
    found = offer(one, slices, ranges, asked, Terms.of(asked))
    return found.load(np.array([0]), found.replicas, 0), one, Terms.of(asked)


@pytest.mark.parametrize("ttft", [0.4, 0.6, 5.0])
def test_the_named_limit_is_what_one_replica_fewer_breaks(ttft: float) -> None:
    pool, _, terms = load(rate=30.0, asked=question(ttft=ttft))
    (reason,) = limits(pool, terms, cap=256)
    less = pool.resized(pool.replicas - 1.0)
    assert not sizing.keeps(less, terms)[0]
    if reason.startswith("TTFT"):
        assert not sizing.keeps(less, replace(terms, max_utilization=0.9999))[0]
    else:
        assert less.occupancy.utilization[0] > 0.85


def test_a_latency_that_breaks_before_use_does_is_named_where_one_replica_fewer_breaks_both() -> None:
    for ttft, named in ((0.5, "TTFT: prefill"), (0.7, "prefill compute")):
        pool, _, terms = load(rate=60.0, asked=question(ttft=ttft))
        assert not terms.has_room(pool.resized(pool.replicas - 1.0))[0]
        assert limits(pool, terms, cap=256) == [named]
        grown = (0.99 * terms.max_utilization / pool.occupancy.utilization) * pool.arrival_rate
        assert sizing.keeps(replace(pool, arrival_rate=grown), terms)[0] == (named == "prefill compute")


def test_starved_memory_and_prompts_are_told_apart() -> None:
    starved, _, terms = load(rate=30.0, asked=question(ttft=None), one=profile(blocks=800))
    assert limits(starved, terms, cap=256) == ["KV memory"]
    roomy, _, terms = load(rate=100.0, asked=question(ttft=None))
    assert limits(roomy, terms, cap=256) == ["prefill compute"]


def test_a_single_replica_is_limited_by_being_one() -> None:
    pool, _, terms = load(rate=0.01)
    assert limits(pool, terms, cap=256) == ["one replica"]


def test_of_more_replicas_than_needed_one_fewer_breaks_nothing_by_formula() -> None:
    """A simulation may know better: the words say whose they are."""
    pool, _, terms = load(rate=30.0)
    assert limits(pool.resized(pool.replicas + 1.0), terms, cap=256) == ["nothing by formula"]
