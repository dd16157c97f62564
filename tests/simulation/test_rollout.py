"""Rollouts token by token: what a run that stops has left, and what the second layout makes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.rollout import Left, ended, rest, stopped, stretched
from tests.simulation.samples import engine, requests

COUNT = 60


def batch(seed: int, *, longest: int = 400) -> Draws:
    """Return COUNT trajectories that all come at once, some of whose outputs are long."""
    rng = np.random.default_rng(seed)
    return Draws(
        prompt=rng.integers(1, 90, COUNT).astype(np.int32),
        cached=np.zeros(COUNT, np.int32),
        output=np.where(rng.random(COUNT) < 0.1, longest, rng.integers(1, 60, COUNT)).astype(np.int32),
        pool=np.zeros(COUNT, np.int32),
        tie=rng.random(COUNT),
        arrivals=np.zeros(COUNT),
        thinking=np.zeros(0),
    )


def narrow(seed: int) -> Engine:
    """Return replicas with a budget that cuts prompts, and in every other case with blocks that run out."""
    return engine(replicas=3, places=12, blocks=60 if seed % 2 else 2**40, per_prompt=1e-4)


def same(one: Left, other: Left) -> bool:
    fields = ("index", "prompt", "cached", "output")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in fields)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_left_is_the_same_by_leaps_and_by_single_steps(seed: int) -> None:
    draws, own = batch(seed), narrow(seed)
    order = ended(own, draws).order
    for place in (0, 20, 45, COUNT - 3):
        leaps, steps = (stopped(own, draws, int(order[place]), leaping=leaping) for leaping in (True, False))
        assert same(leaps, steps)
        assert leaps.at == pytest.approx(steps.at, rel=1e-12)
        assert leaps.busy == pytest.approx(steps.busy, rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_no_token_is_lost_or_made_twice(seed: int) -> None:
    draws, own = batch(seed), narrow(seed)
    found = ended(own, draws)
    for place in (5, 30, COUNT - 4):
        left = stopped(own, draws, int(found.order[place]))
        assert not np.isin(found.order[: place + 1], left.index).any()
        assert len(left.index) <= COUNT - place - 1
        generated = left.prompt - draws.prompt[left.index]
        assert ((generated >= 0) & (left.output >= 1)).all()
        assert np.array_equal(generated + left.output, draws.output[left.index])
        there = left.cached > 0
        assert np.array_equal(left.cached[there], left.prompt[there] - 1)
        then = rest(left, moved=True)
        assert then.requests == len(left.index)
        assert not rest(left, moved=False).cached.any()


def test_what_gave_way_has_its_earlier_tokens_and_the_one_of_the_step_that_computes_them_again() -> None:
    """Four blocks and steps of 1 s, .01 s more for each prompt token: the third trajectory gives way with 16 tokens.

    It waits until 20.32 s, when the first ends, and computes 32 tokens until 21.64 s. The second ends at 20.4 s.
    """
    own = engine(base=1.0, per_context=0.0, per_prompt=0.01, replicas=2, blocks=4)
    draws = replace(requests((16, 20), (40, 20), (16, 20)), tie=np.array([0.0, 0.0, 0.9]))  # the third joins the first
    left = stopped(own, draws, 1)
    assert left.at == pytest.approx(21.64)
    assert (left.index.tolist(), left.prompt.tolist(), left.output.tolist()) == ([2], [16 + 17], [3])
    assert left.cached.tolist() == [16 + 16]


def test_the_same_layout_goes_on_as_if_nothing_had_been() -> None:
    """With room for all, a stop that takes no time costs one step: the first to come starts before the others."""
    own = engine(places=COUNT, budget=10_000, per_prompt=0.0, per_context=0.0)
    draws = batch(3)
    found = ended(own, draws)
    for place in (10, 50):
        left = stopped(own, draws, int(found.order[place]))
        whole = left.at + ended(own, rest(left, moved=True)).makespan
        assert whole == pytest.approx(found.makespan + own.base, rel=1e-9)


def test_wide_replicas_end_the_tail_sooner_and_recomputing_costs() -> None:
    """Steps of the second layout take a quarter of the time."""
    own = engine(replicas=4, places=20, budget=2000)
    wide = replace(own, replicas=1, base=own.base / 4, per_context=own.per_context / 4, per_prompt=own.per_prompt / 4)
    draws = batch(5, longest=2000)
    found = ended(own, draws)
    left = stopped(own, draws, int(found.order[COUNT - 8]))
    moved, computed = (left.at + ended(wide, rest(left, moved=moved)).makespan for moved in (True, False))
    assert moved < 0.6 * found.makespan
    assert moved < computed < found.makespan


def test_long_outputs_are_cut_at_what_is_served() -> None:
    draws = batch(1)
    chosen = np.arange(COUNT) % 2 == 0
    found, cut = stretched(draws, chosen=chosen, factor=10.0, longest=200)
    assert (found.prompt.astype(int) + found.output - 1 <= 200).all()
    free = draws.prompt + 10 * draws.output - 1 <= 200
    assert np.array_equal(found.output[chosen & free], 10 * draws.output[chosen & free])
    plain = ~chosen & (draws.prompt + draws.output - 1 <= 200)
    assert np.array_equal(found.output[plain], draws.output[plain])
    assert cut == int((chosen & ~free).sum() + (~chosen & ~plain).sum())
    assert not found.arrivals.any() if found.arrivals is not None else False


def test_an_output_is_cut_where_all_but_its_last_token_would_be_above_the_longest() -> None:
    """Of 100 tokens beside prompts of 60: 41 of output fit, the last of which is in no cache."""
    prompt, output = np.array([60, 60, 60, 60, 100, 130], np.int32), np.array([20, 41, 42, 21, 9, 9], np.int32)
    draws = replace(batch(0), prompt=prompt, output=output, cached=np.array([0, 0, 0, 0, 99, 120], np.int32))
    draws = replace(draws, pool=np.zeros(6, np.int32), tie=np.zeros(6), arrivals=np.arange(6.0))
    chosen = np.array([True, False, False, True, False, False])
    found, cut = stretched(draws, chosen=chosen, factor=2.0, longest=100)
    assert found.prompt.tolist() == [60, 60, 60, 60, 100, 100]
    assert found.output.tolist() == [40, 41, 41, 41, 1, 1]
    assert found.cached.tolist() == [0, 0, 0, 0, 99, 99]
    assert cut == 4
    assert found.arrivals is not None
    assert not found.arrivals.any()
