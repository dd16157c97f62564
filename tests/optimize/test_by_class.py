"""Behind a router by class each pool is sized by what it serves: in the search, as given, and as it is played."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.domain.limit import TTFT, Latency
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolLength
from fleettui.domain.slo import Slo
from fleettui.optimize.by_class import sends_by_class
from fleettui.optimize.offers import offer
from fleettui.optimize.pool_parts import among
from fleettui.optimize.ranges import Demanded, Ranges, demanded_of
from fleettui.optimize.terms import Terms
from fleettui.queueing.classes import Classes
from fleettui.queueing.moments import Atoms, RequestTable
from fleettui.routing import length_pools
from fleettui.simulation.run import replicate
from tests.optimize.samples import question
from tests.optimize.test_given_fleet import (
    CONTEXT,
    FAST,
    LENGTHS,
    SLOW,
    found,
    one_pool,
    resized,
    same,
    scored,
    sizes,
    two_pools,
)

SHARE, BATCH = 0.3, Latency(metric=TTFT.name, percentile=0.5, batch=True)
SPLITS = (700, 1500)


def asked(router: str = "class", **changes: Any) -> Question:
    slo = Slo(ttft=0.8, further=(("batch.ttft", 5.0), ("batch.ttft.p50", 5.0)))
    return replace(question(), slo=slo, router=router, batch_share=SHARE, **changes)


def served(parts: list[Atoms], place: int) -> Atoms:
    """Return the requests of a pool one by one: its interactive ones, and in the last all of class batch."""
    own = [(weight * (1.0 - SHARE), prompt, output) for weight, prompt, output in parts[place]]
    if place < len(parts) - 1:
        return own
    return own + [(weight * SHARE, prompt, output) for part in parts for weight, prompt, output in part]


@pytest.mark.parametrize("ends", [SPLITS[:1], SPLITS])
@pytest.mark.parametrize("gamma", [1.0, 1.5])
def test_a_row_serves_what_the_pool_is_sent_one_by_one(ends: tuple[int, ...], gamma: float) -> None:
    if gamma > 1.0 and len(ends) > 1:
        ends = ends[1:]
    ranges = Ranges.of(ends, CONTEXT, cuts=range(len(ends)), factors=(1.0, gamma)[: 1 + (gamma > 1.0)])
    demanded = Demanded.of(20.0, LENGTHS, ranges, chunk=2048, prefix_hit=0.0, classes=Classes(SHARE), by_class=True)
    bounds = list(zip((0, *ends), (*ends, CONTEXT), strict=True))
    parts: list[Atoms] = list(length_pools.route(LENGTHS, bounds, gamma=gamma))
    total = sum(atom[0] for atom in LENGTHS)
    rows = ranges.of_fleet(int(gamma > 1.0))
    for place, row in enumerate(rows):
        own = served(parts, place)
        one = RequestTable.of(own, chunk=2048).moments(0, len(own))
        assert demanded.moments.share[row] == pytest.approx(sum(atom[0] for atom in own) / total)
        for name in ("uncached", "output", "steps", "context", "uncached_by_uncached"):
            assert getattr(demanded.moments, name)[row] == pytest.approx(getattr(one, name))
    batch = np.asarray(demanded.classes.batch_share if demanded.classes else 0.0)[list(rows)]
    last = SHARE * total / sum(atom[0] for atom in served(parts, len(parts) - 1))
    assert batch == pytest.approx([*[0.0] * (len(rows) - 1), last])
    assert demanded.moments.share[list(rows)].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("pools", [(2,), (3,)])
def test_a_proposed_fleet_keeps_the_searchs_own_figures(pools: tuple[int, ...]) -> None:
    question = asked(pools=pools)
    for one in found(question)[:6]:
        assert same(resized(question, one.fleet, sizes(one.fleet)), one)
        assert [dict(pool.further).keys() for pool in one.pools[:-1]] == [set()] * (pools[0] - 1)
        assert "batch.ttft" in dict(one.pools[-1].further)


def figures(router: str, rate: float) -> Candidate:
    fleet = replace(two_pools(), router=router)
    return scored(asked(router), fleet, ((rate, LENGTHS),)).candidate


def test_shorter_pools_are_left_to_who_waits_and_the_last_has_batch_of_all_lengths() -> None:
    short, long = figures("class", 30.0).pools
    before, after = figures("length", 30.0).pools
    assert short.arrival_rate == pytest.approx((1.0 - SHARE) * before.arrival_rate)
    assert short.arrival_rate + long.arrival_rate == pytest.approx(30.0)
    assert short.utilization == pytest.approx((1.0 - SHARE) * before.utilization, rel=1e-6)
    assert short.ttft < before.ttft
    assert long.utilization > after.utilization
    assert long.at(BATCH) < 0.5 * after.at(BATCH)  # half of it is of short prompts


def test_no_limit_of_class_batch_holds_a_pool_without_any() -> None:
    """Below a split sizes are as without a limit that no prompt keeps; above it there is none then."""
    ranges, sized = Ranges.of(SPLITS, CONTEXT), []
    for seconds in (5.0, 0.01):
        limited = replace(asked(), slo=Slo(ttft=0.8, further=(("batch.ttft", seconds),)))
        demanded = demanded_of(limited, [(30.0, LENGTHS)], ranges, 2048)
        sized.append(offer(FAST, demanded, ranges, limited, Terms.of(limited)).replicas)
    below, beyond = ranges.below(0), ranges.beyond(0)
    assert (sized[0][below] == sized[1][below]).all()
    assert np.isfinite(sized[0]).all()
    assert np.isinf(sized[1][[0, *beyond]]).all()


@pytest.mark.thorough
def test_what_is_played_is_what_the_formula_says_of_rates_and_loads() -> None:
    question = asked()
    fixed = scored(question, replace(two_pools(), router="class"), ((30.0, LENGTHS),))
    fleet, traffic = fixed.candidate.fleet, fixed.traffic
    lengths = [PoolLength(warm_up=3_000, measured=12_000, relaxation=1.0)] * 2
    run = replicate(fleet, traffic, lengths, profiles=[FAST, SLOW], slo=question.slo, seed=1, index=0)
    for played, told in zip(run.pools, fixed.candidate.pools, strict=True):
        assert played.offered / played.duration == pytest.approx(told.arrival_rate, rel=0.03)
        assert played.utilization == pytest.approx(told.utilization, rel=0.05)
        assert played.batch == pytest.approx(told.batch, rel=0.1)
        assert played.e2e == pytest.approx(told.e2e, rel=0.25)
    assert dict(run.pools[0].further)["batch.ttft"] is None
    assert run.ttft is not None
    ends = sorted(pool.ttft for pool in run.pools if pool.ttft is not None)
    assert ends[0] <= run.ttft <= ends[1]


def test_a_pool_is_found_again_among_all_requests() -> None:
    for above, up_to in ((0, 700), (700, 1500), (1500, CONTEXT)):
        ranges, row = among(LENGTHS, above, up_to)
        own = [atom for atom in LENGTHS if above < atom[1] + atom[2] <= up_to]
        share = sum(atom[0] for atom in own) / sum(atom[0] for atom in LENGTHS)
        demanded = Demanded.of(1.0, LENGTHS, ranges, chunk=2048, prefix_hit=0.0)
        assert demanded.moments.share[row] == pytest.approx(share)


def test_the_class_decides_between_pools_alone() -> None:
    assert sends_by_class("class", 2, 0.3)
    assert not sends_by_class("class", 1, 0.3)
    assert not sends_by_class("class", 2, None)
    assert not sends_by_class("length", 2, 0.3)
    one = [scored(asked(name), replace(one_pool(), router=name)) for name in ("class", "length")]
    by_class, by_length = (one.candidate.pools[0] for one in one)
    assert by_class.ttft == by_length.ttft
