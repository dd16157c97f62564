"""What every arrival process must do, and what the product makes of one that is new."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.registry import Registry
from fleettui.domain.simulation import PoolTraffic
from fleettui.reports.demand_text import Traffic as Told
from fleettui.reports.demand_text import traffic_lines
from fleettui.reports.question.keys import BY_NAME
from fleettui.simulation.draws import open_draws
from fleettui.simulation.lengths import lengths
from fleettui.workloads.arrivals import ARRIVALS
from fleettui.workloads.arrivals.process import ArrivalProcess
from tests.evidence.pools import Setup, staged

COUNT = 200_000
BATCHES = ArrivalProcess(
    name="batches",
    help="four at a time",
    noun="Batches",
    gaps=lambda draws, requests: np.where(np.arange(requests) % 4 == 0, 4.0 * draws.standard_exponential(requests), 0),
    scv=7.0,
    caution="the formulas know no batches",
)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a process that is new."""
    more = Registry("arrival process", *ARRIVALS, BATCHES)
    for name in Registry.__slots__:
        monkeypatch.setattr(ARRIVALS, name, getattr(more, name))


@pytest.mark.parametrize("process", [*ARRIVALS, BATCHES], ids=lambda process: process.name)
def test_gaps_are_one_on_average_and_vary_as_the_process_says(process: ArrivalProcess) -> None:
    gaps, shorter = (process.gaps(np.random.default_rng(1), count) for count in (COUNT, COUNT // 3))
    assert gaps.min() >= 0
    assert gaps.mean() == pytest.approx(1.0, rel=0.02)
    assert gaps.var() == pytest.approx(process.scv, rel=0.05)
    assert np.array_equal(gaps[: len(shorter)], shorter)


def test_a_new_process_is_drawn_told_and_simulated_for_longer(batches: None) -> None:
    pool = PoolTraffic(arrival_rate=2.0, atoms=((1.0, 9.0, 3.0),))
    drawn = open_draws(pool, 0, prefix_hit=0.0, requests=8, seed=1, index=0, arrivals="batches")
    assert drawn.arrivals is not None
    assert len(set(drawn.arrivals.tolist())) == 2
    assert BY_NAME["arrivals"].read("batches", None) == "batches"
    assert "Batches is planned for" in traffic_lines(Told(texts={"arrivals": "batches"}))["arrivals"]
    one = staged(Setup(workload="azure-2023-conv", gpu="h100", tp=8, replicas=4, utilization=0.7))
    plain, longer = (
        lengths(one.fleet, replace(one.traffic, arrivals=name)).pools[0] for name in ("poisson", "batches")
    )
    assert longer.relaxation > 3 * plain.relaxation
