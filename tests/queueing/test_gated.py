"""The gate before prefill, against queues that are drawn step by step and against M/G/1."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fleettui.queueing.bursts import Bursts
from fleettui.queueing.gated import CHANCE, UNSEEN, Prompts

PROMPTS = Prompts(
    rate=np.array([4.0]),
    once=np.array([0.0]),
    each=np.array([0.1]),
    full=np.array([0.1]),
    scv=np.array([1.0]),
    room=np.array([1.0]),
    budget=np.array([1e6]),
    steps=np.array([200.0]),
    decode=np.array([0.03]),
    alone=False,
    sharing=np.array([1.0]),
    number=np.array([50.0]),
    excess=None,
)


def drawn(prompts: Prompts, seed: int, lanes: int = 4_000, rounds: int = 150) -> tuple[float, float, float]:
    """Return mean, mean square and 99th percentile of waits at such gates, one's own prompt left out."""
    rng = np.random.default_rng(seed)
    rate, once, each, decode = (float(one[0]) for one in (prompts.rate, prompts.once, prompts.each, prompts.decode))
    last, waited = np.full(lanes, decode), []
    for turn in range(rounds):
        coming = rng.poisson(rate * last)
        if turn > rounds // 3:
            met, beside = np.repeat(last, coming), np.repeat(coming, coming) - 1
            waited.append(met * rng.random(len(met)) + each * rng.standard_gamma(beside))
        some = coming > 0
        alone = np.where(some & prompts.alone, 0.0, decode)
        last = alone + once * some + each * rng.standard_gamma(coming)
    every = np.concatenate(waited)
    return float(every.mean()), float((every**2).mean()), float(np.quantile(every, 0.99))


def far(prompts: Prompts) -> float:
    """Return the 99th percentile of the wait."""
    gate = prompts.gate()
    return float(gate.surely[0] + gate.tail.percentile(0.01)[0])


def moments(prompts: Prompts) -> tuple[float, float]:
    """Return the mean wait and its mean square."""
    mean, square = prompts.waits()
    return float(mean[0]), float(square[0])


@pytest.mark.parametrize("once", [0.0, 0.05])
@pytest.mark.parametrize("rate", [0.5, 3.0, 6.0])
def test_waits_are_those_of_a_gated_queue_that_is_drawn(rate: float, once: float) -> None:
    prompts = replace(PROMPTS, rate=np.array([rate]), once=np.array([once]))
    mean, square, longest = drawn(prompts, seed=3)
    assert moments(prompts) == (pytest.approx(mean, rel=0.12), pytest.approx(square, rel=0.15))
    assert far(prompts) == pytest.approx(longest, rel=0.2 if rate > 1.0 else 0.3)


@pytest.mark.parametrize("rate", [1.0, 5.0])
def test_prompts_alone_leave_out_the_decodes(rate: float) -> None:
    prompts = replace(PROMPTS, rate=np.array([rate]), once=np.array([0.02]), alone=True)
    mean, square, longest = drawn(prompts, seed=4)
    assert moments(prompts) == (pytest.approx(mean, rel=0.12), pytest.approx(square, rel=0.15))
    assert far(prompts) == pytest.approx(longest, rel=0.2)


def test_whoever_comes_to_a_lane_without_prompts_waits_for_half_a_step_of_its_decodes() -> None:
    prompts = replace(PROMPTS, rate=np.array([1e-6]))
    assert moments(prompts) == (pytest.approx(0.03 / 2, rel=1e-3), pytest.approx(0.03**2 / 3, rel=1e-3))
    assert float(prompts.gate().surely[0]) == pytest.approx(0.015, rel=1e-3)


def test_nobody_waits_while_a_lane_is_free() -> None:
    """One is free, as in M/G/inf, where fewer are there than lanes: of one lane e^-n, of two (1 + 2n)e^-2n."""
    for lanes, free in ((1.0, math.exp(-0.5)), (2.0, 2.0 * math.exp(-1.0))):
        prompts = replace(PROMPTS, sharing=np.array([lanes]), number=np.array([0.5]))
        gate = prompts.gate()
        assert float(prompts.met[0]) == pytest.approx(1.0 - free)
        mean = float(gate.surely[0] + gate.tail.probability[0] / gate.tail.rate[0])
        assert mean == pytest.approx((1.0 - free) * moments(prompts)[0])
    many = replace(PROMPTS, sharing=np.array([64.0]), number=np.array([0.5]))
    assert far(many) < 1e-3
    assert far(replace(many, number=np.array([2.0]))) > 0.1


@pytest.mark.parametrize("number", [0.2, 1.0, 4.0])
def test_a_lanes_steps_get_prompts_while_the_other_lanes_are_taken(number: float) -> None:
    """One lane always does; of two the other is taken with 1 - e^-2n, and many only where each has one on average."""
    alone, two, many = (
        float(replace(PROMPTS, sharing=np.array([lanes]), number=np.array([number])).joined[0])
        for lanes in (1.0, 2.0, 400.0)
    )
    assert alone == 1.0
    assert two == pytest.approx(1.0 - math.exp(-2.0 * number))
    assert many == pytest.approx(0.0 if number < 1.0 else 0.5 if number == 1.0 else 1.0, abs=0.03)


def test_prompts_that_fill_many_steps_wait_as_in_m_g_1() -> None:
    """The rest of a step, and rho*S*(1 + v)/(2(1 - rho)) (Pollaczek and Khinchine) with all that full steps take."""
    prompts = replace(PROMPTS, rate=np.array([3.0]), room=np.array([0.0]), budget=np.array([0.02]))
    turn = 0.1 + 0.03 / 0.02
    assert float(prompts.turn[0]) == pytest.approx(turn)
    few = replace(prompts, rate=np.array([0.6 / turn]))
    slow = turn * 2.0 / (2.0 * 0.4)
    mean, square = moments(few)
    assert mean == pytest.approx(0.6 * slow, rel=0.02)
    assert square == pytest.approx(2.0 * 0.6 * slow**2, rel=0.03)
    assert far(few) == pytest.approx(math.log(0.6 / 0.01) * slow, rel=0.03)


def test_a_router_that_shares_out_evenly_shortens_the_wait_and_bursts_make_it_longer() -> None:
    bursts = Bursts(rate=16.0, long_run=5.0, memory=0.0).of_part(np.array([16.0]))
    shared = replace(PROMPTS, sharing=np.array([4.0]))
    assert far(shared) < 0.95 * far(PROMPTS)
    assert far(shared) < far(replace(shared, excess=bursts)) < far(replace(PROMPTS, excess=bursts))


def test_more_prompts_wait_longer_and_rows_are_picked() -> None:
    rates = np.linspace(0.1, 9.9, 50)
    rows = np.zeros(50)
    names = ("once", "each", "full", "scv", "room", "decode")
    gate = replace(
        PROMPTS, rate=rates, sharing=rows + 4.0, **{name: rows + getattr(PROMPTS, name) for name in names}
    ).gate()
    assert np.all(np.diff(gate.surely + gate.tail.percentile(0.01)) > 0.0)
    picked = gate.pick(np.array([7]))
    assert picked.surely[0] == gate.surely[7]
    assert picked.tail.rate[0] == gate.tail.rate[7]


def test_a_gate_of_long_steps_is_met_more_often_than_one_of_short_ones() -> None:
    """Steps of .03 s, and of .2 more where a prompt is in: E[S^2]/2E[S] of what is left, and others beside it."""
    prompts = replace(PROMPTS, rate=np.array([2.0]), once=np.array([0.2]), each=np.array([1e-9]))
    mean, _, _ = drawn(prompts, seed=5)
    assert moments(prompts)[0] == pytest.approx(mean, rel=0.12)
    assert mean > 0.6 * (0.03 + 0.2 * 0.2)


def prompts_of(rate: float, once: float, each: float, decode: float, scv: float, *, alone: bool = False) -> Prompts:
    """Return prompts of one lane that leave room in their steps."""
    figures = (np.array([figure]) for figure in (rate, once, each, decode, scv))
    asked, first, per_prompt, step, spread = figures
    return replace(PROMPTS, alone=alone, rate=asked, once=first, each=per_prompt, decode=step, scv=spread)


def drawn_steps(prompts: Prompts, lanes: int = 20_000, rounds: int = 120) -> list[float]:
    """Return mean, mean square and mean cube of steps in which what came in the last one is computed."""
    rng = np.random.default_rng(1)
    rate, once, each, decode, scv = (
        float(one[0]) for one in (prompts.rate, prompts.once, prompts.each, prompts.decode, prompts.scv)
    )
    last, kept = np.full(lanes, decode), []
    for turn in range(rounds):
        coming = rng.poisson(rate * last)
        some = coming > 0
        work = each * scv * rng.standard_gamma(coming / scv)
        last = np.where(some & prompts.alone, 0.0, decode) + once * some + work
        if turn >= rounds // 2:
            kept.append(last)
    every = np.concatenate(kept)
    return [float((every**power).mean()) for power in (1, 2, 3)]


@pytest.mark.parametrize(
    "prompts",
    [
        prompts_of(6.0, 0.05, 0.1, 0.03, 2.0),
        prompts_of(2.0, 0.3, 0.05, 0.1, 0.5),
        prompts_of(8.0, 0.02, 0.05, 0.2, 0.25),
        prompts_of(6.0, 0.05, 0.1, 0.03, 2.0, alone=True),
        prompts_of(2.0, 0.3, 0.05, 0.1, 0.5, alone=True),
    ],
)
def test_steps_have_the_moments_of_those_that_are_drawn(prompts: Prompts) -> None:
    found = [float(one[0]) for one in prompts._moments(prompts.spread())[:3]]
    first, second, third = drawn_steps(prompts)
    assert found == [pytest.approx(first, rel=0.01), pytest.approx(second, rel=0.02), pytest.approx(third, rel=0.04)]


@pytest.mark.parametrize(
    "prompts",
    [
        prompts_of(6.0, 0.05, 0.1, 0.01, 1.0),
        prompts_of(6.0, 0.05, 0.1, 0.003, 3.0),
        prompts_of(6.0, 0.05, 0.05, 0.01, 4.0),
        prompts_of(6.0, 0.05, 0.1, 0.01, 1.0, alone=True),
        prompts_of(4.0, 0.05, 0.15, 0.25, 1.0, alone=True),
    ],
)
def test_steps_of_two_lengths_follow_each_other_as_drawn_ones_do(prompts: Prompts) -> None:
    """One without prompts takes a tenth of what one with some does, or as much: which come next decides the mean."""
    found = [float(one[0]) for one in prompts._moments(prompts.spread())[:3]]
    first, second, third = drawn_steps(prompts)
    assert found == [pytest.approx(first, rel=0.015), pytest.approx(second, rel=0.03), pytest.approx(third, rel=0.08)]


@pytest.mark.parametrize(
    "prompts",
    [
        prompts_of(7.3, 0.006, 0.103, 0.046, 1.14, alone=True),
        prompts_of(12.0, 0.005, 0.03, 0.28, 1.0, alone=True),
        prompts_of(28.0, 0.002, 0.018, 0.3, 0.6, alone=True),
    ],
)
def test_prompts_alone_in_shorter_steps_than_the_decodes_do_not_go_to_and_fro(prompts: Prompts) -> None:
    """Long steps bring prompts, whose steps are short and bring none: whole rounds end where they began."""
    found = [float(one[0]) for one in prompts._moments(prompts.spread())[:3]]
    first, second, _ = drawn_steps(prompts)
    assert found[:2] == [pytest.approx(first, rel=0.025), pytest.approx(second, rel=0.025)]


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e3, 1e12])
def test_the_unit_of_time_is_anybodys_choice(scale: float) -> None:
    own = prompts_of(6.0, 0.05, 0.1, 0.03, 2.0)
    other = prompts_of(6.0 / scale, 0.05 * scale, 0.1 * scale, 0.03 * scale, 2.0)
    moments_of = zip(own._moments(own.spread()), other._moments(own.spread()), (1, 2, 3, 0), strict=True)
    for one, same, power in moments_of:
        assert float(same[0]) / scale**power == pytest.approx(float(one[0]), rel=1e-9)


@pytest.mark.parametrize("number", [0.7, 50.0])
@pytest.mark.parametrize(
    ("prompts", "surely"),
    [
        (prompts_of(6.0, 0.3, 0.01, 0.03, 0.1), True),
        (prompts_of(20.0, 0.1, 0.02, 0.05, 0.1), True),
        (prompts_of(0.5, 0.0, 0.1, 0.03, 3.0), False),
    ],
)
def test_a_gate_has_the_mean_and_the_variance_of_its_waits(prompts: Prompts, surely: bool, number: float) -> None:
    """Half a step of the decodes, which is uniform, a further part that is sure where waits are alike, and a tail."""
    prompts = replace(prompts, number=np.array([number]), sharing=np.array([2.0]))
    gate, met = prompts.gate(), float(prompts.met[0])
    mean, square = (met * one for one in moments(prompts))
    probability, each = float(gate.tail.probability[0]), 1.0 / float(gate.tail.rate[0])
    half = met * float(prompts.decode[0]) / 2.0
    assert float(gate.surely[0]) + probability * each == pytest.approx(mean)
    varying = (2.0 * probability - probability**2) * each**2
    assert varying + half**2 / 3.0 == pytest.approx(square - mean**2)
    assert (float(gate.surely[0]) > 1.01 * half) == (surely and number > 1.0)


def test_what_comes_varies_by_counts_and_lengths_of_which_a_router_shares_out_a_part() -> None:
    """Of one lane all of both is chance; of very many lanes CHANCE of the counts and UNSEEN of the lengths."""
    own = prompts_of(6.0, 0.0, 0.1, 0.03, 2.0)
    assert float(own.spread()[0]) == pytest.approx(1.0 + 2.0)
    many = replace(own, sharing=np.array([1e9]))
    assert float(many.spread()[0]) == pytest.approx(CHANCE + UNSEEN * 2.0)
    four = replace(own, sharing=np.array([4.0]))
    assert float(four.spread()[0]) == pytest.approx(0.25 * 3.0 + 0.75 * (CHANCE + UNSEEN * 2.0))


def test_bursts_count_over_the_time_in_which_a_gate_forgets() -> None:
    """The excess is that over (decode + once)·(known + excess)/(1 − busy)³ seconds; of one lane in four a quarter."""
    own = replace(prompts_of(6.0, 0.02, 0.1, 0.03, 2.0), sharing=np.array([4.0]))
    excess = Bursts(rate=24.0, long_run=5.0, memory=2.0).of_part(np.array([24.0]))
    found = float(replace(own, excess=excess).spread()[0])
    known = float(own.spread()[0])
    forgotten = (0.03 + 0.02) * found / (1.0 - 0.6) ** 3
    assert found - known == pytest.approx(0.25 * float(excess(np.array([forgotten]))[0]), rel=0.02)
    assert found > known + 0.1


def cut(prompts: Prompts, budget: float) -> Prompts:
    """Return the prompts where a step takes so many of them at most."""
    work = np.random.default_rng(8).standard_gamma(1.0 / prompts.scv, 100_000) * prompts.scv
    room = 1.0 - work.mean() / (budget * np.ceil(work / budget).mean())
    return replace(prompts, budget=np.array([budget]), room=np.array([room]))


def drawn_queue(prompts: Prompts, requests: int = 60_000) -> tuple[float, float, float]:
    """Return mean step, mean wait and its 99th percentile of a lane that is played step by step, first come first.

    The wait is what a first token takes beyond steps of one's own beside the decodes.
    """
    rng = np.random.default_rng(9)
    rate, each, decode, scv, budget = (
        float(one[0]) for one in (prompts.rate, prompts.each, prompts.decode, prompts.scv, prompts.budget)
    )
    times = np.cumsum(rng.exponential(1.0 / rate, requests)).tolist()
    work = (rng.standard_gamma(1.0 / scv, requests) * scv).tolist()
    now, came, served, steps, done, queue = 0.0, 0, 0, 0, [], 0.0
    upto = np.cumsum(work).tolist()
    computed = 0.0
    while served < requests:
        taken = min(budget, queue)
        now, steps, queue, computed = now + decode + each * taken, steps + 1, queue - taken, computed + taken
        while served < came and upto[served] <= computed + 1e-6:
            own = decode * math.ceil(work[served] / budget) + each * work[served]
            done.append(now - times[served] - own)
            served += 1
        while came < requests and times[came] <= now:
            queue, came = queue + work[came], came + 1
    waited = np.array(done[requests // 10 :])
    return now / steps, float(waited.mean()), float(np.quantile(waited, 0.99))


@pytest.mark.parametrize("full", [0.5, 0.8])
@pytest.mark.parametrize("budget", [0.4, 1.0, 4.0])
@pytest.mark.parametrize("scv", [0.2, 1.0])
def test_prompts_wait_for_budget_as_in_a_queue_that_is_played(full: float, budget: float, scv: float) -> None:
    """Steps take .03 s and .1 for each prompt, of which `budget` at most; they would be `full` to that part."""
    own = prompts_of(full * budget / (0.03 + 0.1 * budget), 0.0, 0.1, 0.03, scv)
    prompts = cut(own, budget)
    step, mean, longest = drawn_queue(prompts)
    assert float(prompts._steps(prompts.met_spread()).first[0]) == pytest.approx(step, rel=0.04)
    assert moments(prompts)[0] == pytest.approx(mean, rel=0.15)
    assert far(prompts) == pytest.approx(longest, rel=0.15)
    assert far(own) < 0.9 * longest or budget > 1.0


def test_what_steps_leave_is_exact_where_the_squares_of_what_they_take_are() -> None:
    """2B(1 - rho)E[left] = v E[X] + lambda^2 E[T^2] - E[X^2] of steps T with X prompts, whatever X is."""
    prompts = cut(prompts_of(4.0, 0.0, 0.1, 0.03, 1.0), 1.0)
    spread = prompts.met_spread()
    steps = prompts._steps(spread)
    rate, each, decode, budget = 4.0, 0.1, 0.03, 1.0
    taken = rate * float(steps.first[0])
    square = (float(steps.second[0]) - decode**2 - 2.0 * decode * each * taken) / each**2
    beyond = float(spread[0]) * taken + rate**2 * float(steps.second[0]) - square
    assert float(steps.beyond[0]) == pytest.approx(beyond)
    left = beyond / (2.0 * budget * (1.0 - rate * (decode + each * budget) / budget))
    seconds, _ = prompts._left(steps, spread, np.ones(1))
    assert float(seconds[0]) == pytest.approx(left * (decode + each) * (decode + each) / float(steps.first[0]))


def test_a_budget_without_end_leaves_the_gated_queue() -> None:
    own = prompts_of(6.0, 0.05, 0.1, 0.03, 2.0)
    wide = replace(own, budget=np.array([1e9]))
    u, spread = 0.6, 3.0
    first, second, third, _ = (float(one[0]) for one in wide._moments(wide.spread()))
    mean, square = moments(wide)
    assert mean == pytest.approx((0.5 + u) * second / first)
    varying = 6.0 * 0.1**2 * spread
    assert square == pytest.approx(((0.5 + u) ** 2 + 1.0 / 12.0) * third / first + varying * second / first)


def test_a_gate_with_little_room_takes_a_turn_for_each_prompt_before() -> None:
    """Of what comes in a step half is before: with room it takes `each`, as does the other half, else a full step's."""
    own = replace(prompts_of(3.0, 0.02, 0.1, 0.03, 1.0), budget=np.array([1e3]))
    wide, narrow = moments(own)[0], moments(replace(own, room=np.array([0.0])))[0]
    first, second, _, _ = (float(one[0]) for one in own._moments(own.spread()))
    assert wide - narrow == pytest.approx((0.1 - 0.5 * (0.1 + 0.03e-3)) * 3.0 * second / first, rel=1e-4)
    half = moments(replace(own, room=np.array([0.5])))[0]
    assert half == pytest.approx((wide + narrow) / 2.0)


def test_lanes_that_a_router_keeps_even_leave_less_and_meet_shorter_steps() -> None:
    one = cut(prompts_of(5.5, 0.0, 0.1, 0.03, 1.0), 0.5)
    waits = [far(replace(one, sharing=np.array([lanes]))) for lanes in (1.0, 2.0, 8.0, 64.0)]
    assert waits == sorted(waits, reverse=True)
    assert waits[2] < 0.7 * waits[0]
    short = replace(one, sharing=np.array([8.0]), steps=np.array([10.0]))
    assert far(short) < 0.97 * waits[2]
