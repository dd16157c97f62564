"""Figures of a whole fleet, held to the requests themselves and to Little's law."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fleettui.domain.backtest import Figure
from fleettui.domain.fleet import Fleet, PoolProfile
from fleettui.domain.simulation import Histogram, PoolLength, PoolRun, PoolTraffic, Replication, Traffic
from fleettui.domain.slo import Slo
from fleettui.simulation.fleet_figures import figure
from fleettui.simulation.histogram import histogram
from fleettui.simulation.run import replicate
from tests.domain.test_pooled_histogram import RUN
from tests.simulation.samples import pool

PROFILE = PoolProfile(base_step_time=0.01, time_per_context_token=1e-8, time_per_prompt_token=3e-5, kv_blocks=20_000)


def seen(name: str, duration: float, histograms: Sequence[Histogram], batch: float = 1.0) -> PoolRun:
    return replace(RUN, name=name, batch=batch, duration=duration, histograms=tuple(histograms))


def test_pools_count_by_what_they_are_sent_in_a_second_however_long_they_ran() -> None:
    fleet = Fleet(pools=(pool("short", replicas=2, up_to=1000), pool("long", replicas=3, above=1000, up_to=8000)))
    # 100 requests in 1 s, and 100 in 4 s: the second pool has a fifth of the traffic
    fast, slow = histogram("ttft", [0.1] * 100), histogram("ttft", [1.0] * 100)
    run = Replication(
        index=0,
        requests=200,
        ttft=None,
        attainment=1.0,
        pools=(seen("short", 1.0, [fast], batch=5.0), seen("long", 4.0, [slow], batch=7.0)),
        digest="",
    )
    assert figure(run, fleet, Figure(metric="ttft", share=0.79)) == pytest.approx(0.1, rel=0.02)
    assert figure(run, fleet, Figure(metric="ttft", share=0.81)) == pytest.approx(1.0, rel=0.02)
    assert figure(run, fleet, Figure(metric="ttft")) == pytest.approx(0.8 * 0.1 + 0.2 * 1.0, rel=0.01)
    assert figure(run, fleet, Figure(metric="running")) == 2 * 5.0 + 3 * 7.0
    assert figure(run, fleet, Figure(metric="tpot", share=0.5)) is None


def test_what_runs_is_arrivals_times_time_in_service() -> None:
    fleet = Fleet(pools=(replace(pool("all", replicas=3, up_to=8000), profile=PROFILE),))
    traffic = Traffic(pools=(PoolTraffic(arrival_rate=20.0, atoms=((1.0, 800.0, 60.0), (1.0, 2000.0, 20.0))),))
    run = replicate(
        fleet,
        traffic,
        [PoolLength(warm_up=2_000, measured=20_000, relaxation=0.1)],
        profiles=[None],
        slo=Slo(ttft=1.0),
        seed=3,
        index=0,
    )
    running = figure(run, fleet, Figure(metric="running"))
    e2e = figure(run, fleet, Figure(metric="e2e"))
    assert running is not None
    assert e2e is not None
    assert running == pytest.approx(20.0 * e2e, rel=0.03)  # an arrival waits for nothing but the step's end
