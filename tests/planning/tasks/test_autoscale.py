"""The load that a replica is planned for, as simulated, and the requests of a day."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.autoscale import Delay, PoolSite, Rules
from fleettui.domain.day import steady
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet
from fleettui.errors import InputError
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import autoscale
from fleettui.planning.tasks.simulate import run as scored
from fleettui.planning.tasks.simulation_inputs import scene_of
from fleettui.simulation import elastic
from fleettui.simulation.compiled import of_types
from fleettui.workloads.recorded_day import recorded_day
from tests.planning.simulated import question, sketch, trace
from tests.repeated import few

DAY = steady(20.0, 600.0)


def planned(folder: Path, *replicas: int, rate: float = 20.0) -> tuple[PoolSite, ...]:
    source, fleet = scene(folder, rate, *replicas)
    return autoscale.sites(Context(), source=source, fleet=fleet, day=DAY, delay=Delay(), rules=Rules(), seed=1)


def scene(folder: Path, rate: float, *replicas: int) -> tuple[SceneSource, Fleet]:
    asked = question(trace(folder), verify=False, demand=Demand(form="rate", rate=rate))
    made = scored(Context(), sketch=sketch(*replicas), question=asked)
    best = made.answer.answer or made.answer.candidates[0]
    return SceneSource.of(
        made.scenario.question, made.workload, made.answer.demand, f"test {replicas} {rate}"
    ), best.fleet


def test_a_replicas_load_is_between_the_plans_and_that_of_one_replica_fewer(tmp_path: Path) -> None:
    (pool,) = planned(tmp_path, 3)
    site = pool.site
    assert 20.0 / 3.0 <= site.replica_rate < 20.0 / 2.0
    assert site.service_time == pytest.approx(site.slots / site.replica_rate)
    assert (site.least, site.most) == (1, 2 * 3)
    assert pool.gpus == 8
    assert site.delay == pytest.approx(180.0 + 15.0 + 140.0 + 141e9 / 1e9, rel=0.02)
    assert [hour.rate for hour in pool.staffing] == [20.0]


@pytest.mark.evidence
def test_a_fleet_of_two_pools_divides_the_day_between_them(tmp_path: Path) -> None:
    short, long = planned(tmp_path, 2, 2)
    assert short.site.day.mean + long.site.day.mean == pytest.approx(20.0)
    assert short.site.day.mean > long.site.day.mean > 0.0


def test_a_fleet_that_cannot_keep_up_has_no_planned_load(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it cannot serve the plan's rate"):
        planned(tmp_path, 1, rate=400.0)


def test_recorded_requests_come_at_their_times_each_to_one_pool(tmp_path: Path) -> None:
    source, fleet = scene(tmp_path, 20.0, 2, 2)
    times = np.cumsum(np.random.default_rng(3).exponential(0.05, 2000))
    record = ArrivalRecord(rate=20.0, duration=float(times[-1]), times=tuple(times.tolist()))
    traffic = replace(scene_of(source).resize(fleet, [2, 2])[0].traffic, record=record)
    day = recorded_day(record, rate=20.0)
    for part in (day, day.part(day.end / 2.0, day.end)):
        found = [autoscale.day_draws(traffic, place, part, seed=1, index=0, retries=2) for place in (0, 1)]
        assert all(len(one.prompt) > 10 for one in found)
        assert all(one.jitter is not None and one.jitter.shape == (one.requests, 2) for one in found)
        assert part.recorded is not None
        own = times - part.recorded
        came = np.concatenate([one.arrivals for one in found if one.arrivals is not None])
        assert np.array_equal(np.sort(came), own[own >= 0.0])
    assert found[0].prompt.max() < found[1].prompt.max()


@pytest.mark.parametrize("rules", few([Rules(), Rules(retries=1, backoff=1.0)], 1, more=1))
def test_a_worker_that_is_ready_has_the_engine_that_replays_take(
    rules: Rules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, fleet = scene(tmp_path, 20.0, 3)
    made = list[tuple[Any, ...]]()

    def noted(function: Callable[..., None], *given: Any) -> Callable[..., None]:
        made.append(tuple(map(numba.typeof, given)))
        return of_types(function, *given)

    monkeypatch.setattr(elastic, "of_types", noted)
    (pool,) = autoscale.sites(
        Context(), source=source, fleet=fleet, day=DAY, delay=Delay(typed=60.0), rules=rules, seed=1
    )
    assert autoscale.ready(Context(), source=source, fleet=fleet, rules=rules)
    asked = {"source": source, "fleet": fleet, "place": 0, "site": pool.site, "seed": 1, "index": 0}
    assert autoscale.replay(Context(), **asked, policy="keda").offered > 0  # type: ignore[arg-type]
    ahead, replayed = made
    assert ahead == replayed
