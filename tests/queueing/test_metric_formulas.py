"""Each metric's percentile, its limit and the share above it are one law, and near what a simulation shows."""

from dataclasses import dataclass

import numpy as np
import pytest

from fleettui.domain.limit import METRICS, TPOT, Latency
from fleettui.domain.plan import PoolFigures
from fleettui.domain.simulation import PoolRun
from fleettui.queueing import latency, tails
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.metric_formulas import FORMULAS, WaitsAndDelay
from fleettui.queueing.tails import Tail
from fleettui.queueing.token_times import tpot_percentile
from tests.evidence.pools import Setup, staged
from tests.queueing.loads import random_load
from tests.queueing.test_token_times import one_output

SHARES = (0.5, 0.9, 0.99)
NEAR = 0.3
"""How far a formula may be from one long run, as a share of what that shows."""


@pytest.mark.parametrize("name", METRICS.names)
@pytest.mark.parametrize("exceeded", [0.5, 0.05, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_a_limit_holds_from_its_percentile_on(name: str, exceeded: float, seed: int) -> None:
    load, formula = random_load(seed, busy=0.7, replicas=5.0), FORMULAS[name]
    for row, seconds in enumerate(formula.percentile(load, exceeded)):
        alone = load.pick(np.array([row]))
        assert formula.within(alone, seconds * 1.001, exceeded)[0]
        assert formula.exceeded(alone, seconds * 1.001)[0] <= exceeded
        if seconds > 0.0:  # a time that most requests do not have at all has no limit below its percentile
            assert not formula.within(alone, seconds * 0.98, exceeded * 0.98)[0]
            assert formula.exceeded(alone, seconds * 0.999)[0] >= exceeded


def later_delay(load: PoolLoad) -> FloatArray:
    """Return the time from the first token to the last, for which nobody waits."""
    return latency.e2e_delay(load) - latency.ttft_delay(load)


@pytest.mark.parametrize(("place", "prefill"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("exceeded", [0.5, 0.01])
def test_a_latency_may_be_without_either_wait(place: bool, prefill: bool, exceeded: float) -> None:
    load = random_load(2, busy=0.9, replicas=5.0)
    found = WaitsAndDelay(later_delay, lambda way: way.e2e(), 1, place=place, prefill=prefill)
    whole = WaitsAndDelay(later_delay, lambda way: way.e2e(), 1)
    for row, seconds in enumerate(found.percentile(load, exceeded)):
        alone = load.pick(np.array([row]))
        assert seconds <= whole.percentile(alone, exceeded)[0]
        assert found.within(alone, seconds * 1.001, exceeded)[0]
        assert not found.within(alone, seconds * 0.98, exceeded * 0.98)[0]
        (tail,) = tails.tails_of(alone, later_delay, place=place, prefill=prefill)
        waits = [one for one, counts in ((alone.prefill, prefill), (alone.place, place)) if counts]
        assert tail.queues == tuple((one.probability[0], one.rate[0]) for one in waits)
        if not place and not prefill:
            assert found.exceeded(alone, seconds)[0] == float(tail.weights @ (tail.delays > seconds))


@pytest.mark.parametrize("name", METRICS.names)
def test_an_overloaded_pool_keeps_no_limit(name: str) -> None:
    load, formula = random_load(1, busy=1.3, replicas=2.0), FORMULAS[name]
    load = load.pick(np.flatnonzero(~load.stable))
    assert len(load.rows)
    assert not formula.within(load, 1e6, 0.01).any()
    assert (formula.exceeded(load, 1e6) == 1.0).all()
    assert np.isinf(formula.percentile(load, 0.01)).all()


def test_a_step_of_exactly_the_limit_keeps_it() -> None:
    load = random_load(4).pick(np.array([0]))
    limit = float(FORMULAS[TPOT.name].percentile(load, 0.01)[0])
    assert FORMULAS[TPOT.name].within(load, limit, 0.01)[0]
    assert not FORMULAS[TPOT.name].within(load, float(np.nextafter(limit, 0.0)), 0.01)[0]


@pytest.fixture(scope="module")
def half_busy() -> tuple[PoolFigures, PoolRun]:
    """Return what the formulas and one run say of a pool, a limit out of the way on each metric at each of SHARES."""
    every = [Latency(metric=name, percentile=share).name for name in METRICS.names for share in SHARES]
    limits = tuple((name, 1000.0) for name in every)
    pool = staged(Setup(workload="azure-2023-conv", gpu="h100", replicas=4, utilization=0.5, limits=limits))
    return pool.figures, pool.run(seed=7, index=0, most=20_000)


@pytest.mark.parametrize("name", METRICS.names)
@pytest.mark.parametrize("share", SHARES)
def test_the_formula_is_near_the_simulation(half_busy: tuple[PoolFigures, PoolRun], name: str, share: float) -> None:
    formula, seen = (one.at(Latency(metric=name, percentile=share)) for one in half_busy)
    assert formula == pytest.approx(seen, rel=NEAR)


@dataclass(frozen=True)
class Walked:
    """A way on which nobody waits."""

    decode: PoolLoad
    output: FloatArray
    first: FloatArray
    later: FloatArray

    def ttft(self) -> Tail:
        return self._tail(self.first)

    def e2e(self) -> Tail:
        return self._tail(self.first + self.later)

    def _tail(self, delays: FloatArray) -> Tail:
        return Tail(delays, np.full(len(delays), 1.0 / len(delays)), ((0.0, 1.0), (0.0, 1.0)), (), stable=True)


def test_limits_on_a_way_through_two_pools_are_of_each_request() -> None:
    rng = np.random.default_rng(3)
    output, first, later = rng.integers(1, 50, 40).astype(float), rng.uniform(0.1, 2.0, 40), rng.uniform(0.0, 4.0, 40)
    way = Walked(random_load(2), output, first, later)
    own = {"ttft": first, "e2e": first + later, "normalized": (first + later) / output}
    for name, seconds in own.items():
        limit = float(np.sort(seconds)[-4]) * 1.0001  # three of forty are above it
        assert FORMULAS[name].holds_on([(way, 1.0)], limit, 3.5 / 40)
        assert not FORMULAS[name].holds_on([(way, 1.0)], limit, 2.5 / 40)


def test_the_time_per_token_is_that_of_the_one_pool_that_decodes_for_every_way() -> None:
    decode = one_output(8, 15.0)
    ways = [(Walked(decode, np.ones(1), np.ones(1), np.ones(1)), 0.5)] * 2
    limit = float(tpot_percentile(decode, 0.01)[0])
    assert FORMULAS["tpot"].holds_on(ways, limit * 1.001, 0.01)
    assert not FORMULAS["tpot"].holds_on(ways, limit * 0.999, 0.01)
