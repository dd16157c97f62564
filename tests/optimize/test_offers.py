"""Offers: sized ranges, the governing slice, replicas under other step times."""

import numpy as np
import pytest

from fleettui.optimize.offers import Offer, offer, replicas_at
from fleettui.optimize.ranges import Demanded, Ranges
from fleettui.optimize.terms import Terms
from fleettui.routing import length_pools
from tests.optimize.samples import atoms, profile, question
from tests.repeated import few

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


WIDE = Ranges.of((400, 1200, 3000), 16_384, cuts=(0, 1, 2), factors=(1.0, 1.3))


@pytest.mark.parametrize("seed", few(range(8), 3, more=5))
@pytest.mark.parametrize("ttft", [0.15, 0.6])
def test_a_bound_is_never_above_the_size(seed: int, ttft: float) -> None:
    asked = question(ttft=ttft)
    demanded = Demanded.of(20.0, atoms(seed), WIDE, chunk=2048, prefix_hit=0.0)
    found = offer(profile(), [demanded], WIDE, asked, Terms.of(asked))
    assert found.exact.sum() == WIDE.simple
    bounds, watts, rows = found.replicas.copy(), found.watts.copy(), np.flatnonzero(~found.exact)
    found.refine(rows)
    assert found.exact.all()
    assert np.all(bounds <= found.replicas)
    sized = rows[np.isfinite(found.replicas[rows])]
    assert len(sized)
    assert np.all(watts[sized] <= found.watts[sized] * (1.0 + 1e-9))


def test_a_range_between_splits_is_sized_as_a_pool_of_its_own_requests() -> None:
    lengths, terms = atoms(4), Terms.of(ASKED)
    demanded = Demanded.of(20.0, lengths, WIDE, chunk=2048, prefix_hit=0.0, compressible=0.5)
    found = offer(profile(), [demanded], WIDE, ASKED, terms)
    rows = np.flatnonzero(found.fits)
    found.refine(rows)
    for row in rows[rows >= WIDE.simple]:
        data = np.asarray(lengths)
        part = length_pools.part(
            data,
            above=WIDE.above[row],
            up_to=WIDE.up_to[row],
            until=np.inf,
            gamma=WIDE.gamma[row],
            compressible=0.5,
        )
        share = part[:, 0].sum() / data[:, 0].sum()
        whole = Ranges.of((), int(WIDE.up_to[row]))
        own = Demanded.of(20.0 * share, tuple(map(tuple, part)), whole, chunk=2048, prefix_hit=0.0)
        alone = offer(profile(), [own], whole, ASKED, terms)
        assert alone.replicas[0] == found.replicas[row]
        assert alone.watts[0] == pytest.approx(found.watts[row])


def test_spares_are_held_and_paid_for_and_draw_idle_power() -> None:
    asked = question(ttft=1.0, availability=0.98)
    demanded = [Demanded.of(20.0, atoms(4), RANGES, chunk=2048, prefix_hit=0.0)]
    plain, held = offered(20.0), offer(profile(), demanded, RANGES, asked, Terms.of(asked))
    np.testing.assert_array_equal(plain.replicas, held.replicas)
    spares = held.with_spares - held.replicas
    assert np.all(spares >= 1)
    np.testing.assert_allclose(held.gpus, (plain.replicas + spares) * 2)
    np.testing.assert_allclose(held.watts, plain.watts + spares * 2 * 300.0)
