"""Prompts that take turns: who is first, who gives way, and the compiled engine is its plain twin with every rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.errors import InputError
from fleettui.scheduling import SCHEDULERS
from fleettui.simulation import conservation
from fleettui.simulation.draws import Draws
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.layout import Engine, prepare
from fleettui.simulation.turns import RULES
from tests.repeated import few
from tests.simulation.samples import WAYS, engine, finished, requests, story
from tests.simulation.test_sessions import NOT_SHARED, in_sessions
from tests.simulation.twins import played_alike

pytestmark = pytest.mark.thorough

LENGTHS = (5, 60, 500, 600, 2100, 3000, 4096, 4500, 6000)
"""Prompt tokens on both sides of every scheduler's bounds."""


def long_prompts(seed: int) -> tuple[list[Engine], Draws]:
    """Return a random pool that is short of blocks, budget and places, and prompts of all lengths, of two classes."""
    rng = np.random.default_rng([seed, 21])
    count, whole = 160, seed % 5 == 1
    prompt = rng.choice(LENGTHS, count).astype(np.int32)
    output = rng.integers(1, 40, count).astype(np.int32)
    starved = Engine(
        base=1e-2,
        per_context=1e-7,
        per_prompt=1e-5,
        budget=8192 if whole else int(rng.choice((64, 256, 2048))),
        places=int(rng.integers(2, 9)),
        blocks=int(rng.integers(400, 900)),
        watermark=int(rng.integers(0, 4)),
        replicas=int(rng.integers(1, 3)),
        alone=bool(seed % 3 == 0) and not whole,
        whole=whole,
    )
    return [starved], Draws(
        prompt=prompt,
        cached=(prompt * (rng.choice((0.0, 0.4)) if seed % 2 else 0.0)).astype(np.int32),
        output=output,
        pool=np.zeros(count, np.int32),
        tie=rng.random(count),
        arrivals=np.cumsum(rng.gamma(0.2, 5.0 / 10.0 ** rng.uniform(0.5, 1.5), count)),
        thinking=np.zeros(0),
        batch=rng.random(count) < 0.4 if seed % 4 else None,
        guess=rng.integers(1, 40, count).astype(np.float64),
    )


def ruled(seed: int, name: str) -> tuple[list[Engine], Draws]:
    """Return such a pool under a scheduler."""
    engines, draws = long_prompts(seed)
    return [replace(one, scheduler=name) for one in engines], draws


def alone(draws: Draws) -> Draws:
    """Return the requests as sessions of one round each, of which no cache keeps anything.

    They are played as without sessions, by the engine that is compiled for these all the same.
    """
    return in_sessions(replace(draws, cached=np.zeros_like(draws.cached)), [NOT_SHARED] * draws.requests)


@pytest.mark.parametrize("name", [one.name for one in RULES])
@pytest.mark.parametrize("seed", few(range(20), 2))
def test_the_kernel_is_its_twin(name: str, seed: int) -> None:
    engines, draws = ruled(seed, name)
    for state in played_alike(engines, draws):
        conservation.check(state, [one.blocks for one in engines])
        assert state.pools["completed"].sum() == draws.requests
        assert (state.replicas["free"] == engines[0].blocks).all()


@pytest.mark.parametrize("name", [one.name for one in RULES])
@pytest.mark.parametrize("seed", few(range(1, 20), 2))
def test_so_it_is_of_sessions(name: str, seed: int) -> None:
    engines, draws = ruled(seed, name)
    rng = np.random.default_rng([seed, 22])
    session = [*range(60), *rng.integers(0, 60, draws.requests - 60).tolist()]
    draws = in_sessions(replace(draws, cached=np.zeros_like(draws.cached)), session, pause=0.01)
    for state in played_alike(engines, draws):
        conservation.check(state, [one.blocks for one in engines])


def test_the_fleets_starve_and_every_rule_changes_them() -> None:
    """The comparison above means something only if sequences lose their blocks and no rule plays as another does."""
    seen = {}
    for name in (SCHEDULERS.default.name, *(one.name for one in RULES)):
        fleets = [ruled(seed, name) for seed in range(8)]
        states = [finished(engines, alone(draws)) for engines, draws in fleets]
        assert sum(int(state.pools["preempted"].sum()) for state in states) > 20, name
        seen[name] = tuple(np.concatenate([state.requests["first"] for state in states]).tolist())
    assert len(set(seen.values())) == len(seen)


def ranked(name: str, **changes: float) -> Engine:
    return engine(scheduler=name, **{"budget": 2048, "places": 8, **changes})


@pytest.mark.parametrize("way", WAYS)
def test_a_short_prompt_goes_before_the_rest_of_a_long_one_that_was_cut(way: str) -> None:
    draws = alone(requests((10_240, 2), (300, 2), arrivals=[0.0, 0.3]))
    plain = story(way, [ranked("paged")], draws)
    turned = story(way, [ranked("mlfq")], draws)
    assert plain.first[0] < plain.first[1]
    assert turned.first[1] < plain.first[1]
    assert turned.first[1] < turned.first[0]


def test_a_prompt_of_4096_tokens_that_is_cut_stays_short_only_where_the_rule_is_repaired() -> None:
    draws = alone(requests((4096, 2), (4097, 2), (2048, 2), arrivals=[0.0, 3.0, 6.0]))
    spilled, repaired = (finished([ranked(name)], draws).turns for name in ("h2q-br", "h2q-br-repaired"))
    assert spilled is not None
    assert repaired is not None
    assert spilled.turns["long"].tolist() == [True, True, False]
    assert repaired.turns["long"].tolist() == [False, True, False]


@pytest.mark.parametrize("way", WAYS)
def test_a_session_whose_first_round_was_cut_stands_behind_only_where_the_rule_is_not_repaired(way: str) -> None:
    """Its second round, of 100 tokens, comes as a prompt of 3000 of another session is worked at."""
    draws = requests((4096, 1), (3000, 2), (3000, 2), (4197, 2), arrivals=[0.0, 0.4, 0.41, 0.0])
    draws = in_sessions(draws, [0, 1, 2, 0])
    spilled, repaired = (story(way, [ranked(name, blocks=4000)], draws) for name in ("h2q-br", "h2q-br-repaired"))
    assert repaired.arrival[3] == spilled.arrival[3] < repaired.first[2]
    assert repaired.first[3] < repaired.first[2]
    assert spilled.first[3] >= spilled.first[2]


@pytest.mark.parametrize("way", WAYS)
def test_an_old_prompt_that_was_cut_carries_on(way: str) -> None:
    """Under h2q-br the long prompt is older than every short one, so it is not held up; under mlfq it is."""
    draws = alone(requests((20_000, 2), *[(500, 2)] * 6, arrivals=[0.0, *(0.1 + 0.2 * np.arange(6)).tolist()]))
    carried = story(way, [ranked("h2q-br")], draws)
    held_up = story(way, [ranked("mlfq")], draws)
    assert carried.first[0] < held_up.first[0]
    assert min(carried.first[1:]) > carried.first[0] > max(held_up.first[1:4])


@pytest.mark.parametrize("way", WAYS)
def test_a_long_prompt_waits_for_no_more_than_its_quota_of_steps_with_short_ones(way: str) -> None:
    """Short prompts fill every step; the long one, which came last, is begun after 32 of them."""
    draws = alone(requests(*[(2048, 1)] * 80, (5000, 2), arrivals=[*(0.001 * np.arange(80)).tolist(), 0.1]))
    bounded = story(way, [ranked("h2q-br-repaired")], draws)
    assert sum(first <= bounded.admitted[80] for first in bounded.first[:80]) == 32
    unbounded = story(way, [ranked("mlfq")], draws)
    assert sum(first <= unbounded.admitted[80] for first in unbounded.first[:80]) == 80


@pytest.mark.parametrize("way", WAYS)
def test_the_fewest_guessed_tokens_are_first(way: str) -> None:
    draws = alone(requests((10, 9), (10, 3), (10, 8), (10, 5), arrivals=[0.0, 0.01, 0.02, 0.03]))
    known = story(way, [ranked("shortest-predicted", places=1)], draws).admitted
    assert sorted(range(4), key=known.__getitem__) == [0, 1, 3, 2]
    wrong = replace(draws, guess=np.array([9.0, 7.0, 2.0, 5.0]))
    guessed = story(way, [ranked("shortest-predicted", places=1)], wrong).admitted
    assert sorted(range(4), key=guessed.__getitem__) == [0, 2, 3, 1]


@pytest.mark.parametrize("way", WAYS)
def test_an_interactive_request_takes_the_place_of_one_of_class_batch(way: str) -> None:
    draws = replace(
        alone(requests((10, 200), (10, 200), (10, 3), arrivals=[0.0, 0.0, 0.5])), batch=np.array([True, True, False])
    )
    plain = story(way, [ranked("paged", places=2)], draws)
    taken = story(way, [ranked("priority", places=2)], draws)
    assert plain.admitted[2] > 1.9
    assert taken.admitted[2] < 0.55
    assert taken.preempted == 1
    assert max(taken.finish) > max(plain.finish)


def test_without_turns_there_are_no_arrays_of_them() -> None:
    assert prepare([engine()], requests((9, 2))).turns is None
    assert prepare([engine(scheduler="mlfq")], requests((9, 2))).turns is not None


def test_replicas_that_come_and_go_have_no_turns() -> None:
    with pytest.raises(InputError, match="admission mlfq is simulated on constant fleets"):
        ElasticPool.of(engine(scheduler="mlfq"), requests((9, 2)), replicas=1, most=2)
