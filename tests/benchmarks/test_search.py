"""Speed of the search as ratios within one run: `pytest tests/benchmarks/test_search.py --benchmark-only -n 0`.

The table is what a workload and a profile come to, made once; after it the fleets are bounded, put together and ranked.
Each group's first line is the yardstick; the table's factor in brackets is the ratio.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.optimize.offers import Offer, offer
from fleettui.optimize.plan import factors_of, find_plan
from fleettui.optimize.ranges import Demanded, Ranges
from fleettui.optimize.search import TopologyFleets, search
from fleettui.optimize.terms import Terms
from fleettui.optimize.topologies import cuts_for, groups_of
from tests.benchmarks.test_speed import ASKED, ATOMS, CONTEXT

Benchmark = Callable[..., object]
THREE = tuple(
    build_profile(catalog.gpu(name), catalog.model("llama-3.1-70b"), dtype="bf16", tp=8)
    for name in ("h100", "a100", "l40s")
)


def grid(count: int) -> list[int]:
    return sorted({int(split) for split in np.linspace(128, CONTEXT - 512, count)})


def tabled(question: Question, splits: int, profiles: tuple[Profile, ...]) -> tuple[list[Offer], Ranges]:
    """Return the offers, simple ranges sized and all others bounded."""
    factors, cuts = factors_of(question.gamma), grid(splits)
    places = cuts_for(len(cuts), len(groups_of(profiles, question)), len(factors), question.pools)
    ranges = Ranges.of(cuts, CONTEXT, cuts=places, factors=factors)
    demanded = [Demanded.of(100.0, ATOMS, ranges, chunk=2048, prefix_hit=0.0)]
    return [offer(one, demanded, ranges, question, Terms.of(question)) for one in profiles], ranges


def exponentials(benchmark: Benchmark) -> None:
    values = np.random.default_rng(1).random((150, len(ATOMS)))
    benchmark(lambda: np.exp(values).sum())


@pytest.mark.benchmark(group="splits x 11 factors on one profile")
def test_yardstick_one_exponential_per_atom_and_split(benchmark: Benchmark) -> None:
    exponentials(benchmark)


@pytest.mark.benchmark(group="splits x 11 factors on one profile")
@pytest.mark.parametrize("splits", [150, 15])
def test_after_the_table_bound_and_rank(benchmark: Benchmark, splits: int) -> None:
    asked = replace(ASKED, gamma=(1.0, 2.0), pools=(2,))
    offers, ranges = tabled(asked, splits, THREE[:1])
    rows = np.arange(ranges.simple, len(ranges.above))

    def rank() -> None:
        offers[0].bound(rows)
        TopologyFleets.of(offers, ranges, asked, 2).ranked()

    benchmark(rank)


@pytest.mark.benchmark(group="whole searches", min_rounds=3)
def test_yardstick_two_pools(benchmark: Benchmark) -> None:
    benchmark(find_plan, ASKED, slices=[(100.0, ATOMS)], profiles=THREE, grid=grid(100), context=CONTEXT)


@pytest.mark.benchmark(group="whole searches", min_rounds=3)
def test_three_pools_over_100_boundaries_and_three_types(benchmark: Benchmark) -> None:
    asked = replace(ASKED, pools=(1, 2, 3))
    benchmark(lambda: search(*tabled(asked, 100, THREE), asked))


@pytest.mark.benchmark(group="whole searches", min_rounds=3)
def test_gamma_at_150_splits(benchmark: Benchmark) -> None:
    asked = replace(ASKED, gamma=(1.0, 2.0))
    benchmark(lambda: search(*tabled(asked, 150, THREE[:1]), asked))


@pytest.mark.benchmark(group="a million factored fleets", min_rounds=3)
def test_yardstick_adding_a_million_numbers_four_times(benchmark: Benchmark) -> None:
    values, places = np.random.default_rng(1).random(4000), np.random.default_rng(2).integers(0, 4000, (4, 1_000_000))
    benchmark(lambda: sum(values[own] for own in places))


@pytest.mark.benchmark(group="a million factored fleets", min_rounds=3)
def test_four_pools_of_three_types_under_stock(benchmark: Benchmark) -> None:
    asked = replace(ASKED, pools=(4,), max_gpus=(("h100", 400),))
    offers, ranges = tabled(asked, 60, THREE)
    found = TopologyFleets.of(offers, ranges, asked, 4)
    assert len(found.cost) > 500_000
    benchmark(lambda: TopologyFleets.of(offers, ranges, asked, 4).ranked())
