"""What prefix caches drop, in a memory beside: fetched or computed again, and both tiers' blocks add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fleettui.scheduling import SCHEDULERS
from fleettui.simulation import twin
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, Engine, State
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.twin_prefixes import NoPrefixes, PrefixTwin, cache_of
from tests.repeated import few
from tests.simulation.samples import WAYS, H, P, W, engine, finished, requests, story
from tests.simulation.test_prefix_cache import held_together, random_prefixes, shared
from tests.simulation.test_replica import close
from tests.simulation.test_sessions import random_sessions
from tests.simulation.twins import fleet, played_alike

COUNTED = ("fetched", "recomputed", "put", "brought", "found")
FIRST_AGAIN = [[0, 1], [2, 3], [4, 5], [0, 1]]
"""Four prompts of two blocks: in a cache of five, the third drops the first one's."""
PLAIN = tuple(one.name for one in SCHEDULERS if one.turns is None)
IN_TURNS = tuple(one.name for one in SCHEDULERS if one.turns is not None)


def four(**changes: object) -> Engine:
    """Return the engine that has five blocks, two for each prompt of 33 tokens beside its own, and a memory beside."""
    return engine(**{"blocks": 5, "budget": 100, "far": 100, "move": 1e-4, **changes})


def asked() -> Draws:
    """Return those four prompts, one every five seconds."""
    return shared(requests(*[(33, 2)] * 4, arrivals=[5.0 * place for place in range(4)]), *FIRST_AGAIN)


def counts(state: State) -> dict[str, int]:
    """Return what all pools counted."""
    return {name: int(state.pools[name].sum()) for name in COUNTED}


@pytest.mark.parametrize("way", WAYS)
def test_what_was_dropped_is_fetched_in_the_step_that_begins_with_it(way: str) -> None:
    """The last prompt computes its 33rd token alone, behind two blocks that come over the link."""
    found = story(way, [four()], asked())
    assert [found.first[0], found.first[3] - 15.0] == close(W + H * 33 + P * 33, W + H * 33 + P * 1 + 2 * 1e-4)
    assert found.prompted in (None, 3 * 33 + 1)


@pytest.mark.parametrize("way", WAYS)
def test_it_is_computed_where_its_way_takes_longer(way: str) -> None:
    block = 16 * P
    last = [story(way, [four(move=block * more)], asked()).first[3] - 15.0 for more in (1.0, 1.0 + 1e-9)]
    assert last == close(W + H * 33 + P * 1 + 2 * block, W + H * 33 + P * 33)


def test_hits_of_each_tier_what_is_computed_again_and_blocks_on_the_way_are_counted() -> None:
    assert counts(finished([four()], asked())) == {"fetched": 32, "recomputed": 0, "put": 4, "brought": 2, "found": 2}
    slow = counts(finished([four(move=1.0)], asked()))
    assert slow == {"fetched": 0, "recomputed": 32, "put": 0, "brought": 0, "found": 0}


def test_the_memory_forgets_what_it_got_first() -> None:
    """With room for one of two blocks that were dropped: the end of the prompt came first."""
    draws = shared(requests((33, 2), (65, 2), (33, 2), arrivals=[0.0, 5.0, 10.0]), [0, 1], [2, 3, 4, 5], [0, 1])
    cached = [finished([four(far=far)], draws).requests["cached"][2] for far in (0, 1, 2)]
    assert cached == [0, 16, 32]


def random_tiers(seed: int, *, sessions: bool = False, schedulers: Sequence[str] = PLAIN) -> tuple[list[Engine], Draws]:
    """Return a random fleet with caches and memories beside, some of few blocks, over links fast and slow."""
    engines, draws = fleet(seed)
    rng = np.random.default_rng([seed, 7])
    draws = random_sessions(draws, seed) if sessions else random_prefixes(draws, seed)
    if seed % 3 == 1:
        draws = replace(draws, batch=rng.random(draws.requests) < 0.4)
    return [
        replace(
            one,
            lanes=1,
            blocks=one.blocks if one.blocks == UNLIMITED else one.blocks + int(rng.choice((0, 8))),
            far=int(rng.choice((0, 2, 9, 40, 10_000))),
            move=16.0 * one.per_prompt * float(rng.choice((0.01, 0.5, 1.5))),
            scheduler=schedulers[seed % len(schedulers)],
        )
        for one in engines
    ], draws


def serial(seed: int) -> Draws:
    """Return requests of one family, each answered before the next comes, that leave nothing but known blocks."""
    rng = np.random.default_rng(seed)
    begun, ways = rng.integers(0, 6, 80), rng.integers(0, 6, 80)
    kept = rng.integers(0, 5, 80)
    own = [
        [*range(first), *(100 * first + 10 * way + 1000 + np.arange(more)), 9000 + place]
        for place, (first, way, more) in enumerate(zip(begun.tolist(), ways.tolist(), kept.tolist(), strict=True))
    ]
    work = requests(*[(16 * len(row), 1) for row in own], arrivals=[float(place) for place in range(80)])
    return shared(work, *own)


@pytest.mark.parametrize("seed", few(range(40), 3))
def test_both_tiers_find_what_one_cache_of_both_sizes_would(seed: int) -> None:
    draws, last = serial(seed), -1
    for far in (0, 3, 11, 60):
        both, one = (finished([four(blocks=12 + own, far=far - own)], draws) for own in (0, far))
        assert both.requests["cached"].tolist() == one.requests["cached"].tolist()
        assert both.pools["hit"] >= last
        last = int(both.pools["hit"][0])


@pytest.mark.parametrize("seed", few(range(40), 3))
def test_a_faster_link_never_serves_later(seed: int) -> None:
    draws, before = serial(seed), np.full(80, np.inf)
    for move in (3e-3, 16 * P, 4e-4, 1e-5):
        first = finished([four(blocks=12, far=30, move=move)], draws).requests["first"]
        assert (first <= before + 1e-12).all()
        before = first


@pytest.mark.thorough
def test_in_these_fleets_everything_happens() -> None:
    """The comparison below means something only if all of that happens, and if some steps are skipped."""
    every = [counts(finished(*random_tiers(seed))) for seed in range(500, 560)]
    assert min(sum(one[name] for one in every) for name in COUNTED) > 400, every


@pytest.fixture
def caches(monkeypatch: pytest.MonkeyPatch) -> list[PrefixTwin]:
    """Return the caches of the plain twin's replicas, as they are made."""
    found: list[PrefixTwin] = []

    def made(prefixes: Prefixes | None, engine: Engine) -> PrefixTwin | NoPrefixes:
        one = cache_of(prefixes, engine)
        assert isinstance(one, PrefixTwin)
        found.append(one)
        return one

    monkeypatch.setattr(twin, "cache_of", made)
    return found


def alike(engines: list[Engine], draws: Draws, caches: list[PrefixTwin]) -> dict[str, int]:
    """Hold the engine to its twin in times, and step by step in counts and in what is far; return the counts."""
    plain, leaped = played_alike(engines, draws)
    held_together(engines, plain)
    held_together(engines, leaped)
    found = counts(plain)
    assert found["put"] == sum(one.put * one.each for one in caches)
    found["put"] = sum(one.put for one in caches)
    for name in ("fetched", "recomputed", "found"):
        assert found[name] == sum(getattr(one, name) for one in caches), name
    assert plain.cache is not None
    far = plain.cache.far.ends
    assert (far["most"] - far["room"]).tolist() == [len(one.far) for one in caches]
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("seed", few(range(500, 600), 6, more=10))
def test_the_engine_is_its_twin(seed: int, caches: list[PrefixTwin]) -> None:
    alike(*random_tiers(seed), caches)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", few([seed for seed in range(600, 640) if seed % 3], 2))
def test_so_it_is_in_sessions(seed: int, caches: list[PrefixTwin]) -> None:
    alike(*random_tiers(seed, sessions=True), caches)


@pytest.mark.evidence
@pytest.mark.parametrize("seed", [seed for seed in range(640, 670) if seed % 3])
def test_so_it_is_where_prompts_take_turns(seed: int, caches: list[PrefixTwin]) -> None:
    alike(*random_tiers(seed, sessions=True, schedulers=IN_TURNS), caches)
