"""Rounds of lanes that step together, against rounds that are drawn one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.queueing.rounds import LaneTimes, Rounds

TIMES = LaneTimes(
    lanes=4,
    weight=np.array([0.7, 0.3]),
    own=np.array([0.02, 0.08]),
    common=np.array([0.03, 0.09]),
    base=0.02,
    least=0.0,
)


def drawn(rounds: Rounds, seed: int, count: int = 4_000) -> tuple[float, float, float]:
    """Return the mean round, the mean time from coming to the end of prefill, and that which 1 % exceed."""
    rng, times, last = np.random.default_rng(seed), rounds.times, 0.0
    shares, lengths = np.cumsum(times.weight), list[float]()
    taken: list[float] = []
    for _ in range(count):
        coming = rng.poisson(rounds.rate * last)
        some = np.searchsorted(shares, rng.random(max(coming, 1)))
        lanes = np.zeros(times.lanes)
        np.add.at(lanes, np.arange(len(some)) % times.lanes, times.own[some])
        now = max(times.base + lanes.max() + times.common[some].sum() / times.lanes, times.least)
        taken.extend(now + last * rng.random(coming) if coming else [now])
        lengths.append(now)
        last = now
    return float(np.mean(lengths)), float(np.mean(taken)), float(np.quantile(taken, 0.99))


@pytest.mark.parametrize("least", [0.0, 0.15])
@pytest.mark.parametrize("rate", [3.0, 12.0, 30.0])
def test_rounds_and_waits_are_those_that_are_drawn(rate: float, least: float) -> None:
    rounds = Rounds(times=replace(TIMES, least=least), rate=rate)
    length, taken, far = drawn(rounds, seed=1)
    alone = rounds.times.alone
    assert rounds.mean == pytest.approx(length, rel=0.1)
    assert float(rounds.times.weight @ alone) + rounds.waits[0] == pytest.approx(taken, rel=0.12)
    assert float(alone.mean()) + rounds.waits[1] == pytest.approx(far, rel=0.2)


@pytest.mark.parametrize("rate", [0.2, 3.0, 30.0])
def test_the_tail_has_the_mean_wait_or_the_far_one_and_never_more_of_the_mean(rate: float) -> None:
    """An exponential beside a sure part has both; without a sure part, where few wait, the far one."""
    rounds = Rounds(times=TIMES, rate=rate)
    mean, far = rounds.waits
    found = rounds.surely + float(rounds.wait.percentile(0.01))
    assert found == pytest.approx(far, rel=1e-6)
    if rounds.surely > 0.0:
        assert rounds.surely + float(rounds.wait.probability / rounds.wait.rate) == pytest.approx(mean, rel=1e-6)


def test_what_everybody_waits_and_an_exponential_solve_for_the_mean_and_the_far_wait() -> None:
    """Rounds follow each other so that everybody waits: s + e = mean, and s + e·ln 100 = far."""
    rounds = Rounds(times=replace(TIMES, least=0.15), rate=30.0)
    mean, far = rounds.waits
    beside = (far - mean) / (np.log(100.0) - 1.0)
    assert rounds.surely == pytest.approx(mean - beside)
    assert 0.05 < rounds.surely < 0.15
    assert float(rounds.wait.probability) == 1.0
    assert 1.0 / float(rounds.wait.rate) == pytest.approx(beside)


def test_a_round_that_nobody_meets_lasts_as_long_as_its_one_prompt() -> None:
    rounds = Rounds(times=TIMES, rate=0.004)
    assert rounds.mean == pytest.approx(0.7 * (0.02 + 0.02 + 0.03 / 4) + 0.3 * (0.02 + 0.08 + 0.09 / 4), rel=1e-2)
    assert rounds.waits[0] < 1e-4


def test_no_round_is_shorter_than_prompts_allow() -> None:
    """What a prompt adds is hidden in the least time: one that comes in a round waits for half of it."""
    rounds = Rounds(times=replace(TIMES, least=0.5), rate=0.4)
    assert rounds.mean == pytest.approx(0.5, rel=0.02)
    assert rounds.waits[0] == pytest.approx(rounds.met * 0.25, rel=0.05)
    assert rounds.waits[1] == pytest.approx(0.5 * (1.0 - 0.01 / rounds.met), rel=0.03)


def test_what_keeps_coming_makes_rounds_as_long_as_it_takes() -> None:
    """r = base + largest own + rate·r·common/lanes where prompts are alike and each lane has one."""
    alike = replace(TIMES, weight=np.ones(1), own=np.full(1, 0.05), common=np.full(1, 0.02))
    rounds = Rounds(times=alike, rate=30.0)
    assert rounds.rate * rounds.mean < alike.lanes
    assert rounds.mean == pytest.approx(0.07 / (1.0 - 30.0 * 0.02 / 4.0), rel=0.05)


def of_exponentials(lanes: int, rate: float = 10.0) -> Rounds:
    """Return rounds whose chunks take their lanes .04 s on the mean, spread as an exponential's, and all others .02."""
    own = -0.04 * np.log1p(-(np.arange(4000) + 0.5) / 4000)
    times = LaneTimes(
        lanes=lanes, weight=np.full(4000, 1 / 4000), own=own, common=np.full(4000, 0.02), base=0.03, least=0.0
    )
    return Rounds(times=times, rate=rate)


@pytest.mark.parametrize("chunks", [2, 5, 16])
def test_the_longest_of_exponential_chunks_is_gumbels(chunks: int) -> None:
    """Of k on as many lanes or more: ln k + .5772 means, beside what k take of the layers that work for all."""
    rounds = of_exponentials(16)
    assert rounds.own == (pytest.approx(0.04, rel=1e-3), pytest.approx(1.0, rel=1e-2))
    assert rounds.common == (pytest.approx(0.02), pytest.approx(0.0, abs=1e-5))
    expected = 0.03 + 0.04 * (np.log(chunks) + np.euler_gamma) + 0.02 * chunks / 16
    assert float(rounds.lasting(np.array(float(chunks)))) == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("each", [1, 3, 10])
def test_lanes_with_several_chunks_each_last_as_long_as_the_fullest_of_drawn_ones(each: int) -> None:
    rng, rounds = np.random.default_rng(each), of_exponentials(8)
    longest = rng.gamma(each, 0.04, (20_000, 8)).max(axis=1).mean()
    expected = 0.03 + float(longest) + 0.02 * each
    assert float(rounds.lasting(np.array(8.0 * each))) == pytest.approx(expected, rel=0.02)


def test_a_part_of_a_chunk_takes_a_part_of_its_time_and_no_round_less_than_the_least() -> None:
    rounds = of_exponentials(4)
    found = rounds.lasting(np.array([0.0, 0.25, 1.0]))
    assert found == pytest.approx([0.03, 0.03 + 0.25 * (0.04 + 0.02 / 4), 0.03 + 0.04 + 0.02 / 4], rel=1e-3)
    least = Rounds(times=replace(rounds.times, least=0.05), rate=10.0)
    assert least.lasting(np.array([0.0, 0.25, 1.0])) == pytest.approx([0.05, 0.05, 0.075], rel=1e-3)


def test_what_comes_has_the_mean_and_the_variance_of_counts_of_prompts() -> None:
    """λR of them, each as spread as its common part: λR(1 + v); given that any came what remains is the fuller."""
    rounds = Rounds(times=TIMES, rate=30.0)
    count = 30.0 * rounds.grid
    mean, scv = 0.7 * 0.03 + 0.3 * 0.09, (0.7 * 0.03**2 + 0.3 * 0.09**2) / 0.048**2 - 1.0
    assert mean == pytest.approx(0.048)
    every, some = rounds._coming(1.0), rounds._coming(1.0 - np.exp(-count))
    many = count > 4.0
    assert many.sum() > 10
    assert every.mean(axis=1)[many] == pytest.approx(count[many], rel=0.02)
    assert every.var(axis=1)[many] == pytest.approx((count * (1.0 + scv))[many], rel=0.12)
    given = count / (1.0 - np.exp(-count))
    assert some.mean(axis=1) == pytest.approx(given, rel=0.05)
    spread = (count * (1.0 + scv) + count**2) / (1.0 - np.exp(-count)) - given**2
    assert some.var(axis=1)[many] == pytest.approx(spread[many], rel=0.12)


def test_lengths_between_two_of_the_grid_are_parts_of_both() -> None:
    rounds = Rounds(times=TIMES, rate=3.0)
    grid = rounds.grid
    assert (grid[0], grid[-1]) == (pytest.approx(0.02), pytest.approx(60.0 * 0.02))
    between = 0.25 * grid[3] + 0.75 * grid[4]
    found = rounds._placed(
        np.array([[between, grid[7], grid[0] / 2.0, 9.0 * grid[-1]]]), np.array([0.4, 0.3, 0.2, 0.1])
    )
    expected = np.zeros(len(grid))
    expected[[3, 4, 7, 0, -1]] = [0.1, 0.3, 0.3, 0.2, 0.1]
    assert found[0] == pytest.approx(expected)
    assert float(Rounds(times=replace(TIMES, least=0.5), rate=3.0).grid[0]) == pytest.approx(0.5)


@pytest.mark.parametrize("rate", [1.0, 10.0, 40.0])
def test_rounds_are_a_chain_that_a_lone_prompt_begins_anew(rate: float) -> None:
    """The shares of lengths stay as they are from one round to the next, and who meets one is as in renewals."""
    rounds = Rounds(times=TIMES, rate=rate)
    none = np.exp(-rate * rounds.grid)
    first = rounds._placed(rounds.times.alone[None], TIMES.weight)[0]
    after = rounds._placed(rounds.lasting(rounds._coming(1.0 - none)), np.full(16, 1 / 16))
    again = (rounds.lengths * none).sum() * first + (rounds.lengths * (1.0 - none)) @ after
    assert again == pytest.approx(rounds.lengths, abs=1e-9)
    assert rounds.lengths.sum() == pytest.approx(1.0)
    assert rounds.mean == pytest.approx(float(rounds.lengths @ rounds.grid))
    assert rounds.met_mean == pytest.approx(float(rounds.lengths @ rounds.grid**2) / rounds.mean)
    idle = float(rounds.lengths @ none) / rate
    assert rounds.met == pytest.approx(rounds.mean / (rounds.mean + idle))


def test_chunks_of_all_turns_are_weighed_by_the_requests_that_have_them() -> None:
    further = replace(TIMES, weight=np.array([0.2, 0.3]), own=np.array([0.5, 0.6]), common=np.array([0.7, 0.8]))
    both = LaneTimes.of([TIMES, further])
    assert both is not None
    assert both.weight == pytest.approx([0.7 / 1.5, 0.3 / 1.5, 0.2 / 1.5, 0.3 / 1.5])
    assert both.own.tolist() == [0.02, 0.08, 0.5, 0.6]
    assert both.common.tolist() == [0.03, 0.09, 0.7, 0.8]
    assert both.alone == pytest.approx([0.02 + one + all_ / 4 for one, all_ in zip(both.own, both.common, strict=True)])
    assert (both.lanes, both.base, both.least) == (4, 0.02, 0.0)
    assert LaneTimes.of([]) is None
    one = LaneTimes.of([further])
    assert one is not None
    assert one.weight == pytest.approx([0.4, 0.6])
