"""A slow replica: what it does to a day, and what leaving it out until its queue is empty saves."""

from dataclasses import replace

import pytest

from fleettui.autoscaling.exclusion import Exclusion
from fleettui.autoscaling.policies import POLICIES
from fleettui.autoscaling.replay import replay
from fleettui.domain.autoscale import Event, PoolReplay, Rules
from fleettui.domain.day import steady
from fleettui.simulation.elastic import ElasticPool
from tests.autoscaling.test_replay import OWN, SLO, played, site, traffic
from tests.simulation.samples import requests

PLAIN = site(steady(30.0, 600.0), delay=60.0)
SLOW = Event(kind="slow", start=100.0, size=6.0, seconds=400.0)


def with_slow(exclude: int | None, policy: str = "static-peak", most: int = 5) -> PoolReplay:
    own = replace(PLAIN, events=(SLOW,), most=most, rules=Rules(exclude=exclude, cycle=5.0))
    return played(policy, own)


def pool(count: int = 40, replicas: int = 3) -> ElasticPool:
    one = replace(OWN, places=2)
    return ElasticPool.of(one, requests(*[(100, 20)] * count), replicas=replicas, most=6)


def test_a_slow_replica_costs_until_it_is_well_again() -> None:
    calm, slow = played("static-peak", replace(PLAIN, most=5)), with_slow(None)
    assert slow.met < calm.met
    assert slow.spans[0] != calm.spans[0]
    assert slow.offered == calm.offered
    assert slow.least < calm.least


def test_what_is_left_out_gets_no_more_until_nobody_waits_there() -> None:
    own = pool()
    exclusion = Exclusion(pool=own, most=2)
    own.advance(0.001)
    before = exclusion.waiting()
    assert min(before) > 2
    exclusion.look()
    assert len(exclusion.out) == 2  # one is always left
    assert exclusion.waiting() == before
    own.advance(60.0)
    exclusion.look()
    assert exclusion.out == set()
    assert exclusion.waiting() == [0, 0, 0]
    assert own.serving_rows()["load"].tolist() == [0, 0, 0]


def test_the_one_that_is_left_out_serves_what_it_has_and_no_more() -> None:
    arrivals = [0.0] * 9 + [1.0] * 30
    draws = requests(*[(100, 20)] * 39, arrivals=arrivals)
    own = ElasticPool.of(replace(OWN, places=2), draws, replicas=3, most=6)
    own.advance(0.001)
    exclusion = Exclusion(pool=own, most=0)
    exclusion.look()
    left_out = sorted(exclusion.out)
    loads = own.serving_rows()["load"][left_out].tolist()
    own.advance(1.001)
    assert all(after <= load for after, load in zip(own.serving_rows()["load"][left_out], loads, strict=True))


@pytest.mark.parametrize("policy", ["static-peak", "keda", "knative", "saturation"])
def test_nothing_is_lost_where_some_are_left_out_and_replicas_come_and_go(policy: str) -> None:
    found = with_slow(1, policy, most=9)
    assert found.offered == sum(offered for offered, _ in found.spans)
    assert sum(count for _, count in found.ttft.cells) == found.offered - found.rejected
    assert found.least <= found.billed


def test_where_queues_stay_short_nobody_is_left_out_and_the_day_is_the_same() -> None:
    own = replace(PLAIN, rules=Rules(exclude=10_000))
    plain = replace(PLAIN, rules=Rules())
    found, same = (
        replay(one, OWN, traffic(PLAIN.day), POLICIES.named("static-peak"), name="all", slo=SLO) for one in (own, plain)
    )
    assert found == same
