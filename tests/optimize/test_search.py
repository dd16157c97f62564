"""The search against trying every count of every pair of profiles at every split."""

import numpy as np
import pytest

from tests.optimize.samples import atoms, plan, profile, question
from tests.optimize.trying import GRID, MOST, best_by_trying


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
