"""A size holds, and one replica fewer does not."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.slo import Slo
from fleettui.optimize import sizing
from fleettui.optimize.terms import Terms
from tests.queueing.loads import random_load


def terms(ttft: float | None = None, tpot: float | None = None, e2e: float | None = None) -> Terms:
    return Terms(limits=Slo(ttft=ttft, tpot=tpot, e2e=e2e).limits(), exceeded=0.01, max_utilization=0.85)


TERMS = [
    terms(ttft=0.4),
    terms(ttft=0.15),
    terms(tpot=0.02),
    terms(e2e=30.0),
    terms(ttft=0.3, tpot=0.02, e2e=20.0),
]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("held_to", TERMS)
def test_the_size_is_the_smallest_that_keeps_the_terms(seed: int, held_to: Terms) -> None:
    load = random_load(seed, busy=0.9, replicas=7.0)
    sizes = sizing.size(load, held_to)
    sized = np.flatnonzero(np.isfinite(sizes))
    assert sizing.keeps(load.resized(sizes).pick(sized), held_to).all()
    smaller = sized[sizes[sized] > 1]
    assert not sizing.keeps(load.resized(sizes - 1.0).pick(smaller), held_to).any()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("held_to", TERMS)
def test_a_row_has_the_size_alone_that_it_has_among_many(seed: int, held_to: Terms) -> None:
    """Alone up to fifteen of its sizes are tried at once, among so many rows one."""
    load = random_load(seed, busy=0.9, replicas=70.0)
    rows = np.arange(len(load.rows))
    many = load.pick(np.tile(rows, 300 // len(rows)))
    alone = np.concatenate([sizing.size(load.pick(np.array([row])), held_to) for row in rows])
    assert sizing.size(many, held_to).tolist() == np.tile(alone, 300 // len(rows)).tolist()


def test_below_the_floor_no_size_is_given() -> None:
    load = random_load(3)
    assert np.isinf(sizing.size(load, terms(ttft=1e-4))).all()
    assert np.isinf(sizing.size(load, terms(tpot=1e-4))).all()
    assert not sizing.above_floor(load, terms(ttft=1e-4)).any()


def test_utilization_alone_is_a_division() -> None:
    load = random_load(4, busy=0.9, replicas=10.0)
    sizes = sizing.size(load, terms())
    assert sizes[0] == np.ceil(0.9 * 10.0 / 0.85)


def test_a_pool_that_nobody_could_build_has_no_size() -> None:
    """Found by trying: `--max-utilization 1e-300` sized a pool of more GPUs than the store can count."""
    load = random_load(1, busy=0.9, replicas=7.0)
    assert np.isinf(sizing.size(load, replace(terms(ttft=30.0), max_utilization=1e-12))).all()
