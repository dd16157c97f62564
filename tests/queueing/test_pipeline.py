"""What the batches of a pipeline hold each other up, against draws, and what a load counts of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.queueing.batching import occupancy, saturated_rate
from fleettui.queueing.latency import ttft_delay
from fleettui.queueing.pipeline import stall
from tests.queueing.loads import line_service, one_kind, random_load


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize(("coming", "scv"), [(0.05, 1.0), (0.7, 0.3), (3.0, 2.0), (40.0, 1.0)])
def test_the_largest_of_lanes_is_that_of_drawn_steps(lanes: int, coming: float, scv: float) -> None:
    """Steps with a Poisson number of chunks whose lengths are gamma, as many as lanes at a time."""
    rng = np.random.default_rng(3)
    counts = rng.poisson(coming, (100_000, lanes))
    steps = np.where(counts > 0, rng.gamma(np.maximum(counts, 1) / scv, scv), 0.0)
    drawn = steps.max(axis=1).mean() / steps.mean()
    found = float(stall(lanes, np.array(coming), np.array(scv), np.array(0.0)))
    assert found == pytest.approx(drawn, rel=0.12)


def test_full_steps_hold_nobody_up() -> None:
    filled = stall(4, np.full(3, 0.5), np.zeros(3), np.array([0.0, 0.5, 1.0]))
    assert filled[0] > filled[1] > filled[2]
    assert filled[2] == pytest.approx(1.0, abs=0.05)
    assert stall(1, np.full(3, 0.5), np.zeros(3), np.zeros(3)).tolist() == [1.0, 1.0, 1.0]


def test_a_replica_of_two_lanes_does_what_two_replicas_do() -> None:
    moments = one_kind(1000.0, 100.0, chunk=512)
    one = line_service(0.01, 1e-7, 2e-5, 32.0, 512.0)
    two = replace(one, lanes=2)
    assert float(saturated_rate(moments, two)) == 2 * float(saturated_rate(moments, one))
    load = random_load(3)
    piped = replace(load, service=replace(load.service, lanes=2), replicas=load.replicas / 2)
    assert piped.lanes.tolist() == load.lanes.tolist()
    for name in ("utilization", "batch", "step"):
        assert getattr(piped.occupancy, name) == pytest.approx(getattr(load.occupancy, name))
    assert piped.place.rate == pytest.approx(load.place.rate)
    api = replace(one, api_token=np.array(0.1))
    assert float(saturated_rate(moments, replace(api, lanes=2))) == pytest.approx(float(saturated_rate(moments, api)))
    assert float(occupancy(moments, one, 3.0, 2.0).batch) > 0.0


def test_what_others_hold_up_is_no_part_of_a_requests_own_prompt() -> None:
    load = random_load(3)
    slower = replace(load.service, per_prompt=load.service.per_prompt * 1.5, stall=np.full(len(load.rows), 1.5))
    stalled = replace(load, service=slower)
    each, other = (one.T[1] - one.T[0] * pool.cut_smaller for pool in (load, stalled) for one in (ttft_delay(pool),))
    assert other == pytest.approx(each)
    waits = [one.gate.surely + one.gate.tail.percentile(0.01) for one in (load, stalled)]
    assert np.all(waits[1] > waits[0])
