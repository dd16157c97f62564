"""Requests before a router that rewrites prompts: who is rewritten, how far, and that nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.simulation import Compressing, PoolTraffic, Traffic
from fleettui.domain.slo import Slo
from fleettui.routing import length_pools
from fleettui.simulation.compressed_draws import coming, compressed
from fleettui.simulation.joint_draws import joint_draws
from fleettui.simulation.lengths import lengths
from fleettui.simulation.run import played_together, replicate
from tests.simulation.samples import CONTEXT, pool, requests

ENDS = (1_000, CONTEXT)
ATOMS = tuple((1.0, float(prompt), float(40 + prompt % 7)) for prompt in range(100, 3_000, 50))
RATE, GAMMA = 20.0, 1.5


def traffic(share: float = 1.0) -> Traffic:
    """Return what pools up to ENDS get of ATOMS behind a router that compresses a share of those just above."""
    ranges = ((0, ENDS[0]), ENDS)
    parts = (
        [
            PoolTraffic(arrival_rate=RATE * sum(one[0] for one in own) / len(ATOMS), atoms=own)
            for own in length_pools.route(ATOMS, ranges, gamma=gamma, compressible=share)
        ]
        for gamma in (1.0, GAMMA)
    )
    before, after = parts
    return Traffic(pools=tuple(after), compressing=Compressing(gamma=GAMMA, share=share, pools=tuple(before)))


def behind(router: str, *, gamma: float = GAMMA) -> Fleet:
    pools = (pool("short", up_to=ENDS[0]), pool("long", above=ENDS[0], up_to=ENDS[1]))
    return Fleet(router=router, gamma=gamma, pools=pools)


def test_who_is_a_little_too_long_fills_the_shorter_pool_and_others_stay() -> None:
    own = requests((900, 50), (960, 41), (1_450, 50), (1_451, 50), (999, 1_000), (10, 1_400), pool=[0, 1, 1, 1, 1, 1])
    own = replace(own, cached=np.array([9, 96, 145, 0, 0, 0], np.int32))
    found = compressed(own, Compressing(gamma=GAMMA, share=1.0, pools=()), ENDS, seed=1, index=0)
    assert found.pool.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.prompt.tolist() == [900, 959, 950, 1_451, 999, 10]
    assert found.cached.tolist() == [9, 95, 95, 0, 0, 0]
    assert np.array_equal(found.output, own.output)


def test_pools_get_of_the_stream_what_the_formulas_count_on_and_the_stream_is_everybodys() -> None:
    """Weights of a million requests' lengths, each pool's mean prompt, and the share that no prompt bears."""
    asked = traffic(share=0.6)
    assert coming(Traffic(pools=asked.pools)).pools == asked.pools
    draws = joint_draws(coming(asked), requests=100_000, seed=2, index=0)
    assert asked.compressing is not None
    found = compressed(draws, asked.compressing, ENDS, seed=2, index=0)
    assert found.arrivals is draws.arrivals
    assert (found.prompt + found.output)[found.pool == 0].max() == ENDS[0]
    for place, own in enumerate(asked.pools):
        here = found.pool == place
        assert here.mean() == pytest.approx(own.arrival_rate / RATE, abs=0.006)
        weights, prompts, _ = np.array(own.atoms).T
        assert found.prompt[here].mean() == pytest.approx(np.average(prompts, weights=weights), rel=0.01)


def test_a_run_is_as_long_as_it_is_behind_other_routers() -> None:
    """Both pools measure as many as they ask for, counted among requests of the lengths that come."""
    live, plain = traffic(), Traffic(pools=coming(traffic()).pools)
    ours, others = lengths(behind("compress"), live), lengths(behind("spillover", gamma=1.0), plain)
    assert not ours.unstable
    most = tuple(max(pair, key=lambda one: one.requests) for pair in zip(ours.pools, others.pools, strict=True))
    runs = [
        played_together(behind(router), asked, most, (None, None), seed=3, index=0)
        for router, asked in (("compress", live), ("length", plain))
    ]
    assert (runs[0].first, runs[0].last) == (runs[1].first, runs[1].last)
    assert np.array_equal(runs[0].state.requests["arrival"], runs[1].state.requests["arrival"])
    moved = runs[0].state.requests["prompt"] != runs[1].state.requests["prompt"]
    assert np.array_equal(moved & (runs[0].homes == 1), runs[0].homes != runs[0].state.requests["pool"])
    assert 0.1 < moved.mean() < 0.3


@pytest.mark.thorough
@pytest.mark.parametrize("clients", [None, 40])
def test_its_replication_agrees_with_pools_whose_requests_were_cut_before(clients: int | None) -> None:
    live = replace(traffic(), concurrency=clients)
    cut = replace(live, compressing=None)
    fleet = behind("compress")
    size = lengths(fleet, live).pools
    found = [
        replicate(replace(fleet, router=router), asked, size, profiles=(None, None), slo=Slo(ttft=1.0), seed=4, index=0)
        for router, asked in (("compress", live), ("length", cut))
    ]
    for ours, other in zip(*(one.pools for one in found), strict=True):
        assert ours.utilization == pytest.approx(other.utilization, rel=0.03)
        assert ours.ttft == pytest.approx(other.ttft, rel=0.05)
    moved = 1.0 - coming(live).pools[0].arrival_rate / live.pools[0].arrival_rate
    assert found[0].pools[0].spilled / found[0].pools[0].offered == pytest.approx(moved, abs=0.01)
    assert found[1].pools[0].spilled == 0
