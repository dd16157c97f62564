"""One replication of a disaggregated fleet: draw, play, check, measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fleettui.domain.disagg import AT_ONCE, DisaggFleet, Handover
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import ALWAYS
from fleettui.domain.simulation import PoolLength, PoolRun, Replication, Traffic
from fleettui.domain.slo import Slo
from fleettui.hardware.kv_transfer import bytes_of
from fleettui.simulation import conservation, measure, tandem, transfers
from fleettui.simulation.draws import Draws, Floats, drawn
from fleettui.simulation.histogram import digest, histogram
from fleettui.simulation.layout import Engine, State, prepare
from fleettui.simulation.lengths import Course
from fleettui.simulation.measure import Flow, Latencies
from fleettui.simulation.percentiles import percentile
from fleettui.simulation.tandem import Tandem
from fleettui.simulation.turns import check_none

CLOSE = 1e-6
"""Part by which bytes that were counted differently may differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What a run's links do: bytes per second of a lane's link on either side, latency, bytes of each request."""

    out: float
    into: float
    latency: float
    size: Floats
    handover: Handover = AT_ONCE

    @classmethod
    def of(cls, fleet: DisaggFleet, draws: Draws) -> Moved:
        """Return what the links of a fleet do; a lane has its part of its replica's link."""
        return cls(
            out=fleet.links.prefill / fleet.prefill.batches,
            into=fleet.links.decode / fleet.decode.batches,
            latency=fleet.links.latency,
            size=bytes_of(fleet.cache, draws.prompt),
            handover=fleet.handover,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTandem:
    """A finished run: both sides, the flow of either while requests [first, last) arrived, and those requests.

    `requests` are records of the layout with a request's whole way: when it arrived, was first served, had its first
    token and its last. `transfer` are the seconds from its prefill until its cache landed, NaN where none was moved,
    and `beside` the short prompts per second that were served without.
    """

    tandem: Tandem
    flows: tuple[Flow, Flow]
    requests: Any
    transfer: Floats
    beside: float


def ready(prefill: Engine, decode: Engine, draws: Draws, moved: Moved) -> Tandem:
    """Return the arrays of a run at its start: everything idle, nothing arrived."""
    check_none(prefill.scheduler, "here prefill and decode have replicas of their own")
    own = replace(draws, output=np.ones_like(draws.output))
    later = replace(draws, cached=np.zeros_like(draws.cached), arrivals=np.full(draws.requests, np.nan), clients=0)
    links = transfers.prepared(
        moved.size,
        out=moved.out,
        into=moved.into,
        latency=moved.latency,
        prefills=prefill.replicas,
        decodes=decode.replicas,
        handover=moved.handover,
    )
    none = np.full(decode.replicas, -1, np.int32)
    return Tandem(
        prefill=prepare([replace(prefill, api_token=0.0)], own),
        decode=prepare([decode], later),
        transfers=links,
        follows=np.full(draws.requests, -1, np.int32),
        head=none.copy(),
        tail=none.copy(),
        first=none.copy(),
        last=none.copy(),
        refused=np.zeros(decode.replicas, np.bool_),
        joined=none.copy(),
        slot=np.full(draws.requests, -1, np.int32),
    )


def play(
    prefill: Engine, decode: Engine, draws: Draws, moved: Moved, measured: tuple[int, int], *, leaping: bool = True
) -> PlayedTandem:
    """Run until the `measured` requests [first, last) are served, and hold the run to what must be true of every run.

    A request that an engine can never hold raises AssertionError: callers refuse such fleets beforehand.
    """
    prompt, total = int(draws.prompt.max()), int((draws.prompt.astype(np.int64) + draws.output - 1).max())
    assert prompt <= prefill.longest(), f"a prompt of {prompt} tokens in {prefill.blocks} blocks would wait for ever"
    assert total <= decode.longest(), f"a request of {total} tokens in {decode.blocks} blocks would wait for ever"
    found, (first, last) = ready(prefill, decode, draws, moved), measured
    marks, moments, arrived = tandem.run(found, first, last, leaping)
    check(found, prefill, decode, arrived)
    seconds = float(moments[1] - moments[0])
    finish = found.decode.requests["finish"]
    short = stays(found) & (finish >= moments[0]) & (finish < moments[1])
    flows = tuple(Flow(start=marks[0][side], end=marks[1][side], seconds=seconds) for side in (0, 1))
    return PlayedTandem(
        tandem=found,
        flows=(flows[0], flows[1]),
        requests=whole(found)[first:last],
        transfer=(found.transfers.at - found.prefill.requests["finish"])[first:last],
        beside=float(short.sum()) / seconds if seconds else 0.0,
    )


def stays(found: Tandem) -> Any:
    """Return which requests have prompts so short that the side that decodes prefills them."""
    requests = found.prefill.requests
    return requests["prompt"] - requests["cached"] <= found.transfers.links["short"][0]


def moves(found: Tandem) -> Any:
    """Return which requests are passed from one side to the other: all that have tokens left after their prompt."""
    return ~stays(found) & (found.decode.requests["output"] > found.transfers.links["sent"][0])


def whole(found: Tandem) -> Any:
    """Return the requests with their whole way as records of the layout."""
    requests = found.prefill.requests.copy()
    later = found.decode.requests
    short = stays(found)
    there = moves(found) | short
    requests["output"] = later["output"]
    requests["admitted"] = np.where(short, later["admitted"], requests["admitted"])
    requests["first"] = np.where(there, later["first"], requests["finish"])
    requests["finish"] = np.where(there, later["finish"], requests["finish"])
    return requests


def check(found: Tandem, prefill: Engine, decode: Engine, arrived: int) -> None:
    """Raise AssertionError unless requests, request-seconds, blocks and bytes add up on both sides and between them."""
    first, later = found.prefill.requests, found.decode.requests
    came, there, short = np.arange(len(first)) < arrived, np.isfinite(later["arrival"]), stays(found)
    _check_side(found.prefill, came & ~short, prefill.blocks)
    _check_side(found.decode, there, decode.blocks)
    ended, passed = np.isfinite(first["finish"]), there & ~short
    assert np.array_equal(there & short, came & short), "a short prompt was lost, or one was made up"
    assert np.array_equal(passed, ended & moves(found)), "a prefilled request was lost, or one was made up"
    assert (later["arrival"][passed] == first["finish"][passed]).all(), "a request was passed on before its prefill"
    _check_transfers(found)


def _check_side(state: State, here: np.ndarray, blocks: int) -> None:
    """Hold one side to its sums; `here` marks the requests that arrived there."""
    inside = here & ~np.isfinite(state.requests["finish"])
    conservation.check_requests(state, 0, conservation.tally_of(state, 0), state.requests["arrival"][inside])
    conservation.check_blocks(state, 0, blocks)


def _check_transfers(found: Tandem) -> None:
    """Hold transfers to requests, blocks and bytes: what set out landed or is under way, and has its blocks kept."""
    links, later, moved = found.transfers.links[0], found.decode.requests, found.transfers
    out = np.isfinite(later["admitted"]) & np.isfinite(later["arrival"]) & moves(found)
    landed = np.zeros(len(later), bool)
    landed[moved.flown[: links["landed"]]] = True
    moving, flown = moved.moving[: links["moving"]], moved.flown[links["landed"] : links["flown"]]
    under_way = np.zeros(len(later), bool)
    under_way[moving] = under_way[flown] = True
    assert np.array_equal(out, landed | under_way), "a transfer was lost"
    assert not (landed & under_way).any(), "a cache landed that is under way"
    sent = float(moved.size[landed].sum() + moved.size[flown].sum() + (moved.size[moving] - moved.left[moving]).sum())
    arrived, rounded = float(links["carried"]), float(links["rounded"])
    instant = float(np.spacing(links["since"])) * max(float(links["out"]), float(links["into"])) * len(later)
    assert rounded <= CLOSE * sent + instant, f"{rounded} of {sent} bytes were not moved"
    assert abs(sent - arrived - rounded) <= CLOSE * max(sent, 1.0), f"{sent} bytes sent, {arrived} moved"
    waiting = np.isfinite(later["arrival"]) & moves(found) & ~landed
    sizes = -(-found.prefill.requests["prompt"].astype(np.int64) // found.prefill.pools[0]["block"])
    kept = np.zeros(len(found.prefill.replicas), np.int64)
    np.add.at(kept, moved.source[waiting], sizes[waiting])
    assert np.array_equal(kept, found.prefill.replicas["kept"]), "blocks are kept for no cache, or not for one"
    left = np.where(np.isfinite(moved.begun), float(links["last"]), 1.0)[landed] * moved.size[landed]
    fastest = left / min(float(links["out"]), float(links["into"])) + float(links["latency"])
    took = moved.at[landed] - later["admitted"][landed]
    assert (took >= fastest * (1.0 - CLOSE) - 1e-9).all(), "a cache moved faster than its link"


def replicate(
    fleet: DisaggFleet,
    traffic: Traffic,
    length: PoolLength,
    *,
    admission: str,
    profiles: tuple[Profile, Profile],
    slo: Slo,
    seed: int,
    index: int,
) -> Replication:
    """Return replication `index` of `fleet` under `traffic`, which has one part: all requests go one way.

    `profiles` are the hardware of its pools.
    """
    course = Course.alone(length)
    draws = drawn(traffic, 0, course.requests, seed=seed, index=index)
    prefill, decode = (
        Engine.of(pool, admission, fleet.router, profile) for pool, profile in zip(fleet.pools, profiles, strict=True)
    )
    played = play(prefill, decode, draws, Moved.of(fleet, draws), (course.warm_up, course.end))
    front_end = max(pool.profile.front_end for pool in fleet.pools)
    latencies = Latencies.of(played.requests, front_end)
    run = _run(played, latencies, fleet=fleet, traffic=traffic, profiles=profiles, slo=slo)
    return Replication(
        index=index,
        requests=course.requests,
        ttft=run.ttft,
        attainment=run.attainment,
        pools=(run,),
        digest=digest(*(latencies.metrics[name] for name in ("ttft", "e2e"))),
    )


def _run(
    played: PlayedTandem,
    latencies: Latencies,
    *,
    fleet: DisaggFleet,
    traffic: Traffic,
    profiles: tuple[Profile, Profile],
    slo: Slo,
) -> PoolRun:
    """Return what a run showed of both pools together: utilization and MFU of the busier, the batch of decode."""
    offered, flows = len(latencies.wait), played.flows
    pairs = measure.pairs_per_prompt_token(traffic.pools[0], traffic.prefix_hit)
    ttft, tpot, e2e = (percentile(latencies.defined(metric.name), slo.percentile) for metric in ALWAYS)
    sides = list(zip(fleet.pools, profiles, flows, strict=True))
    return PoolRun(
        name="all",
        offered=offered,
        completed=offered,
        rejected=0,
        ttft=ttft,
        tpot=tpot,
        e2e=e2e,
        wait=float(latencies.wait.mean()) if offered else 0.0,
        attainment=float(latencies.kept(slo).mean()) if offered else 1.0,
        utilization=max(measure.utilization(pool, flow) for pool, _, flow in sides),
        batch=flows[1].rate("active"),
        mfu=max(measure.mfu(pool, profile, pairs, flow) for pool, profile, flow in sides),
        preemptions=sum(int(flow.end["preempted"] - flow.start["preempted"]) for flow in flows),
        duration=flows[0].seconds,
        throughput=flows[0].rate("completed") * fleet.prefill.lanes + played.beside,
        histograms=tuple(histogram(metric.name, latencies.defined(metric.name)) for metric in ALWAYS),
        further=tuple(
            (limit.name, percentile(latencies.defined(limit.metric), slo.share(limit))) for limit in slo.own()
        ),
    )
