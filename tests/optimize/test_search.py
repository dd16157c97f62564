"""The search against trying every count of every pair of profiles at every split."""

import itertools

import numpy as np
import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.optimize import sizing
from fleettui.optimize.plan import factors_of
from fleettui.optimize.ranges import Demanded, Ranges, concurrency, service
from fleettui.optimize.terms import Terms
from fleettui.routing import length
from tests.optimize.samples import Atoms, atoms, plan, profile, question

GRID, CONTEXT = (400, 1200, 3000), 16_384
MOST = 40


def best_by_trying(asked: Question, rate: float, lengths: Atoms, profiles: list[Profile], most: int = MOST) -> float:
    """Return the least of the objective over every profile, split, factor and replica count; infinite if none holds.

    Counts go up to MOST a pool, of fleets of more than two pools the first `most` that hold.
    """
    best = np.inf
    for pools in asked.pools:
        for cuts in itertools.combinations(GRID, pools - 1):
            for gamma in factors_of(asked.gamma) if pools > 1 else (1.0,):
                ends = (*cuts, CONTEXT)
                if (pools > 1 and gamma < asked.gamma[0]) or (pools > 2 and not apart(ends[:-1], gamma)):
                    continue
                bounds = list(itertools.pairwise((0, *ends)))
                parts = length.route(lengths, bounds, gamma=gamma, compressible=asked.compressible)
                for chosen in itertools.product(profiles, repeat=pools):
                    own = zip(chosen, bounds, parts, strict=True)
                    options = [holding(one, asked, rate, lengths, cut, part)[:most] for one, cut, part in own]
                    for counts in itertools.product(*options):
                        best = min(best, worth(asked, chosen, counts))
    return float(best)


def apart(cuts: tuple[int, ...], gamma: float) -> bool:
    return all(high >= int(gamma * low) for low, high in itertools.pairwise(cuts))


def worth(asked: Question, chosen: tuple[Profile, ...], counts: tuple[int, ...]) -> float:
    """Return what the objective makes of a fleet, infinite where it breaks a constraint."""
    gpus = [count * one.tp for count, one in zip(counts, chosen, strict=True)]
    used = {one.gpu: 0 for one in chosen}
    for count, one in zip(gpus, chosen, strict=True):
        used[one.gpu] += count
    prices, nodes = {one.gpu: one.price_per_hour for one in chosen}, {one.gpu: one.gpus_per_node for one in chosen}
    paid = {name: -(-count // nodes[name]) * nodes[name] for name, count in used.items()} if asked.whole_nodes else used
    cost = sum(count * prices[name] for name, count in paid.items())
    stock = dict(asked.max_gpus)
    enough = all(count <= stock.get(name, count) for name, count in used.items())
    if not enough or cost > (asked.budget or np.inf) or sum(gpus) > (asked.max_total_gpus or np.inf):
        return float(np.inf)
    return float(sum(gpus) if asked.objective == "gpus" else cost)


def holding(
    one: Profile, asked: Question, rate: float, lengths: Atoms, bounds: tuple[int, int], part: Atoms
) -> list[int]:
    """Return the replica counts with which a pool that gets the requests `part` keeps the terms."""
    if not part:
        return []
    share = sum(atom[0] for atom in part) / sum(atom[0] for atom in lengths)
    ranges = Ranges.of((), bounds[1])
    demanded = Demanded.of(rate * share, part, ranges, chunk=asked.token_budget, prefix_hit=0.0)
    places = concurrency(one, demanded, ranges, asked)
    if places[0] < 1:
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
    tried = best_by_trying(asked, rate, lengths, profiles)
    found = plan(asked, rate, lengths, profiles, GRID)
    if np.isinf(tried):
        assert found.answer is None or any(pool.replicas > MOST for pool in found.answer.fleet.pools)
    else:
        assert found.answer is not None
        assert found.answer.cost_per_hour == pytest.approx(tried)


@pytest.mark.parametrize("seed", range(30))
def test_more_pools_and_compression_agree_with_trying_everything(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    lengths = atoms(seed, count=12)
    profiles = [
        profile("fast", tp=int(rng.choice([1, 2])), speed=float(rng.uniform(0.8, 2.0)), price=float(rng.uniform(1, 4))),
        profile("slow", tp=1, speed=float(rng.uniform(0.3, 0.9)), price=float(rng.uniform(0.3, 1.5)), blocks=3_000),
    ]
    least = float(rng.choice([1.0, 1.0, 1.2]))
    asked = question(
        ttft=float(rng.choice([0.3, 0.6, 1.5])),
        admission=str(rng.choice(["paged", "reserved"])),
        pools=(1, 2, 3) if rng.random() < 0.7 else (3, 4),
        gamma=(least, least + float(rng.choice([0.0, 0.1, 0.25]))),
        compressible=float(rng.choice([0.5, 1.0])),
        whole_nodes=bool(rng.random() < 0.3),
        max_gpus=((("slow", int(rng.integers(2, 8))),) if rng.random() < 0.3 else ()),
        max_total_gpus=int(rng.integers(3, 14)) if rng.random() < 0.3 else None,
        objective=str(rng.choice(["cost", "gpus"])),
    )
    rate = float(rng.uniform(2.0, 15.0))
    tried = best_by_trying(asked, rate, lengths, profiles, most=2)
    found = plan(asked, rate, lengths, profiles, GRID)
    if found.answer is None:
        assert np.isinf(tried)
    else:
        assert tried == pytest.approx(found.answer.gpus if asked.objective == "gpus" else found.answer.cost_per_hour)
        assert found.answer.fleet.gamma == 1.0 or len(found.answer.fleet.pools) > 1


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
