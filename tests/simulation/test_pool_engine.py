"""A pool's engine has what its traffic brings."""

from dataclasses import replace

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.failing import SlowReplica
from fleettui.domain.features import Features
from fleettui.domain.fleet import Fleet
from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.simulation.pool_engine import bounded, engine_of
from tests.simulation.samples import engine, pool

FLEET = Fleet(router="length", pools=(pool("all"),))
TRAFFIC = Traffic(pools=(PoolTraffic(arrival_rate=1.0, atoms=((1.0, 9.0, 3.0),)),))


def test_a_client_waits_for_the_front_end_too() -> None:
    assert bounded(engine(), Bounds(timeout=0.5), 0.03).patience == pytest.approx(0.47)


def test_a_slow_replica_is_the_pools() -> None:
    slow = SlowReplica(speed=0.5)
    assert engine_of(FLEET, replace(TRAFFIC, slow=slow), 0, None, seed=1, index=0).slow == slow


def test_features_are_the_pools() -> None:
    own, free = (
        engine_of(FLEET, replace(TRAFFIC, features=said), 0, None, seed=1, index=0)
        for said in (Features(), Features(watermark="5%"))
    )
    assert free == replace(own, watermark=int(0.05 * own.blocks)) != own
