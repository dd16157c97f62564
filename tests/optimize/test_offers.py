"""Offers: sized ranges, the governing slice, replicas under other step times."""

import numpy as np

from fleettui.optimize.offers import Offer, offer, replicas_at
from fleettui.optimize.ranges import Demanded, Ranges
from fleettui.optimize.terms import Terms
from tests.optimize.samples import atoms, profile, question

ASKED = question(ttft=1.0)
RANGES = Ranges.of((400, 1200), 16_384)


def offered(*rates: float) -> Offer:
    slices = [Demanded.of(rate, atoms(4), RANGES, chunk=2048, prefix_hit=0.0) for rate in rates]
    return offer(profile(), slices, RANGES, ASKED, Terms.of(ASKED))


def test_cost_and_watts_follow_the_replicas() -> None:
    found = offered(20.0)
    assert np.all(np.isfinite(found.replicas))
    np.testing.assert_allclose(found.gpus, found.replicas * 2)
    np.testing.assert_allclose(found.cost, found.gpus * 2.0)
    assert np.all(found.watts > 300.0 * found.gpus)
    assert np.all(found.watts < 600.0 * found.gpus)


def test_the_busiest_slice_governs() -> None:
    both, busy = offered(5.0, 40.0), offered(40.0)
    np.testing.assert_array_equal(both.replicas, busy.replicas)
    assert both.governing[0] == 1
    assert offered(0.01, 0.03, 0.02).governing.tolist() == [1] * 5


def test_slower_steps_need_more_replicas_and_infeasible_ones_none() -> None:
    found, rows, terms = offered(20.0), np.array([0, 1]), Terms.of(ASKED)
    sizes = [replicas_at(found, rows, terms, scale) for scale in (0.75, 1.0, 1.25, 1000.0)]
    np.testing.assert_array_equal(sizes[1], found.replicas[rows])
    assert np.all(sizes[0] <= sizes[1])
    assert np.all(sizes[1] <= sizes[2])
    assert np.all(np.isinf(sizes[3]))
