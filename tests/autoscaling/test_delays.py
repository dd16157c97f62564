"""Launches of their own time: about the mean, the same for every policy, later ones ready before earlier ones."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.autoscaling.delays import delays
from fleettui.autoscaling.policies import POLICIES
from fleettui.autoscaling.replay import replay
from fleettui.autoscaling.workers import Workers
from fleettui.domain.autoscale import PoolReplay
from fleettui.simulation.elastic import ElasticPool
from tests.autoscaling.test_replay import OWN, SLO, UP_AND_DOWN, site, traffic
from tests.simulation.samples import requests


def scattered(cv: float, policy: str = "oracle", seed: int = 3) -> PoolReplay:
    own = replace(site(UP_AND_DOWN, delay=120.0), delay_cv=cv)
    luck = np.random.default_rng(seed)
    return replay(own, OWN, traffic(UP_AND_DOWN), POLICIES.named(policy), name="all", slo=SLO, luck=luck)


def test_a_coefficient_of_variation_is_that_of_the_delays() -> None:
    own = replace(site(UP_AND_DOWN, delay=240.0), delay_cv=0.5)
    one = delays(own, np.random.default_rng(1))
    drawn = np.array([one() for _ in range(40_000)])
    assert drawn.mean() == pytest.approx(240.0, rel=0.02)
    assert drawn.std() / drawn.mean() == pytest.approx(0.5, rel=0.03)
    assert {delays(replace(own, delay_cv=0.0), None)() for _ in range(3)} == {240.0}


@pytest.mark.thorough
def test_launches_that_scatter_serve_at_other_times_and_come_out_again() -> None:
    assert scattered(1.0) == scattered(1.0)
    assert scattered(0.0) == scattered(0.0, seed=4)
    late = [scattered(cv, "throughput") for cv in (0.0, 1.0)]
    assert late[0].under != late[1].under


def test_whoever_is_ready_first_serves_first() -> None:
    pool = ElasticPool.of(OWN, requests((10, 10)), replicas=1, most=6)
    times = iter((300.0, 100.0, 200.0))
    workers = Workers(pool=pool, delay=lambda: next(times))
    workers.scale(4, 0.0)
    assert [one.ready for one in workers.starting] == [100.0, 200.0, 300.0]
    workers.scale(3, 10.0)
    assert [one.ready for one in workers.starting] == [100.0, 200.0]  # the last to be ready goes first
    workers.admit(150.0)
    assert (len(workers.serving), workers.next_ready) == (2, 200.0)
