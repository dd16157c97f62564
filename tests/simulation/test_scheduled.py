"""What schedulers are compared by: of each class, of sessions and of all that was put out."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.schedulers import FIGURES
from fleettui.domain.simulation import PoolLength, PoolTraffic, Traffic
from fleettui.simulation.run import played_alone, played_together
from fleettui.simulation.scheduled import scheduled, session_means
from tests.simulation.samples import pool
from tests.simulation.test_prefix_draws import conversations
from tests.simulation.test_session_draws import sessions


def test_a_session_has_the_mean_of_its_measured_rounds_that_were_served() -> None:
    """Sessions of the requests 0, 3, 4 and 1, 5 and 2, which came in this order: 0, 1, 3, 2, 4, 5; the first is not
    measured.
    """
    sessions = SimpleNamespace(then=np.array([3, 5, -1, 4, -1, -1]), came=np.array([0, 1, 3, 2, 4, 5]))
    played: Any = SimpleNamespace(state=SimpleNamespace(sessions=sessions), first=1, last=6)
    found = session_means(played, np.array([1.0, 2.0, np.nan, 4.0, 5.0]))
    assert found == pytest.approx([3.0, 3.0])


def of_two_classes(batch_share: float) -> dict[str, float | None]:
    """Return the figures of a run of two pools, the first behind a front end of 1 s and short of blocks."""
    short, long = pool("short", replicas=1, up_to=1_000), pool("long", replicas=2, above=1_000, up_to=4_000)
    fleet = Fleet(
        router="length",
        pools=(
            replace(short, profile=replace(short.profile, front_end=1.0, kv_blocks=300)),
            replace(long, profile=replace(long.profile, front_end=3.0)),
        ),
    )
    traffic = Traffic(
        pools=(
            PoolTraffic(arrival_rate=9.0, atoms=((1.0, 300.0, 160.0),)),
            PoolTraffic(arrival_rate=3.0, atoms=((1.0, 2_000.0, 100.0), (1.0, 3_000.0, 1.0))),
        ),
        batch_share=batch_share,
    )
    lengths = (
        PoolLength(warm_up=50, measured=750, relaxation=1.0),
        PoolLength(warm_up=50, measured=250, relaxation=1.0),
    )
    found = scheduled(fleet, traffic, lengths, profiles=(None, None), seed=5, index=2)
    assert found.index == 2
    values = dict(zip([one.name for one in FIGURES], found.values, strict=True))

    played = played_together(fleet, traffic, lengths, (None, None), seed=5, index=2)
    ttft: dict[bool, list[float]] = {False: [], True: []}
    tpot: dict[bool, list[float]] = {False: [], True: []}
    for one in played.state.requests[played.first : played.last]:
        ttft[bool(one["batch"])].append(one["first"] - one["arrival"] + (1.0, 3.0)[one["pool"]])
        if one["output"] > 1:
            tpot[bool(one["batch"])].append((one["finish"] - one["first"]) / (one["output"] - 1))
    for name, own in (("ttft_mean", ttft[False]), ("batch_ttft", ttft[True]), ("tpot_mean", tpot[False])):
        assert values[name] == (pytest.approx(np.mean(own)) if own else None), name
    for name, own in (("ttft_p99", ttft[False]), ("tpot_p99", tpot[False])):
        assert values[name] == (pytest.approx(sorted(own)[-(-99 * len(own) // 100) - 1]) if own else None), name
    assert values["session_ttft"] is None
    assert values["session_ttft_p95"] is None
    assert values["throughput"] == pytest.approx(9.0 * 160.0 + 3.0 * 50.5, rel=0.1)
    seconds = [flow.seconds for flow in played.flows]
    assert seconds == pytest.approx([len(ttft[False] + ttft[True]) / 12.0] * 2, rel=0.1)
    preempted = sum(int(flow.end["preempted"]) - int(flow.start["preempted"]) for flow in played.flows)
    assert values["preemptions"] == 1000.0 * preempted / (played.last - played.first) > 0.0
    return values


def test_figures_are_of_each_class_behind_the_front_ends_of_both_pools() -> None:
    some, none, every = (of_two_classes(share) for share in (0.4, 0.0, 1.0))
    assert some["batch_ttft"] != some["ttft_mean"]
    assert none["batch_ttft"] is None
    assert (every["ttft_mean"], every["tpot_mean"]) == (None, None)
    assert every["batch_ttft"] is not None


@pytest.mark.thorough
def test_waits_of_sessions_are_the_means_of_their_rounds() -> None:
    one = pool("all", replicas=1, up_to=16_000)
    fleet = Fleet(router="length", pools=(replace(one, profile=replace(one.profile, front_end=1.0)),))
    asked = PoolTraffic(arrival_rate=6.0, atoms=((1.0, 600.0, 40.0),), lengths=(0, 16_000))
    traffic = Traffic(pools=(asked,), sessions=sessions(), keeps=True)
    lengths = (PoolLength(warm_up=50, measured=400, relaxation=1.0),)
    found = scheduled(fleet, traffic, lengths, profiles=(None,), seed=5, index=0)
    values = dict(zip([figure.name for figure in FIGURES], found.values, strict=True))

    played = played_together(fleet, traffic, lengths, (None,), seed=5, index=0)
    requests, own = played.state.requests[played.first : played.last], played.state.sessions
    assert own is not None
    first = {later: at for at, later in enumerate(own.then.tolist()) if later >= 0}
    waits = dict[int, list[float]]()
    came = sorted(np.flatnonzero(own.came >= 0).tolist(), key=lambda at: int(own.came[at]))
    for index, request in zip(came[played.first : played.last], requests, strict=True):
        begun = index
        while begun in first:
            begun = first[begun]
        waits.setdefault(begun, []).append(float(request["first"] - request["arrival"]) + 1.0)
    means = sorted(float(np.mean(one)) for one in waits.values())
    assert len(means) > 100
    assert values["session_ttft"] == pytest.approx(np.mean(means))
    assert values["session_ttft_p95"] == pytest.approx(means[-(-95 * len(means) // 100) - 1])


def test_pools_that_a_trace_with_prefixes_is_sent_to_are_each_played_by_themselves() -> None:
    """Each with what it is sent of the trace, for its own length, and behind its own front end."""
    short, long = pool("short", replicas=1, up_to=200), pool("long", replicas=1, above=200)
    fronts = (1.0, 3.0)
    fleet = Fleet(
        router="length",
        pools=(
            replace(short, profile=replace(short.profile, front_end=fronts[0])),
            replace(long, profile=replace(long.profile, front_end=fronts[1])),
        ),
    )
    traffic = Traffic(
        pools=(
            PoolTraffic(arrival_rate=30.0, atoms=((1.0, 100.0, 5.0),), lengths=(0, 200)),
            PoolTraffic(arrival_rate=10.0, atoms=((1.0, 260.0, 5.0),), lengths=(200, 16_384)),
        ),
        prefixes=conversations(),
    )
    lengths = (
        PoolLength(warm_up=50, measured=400, relaxation=1.0),
        PoolLength(warm_up=20, measured=100, relaxation=1.0),
    )
    found = scheduled(fleet, traffic, lengths, profiles=(None, None), seed=5, index=1)
    values = dict(zip([figure.name for figure in FIGURES], found.values, strict=True))

    ttft, tpot, made = list[float](), list[float](), 0.0
    for place, (length, front) in enumerate(zip(lengths, fronts, strict=True)):
        played, _ = played_alone(fleet, traffic, place, length, None, seed=5, index=1)
        for one in played.state.requests[played.first : played.last]:
            ttft.append(one["first"] - one["arrival"] + front)
            if one["output"] > 1:
                tpot.append((one["finish"] - one["first"]) / (one["output"] - 1))
        (flow,) = played.flows
        made += flow.rate("decoded") + flow.rate("completed")
        assert played.state.requests["cached"].any()
    assert len(ttft) == 500
    assert values["ttft_mean"] == pytest.approx(np.mean(ttft))
    assert values["tpot_mean"] == pytest.approx(np.mean(tpot))
    assert values["ttft_p99"] == pytest.approx(sorted(ttft)[494])
    assert values["throughput"] == pytest.approx(made)
    assert values["preemptions"] == 0.0
    assert values["session_ttft"] is None
