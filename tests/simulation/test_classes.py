"""Two classes at a replica: the kernel is its twin, interactive ones come first, and theory holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.queueing.classes import Classes
from fleettui.queueing.waiting import WaitTail
from fleettui.scheduling import SCHEDULERS
from fleettui.simulation import conservation
from fleettui.simulation.classes import attainments
from fleettui.simulation.draws import Draws, closed_draws, drawn
from fleettui.simulation.joint_draws import joint_draws
from fleettui.simulation.layout import Engine, State
from tests.repeated import few
from tests.simulation.samples import engine, finished, requests
from tests.simulation.test_bounds import bounded, memoryless
from tests.simulation.test_fixed_service import within
from tests.simulation.twins import fleet, played_alike

EVIDENCE = pytest.mark.evidence
STEPS = 200
TRAFFIC = Traffic(
    pools=(
        PoolTraffic(arrival_rate=8.0, atoms=((1.0, 100.0, 10.0),)),
        PoolTraffic(arrival_rate=2.0, atoms=((1.0, 900.0, 90.0),)),
    ),
    batch_share=0.3,
)


def classed(seed: int) -> tuple[list[Engine], Draws]:
    """Return a random fleet with a random share of class batch, every second one with bounds."""
    engines, draws = bounded(seed) if seed % 2 else fleet(seed)
    rng = np.random.default_rng([seed, 31])
    names = [one.name for one in SCHEDULERS if one.turns is None]  # those with turns know no bounds
    engines = [replace(one, scheduler=names[seed % len(names)]) for one in engines]
    return engines, replace(draws, batch=rng.random(draws.requests) < rng.choice((0.2, 0.5, 0.8)))


@pytest.mark.parametrize("seed", few(range(150), 1))
def test_the_engine_is_its_twin(seed: int) -> None:
    engines, draws = classed(seed)
    for state in played_alike(engines, draws):
        conservation.check(state, [one.blocks for one in engines])


def of_batch(draws: Draws, *places: int) -> Draws:
    return replace(draws, batch=np.isin(np.arange(draws.requests), places))


def order(state: State) -> list[int]:
    return [int(one) for one in np.argsort(state.requests["admitted"], kind="stable")]


def test_interactive_requests_are_admitted_before_batch_that_came_earlier() -> None:
    draws = of_batch(requests(*[(10, 9)] * 5, arrivals=[0.0, 0.001, 0.002, 0.003, 0.004]), 1, 2)
    assert order(finished([engine(places=1)], draws)) == [0, 3, 4, 1, 2]


def test_the_rank_of_the_scheduler_counts_within_a_class() -> None:
    lengths = [(10, 9), (300, 9), (200, 9), (100, 9), (50, 9)]
    draws = of_batch(requests(*lengths, arrivals=[0.0, 0.001, 0.002, 0.003, 0.004]), 3, 4)
    assert order(finished([engine(places=1, scheduler="shortest")], draws)) == [0, 2, 1, 4, 3]


def test_nobody_who_runs_is_interrupted_while_blocks_last() -> None:
    draws = of_batch(requests((10, 50), (10, 5), arrivals=[0.0, 0.01]), 0)
    state = finished([engine(places=1)], draws)
    assert state.requests["finish"][0] <= state.requests["admitted"][1]
    assert state.pools["preempted"][0] == 0


def preempted(batch: tuple[int, ...]) -> NDArray[np.float64]:
    """Return when each of three requests ends that fill six blocks, and grow beyond them."""
    draws = of_batch(requests((31, 40), (31, 40), (31, 40), arrivals=[0.0, 0.001, 0.002]), *batch)
    state = finished([engine(blocks=8, watermark=0)], draws)
    assert state.pools["preempted"][0] > 0
    found: NDArray[np.float64] = state.requests["finish"]
    return found


def test_batch_gives_way_first_though_it_was_admitted_before() -> None:
    assert np.argmax(preempted(())) == 2
    assert np.argmax(preempted((0,))) == 0


def test_an_interactive_prompt_that_was_cut_takes_the_blocks_of_batch() -> None:
    """A batch request decodes in seven of ten blocks; of the other's four, filled in chunks of 15 tokens, three fit."""
    draws = of_batch(requests((100, 60), (64, 2), arrivals=[0.0, 0.05]), 0)
    one = engine(budget=16, blocks=10, watermark=0)
    state = finished([one], draws)
    assert state.pools["preempted"][0] == 1
    assert state.requests["finish"][1] < state.requests["finish"][0]
    played_alike([one], draws)


def test_a_share_of_the_requests_is_of_class_batch_by_a_stream_of_its_own() -> None:
    found = drawn(TRAFFIC, 0, 20_000, seed=1, index=0)
    assert found.batch is not None
    assert found.batch.mean() == pytest.approx(0.3, abs=0.01)
    plain = drawn(replace(TRAFFIC, batch_share=0.0), 0, 20_000, seed=1, index=0)
    assert plain.batch is None
    assert (found.prompt == plain.prompt).all()
    assert (found.tie == plain.tie).all()
    more = drawn(replace(TRAFFIC, batch_share=0.4), 0, 30_000, seed=1, index=0)
    assert more.batch is not None
    assert more.batch[:20_000][found.batch].all()


def test_pools_that_meet_keep_the_classes_that_they_have_alone() -> None:
    together, alone = joint_draws(TRAFFIC, requests=3_000, seed=2, index=1), drawn(TRAFFIC, 1, 400, seed=2, index=1)
    assert together.batch is not None
    assert alone.batch is not None
    assert together.batch[together.pool == 1][:400].tolist() == alone.batch.tolist()
    closed = closed_draws(replace(TRAFFIC, concurrency=5), requests=9_000, seed=2, index=1).batch
    assert closed is not None
    assert closed.mean() == pytest.approx(0.3, abs=0.02)


def test_each_class_has_its_share_that_kept_its_limits() -> None:
    batch, kept = np.array([False, False, True, True]), np.array([True, False, True, True])
    assert attainments(batch, kept) == (("interactive", 0.5), ("batch", 1.0))
    assert attainments(np.zeros(4, np.bool_), kept) == ()


def waits(
    load: float, share: float, *, servers: int = 1, runs: int = 10, count: int = 40_000
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    """Return the waits of each class per run, in mean services, the first tenth left out; services are memoryless."""
    one = engine(places=1, replicas=1) if servers == 1 else engine(places=servers)
    one = replace(one, base=1.0, per_context=0.0, per_prompt=0.0)
    found: tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]] = ([], [])
    for seed in range(runs):
        draws = memoryless(load, count, seed, steps=STEPS)
        batch = np.random.default_rng([20_263, seed]).random(count) < share
        served = finished([one], replace(draws, batch=batch)).requests
        wait = (served["admitted"] - served["arrival"]) / STEPS
        for of, own in zip(found, (~batch, batch), strict=True):
            of.append(wait[count // 10 :][own[count // 10 :]])
    return found


def mean_waits(load: float, share: float) -> tuple[float, float]:
    """Return Cobham's mean waits of M/M/1 in services: W0/(1 - r1) and W0/((1 - r1)(1 - r)), W0 = r (Cobham 1954)."""
    first = load * (1.0 - share)
    return load / (1.0 - first), load / ((1.0 - first) * (1.0 - load))


@pytest.mark.parametrize(
    ("load", "share", "runs", "tolerance"),
    [
        (0.7, 0.4, 10, 0.1),
        *(pytest.param(load, share, 40, 0.05, marks=EVIDENCE) for load in (0.5, 0.8) for share in (0.1, 0.4, 0.8)),
    ],
)
def test_waits_are_cobhams(load: float, share: float, runs: int, tolerance: float) -> None:
    for found, theory in zip(waits(load, share, runs=runs), mean_waits(load, share), strict=True):
        assert within([float(one.mean()) for one in found], theory, tolerance)


@EVIDENCE
@pytest.mark.parametrize("servers", [1, 8])
@pytest.mark.parametrize(("load", "share"), [(0.8, 0.4), (0.9, 0.1), (0.9, 0.6)])
def test_the_formulas_tail_is_exact_for_interactive_ones_and_a_bound_for_batch(
    servers: int, load: float, share: float
) -> None:
    tail = WaitTail.of(servers, load, 1.0, 1.0)
    interactive, batch = (
        tail.faster(Classes(share, batch=batch).pace(load)).percentile(0.01) for batch in (False, True)
    )
    found = waits(load * servers, share, servers=servers, runs=40, count=300_000)
    assert within([float(np.quantile(one, 0.99)) for one in found[0]], float(interactive), 0.05)
    seen = np.mean([float(np.quantile(one, 0.99)) for one in found[1]])
    assert seen <= 1.02 * float(batch)
    assert seen > 0.5 * float(batch)
