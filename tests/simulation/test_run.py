"""Whole replications: the same for the same key, of the common random numbers, and what the formulas say on average."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import ceil

import numpy as np
import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.serialization import dumps
from fleettui.domain.simulation import PoolLength, PoolTraffic, Replication, Traffic
from fleettui.domain.slo import Slo
from fleettui.domain.workload import Atom
from fleettui.errors import InputError
from fleettui.queueing.batching import Occupancy, occupancy, saturated_rate
from fleettui.queueing.moments import Moments, RequestTable
from fleettui.queueing.service import Service
from fleettui.routing import length_pools
from fleettui.simulation import run
from fleettui.simulation.compiled import OLD, folder
from fleettui.simulation.draws import closed_draws
from fleettui.simulation.layout import Engine
from fleettui.workloads import library
from tests.optimize.samples import profile
from tests.simulation.samples import CONTEXT, engine, pool, requests

SPLIT = 1_500
SLO = Slo(ttft=0.3, tpot=0.05)
HARDWARE = profile("fast")


@cache
def conversation() -> tuple[Atom, ...]:
    return library.load("azure-2023-conv").slices[0].lengths.atoms


def formula(own: Pool, atoms: Sequence[Atom], rate: float) -> tuple[Moments, Service, Occupancy]:
    table = RequestTable.of(atoms, chunk=own.token_budget)
    moments = table.moments(0, len(table.weight))
    service = Service(
        base=np.asarray(own.profile.base_step_time),
        per_context=np.asarray(own.profile.time_per_context_token),
        per_prompt=np.asarray(own.profile.time_per_prompt_token),
        concurrency=np.asarray(float(own.concurrency)),
        token_budget=np.asarray(float(own.token_budget)),
        front_end=np.zeros(()),
        api_token=np.zeros(()),
    )
    return moments, service, occupancy(moments, service, rate, own.replicas)


def lengths(pools: int, *, warm_up: int = 1_000, measured: int = 3_000) -> tuple[PoolLength, ...]:
    return (PoolLength(warm_up=warm_up, measured=measured, relaxation=1.0),) * pools


def split(rate: float, **changes: int | Bounds | None) -> Traffic:
    """Return the conversations split over a short and a long pool."""
    atoms = conversation()
    parts = length_pools.route(atoms, ((0, SPLIT), (SPLIT, CONTEXT)))
    total = sum(weight for weight, _, _ in atoms)
    shares = [sum(weight for weight, _, _ in part) / total for part in parts]
    pools = tuple(PoolTraffic(arrival_rate=rate * share, atoms=part) for share, part in zip(shares, parts, strict=True))
    return replace(Traffic(pools=pools), **changes)  # type: ignore[arg-type]


def pair(short: int = 2, long: int = 2) -> Fleet:
    return Fleet(
        pools=(
            pool("short", replicas=short, up_to=SPLIT),
            pool("long", replicas=long, above=SPLIT),
        )
    )


def replicate(
    fleet: Fleet, traffic: Traffic, sizes: Sequence[PoolLength] | None = None, *, seed: int = 1, index: int = 0
) -> Replication:
    return run.replicate(
        fleet,
        traffic,
        sizes or lengths(len(fleet.pools)),
        profiles=[HARDWARE] * len(fleet.pools),
        slo=SLO,
        seed=seed,
        index=index,
    )


@pytest.mark.parametrize("clients", [None, 60])
def test_one_key_gives_the_same_bytes_and_another_another_run(clients: int | None) -> None:
    traffic = split(40.0, concurrency=clients)
    first = replicate(pair(), traffic)
    again = replicate(pair(), traffic)
    assert first.digest == again.digest
    assert dumps(first) == dumps(again)
    for change in ({"index": 1}, {"seed": 2}):
        other = replicate(pair(), traffic, **change)  # type: ignore[arg-type]
        assert other.digest != first.digest
        assert all(a.ttft != b.ttft for a, b in zip(first.pools, other.pools, strict=True))


def test_another_size_of_one_pool_leaves_the_others_run_as_it_is() -> None:
    traffic = split(40.0)
    few, many = replicate(pair(short=2), traffic), replicate(pair(short=3), traffic)
    assert few.pools[1] == many.pools[1]
    assert few.pools[0] != many.pools[0]
    assert few.digest != many.digest


def test_its_requests_are_those_of_the_smaller_fleet() -> None:
    """Common random numbers: as far as they meet no queue, two fleets of other sizes measure the same requests."""
    few, many = (replicate(pair(short=size), split(5.0)) for size in (8, 9))
    assert few.pools[0].duration == many.pools[0].duration
    assert few.pools[0].ttft == pytest.approx(many.pools[0].ttft, rel=0.05)


def test_a_longer_run_measures_the_same_requests_first() -> None:
    """The pool's own sums differ only by what was added."""
    traffic = split(40.0)
    short, long = (replicate(pair(), traffic, lengths(2, measured=measured)) for measured in (3_000, 3_001))
    assert long.pools[0].duration > short.pools[0].duration
    counts = [sum(count for _, count in one.pools[0].histograms[0].cells) for one in (short, long)]
    assert counts == [3_000, 3_001]
    cells = [dict(one.pools[0].histograms[0].cells) for one in (short, long)]
    gained = sum(abs(cells[1].get(cell, 0) - cells[0].get(cell, 0)) for cell in {*cells[0], *cells[1]})
    assert gained <= 3  # the last requests meet another crowd


def test_utilization_and_batch_are_the_formulas() -> None:
    one = pool("all", replicas=3)
    moments, service, _ = formula(one, conversation(), 1.0)
    rate = 0.7 * 3 * float(saturated_rate(moments, service))
    expected = formula(one, conversation(), rate)[2]
    traffic = Traffic(pools=(PoolTraffic(arrival_rate=rate, atoms=conversation()),))
    found = replicate(Fleet(pools=(one,)), traffic, lengths(1, warm_up=5_000, measured=100_000)).pools[0]
    assert float(expected.utilization) == pytest.approx(0.7)
    assert found.utilization == pytest.approx(0.7, rel=0.03)
    assert found.batch == pytest.approx(float(expected.batch), rel=0.03)
    assert found.throughput == pytest.approx(rate, rel=0.01)
    assert found.mfu is not None
    assert 0.05 < found.mfu < 0.7


def test_a_closed_loop_obeys_littles_law() -> None:
    """Throughput × (mean residence + think time) = clients."""
    traffic = replace(split(1.0), concurrency=150, think=2.0)
    fleet = pair(short=1, long=1)
    draws = closed_draws(traffic, requests=60_000, seed=1, index=0)
    played = run.play([Engine.of(one, "paged") for one in fleet.pools], draws, 2_000, 55_000)
    measured = played.state.requests[2_000:55_000]
    residence = float((measured["finish"] - measured["arrival"]).mean())
    think = float(draws.thinking[2_000:55_000].mean())
    rate = sum(flow.rate("completed") for flow in played.flows)  # one replica a pool
    assert rate * (residence + think) == pytest.approx(150, rel=0.01)
    assert residence > 0.5


def test_the_front_end_is_in_the_latencies_of_its_pool_and_in_no_step() -> None:
    fleet, traffic = pair(), split(40.0)
    slow = replace(fleet.pools[1], profile=replace(fleet.pools[1].profile, front_end=0.03))
    plain, found = (replicate(one, traffic) for one in (fleet, Fleet(pools=(fleet.pools[0], slow))))
    assert found.pools[0] == plain.pools[0]
    before, after = plain.pools[1], found.pools[1]
    for metric in ("ttft", "e2e"):
        assert getattr(after, metric) == pytest.approx(getattr(before, metric) + 0.03)
    same = ("wait", "tpot", "utilization", "batch", "throughput", "mfu", "preemptions", "duration")
    assert [getattr(after, name) for name in same] == [getattr(before, name) for name in same]


def test_a_closed_loops_clients_wait_for_the_front_end_too() -> None:
    """A cycle is think time, front end and residence: clients / cycle is the throughput."""
    traffic = Traffic(pools=(PoolTraffic(arrival_rate=1.0, atoms=((1.0, 100.0, 2.0),)),), concurrency=1)
    rates = []
    for front_end in (0.0, 0.5):
        one = replace(pool("all"), profile=replace(pool("all").profile, front_end=front_end))
        found = replicate(Fleet(pools=(one,)), traffic, lengths(1, warm_up=50, measured=200)).pools[0]
        assert found.e2e is not None
        rates.append(found.throughput)
        assert 1.0 / found.throughput == pytest.approx(found.e2e, rel=0.02)
    assert 1.0 / rates[1] == pytest.approx(1.0 / rates[0] + 0.5, rel=0.02)


def test_a_closed_loops_replication_has_every_pool_for_as_long_as_it_asks() -> None:
    traffic = split(1.0, concurrency=80)
    sizes = (
        PoolLength(warm_up=500, measured=2_000, relaxation=1.0),
        PoolLength(warm_up=100, measured=3_000, relaxation=1.0),
    )
    found = replicate(pair(), traffic, sizes)
    shares = [own.arrival_rate for own in traffic.pools]
    everybody = max(2_000 / shares[0], 3_000 / shares[1])
    for one, share in zip(found.pools, shares, strict=True):
        assert one.offered == pytest.approx(everybody * share, rel=0.05)
        assert one.duration == found.pools[0].duration
    warm_up = max(ceil(500 / shares[0]), ceil(100 / shares[1])) + 80  # and every client's first request
    measured = max(ceil(2_000 / shares[0]), ceil(3_000 / shares[1]))
    assert sum(one.offered for one in found.pools) == measured
    assert found.requests == warm_up + measured + warm_up // 2


def test_a_closed_loop_of_one_pool_counts_its_requests() -> None:
    traffic = Traffic(pools=(PoolTraffic(arrival_rate=1.0, atoms=conversation()),), concurrency=20)
    found = replicate(Fleet(pools=(pool("all"),)), traffic, lengths(1, warm_up=50, measured=200))
    assert (found.pools[0].offered, found.requests) == (200, 50 + 20 + 200 + 35)


def test_an_open_pool_is_measured_for_the_requests_it_asks() -> None:
    found = replicate(pair(), split(40.0), lengths(2, warm_up=400, measured=900))
    assert [one.offered for one in found.pools] == [900, 900]
    assert found.requests == 2 * (400 + 900 + 200)
    assert found.index == 0


def test_the_fleets_figures_weigh_pools_by_their_rates() -> None:
    traffic = split(40.0)
    found = replicate(pair(), traffic)
    shares = [own.arrival_rate / 40.0 for own in traffic.pools]
    kept = sum(one.attainment * share for one, share in zip(found.pools, shares, strict=True))
    assert found.attainment == pytest.approx(kept)
    low, high = sorted(one.ttft or 0.0 for one in found.pools)
    assert found.ttft is not None
    assert low < found.ttft < high


def test_hardware_that_is_not_known_has_no_mfu() -> None:
    fleet, traffic = pair(), split(20.0)
    found = run.replicate(fleet, traffic, lengths(2), profiles=[None, HARDWARE], slo=SLO, seed=1, index=0)
    assert found.pools[0].mfu is None
    assert found.pools[1].mfu is not None


def test_a_request_that_never_fits_is_a_bug_of_the_caller() -> None:
    tight = engine(blocks=10, watermark=1)
    run.play([tight], requests((144, 1), (100, 45)), 0, 2)
    for lengths_of in ((145, 1), (100, 46)):
        with pytest.raises(AssertionError, match="a request of 145 tokens in 10 blocks would wait for ever"):
            run.play([tight], requests((10, 1), lengths_of), 0, 2)


def test_only_measured_requests_have_latencies_and_each_pool_its_own() -> None:
    draws = requests(*[(10, 3)] * 10, arrivals=np.arange(10.0).tolist(), pool=[0, 1] * 5)
    played = run.play([engine(), engine(base=0.5)], draws, 2, 7)
    assert len(played.latencies(0).metrics["ttft"]) == 3
    assert len(played.latencies(1).metrics["ttft"]) == 2
    assert played.latencies(1).metrics["ttft"] == pytest.approx([0.5 + 10 * 1.1e-4] * 2)
    assert played.flows[0].seconds == 4.0


def test_once_compiled_the_engine_is_known_to_be() -> None:
    run.compile_now()
    assert run.compiled_before()
    assert run.ready()


def test_a_run_marks_the_compiled_engine_as_used() -> None:
    os.utime(folder(), (0.0, 0.0))
    run.compile_now()
    assert time.time() - folder().stat().st_mtime < OLD


def test_a_given_engine_faster_than_its_hardware_is_no_bug_of_ours() -> None:
    quick = replace(pool("all"), profile=replace(pool("all").profile, time_per_prompt_token=1e-7))
    traffic = Traffic(pools=(PoolTraffic(arrival_rate=1_000.0, atoms=((1.0, 2_000.0, 2.0),)),))
    with pytest.raises(
        InputError, match=r"^pool all: profile: this profile is faster than the hardware: .* MFU of \d+%"
    ):
        replicate(Fleet(pools=(quick,)), traffic)


def test_what_is_not_served_is_missed_and_is_in_no_latency() -> None:
    """Twice what the pools can do: a third and more is turned away or leaves, so none of the limits is kept by them."""
    bounds = Bounds(queue=8, timeout=1.0)
    found = replicate(pair(1, 1), split(60.0, bounds=bounds), lengths(2, measured=2_000))
    for one in found.pools:
        assert one.offered == one.completed + one.rejected + one.timed_out == 2_000
        assert one.may_miss == 0.01
        assert one.missed / one.offered > 0.1
        assert one.attainment <= one.completed / one.offered
        assert one.ttft is not None
        assert one.ttft <= 1.0
        assert dict(one.over_offered) == {"ttft": None, "tpot": None}
        assert sum(count for _, count in one.histograms[0].cells) == one.completed
    assert sum(one.rejected for one in found.pools) > 100 < sum(one.timed_out for one in found.pools)
    calm, free = (replicate(pair(), split(10.0, bounds=one)) for one in (Bounds(queue=200, timeout=9.0), Bounds()))
    for bounded, unbounded in zip(calm.pools, free.pools, strict=True):
        assert bounded.missed == 0
        assert bounded.over_offered == ()
        assert (bounded.ttft, bounded.tpot) == pytest.approx((unbounded.ttft, unbounded.tpot), abs=1e-9)


def test_a_storm_of_retries_is_seen_and_a_request_is_offered_once() -> None:
    """Twice what the pools can do: who comes again makes it worse, and what is offered stays what it was."""
    once, again = Bounds(queue=8), Bounds(queue=8, retries=3, backoff=0.5)
    few, many = (replicate(pair(1, 1), split(60.0, bounds=one), lengths(2, measured=2_000)) for one in (once, again))
    for calm, storm in zip(few.pools, many.pools, strict=True):
        assert calm.offered == storm.offered == 2_000
        assert (calm.retried, calm.attempts) == (0, 0)
        assert storm.completed + storm.rejected == 2_000
        assert 1.3 * 2_000 < storm.attempts <= 4 * 2_000
        assert storm.retried > 500
        assert storm.ttft is not None
        assert calm.ttft is not None
        assert storm.ttft > calm.ttft + 0.5  # the time away is in it
        assert calm.storm is None
        assert storm.storm is not None
        assert storm.storm.attempts == pytest.approx(storm.attempts / 2_000, rel=0.02)  # the run is one span
        assert storm.storm.without == calm.attainment
        assert storm.storm.met == storm.attainment
    assert replicate(pair(1, 1), split(60.0, bounds=again), lengths(2, measured=2_000)).digest == many.digest
