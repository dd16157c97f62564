"""What bursts do to the wait by formula: nothing where there are none, and what theory knows of one server."""

from __future__ import annotations

import numpy as np
import pytest

from fleettui.queueing.bursts import OWN, Bursts, peakedness, stretch
from fleettui.queueing.waiting import WaitTail


def test_arrivals_that_vary_as_poisson_s_wait_as_poisson_s() -> None:
    plain = WaitTail.of(np.array([1.0, 40.0]), 0.8, 2.0, 3.0)
    same = WaitTail.of(np.array([1.0, 40.0]), 0.8, 2.0, 3.0, Bursts(1.0, 0.0, 0.0).of_part(np.ones(2)))
    assert np.array_equal(plain.percentile(0.01), same.percentile(0.01))


def test_a_part_has_its_part_of_the_excess_and_short_windows_do_not_see_a_slow_rate() -> None:
    seconds = np.array([0.0, 1.0, 100.0, 1e6, np.inf])
    excess = Bursts(10.0, 8.0, 100.0).of_part(np.array(5.0))(seconds)
    assert excess == pytest.approx([0.0, 4.0 * 0.00498, 4.0 * np.exp(-1.0), 4.0, 4.0], rel=1e-2)
    assert Bursts(10.0, 8.0, 0.0).of_part(np.array(20.0))(seconds) == 8.0


def test_one_server_in_heavy_traffic_waits_as_kingman_says() -> None:
    excess = Bursts(1.0, 3.0, 0.0).of_part(np.array(1.0))
    assert stretch(excess, np.array(0.01), np.array(1.0), 1.0) == pytest.approx(2.5)
    assert stretch(excess, np.array(0.0), np.array(1.0), 1.0) == pytest.approx(2.5)
    assert peakedness(excess, np.array(1.0)) == 4.0


@pytest.mark.parametrize("memory", [0.0, 5.0, 500.0])
def test_waits_grow_with_the_excess_and_with_the_load(memory: float) -> None:
    servers, found = 20.0, []
    for long_run in (-0.5, 0.0, 1.0, 10.0):
        excess = Bursts(1.0, long_run, memory).of_part(np.array(1.0))
        tails = [WaitTail.of(servers, load, 1.0, 2.0, excess) for load in (0.5, 0.8, 0.95)]
        found.append([float(one.percentile(0.01)) for one in tails])
    assert (np.diff(found, axis=0) >= 0).all()
    assert (np.diff(found, axis=1) >= 0).all()


@pytest.mark.parametrize("room", [0.05, 0.5, 2.0, 40.0])
@pytest.mark.parametrize("memory", [3.0, 100.0])
def test_bursts_count_over_the_time_in_which_a_queue_forgets(room: float, memory: float) -> None:
    """u = excess(E[S](1 + u + v)/room), which bisection solves: the excess rises less than the time does."""
    excess, service, v = Bursts(2.0, 4.0, memory).of_part(np.array(1.0)), 1.5, 0.7
    low, high = 0.0, 2.0
    for _ in range(60):
        u = (low + high) / 2.0
        low, high = (u, high) if float(excess(np.array(service * (1.0 + u + v) / room))) > u else (low, u)
    found = float(stretch(excess, np.array(room), np.array(service), v)) * (1.0 + v)
    assert found - 1.0 - v == pytest.approx(low, rel=0.02)


def test_what_is_picked_from_a_stream_with_a_varying_rate_varies_as_drawn_counts_do() -> None:
    """A rate that changes between nothing and double at random, at 1/s either way, has a memory of 1/2 s: of counts in
    windows of w seconds variance over mean is 1 + 2·rate·memory·(1 - (1 - e^-x)/x), x = w/memory.
    """
    rng, rate, runs, pieces, window = np.random.default_rng(2), 6.0, 40_000, 200, 1.0
    on, expected = rng.random(runs) < 0.5, np.zeros(runs)
    for _ in range(pieces):
        expected += np.where(on, 2.0 * rate, 0.0) * window / pieces
        on ^= rng.random(runs) < -np.expm1(-2.0 * window / pieces) / 2.0
    counts = rng.poisson(expected)
    excess = Bursts(rate=rate, long_run=2.0 * rate * 0.5, memory=0.5)
    assert counts.var() / counts.mean() - 1.0 == pytest.approx(
        float(excess.of_part(np.array(rate))(np.array(window))), rel=0.03
    )
    part = rng.binomial(counts, 0.25)
    assert part.var() / part.mean() - 1.0 == pytest.approx(
        float(excess.of_part(np.array(rate / 4.0))(np.array(window))), rel=0.1
    )


@pytest.mark.parametrize("memory", [0.0, 5.0])
def test_a_queue_that_bursts_meet_has_fewer_faster_servers_and_a_longer_tail(memory: float) -> None:
    """c/z servers that are z times as fast, and the tail by as much longer as over the time in which c(1 - rho)^2 of
    these forget.
    """
    excess, c, rho, service, v = Bursts(2.0, 4.0, memory).of_part(np.array(1.0)), 12.0, 0.8, 3.0, 2.5
    z = float(peakedness(excess, np.array(service)))
    assert z > 1.1
    plain = WaitTail.of(c / z, rho, service / z, v)
    longer = float(stretch(excess, np.array(c / z * 0.2**2), np.array(service / z), v))
    found = WaitTail.of(c, rho, service, v, excess)
    assert float(found.probability) == pytest.approx(float(plain.probability))
    assert float(found.rate) == pytest.approx(float(plain.rate) / longer)
    assert float(WaitTail.of(c, 1.2, service, v, excess).rate) == 0.0


def test_a_faster_stream_has_the_excess_of_its_own_rate() -> None:
    bursts = Bursts(2.0, 3.0, 5.0, lambda rates: rates / 4.0).faster(np.array([1.0, 6.0])).pick(np.array([1]))
    assert (bursts.rate, bursts.long_run, bursts.memory) == ([12.0], [3.0], 5.0)
    same = Bursts(2.0, 3.0, 0.0).faster(np.array([1.0, 6.0])).pick(np.array([1]))
    assert (same.rate, same.long_run) == ([12.0], 3.0)
    assert same.of_part(np.array([6.0]))(np.array([1.0])) == [1.5]


@pytest.mark.parametrize("memory", [0.0, 5.0])
def test_longer_steps_meet_bursts_as_those_predicted_meet_a_faster_stream(memory: float) -> None:
    bursts, times, rate = (
        Bursts(2.0, 3.0, memory, lambda rates: rates / 4.0),
        np.array([1.0, 1.5]),
        np.array([1.0, 0.4]),
    )
    slower = bursts.as_loading(times).of_part(rate)
    for seconds in (0.2, 3.0, np.inf):
        faster = bursts.faster(times).of_part(rate * times)(np.full(2, seconds))
        assert slower(seconds * times) == pytest.approx(faster)


def test_formulas_that_were_corrected_count_a_part_of_how_longer_steps_meet_other_bursts() -> None:
    """A stream of which faster ones have less excess: longer steps meet more, and forget as much sooner."""
    bursts, times = Bursts(2.0, 3.0, 5.0, lambda rates: 6.0 / rates), np.array([1.0, 1.5])
    found, seen = bursts.as_seen(times), bursts.as_loading(times)
    assert 0.0 < OWN < 1.0
    assert found.long_run == pytest.approx([3.0, 2.0 + OWN])
    assert found.memory == pytest.approx([5.0, 7.5 - 2.5 * OWN])
    assert (seen.long_run, seen.memory) == (pytest.approx([3.0, 2.0]), pytest.approx([5.0, 7.5]))
