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


def test_a_round_that_nobody_meets_lasts_as_long_as_its_one_prompt() -> None:
    rounds = Rounds(times=TIMES, rate=0.004)
    assert rounds.mean == pytest.approx(0.7 * (0.02 + 0.02 + 0.03 / 4) + 0.3 * (0.02 + 0.08 + 0.09 / 4), rel=1e-2)
    assert rounds.waits[0] < 1e-4


def test_no_round_is_shorter_than_prompts_allow() -> None:
    """What a prompt adds is hidden in the least time: one that comes in a round waits for half of it."""
    rounds = Rounds(times=replace(TIMES, least=0.5), rate=0.4)
    assert rounds.mean == pytest.approx(0.5, rel=0.02)
    assert rounds.waits[0] == pytest.approx(rounds.met * 0.25, rel=0.05)


def test_what_keeps_coming_makes_rounds_as_long_as_it_takes() -> None:
    """r = base + largest own + rate·r·common/lanes where prompts are alike and each lane has one."""
    alike = replace(TIMES, weight=np.ones(1), own=np.full(1, 0.05), common=np.full(1, 0.02))
    rounds = Rounds(times=alike, rate=30.0)
    assert rounds.rate * rounds.mean < alike.lanes
    assert rounds.mean == pytest.approx(0.07 / (1.0 - 30.0 * 0.02 / 4.0), rel=0.05)
