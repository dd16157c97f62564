"""The compiled engine: the same as its plain twin, and as fast as an iteration-level one on real traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.failing import SlowReplica
from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.domain.workload import Atom
from fleettui.queueing.batching import saturated_rate
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.service import Service
from fleettui.simulation import kernel
from fleettui.simulation.draws import closed_draws
from fleettui.simulation.layout import UNLIMITED, prepare
from fleettui.workloads import library
from tests.repeated import few
from tests.simulation.samples import engine, finished, requests
from tests.simulation.twins import fleet, played_alike

SATURATED = {  # requests/s of one replica by token budget: formula, iteration-level simulation (model.md §12)
    "azure-2023-conv": {512: (15.18, 15.02), 2048: (15.23, 15.22)},
    "azure-2023-code": {512: (11.19, 11.19), 2048: (14.41, 14.41)},
    "mooncake-conversation": {512: (1.42, 1.42), 2048: (1.74, 1.74)},
    "servegen-deepseek-r1-h10": {512: (1.32, 1.31), 2048: (1.32, 1.31)},
}
CASES = [(name, budget) for name, budgets in SATURATED.items() for budget in budgets]
BASE, PER_CONTEXT, PER_PROMPT, PLACES = 0.0065, 0.00032 / 8192, 29.5e-6, 64


@pytest.mark.parametrize("seed", few(range(50), 4, more=4))
def test_the_engine_is_its_twin(seed: int) -> None:
    engines, draws = fleet(seed)
    states = plain, _ = played_alike(engines, draws)
    for state in states:
        assert state.pools["steps"].sum() == plain.pools["steps"].sum()
        assert state.pools["completed"].sum() == draws.requests
        blocks = np.repeat([one.blocks for one in engines], [one.replicas for one in engines])
        assert np.array_equal(state.replicas["free"], blocks)


@pytest.mark.parametrize("seed", few(range(50), 2, more=4))
def test_the_engine_is_its_twin_where_a_replica_of_each_pool_is_slow_for_a_while(seed: int) -> None:
    engines, draws = fleet(seed)
    rng, busy = np.random.default_rng(seed), float(finished(engines, draws).requests["finish"].max())
    start = float(rng.choice((0.0, 0.2 * busy)))
    slow = SlowReplica(speed=float(rng.uniform(0.05, 0.9)), start=start, end=start + 0.3 * busy)
    plain, _ = played_alike([replace(one, slow=slow) for one in engines], draws)
    assert plain.pools["completed"].sum() == draws.requests
    assert plain.requests["finish"].tobytes() != finished(engines, draws, leaping=False).requests["finish"].tobytes()


@pytest.mark.parametrize("leaping", [False, True])
def test_steps_that_begin_while_a_replica_is_slow_take_longer_and_no_others(leaping: bool) -> None:
    """Steps of 10 ms of one answer of 100 tokens, at half the speed from .205 s to .4 s: ten take 20 ms each."""
    plain = engine(per_context=0, per_prompt=0)
    slow = replace(plain, slow=SlowReplica(speed=0.5, start=0.205, end=0.4))
    times = [finished([one], requests((1, 100)), leaping=leaping).requests["finish"][0] for one in (plain, slow)]
    assert times == pytest.approx([1.0, 1.1], abs=1e-9)


@pytest.mark.parametrize("leaping", [False, True])
def test_two_steps_that_would_be_one_leap_are_two_where_the_second_is_slow(leaping: bool) -> None:
    """An answer of three tokens, at half the speed from 15 ms on: the step from 20 ms takes 20 ms."""
    slow = engine(per_context=0, per_prompt=0, slow=SlowReplica(speed=0.5, start=0.015, end=1.0))
    finish = finished([slow], requests((1, 3)), leaping=leaping).requests["finish"][0]
    assert finish == pytest.approx(0.04, abs=1e-9)


def test_only_the_first_replica_is_slow() -> None:
    draws = requests((10, 20), (10, 20), arrivals=[0.0, 0.0])
    served = finished([engine(replicas=2, slow=SlowReplica(speed=0.25))], draws).requests
    took = np.sort(served["finish"])
    assert took[1] == pytest.approx(4.0 * took[0], rel=1e-12)


def test_the_fleets_starve() -> None:
    """The comparison above means something only if sequences lose their blocks and prompts are cut."""
    states = [finished(*fleet(seed)) for seed in range(50)]
    assert sum(int(state.pools["preempted"].sum()) for state in states) > 500
    assert sum(int((state.pools["preempted"] > 0).any()) for state in states) >= 20


@pytest.mark.parametrize("seed", range(4, 10))
def test_tokens_are_conserved(seed: int) -> None:
    engines, draws = fleet(seed)
    state = finished(engines, draws)
    done = state.pools
    prompts = (draws.prompt - draws.cached).sum()
    if not done["preempted"].any():
        assert done["prompted"].sum() == prompts
        assert done["decoded"].sum() == (draws.output - 1).sum()
    assert done["prompted"].sum() >= prompts


@pytest.mark.parametrize(("name", "budget"), CASES)
def test_a_full_replica_serves_what_the_formula_and_an_iteration_level_simulation_say(name: str, budget: int) -> None:
    atoms = library.load(name).slices[0].lengths.atoms
    formula, simulated = SATURATED[name][budget]
    table = RequestTable.of(atoms, chunk=budget)
    service = Service(
        base=np.asarray(BASE),
        per_context=np.asarray(PER_CONTEXT),
        per_prompt=np.asarray(PER_PROMPT),
        concurrency=np.asarray(float(PLACES)),
        token_budget=np.asarray(float(budget)),
        front_end=np.zeros(()),
        api_token=np.zeros(()),
    )
    assert float(saturated_rate(table.moments(0, len(table.weight)), service)) == pytest.approx(formula, rel=0.005)
    assert full_rate(atoms, budget) == pytest.approx(simulated, rel=0.02)


def full_rate(atoms: Sequence[Atom], budget: int, count: int = 33_000, warm_up: int = 3_000) -> float:
    """Return the requests/s that one replica completes with 128 clients at its 64 places."""
    traffic = Traffic(pools=(PoolTraffic(arrival_rate=1.0, atoms=tuple(atoms)),), concurrency=128)
    full = engine(
        base=BASE, per_context=PER_CONTEXT, per_prompt=PER_PROMPT, budget=budget, places=PLACES, blocks=UNLIMITED
    )
    state = prepare([full], closed_draws(traffic, requests=count, seed=1, index=0))
    marks, moments, _ = kernel.run(state, warm_up, count - 1_000, True)
    return float((marks[1]["completed"] - marks[0]["completed"])[0] / (moments[1] - moments[0]))


def test_a_replica_completes_no_more_than_its_api_process_hands_out() -> None:
    """32 clients, whose steps of 10 ms would emit 3,200 tokens a second, behind a process good for 1,000."""
    draws = requests(*[(10, 50)] * 640, clients=32)
    state = finished([engine(per_context=0, per_prompt=0, budget=512, places=32, api_token=1e-3)], draws)
    assert 640 * 50 / state.requests["finish"].max() == pytest.approx(1_000, rel=0.01)
    free = finished([engine(per_context=0, per_prompt=0, budget=512, places=32)], draws)
    assert 640 * 50 / free.requests["finish"].max() == pytest.approx(3_200, rel=0.02)


def test_it_stops_when_the_measured_requests_are_served_and_marks_their_first_and_last_arrival() -> None:
    draws = requests(*[(10, 5)] * 8, arrivals=[0.0, 0.1, 0.2, 0.3, 0.4, 50.0, 60.0, 70.0])
    state = prepare([engine()], draws)
    marks, moments, arrived = kernel.run(state, 2, 5, True)
    assert moments.tolist() == [0.2, 0.4]
    assert [int(mark["arrived"][0]) for mark in marks] == [2, 4]
    assert arrived == 5
    assert np.isfinite(state.requests["finish"]).tolist() == [True] * 5 + [False] * 3


@pytest.mark.parametrize("leaping", [False, True])
def test_requests_go_to_the_replica_with_the_fewest(leaping: bool) -> None:
    """While one replica is at work on a long answer, the other serves every short one at once."""
    draws = requests((10, 200), (10, 3), (10, 3), (10, 3), arrivals=[0.0, 0.0, 0.5, 1.0])
    state = finished([engine(replicas=2)], draws, leaping=leaping)
    served = state.requests
    assert served["finish"][0] > 1.5
    assert (served["admitted"] == served["arrival"]).all()
    assert served["finish"][1:] - served["arrival"][1:] == pytest.approx(np.full(3, served["finish"][1]), abs=1e-12)


@pytest.mark.parametrize("seed", few(range(30), 10))
def test_more_blocks_never_serve_later_on_average(seed: int) -> None:
    """The first and the last tokens of 120 requests, on a replica that is short of memory, less so, and not at all."""
    rng = np.random.default_rng(seed)
    lengths = [(int(rng.integers(16, 200)), int(rng.integers(1, 120))) for _ in range(120)]
    draws = requests(*lengths, arrivals=np.cumsum(rng.exponential(0.12, 120)).tolist())
    states = [finished([engine(blocks=blocks)], draws) for blocks in (22, 33, 50, 75, 400)]
    preempted = [int(state.pools["preempted"].sum()) for state in states]
    assert preempted[0] > preempted[1] > 100
    assert preempted[-1] == 0
    for name in ("first", "finish"):
        means = [float(state.requests[name].mean()) for state in states]
        assert means == sorted(means, reverse=True), name


def test_prompts_one_by_one_without_decodes_are_served_as_by_one_deterministic_server() -> None:
    """M/D/1, by Pollaczek and Khinchine: the mean wait is rho s / (2 (1 - rho)) at a service of s seconds."""
    prompt, count, busy = 64, 200_000, 0.7
    one = engine(places=1, budget=prompt, per_context=0.0)
    service = one.base + prompt * one.per_prompt
    arrivals = np.cumsum(np.random.default_rng(7).exponential(service / busy, count))
    state = finished([one], requests(*[(prompt, 1)] * count, arrivals=arrivals.tolist()))
    waits = state.requests["first"] - state.requests["arrival"] - service
    assert waits.min() == pytest.approx(0.0, abs=1e-6)
    assert waits.mean() == pytest.approx(busy * service / (2.0 * (1.0 - busy)), rel=0.02)
