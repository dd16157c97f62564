"""Sizes near a load that was seen in production, by hand and of a planned fleet."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.seen_load import SeenLoad
from fleettui.optimize import steps
from fleettui.optimize.confidence import confidence, holds
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.seen_loads import as_seen, seen_load
from tests import own_fits
from tests.optimize.test_fleet_shape import LENGTHS, found, sizes

RING = (np.array([8.0]), np.array([12.0]))


@pytest.mark.parametrize(
    ("needed", "close", "slower", "wanted"),
    [
        (15.0, 10.0, True, 10.0),  # in the ring as many as are known to suffice there
        (15.0, 5.0, True, 8.0),  # fewer would have a load that nobody saw
        (15.0, 14.0, True, 15.0),  # beyond the ring all is as elsewhere
        (7.0, 10.0, True, 7.0),
        (15.0, np.inf, True, 15.0),
        (5.0, 9.0, False, 9.0),  # steps are not so much shorter there
        (5.0, 7.0, False, 5.0),
    ],
)
def test_sizes_in_a_ring(needed: float, close: float, slower: bool, wanted: float) -> None:
    got = as_seen(np.array([needed]), np.array([close]), RING, slower=np.array([slower]))
    assert got.tolist() == [wanted]


def shape(rate: float) -> tuple[Shape, tuple[int, ...]]:
    """Return the shape of a fleet for `rate`, known within 40 %, and its sizes."""
    wanted, fleet, profiles = found(rate, pools=(1,))
    known = [replace(one, band=(0.7, 1.4), model_error=0.4) for one in profiles]
    return Shape.of(fleet, wanted, known, [(1.0, LENGTHS)]), sizes(fleet)


def seen_at(rate: float, of: Shape, band: float = 0.01) -> Shape:
    """Return the shape where so many requests/s of a replica were seen."""
    (pool,) = of.pools
    load = SeenLoad(
        rate=rate, prompt_tokens=1.0, output_tokens=1.0, prefix_hit=0.0, settings=pool.pool.settings, band=band
    )
    return replace(of, pools=(replace(pool, seen=load),))


def test_a_fleet_is_surer_at_the_load_that_was_seen() -> None:
    plain, own = shape(40.0)
    rate = 0.94 * steps.lasts(plain, own)
    at, far = seen_at(rate / own[0], plain), seen_at(3.0 * rate / own[0], plain)
    before, here, elsewhere = (confidence(one, own, rate) for one in (plain, at, far))
    assert before.holds < 0.9 < here.holds
    assert elsewhere == before
    assert here.gpus is not None
    assert before.gpus is not None
    assert here.gpus < before.gpus
    assert [one is not None for one in here.span] == [True, True]
    assert here.span[0] >= before.span[0]  # type: ignore[operator]


def test_where_waits_were_seen_they_open_the_range_of_sizes_less() -> None:
    """Found: 24 GPUs were 99 % sure by what was seen at their load, and the range beside them ended at 88."""
    plain, own = shape(40.0)
    rate = 0.94 * steps.lasts(plain, own)
    at = seen_at(rate / own[0], plain)
    (pool,) = at.pools
    assert pool.seen is not None
    waited = replace(at, pools=(replace(pool, seen=replace(pool.seen, waits=True)),))
    before, seen = (confidence(one, own, rate) for one in (at, waited))
    assert seen.holds == before.holds
    assert before.span[1] is not None
    assert seen.span[1] is not None
    assert seen.span[1] < before.span[1]


def test_near_that_load_it_is_between() -> None:
    plain, own = shape(40.0)
    rate = 0.97 * steps.lasts(plain, own)
    shares = [holds(seen_at(rate / own[0] * by, plain), own, rate) for by in (1.0, 1.3, 2.0)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[1] > shares[2]


def test_no_more_replicas_are_ever_less_sure() -> None:
    plain, own = shape(40.0)
    of = seen_at(40.0 / own[0], plain)
    shares = [holds(of, (size,), 40.0) for size in range(max(1, own[0] - 6), own[0] + 12)]
    assert shares == sorted(shares)


def test_the_load_to_simulate_is_by_the_steps_of_that_load() -> None:
    plain, own = shape(40.0)
    of = seen_at(40.0 / own[0], plain).at_end(1.0)
    assert of.pools[0].factor(40.0, own[0]) == pytest.approx(1 / 0.97)
    assert of.pools[0].factor(80.0, own[0]) == pytest.approx(1.4)


def test_the_questions_fit_says_what_was_seen() -> None:
    wanted, fleet, _ = found(40.0, pools=(1,))
    pool, atoms = fleet.pools[0], [(1.0, 1000.0, 200.0)]
    load = SeenLoad(
        rate=2.0, prompt_tokens=1000.0, output_tokens=200.0, prefix_hit=0.0, settings=pool.settings, band=0.01
    )
    server = replace(
        own_fits.SERVER,
        gpu=pool.gpu,
        model=pool.model,
        engine=wanted.engine,
        dtype=pool.dtype,
        tp=pool.tp,
        seen=(load,),
    )
    asked = replace(wanted, fit=replace(own_fits.FIT, step_law=wanted.step_law, servers=(server,)))
    assert seen_load(pool, asked, [atoms]) == load
    assert seen_load(pool, asked, [atoms, [(1.0, 5000.0, 200.0)]]) is None, "other requests in some time slice"
    assert seen_load(pool, replace(asked, prefix_cache=True), [atoms]) is None
    assert seen_load(pool, wanted, [atoms]) is None
