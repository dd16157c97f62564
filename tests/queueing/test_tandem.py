"""The way through prefill, a link and a decode batch: sums of waits, and a prefill pool against M/D/1."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fleettui.queueing.bursts import Bursts
from fleettui.queueing.rounds import LaneTimes
from fleettui.queueing.tails import mixture_percentile
from fleettui.queueing.tandem import PrefillLoad, link_wait, sum_of, tandem_tail
from fleettui.queueing.waiting import WaitTail

FIXED = PrefillLoad(
    weight=np.ones(1),
    alone=np.array([0.1]),
    packed=np.array([0.1]),
    turns=np.ones(1),
    fixed=0.02,
    full=1.0,
    rate=7.0,
    lanes=1.0,
)


def wait(probability: float, rate: float) -> WaitTail:
    return WaitTail(np.asarray(probability), np.asarray(rate))


@pytest.mark.parametrize("time", [0.0, 0.3, 1.0, 4.0])
def test_three_certain_waits_have_the_closed_form(time: float) -> None:
    """P(T > t) of a sum of exponentials of rates 1, 2 and 4: Σ e^(−rᵢt)·Π rⱼ/(rⱼ − rᵢ)."""
    tail = tandem_tail(np.zeros(1), np.ones(1), [wait(1.0, 2.0), wait(1.0, 1.0), wait(1.0, 4.0)], stable=True)
    expected = math.exp(-time) * 8 / 3 - 2 * math.exp(-2 * time) + math.exp(-4 * time) / 3
    assert tail(time) == pytest.approx(expected, abs=1e-12)


def test_a_sum_of_waits_is_that_of_many_drawn_ones() -> None:
    rng = np.random.default_rng(4)
    waits, total = [(0.5, 3.0), (0.2, 3.0), (0.9, 0.7)], np.zeros(400_000)
    for probability, rate in waits:
        total += np.where(rng.random(len(total)) < probability, rng.exponential(1.0 / rate, len(total)), 0.0)
    tail = tandem_tail(np.array([1.0]), np.ones(1), [wait(*one) for one in waits], stable=True)
    found = mixture_percentile([(tail, 1.0)], 0.01)
    assert found == pytest.approx(1.0 + np.quantile(total, 0.99), rel=0.02)


def test_nobody_waits_where_a_link_takes_no_time() -> None:
    assert sum_of([link_wait(0.3, 0.0), wait(0.0, 5.0)]) == ((), ())


def test_a_part_of_the_way_that_does_not_keep_up_makes_all_late() -> None:
    tail = tandem_tail(np.zeros(1), np.ones(1), [wait(1.0, 0.0), wait(1.0, 0.0)], stable=False)
    assert mixture_percentile([(tail, 1.0)], 0.01) == math.inf


def test_fixed_prompts_that_fill_their_steps_wait_as_in_m_d_1() -> None:
    """E[W] = ρS/(2(1 − ρ)), and nothing is shared where each prompt fills its step."""
    mean = float(FIXED.wait.probability / FIXED.wait.rate)
    assert FIXED.utilization == pytest.approx(0.7)
    assert mean == pytest.approx(0.7 * 0.1 / (2 * 0.3))
    assert FIXED.delays.tolist() == [0.1]


def test_prompts_that_leave_room_wait_for_half_a_step_and_share_the_next() -> None:
    short = replace(FIXED, packed=np.array([0.085]), full=0.25)
    assert short.utilization == pytest.approx(0.595)
    assert short.delays[0] > 0.1
    assert short.resized(2.0).delays[0] < short.delays[0]


def test_transfers_that_share_a_link_take_as_long_on_average_as_by_processor_sharing() -> None:
    excess = link_wait(0.75, 0.2)
    assert float(excess.probability / excess.rate) == pytest.approx(0.2 * 0.75 / 0.25)


def test_what_comes_in_a_step_with_room_waits_for_half_of_it_and_shares_the_next() -> None:
    """Prompts of a quarter of a step each: half a step is waited for, longer by what others bring into it."""
    load = replace(FIXED, alone=np.array([0.02 + 0.02]), packed=np.array([0.02 + 0.005]), full=0.25, rate=5.0)
    growing = 5.0 * (0.025 - 0.02 * 0.25)
    step = 0.02 / (1.0 - growing)
    assert load.growing == pytest.approx(growing)
    assert load.delays == pytest.approx([0.04 + 0.75 * (5.0 * 0.04) * step * (0.5 + growing)])


def in_rounds(least: float, *, lanes: float = 4.0, rate: float = 1e-3, budget: float = 0.3) -> PrefillLoad:
    """Return prompts of one chunk and of three on lanes that step together: .1 s of each round, and .05 s a chunk."""
    times = LaneTimes(lanes=4, weight=np.ones(1), own=np.array([0.04]), common=np.array([0.04]), base=0.05, least=least)
    turns = np.array([1.0, 3.0])
    return PrefillLoad(
        weight=np.array([0.5, 0.5]),
        alone=0.1 * turns,
        packed=budget * turns,
        turns=turns,
        fixed=0.05,
        full=0.5,
        rate=rate,
        lanes=lanes,
        times=times,
    )


def test_lanes_that_step_together_are_asked_for_all_chunks_of_their_requests() -> None:
    """Two chunks a request: a request each second for eight lanes are two chunks a second, one for each four lanes."""
    rounds = in_rounds(0.0, lanes=8.0, rate=1.0).rounds
    assert rounds is not None
    assert rounds.rate == pytest.approx(1.0)
    assert replace(in_rounds(0.0), times=None).rounds is None


@pytest.mark.parametrize("least", [0.15, 0.25])
def test_a_further_chunk_takes_a_whole_round_which_may_be_longer_than_the_chunk(least: float) -> None:
    """Rounds last .15 s in any case, a chunk only .1 s: two more chunks take as much longer. Hardly anybody waits."""
    load = in_rounds(least)
    rounds = load.rounds
    assert rounds is not None
    assert rounds.surely == pytest.approx(0.0, abs=1e-3)
    assert rounds.met_mean == pytest.approx(least, rel=0.01)
    assert load.delays == pytest.approx([0.1, 0.3 + 2.0 * (least - 0.1)], rel=0.01)


def test_rounds_that_are_shorter_than_a_chunk_alone_take_nothing_off_it() -> None:
    load = in_rounds(0.0)
    slow = replace(load, alone=np.array([5.0, 15.0]))
    assert slow.delays == pytest.approx([5.0, 15.0], abs=1e-3)


def test_where_rounds_follow_each_other_everybody_waits_for_a_part_of_one() -> None:
    load = in_rounds(0.15, rate=30.0, budget=0.01)
    rounds = load.rounds
    assert rounds is not None
    assert rounds.surely > 0.05
    further = np.maximum(rounds.met_mean - 0.1, 0.0) * np.array([0.0, 2.0])
    assert load.delays == pytest.approx(np.array([0.1, 0.3]) + further + rounds.surely)


def test_the_wait_of_rounds_is_theirs_until_the_lanes_own_queue_is_longer() -> None:
    """M/G/4 at the pace of full steps falls by 4(1 - rho)/(E[S] phi); near rho = 1 that is the slower of the two."""
    for rate, budget, utilization in ((2.0, 0.03, 0.03), (6.6, 0.3, 0.99)):
        load = in_rounds(0.15, rate=rate, budget=budget)
        assert load.rounds is not None
        own, turn = load.rounds.wait, WaitTail.of(4.0, utilization, 2.0 * budget, 0.25)
        assert float(load.wait.probability) == float(own.probability)
        assert (float(own.rate) < float(turn.rate)) == (utilization < 0.5)
        assert float(load.wait.rate) == pytest.approx(min(float(own.rate), float(turn.rate)))


@pytest.mark.parametrize("rate", [1.0, 5.0, 20.0])
def test_who_meets_a_busy_lane_waits_and_those_who_wait_for_a_gate_as_much_longer(rate: float) -> None:
    """Prompts of .025 s of which a quarter of a step each is shared: u = rate(E[S] - fixed/4). One served in turn
    waits for u·R/(1 - u) beside half a step, at a gate for (1/2 + u)·R: (1 + 2u)/(1 + u) times as long on the mean.
    """
    load = replace(FIXED, alone=np.array([0.04]), packed=np.array([0.025]), full=0.25, rate=rate)
    turn = WaitTail.of(1.0, rate * 0.025, 0.025, 0.0)
    u, room, busy = rate * (0.025 - 0.02 * 0.25), 0.75, min(rate * 0.04, 1.0)
    assert load.room == room
    assert float(load.wait.probability) == pytest.approx(room * busy + (1.0 - room) * rate * 0.025)
    assert float(load.wait.rate) == pytest.approx(
        float(turn.rate) * ((1.0 - room) + room * (1.0 + u) / (1.0 + 2.0 * u))
    )


def test_lanes_with_a_queue_each_are_one_server_each_and_bursts_make_their_waits_longer() -> None:
    many = replace(FIXED, rate=28.0, lanes=4.0)
    apart = replace(many, one_queue=False)
    assert (many.servers, apart.servers) == (4.0, 1.0)
    for load in (many, apart):
        turn = WaitTail.of(load.servers, 0.7, 0.1, 0.0)
        assert float(load.wait.probability) == pytest.approx(float(turn.probability))
        assert float(load.wait.rate) == pytest.approx(float(turn.rate))
    bursts = Bursts(rate=28.0, long_run=3.0, memory=0.0).of_part(np.array(28.0))
    expected = WaitTail.of(4.0, 0.7, 0.1, 0.0, bursts)
    assert float(replace(many, excess=bursts).wait.rate) == pytest.approx(float(expected.rate))


@pytest.mark.parametrize(("utilization", "seconds"), [(1.0, 0.2), (3.0, 0.2)])
def test_a_link_with_more_to_carry_than_it_can_delays_without_end(utilization: float, seconds: float) -> None:
    wait = link_wait(utilization, seconds)
    assert (float(wait.probability), float(wait.rate)) == (1.0, 0.0)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_waits_of_one_rate_add_up_as_erlangs_do(count: int) -> None:
    """Of k exponentials of rate 2 P(T > t) = e^(-2t)·Σ (2t)^j/j! over j < k, but for the part by which rates differ."""
    tail = tandem_tail(np.zeros(1), np.ones(1), [wait(1.0, 2.0)] * count, stable=True)
    for time in (0.3, 1.0, 3.0):
        expected = math.exp(-2.0 * time) * sum((2.0 * time) ** j / math.factorial(j) for j in range(count))
        assert tail(time) == pytest.approx(expected, rel=2e-3)
    rates = [rate for _, rate in sum_of([wait(1.0, 2.0)] * count)[1]]
    assert np.diff(rates).min() > 0.9e-4 * 2.0
