"""Requests in sessions: how many come, what their rounds share, what caches find, and what routers make of that."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from fleettui.domain.sessions import Round, SessionRecord, rounds_of, shared
from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, State
from fleettui.simulation.session_draws import BLOCK, InSessions, _texts, session_draws
from tests.simulation.samples import engine, finished


def sessions(seed: int = 3, *, common: int = 0, recorded: bool = False, wait: float = 1.0) -> SessionRecord:
    """Return forty sessions of one to six rounds whose prompts grow, now and then without an answer, or are cut."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(40):
        row: list[float] = []
        prompt = common + int(rng.integers(1, 300))
        for place in range(int(rng.integers(1, 7))):
            output = int(rng.integers(1, 80))
            row += [prompt, output, float(rng.exponential(wait)) if place else 0.0]
            prompt += int(rng.integers(0, 200)) + output * bool(rng.random() < 0.8)
            prompt = prompt if rng.random() < 0.9 else common + 5
        rows.append(tuple(row))
    return SessionRecord(rows=tuple(rows), common=common, recorded=recorded)


def drawn(record: SessionRecord, requests: int, *, rate: float = 20.0, index: int = 0) -> InSessions:
    pool = PoolTraffic(arrival_rate=rate, atoms=((1.0, 100.0, 20.0),), lengths=(0, 10**6))
    return session_draws(Traffic(pools=(pool,), sessions=record, keeps=True), requests=requests, seed=1, index=index)


def chains(draws: Draws) -> list[list[int]]:
    """Return the requests of each session."""
    assert draws.rounds is not None
    found = [[index] for index in range(draws.rounds.begun)]
    for one in found:
        while (later := int(draws.rounds.then[one[-1]])) >= 0:
            one.append(later)
    return found


def hashes(draws: Draws, index: int) -> list[int]:
    assert draws.prefixes is not None
    return draws.prefixes.blocks(index)


@pytest.mark.parametrize("wait", [0.1, 30.0])
def test_requests_come_at_their_rate_from_the_start(wait: float) -> None:
    """If answers took no time: a tenth of the run is as full as the whole, however long sessions last."""
    draws, until = drawn(sessions(wait=wait), 20_000)
    assert draws.arrivals is not None
    assert draws.rounds is not None
    at = draws.arrivals.copy()
    for chain in chains(draws):
        at[chain[1:]] = at[chain[0]] + np.cumsum(draws.rounds.pause[chain[1:]])
    assert (at <= until).sum() >= 20_000
    for end in (until, until / 10.0):
        assert (at <= end).sum() / end == pytest.approx(20.0, rel=0.06)
    assert (np.diff(draws.arrivals[: draws.rounds.begun]) >= 0.0).all()


def test_each_session_is_one_of_the_record_or_its_end() -> None:
    record = sessions()
    known = {tuple(one[:2] for one in rounds_of(row)) for row in record.rows}
    ends = {row[at:] for row in known for at in range(len(row))}
    draws, _ = drawn(record, 2_000)
    found = [tuple((int(draws.prompt[one]), int(draws.output[one])) for one in chain) for chain in chains(draws)]
    assert set(found) <= ends
    assert sum(one in known for one in found) > 0.9 * len(found)


def test_a_longer_draw_has_the_sessions_of_the_shorter() -> None:
    rows = []
    for requests in (500, 3_000):
        draws, _ = drawn(sessions(), requests)
        assert draws.arrivals is not None
        begun = len(chains(draws))
        rows.append({*zip(draws.arrivals[:begun].tolist(), draws.tie[:begun].tolist(), strict=True)})
    assert rows[0] <= rows[1]


@pytest.mark.parametrize("common", [0, 130])
def test_rounds_share_what_they_have_of_the_one_before_and_sessions_what_all_have(common: int) -> None:
    draws, _ = drawn(sessions(common=common), 1_500)
    seen: set[int] = set()
    for chain in chains(draws):
        before: Round | None = None
        keys = list(range(common // BLOCK))
        own: set[int] = set()
        for index in chain:
            one = Round(int(draws.prompt[index]), int(draws.output[index]), 0.0)
            listed = hashes(draws, index)
            assert len(listed) == (one.prompt + one.output) // BLOCK
            held = shared(before, one, common // BLOCK * BLOCK) // BLOCK
            assert listed[:held] == keys[:held]
            assert not set(listed[held:]) & own, "what is new was never there"
            before, keys, own = one, listed, own | set(listed)
        own -= set(range(common // BLOCK))
        assert not own & seen, "sessions share nothing else"
        seen |= own


def test_each_round_has_the_prompt_of_the_one_before_it_where_the_answer_is_left_out() -> None:
    session = [Round((4 + place) * BLOCK, 3 * BLOCK, 0.0) for place in range(5)]
    blocks, starts, fresh = _texts(session, 0, 100)
    texts = [list(blocks[start:end]) for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True)]
    assert [len(text) for text in texts] == [7, 8, 9, 10, 11]
    for place, (before, later) in enumerate(pairwise(texts)):
        assert later[: 4 + place] == before[: 4 + place]
        assert not set(later[4 + place :]) & set(before)
    assert fresh == 100 + len(set(blocks.tolist()))


def hit(state: State) -> float:
    return float(state.pools["hit"].sum() / state.pools["asked"].sum())


def test_one_cache_without_limit_finds_all_that_a_round_has_of_the_one_before() -> None:
    """Counted exactly, round by round; what was put out last is in no cache, and a prompt found whole is not."""
    draws, _ = drawn(sessions(), 2_000)
    state = finished([engine(blocks=UNLIMITED, budget=4_000, places=64)], draws)
    for chain in chains(draws):
        before: Round | None = None
        for index in chain:
            one = Round(int(draws.prompt[index]), int(draws.output[index]), 0.0)
            held = shared(before, one, 0)
            if before is not None and held == before.prompt + before.output:
                held -= 1
            assert state.requests["cached"][index] == min(held, one.prompt - 1) // BLOCK * BLOCK
            before = one


def at_four(router: str, draws: Draws, blocks: int = 400) -> State:
    return finished([engine(blocks=blocks, watermark=4, budget=512, places=32, replicas=4, router=router)], draws)


def test_affinity_finds_more_than_chance_and_loads_replicas_less_evenly() -> None:
    """Of four replicas a random one has the round before a quarter of the time; who stays meets a longer queue."""
    draws, _ = drawn(sessions(), 6_000, rate=4.0)
    stays, bounded, least, chance = (
        at_four(router, draws) for router in ("session-affinity", "session-bounded", "length", "random")
    )
    assert hit(stays) > hit(bounded) > 2.0 * hit(chance)
    assert hit(chance) < 0.45 * hit(stays)

    def waits(state: State) -> float:
        return float((state.requests["admitted"] - state.requests["arrival"]).mean())

    assert waits(stays) > 1.2 * waits(bounded) > 1.2 * waits(least)


def test_less_memory_finds_less() -> None:
    draws, _ = drawn(sessions(wait=5.0), 6_000)
    shares = [hit(at_four("session-affinity", draws, blocks)) for blocks in (250, 800, UNLIMITED)]
    assert shares[0] < 0.7 * shares[2]
    assert shares[0] < shares[1] < shares[2]


def test_recorded_sessions_come_as_they_did_while_answers_are_quick() -> None:
    record = sessions(recorded=True, wait=20.0)
    draws, _ = drawn(record, 1_000)
    state = finished([engine(blocks=UNLIMITED, budget=4_000, places=64, replicas=4)], draws)
    assert draws.rounds is not None
    for chain in chains(draws):
        arrival, finish = state.requests["arrival"][chain], state.requests["finish"][chain]
        expected = np.maximum(arrival[:-1] + draws.rounds.gap[chain[1:]], finish[:-1])
        assert arrival[1:].tolist() == expected.tolist()


def test_without_keeping_nothing_is_found() -> None:
    pool = PoolTraffic(arrival_rate=20.0, atoms=((1.0, 100.0, 20.0),), lengths=(0, 10**6))
    draws, _ = session_draws(Traffic(pools=(pool,), sessions=sessions()), requests=500, seed=1, index=0)
    state = finished([engine(blocks=UNLIMITED)], draws)
    assert state.pools["hit"].sum() == state.pools["queried"].sum() == 0
    kept, _ = session_draws(Traffic(pools=(pool,), sessions=sessions(), keeps=True), requests=500, seed=1, index=0)
    assert np.array_equal(kept.tie, draws.tie)
    assert np.array_equal(replace(kept.rounds).then, draws.rounds.then)  # type: ignore[type-var,union-attr]
