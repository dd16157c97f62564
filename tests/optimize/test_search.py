"""The search against trying every count of every pair of profiles at every split."""

import itertools

import numpy as np
import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.optimize import sizing
from fleettui.optimize.ranges import Demanded, Ranges, concurrency, service
from fleettui.optimize.terms import Terms
from tests.optimize.samples import Atoms, atoms, plan, profile, question

GRID = (400, 1200, 3000)
MOST = 40


def cheapest_by_trying(asked: Question, rate: float, lengths: Atoms, profiles: list[Profile]) -> float:
    """Return the least cost over every profile, split and replica count up to MOST a pool; infinite if none holds."""
    best, stock = np.inf, dict(asked.max_gpus)
    for pools in asked.pools:
        for bounds in [((0, 16_384),)] if pools == 1 else [((0, cut), (cut, 16_384)) for cut in GRID]:
            for chosen in itertools.product(profiles, repeat=pools):
                options = [holding(one, asked, rate, lengths, cut) for one, cut in zip(chosen, bounds, strict=True)]
                for counts in itertools.product(*options):
                    gpus = [count * one.tp for count, one in zip(counts, chosen, strict=True)]
                    used = {
                        name: sum(g for g, one in zip(gpus, chosen, strict=True) if one.gpu == name) for name in stock
                    }
                    cost = sum(g * one.price_per_hour for g, one in zip(gpus, chosen, strict=True))
                    if all(used[name] <= stock[name] for name in stock) and cost <= (asked.budget or np.inf):
                        best = min(best, cost)
    return best


def holding(one: Profile, asked: Question, rate: float, lengths: Atoms, bounds: tuple[int, int]) -> list[int]:
    """Return the replica counts with which one pool keeps the terms."""
    ranges = Ranges(above=np.array([bounds[0]]), up_to=np.array([bounds[1]]))
    demanded = Demanded.of(rate, lengths, ranges, chunk=asked.token_budget, prefix_hit=0.0)
    places = concurrency(one, demanded, ranges, asked)
    if not demanded.table.occupied[0] or places[0] < 1:
        return []
    rows, counts, held_to = np.zeros(MOST, np.int64), np.arange(1.0, MOST + 1), Terms.of(asked)
    load = demanded.load(service(one, demanded, rows, places[rows], asked), rows, counts)
    return [int(count) for count in counts[sizing.above_floor(load, held_to) & sizing.keeps(load, held_to)]]


@pytest.mark.parametrize("seed", range(200))
def test_agrees_with_trying_everything(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = atoms(seed, count=12)
    profiles = [
        profile("fast", tp=int(rng.choice([1, 2])), speed=float(rng.uniform(0.8, 2.0)), price=float(rng.uniform(1, 4))),
        profile("slow", tp=1, speed=float(rng.uniform(0.3, 0.9)), price=float(rng.uniform(0.3, 1.5)), blocks=3_000),
    ]
    asked = question(
        ttft=float(rng.choice([0.15, 0.3, 0.6, 1.5])),
        admission=str(rng.choice(["paged", "reserved"])),
        max_gpus=((("slow", int(rng.integers(1, 6))),) if rng.random() < 0.4 else ()),
        budget=float(rng.uniform(3, 25)) if rng.random() < 0.3 else None,
    )
    rate = float(rng.uniform(2.0, 15.0))
    tried = cheapest_by_trying(asked, rate, lengths, profiles)
    found = plan(asked, rate, lengths, profiles, GRID)
    if np.isinf(tried):
        assert found.answer is None or any(pool.replicas > MOST for pool in found.answer.fleet.pools)
    else:
        assert found.answer is not None
        assert found.answer.cost_per_hour == pytest.approx(tried)


def test_ties_are_decided_the_same_way_whatever_the_order() -> None:
    lengths, twins = atoms(1), [profile("a"), profile("b")]
    first = plan(question(), 10.0, lengths, twins)
    second = plan(question(), 10.0, lengths, twins[::-1])
    assert first == second


def test_what_is_not_kept_is_counted() -> None:
    grid = tuple(range(200, 3000, 40))
    found = plan(question(), 10.0, atoms(2), [profile("a"), profile("b", speed=0.8, price=1.5)], grid)
    two = [one for one in found.candidates if len(one.fleet.pools) == 2]
    beyond = sum(one.count for one in found.excluded if one.topology == "2 pools")
    cuts = {
        cut for cut in grid if any(p + o <= cut for _, p, o in atoms(2)) and any(p + o > cut for _, p, o in atoms(2))
    }
    assert len(two) + beyond == 4 * len(cuts)
    assert len(two) == 200
