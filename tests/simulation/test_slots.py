"""Slots held for a fixed time: against Erlang's formulas, Little's law and a pool that nobody waits for."""

import numpy as np
import pytest

from fleettui.queueing.erlang import erlang_c
from fleettui.simulation.slots import SlotPool, play_fleet, play_slots


def pool(service: list[float], servers: int, rate: float, prefill: float = 0.0) -> SlotPool:
    return SlotPool(
        weight=np.ones(len(service)),
        service=np.array(service),
        prefill=np.full(len(service), prefill),
        arrival_rate=rate,
        servers=servers,
    )


def test_slots_are_as_busy_as_littles_law_says() -> None:
    made = pool([1.0, 3.0], servers=30, rate=12.0)
    assert made.in_service == pytest.approx(24.0)
    run = play_slots(made, warm_up=5_000, measured=100_000, seed=1, index=0)
    assert run.utilization == pytest.approx(24.0 / 30.0, rel=0.01)


def test_without_waiting_only_the_prefill_is_left() -> None:
    run = play_slots(pool([1.0], servers=1000, rate=10.0, prefill=0.25), warm_up=0, measured=5_000, seed=1, index=0)
    assert run.ttft == 0.25


def test_the_wait_of_an_exponential_service_is_that_of_theory() -> None:
    """M/M/c: P(W > t) = C·exp(−(c − a)t/E[S]); its 99th percentile to a few percent."""
    levels = (np.arange(4000) + 0.5) / 4000
    made = pool(list(-np.log1p(-levels)), servers=8, rate=6.8)
    runs = [play_slots(made, warm_up=20_000, measured=200_000, seed=3, index=index).ttft for index in range(4)]
    theory = np.log(float(erlang_c(8, 6.8)) / 0.01) / (8 - 6.8)
    assert np.mean(runs) == pytest.approx(theory, rel=0.05)


def test_runs_differ_by_index_and_repeat_by_seed() -> None:
    made = pool([1.0, 9.0], servers=4, rate=0.7)
    first, again, other = (play_slots(made, warm_up=100, measured=2_000, seed=1, index=index) for index in (0, 0, 1))
    assert first == again
    assert first != other


def test_a_fleet_tells_of_its_tail_what_waiting_makes_of_it() -> None:
    idle, busy = pool([1.0], servers=1000, rate=5.0, prefill=0.25), pool([1.0], servers=6, rate=5.0, prefill=0.25)

    def played(*pools: SlotPool) -> tuple[float, float, float, float]:
        run = play_fleet(pools, warm_up=1_000, measured=40_000, limit=0.3, seed=1, index=0)
        return run.within, run.tail_wait, run.blocked, run.utilization

    assert played(idle, idle) == (1.0, 0.0, 0.0, pytest.approx(0.005, rel=0.05))
    within, tail_wait, blocked, utilization = played(idle, busy)
    assert utilization == pytest.approx(10.0 / 1006.0, rel=0.05)
    assert 0.1 < 1.0 - within < blocked < 0.5
    assert tail_wait > 0.7


def test_a_tenth_of_the_requests_may_hold_most_of_the_slots() -> None:
    made = pool([0.1] * 9 + [9.1], servers=100, rate=20.0)
    run = play_fleet([made], warm_up=1_000, measured=40_000, limit=1.0, seed=1, index=0)
    assert run.longest_tenth == pytest.approx(0.91, abs=0.01)
