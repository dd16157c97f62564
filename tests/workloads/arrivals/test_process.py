"""What every arrival process must do, and what the product makes of one that is new."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.registry import Registry
from fleettui.domain.simulation import PoolTraffic
from fleettui.errors import InputError
from fleettui.reports.demand_text import Traffic as Told
from fleettui.reports.demand_text import traffic_lines
from fleettui.reports.question.keys import BY_NAME
from fleettui.simulation.draws import open_draws
from fleettui.simulation.lengths import lengths
from fleettui.workloads.arrivals import ARRIVALS, asked
from fleettui.workloads.arrivals.process import ArrivalProcess, Stream, Variation
from tests.evidence.pools import Setup, staged

COUNT, WINDOW = 200_000, 4.0
RECORDED = np.random.default_rng(3).gamma(0.25, 4.0 / 5.0, 30_000).cumsum()
RECORD = ArrivalRecord(
    rate=5.0, duration=6_000.0, dispersion=((1.0, 3.4), (10.0, 3.9), (60.0, 4.0)), times=tuple(RECORDED.tolist())
)
"""Gamma gaps of a CV of 2, whose counts vary four times as far as Poisson's."""
BATCHES = ArrivalProcess(
    name="batches",
    help="seven at a time",
    noun="Batches",
    times=lambda draws, requests, stream: (
        np.where(np.arange(requests) % 7 == 0, 7.0 * draws.standard_exponential(requests), 0).cumsum() / stream.rate
    ),
    vary=lambda _: Variation(excess=7.0 - 1.0),
)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a process that is new."""
    more = Registry("arrival process", *ARRIVALS, BATCHES)
    for name in Registry.__slots__:
        monkeypatch.setattr(ARRIVALS, name, getattr(more, name))


@pytest.mark.parametrize("process", [*ARRIVALS, BATCHES], ids=lambda process: process.name)
def test_requests_come_at_their_rate_and_their_counts_vary_as_the_process_says(process: ArrivalProcess) -> None:
    stream = Stream(rate=20.0, cv=1.5, record=RECORD)
    times, shorter = (process.times(np.random.default_rng(1), count, stream) for count in (COUNT, COUNT // 3))
    assert (np.diff(times, prepend=0.0) >= 0).all()
    assert COUNT / times[-1] == pytest.approx(stream.rate, rel=0.02)
    counts = np.histogram(times, np.arange(0.0, times[-1], WINDOW))[0]
    assert counts.var() / counts.mean() == pytest.approx(1.0 + process.vary(stream).excess, rel=0.06)
    assert np.array_equal(times[: len(shorter)], shorter)


@pytest.mark.parametrize("asked_for", ["gamma:cv=2.5", "weibull:cv=2.5", "batches"])
def test_a_pool_gets_its_part_of_a_stream_and_that_part_of_its_variation(batches: None, asked_for: str) -> None:
    own, rate = PoolTraffic(arrival_rate=5.0, atoms=((1.0, 9.0, 3.0),)), 20.0
    long, short = (
        open_draws(own, 0, prefix_hit=0.0, requests=count, seed=1, index=0, arrivals=asked_for, rate=rate).arrivals
        for count in (COUNT, COUNT // 7)
    )
    assert long is not None
    assert short is not None
    assert np.array_equal(long[: len(short)], short)
    assert COUNT / long[-1] == pytest.approx(own.arrival_rate, rel=0.02)
    counts = np.histogram(long, np.arange(0.0, long[-1], WINDOW))[0]
    arrivals = asked(asked_for)
    excess = arrivals.process.vary(arrivals.stream(rate, None)).excess
    assert counts.var() / counts.mean() == pytest.approx(1.0 + excess * own.arrival_rate / rate, rel=0.06)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("gama:cv=2", "gamma"),
        ("gamma", "coefficient of variation"),
        ("gamma:cv=0", "gamma:cv=0.05"),
        ("weibull:cv=-1", "coefficient"),
        ("gamma:cv=nan", "coefficient"),
        ("gamma:cv=inf", "coefficient"),
        ("weibull:two", "write weibull:cv=2"),
        ("poisson:cv=2", "takes no parameter"),
        ("profile", "write profile:day.csv"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_what_to_write(text: str, refusal: str) -> None:
    with pytest.raises(InputError, match=refusal) as told:
        asked(text, "--arrivals")
    assert len(str(told.value).splitlines()) <= 3


def test_a_parameter_is_read_with_or_without_its_name_and_written_one_way() -> None:
    assert asked(" Gamma:2 ").text == asked("gamma:cv=2.0").text == "gamma:cv=2"
    assert BY_NAME["arrivals"].read("weibull:1.5", None) == "weibull:cv=1.5"


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
