"""Queues that are full and clients that leave: the kernel is its twin, everything adds up, and theory holds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.routing import ROUTERS
from fleettui.simulation import conservation, twin
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine, State, prepare
from tests.repeated import few
from tests.simulation.samples import engine, finished, requests
from tests.simulation.test_fixed_service import within
from tests.simulation.twins import fleet, played_alike

AGAIN = len(ROUTERS.names) + 1
SEEDS = (AGAIN, *(seed for seed in range(50) if seed != AGAIN))
"""With the first, requests come again."""
RUNS = 10


def bounded(seed: int, refresh: float = 0.0) -> tuple[list[Engine], Draws]:
    """Return a random fleet of an open loop that has bounds, some of its pools one of the two or none.

    Every second time that a router comes by, requests come again, which those between pools do not allow.
    """
    engines, draws = fleet(seed + 1 if seed % 3 == 0 else seed)
    rng = np.random.default_rng([seed, 77])
    if draws.clients:
        draws = replace(draws, clients=0, arrivals=np.cumsum(rng.exponential(0.01, draws.requests)))
    limits = [(None, 0.03), (1, np.inf), (2, 0.2), (int(rng.integers(0, 30)), 10.0 ** rng.uniform(-2, 0.5))]
    chosen = [limits[int(rng.integers(len(limits)))] for _ in engines]
    turn, place = divmod(seed, len(ROUTERS.names))
    router = ROUTERS.names[place]
    retries = 3 * (turn % 2) if ROUTERS.named(router).across is None else 0
    engines = [
        replace(one, queue=queue, patience=patience, router=router, retries=retries, backoff=0.05 * retries)
        for one, (queue, patience) in zip(engines, chosen, strict=True)
    ]
    if refresh and ROUTERS.named(router).knows:
        engines = [replace(one, refresh=refresh) for one in engines]
    return engines, replace(draws, jitter=rng.random((draws.requests, retries)))


@pytest.mark.parametrize(
    ("seed", "refresh"),
    few([(seed, refresh) for refresh in (0.0, 0.05) for seed in SEEDS], 2, more=2),
)
def test_the_engine_is_its_twin(seed: int, refresh: float) -> None:
    engines, draws = bounded(seed, refresh)
    for state in played_alike(engines, draws):
        assert state.bounds is not None
        expected = twin.play(engines, draws)
        for name in ("rejected", "attempts"):
            assert np.array_equal(state.bounds.stays[name], [getattr(one, name) for one in expected])
        conservation.check(state, [one.blocks for one in engines])
        pools, own = state.pools, state.bounds.pools
        left = int(np.isfinite(state.bounds.stays["left"]).sum())
        assert pools["completed"].sum() + left == draws.requests
        assert pools["completed"].sum() + own["rejected"].sum() + own["timed_out"].sum() == pools["arrived"].sum()
        assert pools["present"].sum() == 0
        assert state.bounds.waiting[0] == 0


def test_the_fleets_turn_away_and_their_clients_leave_waiting_and_in_prefill() -> None:
    """The comparison above means something only if all of that happens."""
    states = [finished(*bounded(seed)) for seed in SEEDS]
    rejected, left, admitted = 0, 0, 0
    for state in states:
        assert state.bounds is not None
        rejected += int(state.bounds.pools["rejected"].sum())
        left += int(state.bounds.pools["timed_out"].sum())
        gone = np.isfinite(state.bounds.stays["left"]) & ~state.bounds.stays["rejected"]
        admitted += int(np.isfinite(state.requests["admitted"][gone]).sum())
    assert min(rejected, left) > 500
    assert admitted > 100


def test_a_run_without_bounds_has_no_arrays_for_them() -> None:
    assert prepare([engine()], requests((9, 2))).bounds is None
    assert prepare([engine(), engine(queue=3)], requests((9, 2))).bounds is not None


def test_a_closed_loop_has_no_bounds() -> None:
    with pytest.raises(AssertionError, match="closed loop"):
        prepare([engine(queue=3)], requests((9, 2), clients=1))


def played(one: Engine, draws: Draws) -> State:
    state = finished([one], draws)
    conservation.check(state, [one.blocks])
    return state


def test_what_finds_a_full_queue_is_turned_away_at_once() -> None:
    state = played(engine(places=1, queue=2), requests(*[(10, 50)] * 5, arrivals=[0.0, 0.001, 0.002, 0.003, 0.004]))
    assert state.bounds is not None
    assert state.bounds.stays["rejected"].tolist() == [False] * 3 + [True] * 2
    assert state.bounds.stays["left"][3:].tolist() == [0.003, 0.004]
    assert np.isfinite(state.requests["finish"]).tolist() == [True] * 3 + [False] * 2


def test_a_client_leaves_at_the_end_of_the_step_in_which_its_time_runs_out() -> None:
    """One place: the second waits for the first, whose 60 tokens take 0.6 s and more."""
    state = played(engine(places=1, patience=0.3, per_context=0), requests((10, 60), (10, 5), arrivals=[0.0, 0.005]))
    assert state.bounds is not None
    assert np.isfinite(state.requests["finish"]).tolist() == [True, False]
    assert np.isnan(state.requests["admitted"][1])
    assert 0.305 <= state.bounds.stays["left"][1] < 0.305 + 0.01
    assert state.pools["completed"][0] == 1


def test_all_who_wait_may_leave_with_one_step() -> None:
    """One place and steps of 1 s: nine come in the first one, and are gone at its end."""
    slow = engine(base=1.0, per_context=0.0, per_prompt=0.0, places=1, patience=0.5)
    state = finished([slow], requests(*[(10, 1)] * 10, arrivals=[0.0, *[0.1] * 9]))
    assert state.bounds is not None
    assert state.bounds.stays["left"].tolist() == [1.0] * 10, "the first token came late as well"
    assert state.bounds.pools["timed_out"].tolist() == [10]


def test_a_first_token_that_is_late_is_no_service() -> None:
    """The prompt takes four steps of 16 tokens, 46 ms; the client is gone after 40, its blocks and place are free."""
    state = played(engine(budget=16, patience=0.04, per_context=0), requests((64, 9), (8, 2), arrivals=[0.0, 0.001]))
    assert state.bounds is not None
    assert np.isfinite(state.requests["finish"]).tolist() == [False, True] or np.isnan(state.requests["finish"]).all()
    assert np.isfinite(state.requests["admitted"][0])
    assert not state.replicas["running"].any()


def test_whoever_has_a_first_token_stays() -> None:
    state = played(engine(patience=0.05), requests((10, 500), arrivals=[0.0]))
    assert state.requests["finish"][0] > 5.0
    assert state.bounds is not None
    assert not state.bounds.pools["timed_out"].any()


def turn_one_more_away(state: State) -> None:
    state.bounds.pools["rejected"][0] += 1  # type: ignore[union-attr]


def let_one_leave_twice(state: State) -> None:
    stays = state.bounds.stays  # type: ignore[union-attr]
    row = np.flatnonzero(np.isfinite(stays["left"]) & ~stays["rejected"])[0]
    stays["stay"][row] += 1e-3


def serve_one_that_left(state: State) -> None:
    row = np.flatnonzero(np.isfinite(state.bounds.stays["left"]))[0]  # type: ignore[union-attr]
    state.requests["finish"][row] = state.requests["first"][row] = 9.0


def note_that_one_left_who_was_served(state: State) -> None:
    stays = state.bounds.stays  # type: ignore[union-attr]
    row = np.flatnonzero(np.isfinite(state.requests["finish"]))[0]
    stays["left"][row] = stays["due"][row]


def come_once_more(state: State) -> None:
    state.bounds.stays["attempts"][0] += 1  # type: ignore[union-attr]


def come_again_without_retries(state: State) -> None:
    """Count one that was turned away as one that was so twice."""
    bounds: Any = state.bounds
    bounds.stays["attempts"][np.flatnonzero(bounds.stays["rejected"])[0]] += 1
    bounds.pools["rejected"] += 1
    state.pools["arrived"] += 1


def leave_before_its_time(state: State) -> None:
    stays = state.bounds.stays  # type: ignore[union-attr]
    row = np.flatnonzero(np.isfinite(stays["left"]) & ~stays["rejected"])[0]
    stays["due"][row] = stays["left"][row] + 1e-6


SPOILED: dict[Callable[[State], None], str] = {
    come_again_without_retries: "came too often",
    leave_before_its_time: "left too early",
    come_once_more: "attempts, .* came",
    turn_one_more_away: "turned away or left, counted",
    let_one_leave_twice: "Little's law",
    serve_one_that_left: "served, .* counted",
    note_that_one_left_who_was_served: "served although it had left",
}


@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__)
def test_what_does_not_add_up_is_noticed(spoil: Callable[[State], None]) -> None:
    one = engine(places=2, queue=3, patience=0.4)
    state = played(one, requests(*[(10, 40)] * 200, arrivals=np.linspace(0.0, 9.0, 200).tolist()))
    assert state.bounds is not None
    assert state.bounds.pools["rejected"][0] > 0 < state.bounds.pools["timed_out"][0]
    spoil(state)
    with pytest.raises(AssertionError, match=SPOILED[spoil]):
        conservation.check(state, [one.blocks])


def memoryless(load: float, count: int, seed: int, *, steps: int = 200) -> Draws:
    """Return Poisson arrivals, `load` in the mean service, of requests that take a geometric number of steps of 1 s."""
    rng = np.random.default_rng([20_261, seed])
    return Draws(
        prompt=np.ones(count, np.int32),
        cached=np.zeros(count, np.int32),
        output=rng.geometric(1.0 / steps, count).astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=rng.random(count),
        arrivals=np.cumsum(rng.exponential(steps / load, count)),
        thinking=np.zeros(0),
    )


def unserved(one: Engine, load: float, *, count: int = 40_000, steps: int = 200) -> list[float]:
    """Return the share of requests that were turned away or left, one per run, the first tenth of each left out."""
    plain = replace(one, base=1.0, per_context=0.0, per_prompt=0.0)
    runs = [played(plain, memoryless(load, count, seed, steps=steps)) for seed in range(RUNS)]
    return [float(np.isnan(run.requests["finish"][count // 10 :]).mean()) for run in runs]


def blocked(servers: int, most: int, load: float) -> float:
    """Return the share that M/M/c/K turns away; with K = c it is Erlang B."""
    ratios = [load / min(present, servers) for present in range(1, most + 1)]
    weights = np.cumprod([1.0, *ratios])
    return float(weights[-1] / weights.sum())


@pytest.mark.parametrize(("servers", "load"), [(8, 6.0)])
def test_replicas_of_one_place_without_a_queue_turn_away_what_erlang_b_says(servers: int, load: float) -> None:
    shares = unserved(engine(places=1, replicas=servers, queue=0), load)
    assert within(shares, blocked(servers, servers, load), 0.04)


@pytest.mark.parametrize(("servers", "queue", "load"), [(4, 6, 3.8)])
def test_a_bounded_queue_turns_away_what_mmck_says(servers: int, queue: int, load: float) -> None:
    """A request that comes within a step waits for its end, half a step of 200: so much longer it is there."""
    shares = unserved(engine(places=servers, queue=queue), load)
    assert within(shares, blocked(servers, servers + queue, load * (1.0 + 0.5 / 200)), 0.05)


def test_clients_leave_one_server_as_with_constant_patience() -> None:
    """M/M/1 whose clients wait T at most (Barrer 1957): (1 - r) r x / (1 - r^2 x) leave, x = exp(-(1 - r) T)."""
    load, patience, steps = 1.3, 1.5, 500
    x = math.exp(-(1.0 - load) * patience)
    leaving = (1.0 - load) * load * x / (1.0 - load**2 * x)
    shares = unserved(engine(places=1, patience=patience * steps), load, count=20_000, steps=steps)
    assert within(shares, leaving, 0.05)


def test_whoever_is_turned_away_comes_again_later_and_later_and_then_no_more() -> None:
    """One place, no queue, a request of 20 s there: the second one comes at 1, then 1, 2 and 4 s after each time."""
    draws = replace(requests((10, 2_000), (10, 2), arrivals=[0.0, 1.0]), jitter=np.full((2, 3), 0.5))
    state = played(engine(places=1, queue=0, retries=3, backoff=1.0, per_context=0), draws)
    assert state.bounds is not None
    own = state.bounds.stays[1]
    assert (own["asked"], own["left"], own["attempts"], own["stay"]) == (1.0, 8.0, 4, 0.0)
    assert own["rejected"]
    assert state.bounds.pools["rejected"][0] == 4


def test_whoever_comes_again_is_served_when_there_is_room() -> None:
    draws = replace(requests((10, 200), (10, 2), arrivals=[0.0, 1.0]), jitter=np.full((2, 3), 0.5))
    state = played(engine(places=1, queue=0, retries=3, backoff=1.0, per_context=0), draws)
    assert state.bounds is not None
    assert state.bounds.stays["attempts"].tolist() == [1, 3]
    assert state.requests["arrival"][1] == 4.0
    assert np.isfinite(state.requests["finish"]).all()


def test_retries_far_apart_load_the_servers_as_so_many_more_requests() -> None:
    """Attempts long after one another are as good as independent: p = Erlang B of a (1 + p + p^2), three at most."""
    servers, load, blocking = 4, 3.0, 0.3
    for _ in range(200):
        blocking = blocked(servers, servers, load * (1.0 + blocking + blocking**2))
    one = engine(places=1, replicas=servers, queue=0, retries=2, backoff=200.0 * 50.0)
    one = replace(one, base=1.0, per_context=0.0, per_prompt=0.0)
    found = []
    for seed in range(RUNS):
        draws = memoryless(load, 40_000, seed, steps=50)
        jitter = np.random.default_rng([20_262, seed]).random((40_000, 2))
        state = played(one, replace(draws, jitter=jitter))
        assert state.bounds is not None
        found.append(float(state.bounds.stays["attempts"][8_000:32_000].mean()))
    assert within(found, 1.0 + blocking + blocking**2, 0.02)
