"""The tasks that redo the papers' puzzles on any lengths: fleets by split, by rate, and one that is given.

The formulas are theirs (preset `paper`); what decides is simulated with slots held for their whole time (fixed
service), which the papers' own code frees too early.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fleettui.domain.fleet import Fleet, FleetSketch
from fleettui.domain.paper_fleet import HeldSlots, PaperFleet, PaperPool
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Atom, Workload
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.paper_profiles import PaperProfile
from fleettui.optimize.paper import Calibration, Lengths, replicas, short_share, uniform_atoms
from fleettui.optimize.plan import factors_of
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.demand import rate_of
from fleettui.planning.tasks.held_slots import long_runs, slot_pool, ttft_of
from fleettui.planning.tasks.paper_preset import (
    MODEL,
    ONLY_TOTALS,
    as_in_the_papers,
    lengths_of,
    paper_gpus,
    splits_of,
)
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.simulation_inputs import read
from fleettui.planning.tasks.workload_slices import Case, longest_allowed

RUNS, MEASURED = 6, 100_000
"""Replications of a fleet, and the requests that each measures at least."""
MOST_SIMULATED = 5
"""Fleets of a front that are simulated at most, the cheapest first."""
MOST_STEPS = 200
PRECISION = 1e-3
"""Relative width to which the rate is found at which a fleet runs out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """A question of preset `paper` with its lengths and profiles by GPU; `atoms` are every request."""

    question: Question
    lengths: Lengths
    atoms: tuple[Atom, ...]
    profiles: dict[str, PaperProfile]
    rate: float
    splits: tuple[int, ...]

    @property
    def limit(self) -> float:
        """The P99 TTFT that is asked for, in seconds."""
        assert self.question.slo.ttft is not None, "the papers size by TTFT"
        return self.question.slo.ttft

    @property
    def context(self) -> int:
        """The context of the last pool."""
        assert self.question.context is not None, "the papers have one"
        return self.question.context


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A pool without its size: its GPU, the tokens it serves, its share of the rate, its calibration."""

    profile: PaperProfile
    above: int
    up_to: int
    share: float
    calibration: Calibration

    def sized(self, rate: float, count: int) -> PaperPool:
        """Return the pool at a fleet's rate with so many replicas."""
        own, calibration = rate * self.share, self.calibration
        ttft = calibration.wait(own, count) + calibration.prefill(self.profile)
        return PaperPool(
            gpu=self.profile.gpu,
            replicas=count,
            slots=calibration.slots,
            above=self.above,
            up_to=self.up_to,
            rate=own,
            utilization=calibration.offered(own) / (count * calibration.slots),
            ttft=ttft if math.isfinite(ttft) else None,
        )

    def needed(self, rate: float, limit: float) -> int:
        """Return the papers' replicas at a fleet's rate; a pool of hardly any requests keeps one."""
        return max(1, replicas(self.calibration, rate * self.share, limit))


def front(
    context: Context, *, question: Question, workload: Workload, rate: float, seed: int
) -> tuple[PaperFleet, ...]:
    """Return the cheapest fleet of each split, one pool first; those that no other beats are simulated."""
    ground = _ground(question, workload, rate)
    found = [_cheapest(ground, cut, gamma) for cut, gamma in _ways(ground)]
    fleets = [one for one in found if one is not None]
    if not fleets:
        raise InputError("no split leaves requests on both sides", where="--split", value=question.splits)
    wanted = sorted(_unbeaten(fleets), key=lambda one: (one.cost, one.ttft or math.inf))[:MOST_SIMULATED]
    told: list[PaperFleet] = []
    for one in fleets:
        context.progress("simulating fleets with their slots held", len(told), len(fleets))
        told.append(_simulated(ground, one, seed) if one in wanted else one)
    return tuple(told)


def steps(
    context: Context,
    *,
    question: Question,
    workload: Workload,
    fleet: Fleet,
    rate: float,
    low: float,
    high: float,
    seed: int,
) -> tuple[PaperFleet, ...]:
    """Return each fleet in the split of `fleet` at the rate at which it runs out, from `low` to `high` requests/s.

    The one that serves `rate`, and the next, are simulated there.
    """
    ground = _ground(question, workload, rate)
    parts = _parts_of(ground, fleet)

    def sizes(rate: float) -> tuple[int, ...]:
        return tuple(part.needed(rate, ground.limit) for part in parts)

    found: list[PaperFleet] = []
    at = low
    while at < high and len(found) < MOST_STEPS:
        context.progress("finding where fleets run out", len(found), 0)
        own = sizes(at)
        until = _last(at, high, partial(_takes, sizes, own))
        found.append(_fleet(ground, parts, until, own, fleet.gamma))
        at = until * (1.0 + 2.0 * PRECISION)
    deciding = [place for place, one in enumerate(found) if one.rate >= rate * (1 - 1e-9)][:2]
    return tuple(_simulated(ground, one, seed) if place in deciding else one for place, one in enumerate(found))


def given(
    context: Context, *, sketch: FleetSketch, question: Question, format: str | None = None
) -> tuple[PaperFleet, str]:
    """Return a fleet that somebody wrote down, simulated with its slots held, and how its rate was worked out."""
    question = as_in_the_papers(question)
    longest = longest_allowed(question, catalog.model(MODEL))
    context.progress(f"reading {question.workload or 'the percentiles'}")
    workload = workload_of(question, longest=longest, format=format)
    cases, _ = read(question, workload)
    demand = rate_of(question.demand, cases[0])
    ground = _ground(replace(question, gpus=tuple(sorted({pool.gpu for pool in sketch.pools}))), workload, demand.rate)
    if len(sketch.pools) > 2:
        raise InputError("preset paper knows fleets of one or two pools", value=len(sketch.pools), accepted="1, 2")
    cut = None if len(sketch.pools) == 1 else sketch.pools[0].up_to or sketch.pools[0].context
    if len(sketch.pools) == 2 and cut is None:
        raise InputError(
            "it is not said which requests go to the first pool", where="fleet: pools", accepted="up_to: 4096 in it"
        )
    parts = _parts(ground, cut, sketch.gamma, tuple(pool.gpu for pool in sketch.pools))
    if parts is None:
        raise InputError("this split leaves no requests on one side", where="fleet: up_to", value=cut)
    context.progress("simulating with slots held")
    sizes = tuple(pool.replicas for pool in sketch.pools)
    return _simulated(ground, _fleet(ground, parts, demand.rate, sizes, sketch.gamma), question.seed), demand.arithmetic


def _ground(question: Question, workload: Workload, rate: float) -> _Ground:
    question = as_in_the_papers(question)
    cases, _ = read(question, workload)
    case = cases[0]
    return _Ground(
        question=question,
        lengths=lengths_of(case),
        atoms=_every(case),
        profiles={gpu.name: profile for profile, gpu in paper_gpus(question)},
        rate=rate,
        splits=splits_of(question, case),
    )


def _every(case: Case) -> tuple[Atom, ...]:
    """Return every request: of breakpoints alone each whole total, as the papers draw them."""
    return tuple(uniform_atoms(case.slices[0].cdf)) if case.pairing == ONLY_TOTALS else case.atoms


def _ways(ground: _Ground) -> list[tuple[int | None, float]]:
    asked = ground.question
    found: list[tuple[int | None, float]] = [(None, 1.0)] if 1 in asked.pools else []
    if 2 in asked.pools:
        factors = [gamma for gamma in factors_of(asked.gamma) if gamma >= asked.gamma[0]]
        found += [(cut, gamma) for cut in ground.splits for gamma in factors]
    return found


def _parts(ground: _Ground, cut: int | None, gamma: float, gpus: Sequence[str]) -> tuple[_Part, ...] | None:
    """Return the pools of one way to divide on these GPUs, None where one would get no requests."""
    lengths, end = ground.lengths, ground.context
    bounds = [(0, end, 1.0)]
    if cut is not None:
        share = short_share(lengths, cut, gamma=gamma, compressible=ground.question.compressible)
        bounds = [(0, cut, share), (int(gamma * cut), end, 1.0 - share)]
    if not all(lengths.holds(above, up_to) for above, up_to, _ in bounds):
        return None
    return tuple(
        _Part(
            profile=ground.profiles[gpu],
            above=above,
            up_to=up_to,
            share=share,
            calibration=lengths.calibrate(ground.profiles[gpu], above, up_to),
        )
        for (above, up_to, share), gpu in zip(bounds, (*gpus, *gpus)[-len(bounds) :], strict=True)
    )


def _parts_of(ground: _Ground, fleet: Fleet) -> tuple[_Part, ...]:
    cut = fleet.pools[0].up_to if len(fleet.pools) > 1 else None
    parts = _parts(ground, cut, fleet.gamma, tuple(pool.gpu for pool in fleet.pools))
    assert parts is not None, "a fleet that was planned has requests in every pool"
    return parts


def _cheapest(ground: _Ground, cut: int | None, gamma: float) -> PaperFleet | None:
    """Return the cheapest fleet of one way to divide, each pool on the GPU that costs least and keeps the limit."""
    chosen: list[tuple[_Part, int]] = []
    pools = 1 if cut is None else 2
    for place in range(pools):
        options = []
        for gpu, profile in ground.profiles.items():
            parts = _parts(ground, cut, gamma, (gpu,) * pools)
            if parts is None:
                return None
            count = parts[place].needed(ground.rate, ground.limit)
            late = (parts[place].sized(ground.rate, count).ttft or math.inf) > ground.limit
            options.append((late, count * profile.price_per_hour, gpu, parts[place], count))
        *_, part, count = min(options, key=lambda one: one[:3])
        chosen.append((part, count))
    return _fleet(ground, [part for part, _ in chosen], ground.rate, [count for _, count in chosen], gamma)


def _fleet(ground: _Ground, parts: Sequence[_Part], rate: float, sizes: Sequence[int], gamma: float) -> PaperFleet:
    pools = tuple(part.sized(rate, count) for part, count in zip(parts, sizes, strict=True))
    cost = sum(pool.replicas * ground.profiles[pool.gpu].price_per_hour for pool in pools)
    return PaperFleet(pools=pools, gamma=gamma, cost=cost, rate=rate)


def _unbeaten(fleets: Sequence[PaperFleet]) -> list[PaperFleet]:
    """Return the fleets for which no other is as good in both cost and TTFT as the papers print it."""
    kept: list[PaperFleet] = []
    for one in sorted(fleets, key=lambda each: (each.cost, each.ttft or math.inf, len(each.pools))):
        if not kept or (one.ttft or math.inf) < (kept[-1].ttft or math.inf):
            kept.append(one)
    return kept


def _simulated(ground: _Ground, fleet: PaperFleet, seed: int) -> PaperFleet:
    return replace(fleet, pools=tuple(_held(ground, pool, seed) for pool in fleet.pools))


def _held(ground: _Ground, pool: PaperPool, seed: int) -> PaperPool:
    """Return a pool with what long runs show; one that drowns has no such figure."""
    profile = ground.profiles[pool.gpu]
    own = tuple(atom for atom in ground.atoms if pool.above < atom[1] + atom[2] <= pool.up_to)
    played = slot_pool(profile, own, slots=pool.slots, replicas=pool.replicas, rate=pool.rate)
    if played.in_service >= played.servers:
        return pool
    runs = long_runs(played, runs=RUNS, measured=MEASURED, seed=seed)
    busy = float(np.mean([one.utilization for one in runs]))
    return replace(pool, held=HeldSlots(ttft=ttft_of(runs), utilization=busy))


def _takes(sizes: Callable[[float], tuple[int, ...]], own: tuple[int, ...], rate: float) -> bool:
    return sizes(rate) == own


def _last(low: float, high: float, same: Callable[[float], bool]) -> float:
    """Return the last rate from `low` to `high` at which `same` holds, which does at `low`, within PRECISION."""
    if same(high):
        return high
    while high - low > PRECISION * low:
        middle = (low + high) / 2.0
        low, high = (middle, high) if same(middle) else (low, middle)
    return low
