"""A candidate's totals are those of its pools; its mixture is no mean; shortfalls are named."""

from dataclasses import replace
from operator import attrgetter

import pytest

from fleettui.domain.plan import Candidate
from fleettui.optimize.evaluate import Scorer, shortfalls
from fleettui.optimize.offers import offer
from fleettui.optimize.plan import find_plan
from fleettui.optimize.ranges import Demanded, Ranges
from fleettui.optimize.search import Choice
from fleettui.optimize.terms import Terms
from tests.optimize.samples import atoms, in_each_slice, plan, profile, question

PROFILES = [profile("fast"), profile("slow", speed=0.5, price=0.6)]
FOUND = plan(question(ttft=0.8), 30.0, atoms(5), PROFILES)


def two_pools() -> Candidate:
    return next(one for one in FOUND.candidates if len(one.fleet.pools) == 2)


def test_totals_add_up() -> None:
    prices = {"fast": 2.0, "slow": 0.6}
    for one in FOUND.candidates:
        assert one.gpus == sum(pool.gpus for pool in one.fleet.pools)
        assert one.cost_per_hour == pytest.approx(sum(pool.gpus * prices[pool.gpu] for pool in one.fleet.pools))
        assert one.power == pytest.approx(sum(pool.power for pool in one.pools))
        assert sum(pool.arrival_rate for pool in one.pools) == pytest.approx(30.0)


def test_cost_per_million_output_tokens() -> None:
    weight = sum(atom[0] for atom in atoms(5))
    output = sum(w * o for w, _, o in atoms(5)) / weight
    one = FOUND.candidates[0]
    assert one.cost_per_million_output_tokens == pytest.approx(one.cost_per_hour / (30.0 * output * 3600) * 1e6)


def test_pools_join_and_are_named_in_order_of_length() -> None:
    short, long = two_pools().fleet.pools
    assert (short.name, long.name) == ("short", "long")
    assert (short.above, short.up_to, long.up_to) == (0, long.above, 16_384)
    assert short.context == short.up_to


def test_the_mixture_lies_between_the_pools() -> None:
    one = plan(replace(question(ttft=0.8), pools=(2,)), 30.0, atoms(5), [profile("fast")]).answer
    assert one is not None
    assert one.evidence is not None
    assert one.evidence.ttft.value is not None
    times = [pool.ttft for pool in one.pools]
    assert min(times) <= one.evidence.ttft.value <= max(times)
    assert one.evidence.ttft.low is None


def test_shortfalls_name_value_and_limit() -> None:
    asked = question(ttft=0.001, budget=0.5, max_power=10.0, max_gpus=(("fast", 1), ("slow", 1)))
    words = " ".join(shortfalls(FOUND.candidates[0], asked, Terms.of(asked), PROFILES))
    for part in ("TTFT of pool", "above 0.001 s", "above $0.50/h", "above 0.01 kW", "above 1"):
        assert part in words
    loose = question(ttft=100.0)
    assert shortfalls(FOUND.candidates[0], loose, Terms.of(loose), PROFILES) == ()


SLICES = [(30.0, atoms(0)), (25.0, atoms(50)), (9.0, atoms(90))]


@pytest.mark.thorough
def test_of_several_time_slices_the_worst_is_told() -> None:
    """Every fleet is scored in each slice alone, its sizes as they are."""
    profiles = [profile("fast"), profile("slow", speed=0.5, price=0.6)]
    asked = question(ttft=0.8)
    found = find_plan(asked, slices=SLICES, profiles=profiles, grid=(300, 700, 1500, 3000), context=16_384)
    others = 0
    for one in found.candidates:
        for pool, parts in zip(one.pools, in_each_slice(one.fleet, asked, profiles, SLICES), strict=True):
            for name in ("ttft", "tpot", "e2e", "utilization", "power"):
                assert getattr(pool, name) == pytest.approx(max(getattr(part, name) for part in parts), rel=1e-8)
            others += max(parts, key=attrgetter("ttft")).arrival_rate != pytest.approx(pool.arrival_rate)
        assert one.power == pytest.approx(sum(pool.power for pool in one.pools))
    assert others  # in some the slice that asks most is not the slowest


def test_the_evidence_is_of_the_worst_time_slice() -> None:
    profiles, asked = [profile("fast")], question(ttft=0.8)
    both = find_plan(asked, slices=SLICES, profiles=profiles, grid=(1500,), context=16_384).answer
    assert both is not None
    assert both.evidence is not None
    sizes = [pool.replicas for pool in both.fleet.pools]
    slowest, least = 0.0, 1.0
    for rate, lengths in SLICES:
        ranges = Ranges.of((1500,), 16_384)
        demanded = [Demanded.of(rate, lengths, ranges, chunk=2048, prefix_hit=0.0)]
        offers = [offer(profiles[0], demanded, ranges, asked, Terms.of(asked))]
        rows = (0,) if len(sizes) == 1 else (1, 2)
        offers[0].replicas[list(rows)] = sizes
        scorer = Scorer(offers=offers, ranges=ranges, question=asked, terms=Terms.of(asked))
        choice = Choice(pools=tuple((0, row) for row in rows), cost=0.0, gpus=0.0)
        scorer.candidates([choice])
        seen = scorer.evidence(choice, "pass")
        slowest, least = max(slowest, seen.ttft.value or 0.0), min(least, seen.attainment.value or 0.0)
    assert both.evidence.ttft.value == pytest.approx(slowest)
    assert both.evidence.attainment.value == pytest.approx(least)
