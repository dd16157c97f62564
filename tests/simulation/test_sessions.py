"""Sessions of rounds: when a later round comes, what it finds, how a session ends; and the plain twin has the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.simulation import conservation, kernel
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, prepare
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.rounds import Rounds
from tests.repeated import few
from tests.simulation.samples import engine, finished, requests
from tests.simulation.twins import blocks_of, fleet, played_alike

NOT_SHARED = -1


def in_sessions(draws: Draws, session: list[int], *, pause: float = 0.0, gap: float = 0.0, size: int = 16) -> Draws:
    """Return requests as rounds: request i is one of `session[i]`, the first of which stand before all later ones.

    Blocks are known by session and place, of what is put out too; those of session NOT_SHARED are not.
    """
    last: dict[int, int] = {}
    then = np.full(draws.requests, -1, np.int32)
    for index, own in enumerate(session):
        if own in last and own != NOT_SHARED:
            then[last[own]] = index
        last[own] = index
    begun = draws.requests - int((then >= 0).sum())
    assert draws.arrivals is not None
    known = np.array(
        [
            0 if own == NOT_SHARED else (prompt + output) // size
            for own, prompt, output in zip(session, draws.prompt.tolist(), draws.output.tolist(), strict=True)
        ],
        np.int32,
    )
    places = np.arange(int(known.sum())) - np.repeat(np.cumsum(known) - known, known)
    return replace(
        draws,
        arrivals=np.where(np.arange(draws.requests) < begun, draws.arrivals, np.nan),
        rounds=Rounds(begun=begun, then=then, pause=np.full(draws.requests, pause), gap=np.full(draws.requests, gap)),
        prefixes=Prefixes.of(size=size, known=known, hashes=np.repeat(np.array(session), known) * 1000 + places),
    )


def test_a_round_comes_its_pause_after_the_answer_and_finds_what_went_before() -> None:
    """Three rounds of one session, prompts of 32, 80 and 160 tokens; each answer's last token is in no cache."""
    work = requests((32, 33), (80, 33), (160, 2), arrivals=[1.0, 1.0, 1.0])
    state = finished([engine(blocks=40)], in_sessions(work, [0, 0, 0], pause=0.5))
    arrival, finish = state.requests["arrival"], state.requests["finish"]
    assert arrival.tolist() == [1.0, finish[0] + 0.5, finish[1] + 0.5]
    assert state.requests["cached"].tolist() == [0, 64, 112]
    conservation.check(state, [40])


def test_a_round_comes_no_sooner_than_as_long_after_the_one_before_as_was_recorded() -> None:
    work = requests((32, 3), (80, 600), (700, 2), arrivals=[1.0, 1.0, 1.0])
    state = finished([engine(blocks=400)], in_sessions(work, [0, 0, 0], gap=4.0))
    arrival, finish = state.requests["arrival"], state.requests["finish"]
    assert arrival[1] == 5.0 > finish[0]
    assert arrival[2] == finish[1] > 9.0


@pytest.mark.thorough
def test_who_is_turned_away_ends_the_session() -> None:
    """The second session's first round finds the only place taken and the queue full; its two others never come."""
    work = requests((32, 90), (32, 3), (40, 3), (48, 3), (56, 3), arrivals=[0.0, 0.2, 0.0, 0.0, 0.0])
    draws = in_sessions(work, [0, 1, 1, 1, 0])
    bounded = engine(blocks=40, places=1, queue=0)
    state = finished([bounded], draws)
    assert np.isfinite(state.requests["finish"]).tolist() == [True, False, False, False, True]
    assert state.sessions is not None
    assert state.sessions.came.tolist() == [0, 1, -1, -1, 2]
    conservation.check(state, [40])


def random_sessions(draws: Draws, seed: int) -> Draws:
    """Return the requests of an open fleet as sessions of one to some ten rounds, with pauses and least gaps."""
    rng = np.random.default_rng([seed, 7])
    begun = int(rng.integers(draws.requests // 8, draws.requests))
    session = [*range(begun), *rng.integers(0, begun, draws.requests - begun).tolist()]
    found = in_sessions(replace(draws, cached=np.zeros_like(draws.cached)), session, size=max(16, *blocks_of(seed)))
    assert found.rounds is not None
    pause = rng.choice((0.0, 0.01, 0.3), draws.requests) * rng.choice((1.0, rng.random()), draws.requests)
    return replace(found, rounds=replace(found.rounds, pause=pause, gap=rng.choice((0.0, 0.2, 1.0), draws.requests)))


def check_alike(
    seed: int, *, stages: bool = False, router: str = "length", refresh: float = 0.0, **bounds: float
) -> None:
    """Hold a fleet to its twin; without `stages` every batch has its own."""
    engines, draws = fleet(seed)
    engines = [replace(one, router=router, refresh=refresh, **bounds) for one in engines]  # type: ignore[arg-type]
    if bounds:
        draws = replace(draws, jitter=np.random.default_rng(seed).random((draws.requests, 2)))
    if not stages:
        engines = [replace(one, lanes=1) for one in engines]
    if seed % 4 == 0:
        engines = [replace(one, blocks=one.blocks if one.blocks == UNLIMITED else one.blocks + 300) for one in engines]
    draws = random_sessions(draws, seed)
    for state in played_alike(engines, draws):
        conservation.check(state, [one.blocks for one in engines])
        assert state.sessions is not None
        assert state.sessions.waiting[0] == 0
        if not bounds:
            assert np.array_equal(np.sort(state.sessions.came), np.arange(draws.requests))


@pytest.mark.parametrize("seed", few([1, 2, 4, 5, 7, 8], 2))
def test_the_compiled_engine_is_its_twin(seed: int) -> None:
    check_alike(seed)


@pytest.mark.evidence
@pytest.mark.parametrize("seed", [seed for seed in range(200, 275) if seed % 3])
def test_so_it_is_of_fifty_fleets(seed: int) -> None:
    routers = ("length", "prefix-aware", "session-affinity", "session-bounded")
    check_alike(seed, stages=seed % 2 == 1, router=routers[seed % 4], refresh=0.05 * (seed % 5 == 0))


@pytest.mark.evidence
@pytest.mark.parametrize("seed", [seed for seed in range(300, 330) if seed % 3])
def test_so_it_is_where_queues_are_bounded_and_clients_leave_and_come_again(seed: int) -> None:
    check_alike(seed, queue=4, patience=0.2, retries=2, backoff=0.1)


def test_a_run_cut_short_adds_up() -> None:
    engines, draws = fleet(4)
    engines = [replace(one, lanes=1) for one in engines]
    draws = random_sessions(draws, 4)
    for last in (1, 40, 90):
        state = prepare(engines, draws)
        _, moments, arrived = kernel.run(state, 0, last, True)
        assert arrived >= last
        assert state.sessions is not None
        rank = state.sessions.came
        assert np.isfinite(state.requests["finish"][(rank >= 0) & (rank < last)]).all()
        assert moments[1] == state.requests["arrival"][rank == last - 1][0]
        conservation.check(state, [one.blocks for one in engines])


def in_rounds() -> Any:
    """Return sessions of three rounds, stopped while some rounds are due."""
    lengths, arrivals = [(20, 9), (60, 9), (100, 9)] * 20, np.linspace(0.0, 3.0, 60).tolist()
    session = [place % 20 for place in range(60)]
    draws = in_sessions(requests(*sorted(lengths), arrivals=arrivals), session, pause=0.3)
    state = prepare([engine(blocks=400, replicas=2)], draws)
    kernel.run(state, 0, 12, True)
    conservation.check(state, [400])
    assert state.sessions is not None
    assert state.sessions.waiting[0] > 0
    return state


def later_round(state: Any) -> int:
    """Return a round after the first that has come."""
    return int(state.sessions.then[np.flatnonzero((state.sessions.came >= 0) & (state.sessions.then >= 0))[0]])


def lose_a_round_that_is_due(state: Any) -> None:
    state.sessions.waiting[0] -= 1


def count_two_as_one(state: Any) -> None:
    state.sessions.came[later_round(state)] = 0


def answer_one_later(state: Any) -> None:
    before = np.flatnonzero(state.sessions.then == later_round(state))[0]
    state.requests["finish"][before] += 1e-6
    state.pools["presence"] += 1e-6


ROUNDS: dict[Callable[[Any], None], str] = {
    lose_a_round_that_is_due: "a round was lost",
    count_two_as_one: "counted twice",
    answer_one_later: "came at another time",
}


@pytest.mark.thorough
@pytest.mark.parametrize("spoil", ROUNDS, ids=lambda spoil: spoil.__name__)
def test_rounds_are_held_to_those_before_them(spoil: Callable[[Any], None]) -> None:
    state = in_rounds()
    spoil(state)
    with pytest.raises(AssertionError, match=ROUNDS[spoil]):
        conservation.check(state, [400])
