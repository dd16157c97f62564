"""The steps of a gate against steps that are drawn one by one: their moments, and how much what comes varies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.queueing.bursts import Bursts
from fleettui.queueing.gated import CHANCE, UNSEEN, Prompts
from tests.queueing.test_gated import PROMPTS, moments


def prompts_of(rate: float, once: float, each: float, decode: float, scv: float, *, alone: bool = False) -> Prompts:
    """Return prompts of one lane that leave room in their steps."""
    named = {"rate": rate, "once": once, "each": each, "decode": decode, "scv": scv}
    return replace(PROMPTS, alone=alone, **{name: np.array([value]) for name, value in named.items()})


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
    found = [float(one[0]) for one in prompts._moments(prompts.spread())]
    first, second, third = drawn_steps(prompts)
    assert found == [pytest.approx(first, rel=0.01), pytest.approx(second, rel=0.02), pytest.approx(third, rel=0.04)]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_unit_of_time_is_anybodys_choice(scale: float) -> None:
    own = prompts_of(6.0, 0.05, 0.1, 0.03, 2.0)
    other = prompts_of(6.0 / scale, 0.05 * scale, 0.1 * scale, 0.03 * scale, 2.0)
    for power, (one, same) in enumerate(zip(own._moments(own.spread()), other._moments(own.spread()), strict=True), 1):
        assert float(same[0]) == pytest.approx(float(one[0]) * scale**power, rel=1e-9)


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


def test_a_gate_with_little_room_is_in_part_a_queue_for_full_steps() -> None:
    own = prompts_of(3.0, 0.02, 0.1, 0.03, 1.0)
    wide, narrow = moments(own), moments(replace(own, room=np.array([0.0])))
    half = moments(replace(own, room=np.array([0.25])))
    assert half == (pytest.approx(0.25 * wide[0] + 0.75 * narrow[0]), pytest.approx(0.25 * wide[1] + 0.75 * narrow[1]))
