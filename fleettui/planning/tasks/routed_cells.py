"""Published cells about routers, or the tail of a fleet: slots held for their whole time, our fleets token-exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from fleettui.domain.plan import Estimate
from fleettui.optimize.published.by_paper import ByPaper, HeldPool
from fleettui.optimize.published.cell_questions import DRAWN, Found, Routed
from fleettui.optimize.published.recommended import PlannedPool, Recommended
from fleettui.planning.tasks.held_slots import LEAST_WARM, SERVICES, slot_pool
from fleettui.simulation.slots import SlotFleetRun, play_fleet
from fleettui.simulation.statistics import LATENCY, SHARE, estimate

RUNS, MEASURED = 10, 500_000
"""Runs of a fleet of slots, and the requests that each measures."""

Simulate = Callable[[PlannedPool, str], Estimate]
"""Returns a figure of one of our pools as the token-exact engine shows it."""


def by_paper(paper: ByPaper, asked: Routed, seed: int) -> Found:
    """Return what long runs of the papers' fleet show; of one that would drown, their 15,000 requests from empty on."""
    runs, lasting = _runs(paper.held_fleet(asked), asked.fleet.slo or math.inf, seed)
    if asked.figure == "change":
        beside, _ = _runs(paper.held_fleet(_by_length(asked)), asked.fleet.slo or math.inf, seed)
        return Found(value=_mean("ttft", runs) / _mean("ttft", beside) - 1.0, note=lasting)
    found = estimate([getattr(one, asked.figure) for one in runs], ends=LATENCY if asked.figure == "ttft" else SHARE)
    return Found(value=found.value, note=lasting)


def by_ours(ours: Recommended, asked: Routed, simulate: Simulate) -> Found:
    """Return our number, of our fleet for what the router sends; None for what only slots have."""
    fleet = ours.routed(asked)
    pools, note = ours.planned(fleet), ours.words_of(fleet)
    if asked.figure == "change":
        beside = ours.planned(ours.routed(_by_length(asked)))
        return Found(value=_worst(pools, "ttft", simulate) / _worst(beside, "ttft", simulate) - 1.0, note=note)
    if asked.figure in ("ttft", "utilization"):
        return Found(value=_worst(pools, asked.figure, simulate), note=f"{note}, simulated, the worst pool")
    if asked.figure == "within":
        if not all(pool.holds for pool in pools):
            return Found(value=None, note=note)
        rate = sum(pool.rate for pool in pools)
        kept = sum(pool.rate / rate * (simulate(pool, "attainment").value or 0.0) for pool in pools)
        return Found(value=kept, note=f"{note}, simulated")
    return Found(value=None, note="ours has no slots: prompts are computed beside the decodes")


def _by_length(asked: Routed) -> Routed:
    return Routed(fleet=asked.fleet, router="length", figure="ttft")


def _worst(pools: tuple[PlannedPool, ...], figure: str, simulate: Simulate) -> float:
    return max(simulate(pool, figure).value or 0.0 for pool in pools)


def _mean(figure: str, runs: tuple[SlotFleetRun, ...]) -> float:
    return float(sum(getattr(one, figure) for one in runs) / len(runs))


@cache
def _runs(pools: tuple[HeldPool, ...], limit: float, seed: int) -> tuple[tuple[SlotFleetRun, ...], str]:
    """Return runs of a fleet whose slots are held, and in a few words how long they are."""
    made = [slot_pool(one.profile, one.atoms, slots=one.slots, replicas=one.replicas, rate=one.rate) for one in pools]
    busy = max(one.in_service / one.servers for one in made)
    drowns = busy >= 1.0
    warm_up = 0 if drowns else max(LEAST_WARM, math.ceil(SERVICES * sum(one.in_service for one in made)))
    measured = DRAWN if drowns else max(MEASURED, warm_up)
    found = tuple(
        play_fleet(made, warm_up=warm_up, measured=measured, limit=limit, seed=seed, index=index)
        for index in range(RUNS)
    )
    sizes = " + ".join(f"{one.replicas} x {one.slots}" for one in pools)
    lasting = f"from empty, without bound later ({busy:.2f} times full)" if drowns else f"{busy:.2f} busy at most"
    return found, f"slots held, {sizes}: {lasting}"
