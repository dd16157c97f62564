"""What each pool is sent, and what comes before a router that rewrites some of it."""

import pytest

from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.errors import InputError
from fleettui.optimize.pool_parts import compressing_of, share

RANGES = ((0, 1_000), (1_000, 4_000))
ATOMS = ((0.5, 500.0, 10.0), (0.3, 1_200.0, 10.0), (0.2, 3_000.0, 10.0))
POOL = PoolSketch(gpu="h100", tp=8, replicas=2)
FLEET = FleetSketch(router="compress", gamma=1.5, compressible=0.7, pools=(POOL, POOL))


def test_it_is_the_parts_by_length_with_the_factor_and_the_share() -> None:
    found = compressing_of(FLEET, RANGES, [(1.0, ATOMS), (10.0, ATOMS)], (1, 1))
    assert found is not None
    assert (found.gamma, found.share) == (1.5, 0.7)
    assert [one.arrival_rate for one in found.pools] == pytest.approx([5.0, 5.0])
    assert [len(one.atoms) for one in found.pools] == [1, 2]
    assert share(found.pools[1].atoms, ATOMS) == pytest.approx(0.5)


def test_there_is_none_where_nothing_is_rewritten() -> None:
    slices = [(10.0, ATOMS)]
    for fleet, ranges in (
        (FleetSketch(router="length", gamma=1.5, pools=FLEET.pools), RANGES),
        (FleetSketch(router="compress", pools=FLEET.pools), RANGES),
        (FleetSketch(router="compress", gamma=1.5, pools=(POOL,)), ((0, 4_000),)),
    ):
        assert compressing_of(fleet, ranges, slices, (0, 0)[: len(ranges)]) is None


def test_a_pool_of_rewritten_requests_alone_is_refused() -> None:
    with pytest.raises(InputError, match="pool 1"):
        compressing_of(FLEET, ((0, 400), (400, 4_000)), [(10.0, ATOMS)], (0, 0))
