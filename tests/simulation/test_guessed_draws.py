"""Requests in the pool of a guessed length: who outgrows it, what is served where, and that nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.simulation import PoolLength, PoolTraffic, Replication, Traffic
from fleettui.domain.slo import Slo
from fleettui.simulation import conservation
from fleettui.simulation.coming_order import in_order_of_coming
from fleettui.simulation.draws import Draws
from fleettui.simulation.guessed_draws import guessed, guesses
from fleettui.simulation.run import replicate
from tests.simulation.samples import engine, pool, requests
from tests.simulation.twins import played_alike

NO_FRONT = np.zeros(2)


@pytest.mark.parametrize("error", [0.1, 0.5, 1.0])
def test_a_guess_is_right_on_average_and_off_by_as_much_as_is_said(error: float) -> None:
    found = guesses(np.full(200_000, 1_000, np.int32), error, np.random.default_rng(1)) / 1_000.0
    assert found.mean() == pytest.approx(1.0, abs=0.01)
    assert found.std() == pytest.approx(error, rel=0.05)


def work(count: int = 400, seed: int = 2) -> Draws:
    """Return requests of up to 64 tokens for a short pool, and of more for a long one."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 100, (count, 2))
    places = [int(prompt + output > 64) for prompt, output in lengths.tolist()]
    arrivals = np.cumsum(rng.exponential(0.02, count)).tolist()
    found = requests(*map(tuple, lengths.tolist()), arrivals=arrivals, pool=places)
    return replace(found, tie=rng.random(count))


def test_who_outgrows_a_pool_fills_it_and_is_served_on_where_it_fits() -> None:
    own = work()
    draws = guessed(own, (64, 200), 0.6, front_end=np.array([0.1, 0.25]), seed=1, index=0)
    assert draws.rounds is not None
    count = own.requests
    total = (own.prompt + own.output).tolist()
    outgrown = np.flatnonzero(draws.rounds.then >= 0)
    assert 20 < len(outgrown) < 150
    assert all(total[one] > 64 and draws.pool[one] == 0 for one in outgrown)
    for one in outgrown:
        part = int(draws.rounds.then[one])
        assert draws.prompt[one] + draws.output[one] == 64 == draws.prompt[part]
        assert draws.output[one] + draws.output[part] == own.output[one]
        assert (draws.pool[part], draws.rounds.pause[part]) == (1, 0.25)
    whole = np.setdiff1d(np.arange(count), outgrown)
    assert np.array_equal(draws.output[whole], own.output[whole])
    assert (draws.pool[whole] >= own.pool[whole]).all()
    assert (draws.pool[whole] > own.pool[whole]).any(), "others are guessed too long"


def test_without_an_error_each_is_where_it_was() -> None:
    draws = guessed(work(), (64, 200), 1e-9, front_end=NO_FRONT, seed=1, index=0)
    assert draws.requests == work().requests
    assert np.array_equal(draws.pool, work().pool)


@pytest.mark.evidence
def test_parts_are_one_request_in_the_engine_and_its_twin() -> None:
    """Counted once as it comes, ended with its last part; what each pool serves adds up."""
    own = work()
    draws = guessed(own, (64, 200), 0.6, front_end=NO_FRONT, seed=1, index=0)
    engines = [engine(blocks=40, places=6, replicas=2), engine(blocks=80, places=6, replicas=3)]
    for state in played_alike(engines, draws):
        conservation.check(state, [40, 80])
        assert state.sessions is not None
        assert state.sessions.counts[1] == own.requests
        joined, order, outgrown = in_order_of_coming(state)
        assert np.array_equal(order, np.arange(own.requests)), "they come by their numbers"
        assert np.array_equal(joined.requests["output"], own.output)
        assert outgrown.sum() == draws.requests - own.requests
        parts = state.sessions.then[np.flatnonzero(outgrown)]
        assert np.array_equal(joined.requests["finish"][outgrown], state.requests["finish"][parts])


def replicated(error: float | None) -> Replication:
    atoms = ((0.7, 300.0, 200.0), (0.1, 600.0, 380.0), (0.2, 700.0, 400.0))
    short, long = atoms[:2], atoms[2:]
    traffic = Traffic(
        pools=(PoolTraffic(arrival_rate=8.0, atoms=short), PoolTraffic(arrival_rate=2.0, atoms=long)),
        length_error=error,
    )
    fleet = Fleet(router="length", pools=(pool("short", up_to=1_000), pool("long", above=1_000, up_to=4_000)))
    lengths = (PoolLength(warm_up=200, measured=2_000, relaxation=1.0),) * 2
    return replicate(fleet, traffic, lengths, profiles=(None, None), slo=Slo(ttft=1.0), seed=1, index=0)


@pytest.mark.thorough
def test_a_run_counts_those_that_outgrew_their_pool_and_offers_each_once() -> None:
    known, guessing = replicated(None), replicated(0.4)
    assert [one.misrouted for one in known.pools] == [0, 0]
    short, long = guessing.pools
    assert short.misrouted > 20
    assert long.misrouted == 0
    assert short.spilled == short.misrouted
    assert long.spilled > 0
    assert all(one.completed == one.offered for one in guessing.pools)
    assert short.e2e is not None
    assert known.pools[0].e2e is not None
    assert replicated(0.4) == guessing
