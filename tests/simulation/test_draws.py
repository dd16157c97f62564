"""What is drawn for a replication: the same for the same key, unrelated for any other, and of the right law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.domain.workload import Atom
from fleettui.simulation.draws import PURPOSES, Draws, choices, closed_draws, open_draws, stream

ATOMS: tuple[Atom, ...] = ((3.0, 100.25, 20.6), (1.0, 2.4, 1.0), (2.0, 900.0, 1.2), (4.0, 7.5, 300.5))
POOL = PoolTraffic(arrival_rate=5.0, atoms=ATOMS)
LOOP = Traffic(
    pools=(POOL, PoolTraffic(arrival_rate=15.0, atoms=((1.0, 5_000.5, 40.25),))),
    prefix_hit=0.3,
    concurrency=40,
    think=2.5,
)
ERRORS = 3.0
"""Standard errors that a mean may be off; the seeds are fixed, so what passes once passes always."""


def opened(requests: int = 400, *, place: int = 0, seed: int = 1, index: int = 0, prefix_hit: float = 0.3) -> Draws:
    return open_draws(POOL, place, prefix_hit=prefix_hit, requests=requests, seed=seed, index=index)


def closed(requests: int = 400, *, seed: int = 1, index: int = 0) -> Draws:
    return closed_draws(LOOP, requests=requests, seed=seed, index=index)


def columns(draws: Draws) -> dict[str, np.ndarray]:
    values = {field.name: getattr(draws, field.name) for field in fields(draws)}
    return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def off(values: np.ndarray, mean: float) -> float:
    """Return how many standard errors the mean of `values` is off."""
    return float(abs(values.mean() - mean) / (values.std(ddof=1) / np.sqrt(len(values))))


@pytest.mark.parametrize("draw", [opened, closed])
def test_a_longer_draw_begins_with_the_shorter(draw: Callable[..., Draws]) -> None:
    longer = columns(draw(1_000))
    for requests in (1, 2, 399):
        for name, values in columns(draw(requests)).items():
            assert len(longer[name]) in {0, 1_000}
            assert longer[name][: len(values)].tobytes() == values.tobytes(), name


@pytest.mark.parametrize("draw", [opened, closed])
def test_one_key_draws_the_same_bytes_and_another_others(draw: Callable[..., Draws]) -> None:
    first, again = columns(draw()), columns(draw())
    assert {name: values.tobytes() for name, values in first.items()} == {n: v.tobytes() for n, v in again.items()}
    for change in ({"seed": 2}, {"index": 1}):
        other = columns(draw(**change))
        drawn = [name for name in first if len(first[name]) and first[name].any()]
        assert all(first[name].tobytes() != other[name].tobytes() for name in drawn), change


def test_another_place_in_the_fleet_draws_other_requests() -> None:
    first, second = columns(opened()), columns(opened(place=1))
    for name in ("prompt", "output", "tie", "arrivals"):
        assert first[name].tobytes() != second[name].tobytes(), name


def test_every_stream_is_of_its_own() -> None:
    keys = [
        (seed, index, pool, purpose) for seed in (1, 2) for index in (0, 1) for pool in (0, 1) for purpose in PURPOSES
    ]
    draws = np.array([stream(*key).random(2_000) for key in keys])
    related = np.corrcoef(draws) - np.eye(len(keys))
    assert abs(related).max() < 4.5 / np.sqrt(2_000)
    assert stream(1, 2, 0, "ties").random() != stream(2, 1, 0, "ties").random()


def test_what_a_purpose_does_not_need_leaves_it_as_it_is() -> None:
    """Another rate, prefix or hit changes what it must and nothing else: runs are compared on common random numbers."""
    base = opened()
    faster = open_draws(PoolTraffic(arrival_rate=10.0, atoms=ATOMS), 0, prefix_hit=0.0, requests=400, seed=1, index=0)
    assert base.arrivals is not None
    assert faster.arrivals == pytest.approx(base.arrivals / 2, rel=1e-12)
    for name in ("prompt", "output", "tie", "pool"):
        assert getattr(base, name).tobytes() == getattr(faster, name).tobytes(), name
    assert base.cached.any()
    assert not faster.cached.any()


def test_arrivals_are_poisson() -> None:
    arrivals = opened(200_000).arrivals
    assert arrivals is not None
    gaps = np.diff(arrivals, prepend=0.0)
    assert off(gaps, 0.2) < ERRORS
    assert gaps.var() / gaps.mean() ** 2 == pytest.approx(1.0, abs=0.02)
    assert np.mean(gaps > 0.4) == pytest.approx(np.exp(-2), abs=0.005)


def test_a_part_of_a_stream_is_drawn_until_it_is_long_enough() -> None:
    """Of five requests of the stream none is the pool's in .75**5 of all draws, of ten in .75**10."""

    def part(requests: int, seed: int) -> Any:
        draws = open_draws(
            POOL, 0, prefix_hit=0.0, requests=requests, seed=seed, index=0, arrivals="gamma:cv=2", rate=4.0 * 5.0
        )
        return draws.arrivals

    found = [(part(1, seed), part(60, seed)) for seed in range(60)]
    assert all(one[0] == many[0] and len(one) == 1 for one, many in found)


def test_rounding_keeps_means_and_no_total_is_above_its_atoms() -> None:
    draws = opened(300_000, prefix_hit=0.0)
    weight, prompt, output = np.array(ATOMS).T
    for values, exact in ((draws.prompt, prompt), (draws.output, output)):
        assert off(values, float((weight * exact).sum() / weight.sum())) < ERRORS
    rows = np.argmin(
        abs(draws.prompt[:, None] - prompt) + abs(draws.output[:, None] - output), axis=1
    )  # the atoms lie far apart
    totals = draws.prompt + draws.output
    assert (totals <= np.ceil(prompt + output)[rows]).all()
    assert (totals >= np.floor(prompt + output)[rows]).all()
    for row, share in enumerate(weight / weight.sum()):
        own = rows == row
        assert off(own.astype(float), share) < ERRORS
        for values, exact in ((draws.prompt[own], prompt[row]), (draws.output[own], output[row])):
            assert set(values.tolist()) <= {int(np.floor(exact)), int(np.ceil(exact))}
            assert values.mean() == pytest.approx(exact, abs=ERRORS * 0.5 / np.sqrt(own.sum()))


def test_whole_tokens_stay_as_they_are() -> None:
    pool = PoolTraffic(arrival_rate=1.0, atoms=((1.0, 1.0, 1.0), (1.0, 130_000.0, 1_072.0)))
    draws = open_draws(pool, 0, prefix_hit=0.0, requests=50_000, seed=3, index=0)
    assert set(zip(draws.prompt.tolist(), draws.output.tolist(), strict=True)) == {(1, 1), (130_000, 1_072)}


def test_the_hit_share_of_every_prompt_is_cached_but_one_token() -> None:
    draws = opened(100_000, prefix_hit=0.3)
    long = draws.prompt >= 7
    assert off(draws.cached[long] - 0.3 * draws.prompt[long], 0.0) < ERRORS
    assert (abs(draws.cached - 0.3 * draws.prompt) < 1).all()
    everything = opened(2_000, prefix_hit=1.0)
    assert (everything.cached == everything.prompt - 1).all()


@pytest.mark.parametrize("count", [0, 1, 10, 5_000])
@pytest.mark.parametrize("atoms", [1, 3, 2_000])
@pytest.mark.parametrize("lightest", [0.0, 0.5])
def test_each_number_has_the_index_that_a_search_finds(count: int, atoms: int, lightest: float) -> None:
    draw = np.random.default_rng(count + atoms)
    uniform = np.concatenate([draw.random(count), [0.0, np.nextafter(1.0, 0.0)]])
    weights = np.maximum(draw.random(atoms) ** 8 - lightest, 0.0) + (np.arange(atoms) == atoms // 2)
    ends = np.cumsum(weights)
    searched = np.searchsorted(ends, uniform * ends[-1], side="right")
    assert np.array_equal(choices(weights, uniform), np.minimum(searched, atoms - 1))


def test_ties_are_even_between_zero_and_one() -> None:
    ties = opened(100_000).tie
    assert ties.min() >= 0
    assert ties.max() < 1
    assert off(ties, 0.5) < ERRORS
    assert ties.var() == pytest.approx(1 / 12, rel=0.02)


def test_a_closed_loop_sends_to_pools_by_their_rates() -> None:
    draws = closed(100_000)
    assert off((draws.pool == 1).astype(float), 0.75) < ERRORS
    assert set(draws.prompt[draws.pool == 1].tolist()) == {5_000, 5_001}
    assert draws.prompt[draws.pool == 0].max() <= 900
    assert off(draws.cached[draws.pool == 1].astype(float), 0.3 * 5_000.5) < ERRORS
    assert (draws.arrivals, draws.clients, draws.requests) == (None, 40, 100_000)


def test_its_pools_draw_what_they_draw_alone() -> None:
    draws, alone = closed(1_000), opened(1_000)
    own = draws.prompt[draws.pool == 0]
    assert own.tolist() == alone.prompt[: len(own)].tolist()


def test_clients_think_for_exponential_times() -> None:
    thinking = closed(100_000).thinking
    assert off(thinking, 2.5) < ERRORS
    assert thinking.std() == pytest.approx(2.5, rel=0.02)
    restless = Traffic(pools=LOOP.pools, concurrency=40)
    assert not closed_draws(restless, requests=50, seed=1, index=0).thinking.any()


def test_what_all_pools_share_is_drawn_from_the_streams_of_the_first() -> None:
    """Kept plans rerun to the byte, so that a stream may not become another."""
    found = closed_draws(LOOP, requests=50, seed=3, index=7)
    assert found.tie.tolist() == stream(3, 7, 0, "ties").random(50).tolist()
    thinking = stream(3, 7, 0, "thinking").standard_exponential(50) * LOOP.think
    assert found.thinking.tolist() == thinking.tolist()


def test_an_open_loop_has_no_clients() -> None:
    with pytest.raises(AssertionError, match="an open loop has arrivals"):
        closed_draws(Traffic(pools=LOOP.pools), requests=5, seed=1, index=0)
    assert opened().clients == 0
