"""What preset `paper`'s method (model.md §10) gives for each published cell, computed; nothing here can be run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.workload import Atom, CdfPoint
from fleettui.hardware import catalog
from fleettui.hardware.paper_profiles import CALIBRATION_CONTEXT, PaperProfile, paper_profile
from fleettui.hardware.power import power
from fleettui.optimize.paper import (
    GAMMAS,
    SizedPool,
    calibrate_by_draws,
    fraction_below,
    prefill_percentile,
    size_pools,
    uniform_atoms,
)
from fleettui.optimize.paper_lengths import Drawn
from fleettui.optimize.published import one_replica
from fleettui.optimize.published.cell_figures import HOURS_PER_YEAR, FleetFound, PoolFound, figure, last_rate
from fleettui.optimize.published.cell_questions import (
    A100,
    EIGHT_K,
    FACTOR,
    LONGEST,
    Asked,
    Compressed,
    Curtailed,
    Disaggregated,
    FleetAsked,
    Found,
    OfFleet,
    OfLengths,
    OneReplica,
    Repaired,
    Routed,
    RunsOut,
    SimulatedPool,
)
from fleettui.queueing.availability import availability
from fleettui.routing.length_pools import route

PREFILL_BUSY, DECODE_BUSY, TRANSFER = 0.90, 0.92, 1.80
"""inference-fleet-sim's shares of a worker that serve, and what moving the cache makes of a prefill time."""
SLOTS = 128
"""The batch of its prefill and decode workers at 8,192 tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldPool:
    """A pool as the papers' physics has it, for a simulation: requests of `atoms` at `rate`, `replicas` of `slots`."""

    profile: PaperProfile
    atoms: tuple[Atom, ...]
    rate: float
    replicas: int
    slots: int


class ByPaper:
    """The papers' method over their own length distributions, given as {workload: breakpoints of total tokens}."""

    def __init__(self, cdfs: Mapping[str, Sequence[CdfPoint]]) -> None:
        self._cdfs = cdfs
        self._sized: dict[FleetAsked, tuple[SizedPool, ...]] = {}
        self._atoms: dict[tuple[str, int, int], tuple[Atom, ...]] = {}

    def answer(self, asked: Asked) -> Found:
        """Return the number for every question but those of a simulation, which `held` prepares."""
        match asked:
            case OfFleet():
                return self._of_fleet(asked)
            case OfLengths():
                value: float | None = self._of_lengths(asked)
            case RunsOut(fleet=fleet):
                value = last_rate(lambda rate: self._fleet(replace(fleet, rate=rate)).gpus, fleet.rate)
            case Disaggregated():
                value = _disaggregated(asked)
            case Curtailed():
                value = self._curtailed(asked)
            case Repaired():
                value = availability(asked.failures_per_day, asked.repair)
            case OneReplica():
                value = one_replica.by_paper(asked)
            case Compressed():
                value = self._compressed(asked)
            case SimulatedPool() | Routed():
                raise AssertionError("a simulation is run where the engine is")
        return Found(value=value)

    def held(self, asked: SimulatedPool | Curtailed) -> HeldPool:
        """Return the pool whose simulation a cell asks for."""
        if isinstance(asked, Curtailed):
            profile, atoms = paper_profile(asked.gpu), self._within(asked.workload, 0, asked.context)
            return HeldPool(profile=profile, atoms=atoms, rate=asked.rate, replicas=asked.gpus, slots=_cap(asked))
        pool = self._pools(asked.fleet)[asked.pool]
        above, up_to = _range(asked.fleet, asked.pool)
        return HeldPool(
            profile=pool.profile,
            atoms=self._within(asked.fleet.workload, above, up_to),
            rate=pool.rate,
            replicas=pool.replicas,
            slots=pool.calibration.slots,
        )

    def held_fleet(self, asked: Routed) -> tuple[HeldPool, ...]:
        """Return the pools of a fleet behind a router, in order of length."""
        places = range(1 if asked.fleet.cut is None else 2)
        pools = tuple(self.held(SimulatedPool(fleet=asked.fleet, pool=place, figure="ttft")) for place in places)
        if asked.router == "length" or len(pools) == 1:
            return pools
        every, rate = self._within(asked.fleet.workload, 0, asked.fleet.context), asked.fleet.rate
        if asked.router == "random":
            return (replace(pools[-1], atoms=every, rate=rate, replicas=sum(pool.replicas for pool in pools)),)
        assert asked.fleet.cut is not None, "there are two pools"
        parts = route(every, [(0, asked.fleet.cut), (asked.fleet.cut, asked.fleet.context)], gamma=FACTOR)
        whole = sum(atom[0] for atom in every)
        rows = zip(pools, parts, strict=True)
        return tuple(replace(pool, atoms=own, rate=rate * sum(atom[0] for atom in own) / whole) for pool, own in rows)

    def _compressed(self, asked: Compressed) -> float | None:
        """Return the mean over all requests; how long a prompt takes was measured."""
        if asked.share is not None:
            return None
        band = OfLengths(workload=asked.workload, cut=asked.cut, gamma=asked.gamma, figure="band")
        return self._of_lengths(band) * asked.median

    def _of_fleet(self, asked: OfFleet) -> Found:
        note = ""
        if asked.also is not None:
            other = self._fleet(asked.also)
            note = f"γ = {other.gamma:g} gives {' + '.join(str(pool.gpus) for pool in other.pools)}"
        return Found(value=_finite(figure(asked, self._fleet)), note=note)

    def _of_lengths(self, asked: OfLengths) -> float:
        cdf, profile = self._cdfs[asked.workload], paper_profile(A100)
        below = fraction_below(cdf, asked.cut)
        if asked.figure == "share":
            return below
        if asked.figure == "band":
            return fraction_below(cdf, int(asked.gamma * asked.cut)) - below
        return profile.slots(asked.cut) // profile.slots(LONGEST)

    def _fleet(self, asked: FleetAsked) -> FleetFound:
        if asked.gamma is None:
            swept = [self._fleet(replace(asked, gamma=gamma)) for gamma in GAMMAS]
            return min(swept, key=lambda fleet: fleet.cost_per_hour)
        pools = tuple(self._found(asked, place, pool) for place, pool in enumerate(self._pools(asked)))
        return FleetFound(pools=pools, gamma=asked.gamma)

    def _found(self, asked: FleetAsked, place: int, pool: SizedPool) -> PoolFound:
        wait = pool.calibration.wait(pool.rate, pool.replicas)
        atoms = self._within(asked.workload, *_range(asked, place))
        return PoolFound(
            gpus=pool.replicas,
            cost_per_hour=pool.cost_per_hour,
            utilization=pool.utilization,
            ttft=wait + prefill_percentile(pool.profile, atoms),
            claimed_ttft=wait + pool.calibration.prefill(pool.profile),
            concurrency=pool.calibration.slots,
        )

    def _pools(self, asked: FleetAsked) -> tuple[SizedPool, ...]:
        if asked not in self._sized:
            assert asked.gamma is not None, "a sweep is sized factor by factor"
            assert asked.slo is not None, "the papers size by a limit"
            self._sized[asked] = size_pools(
                Drawn(self._cdfs[asked.workload]),
                [paper_profile(gpu) for gpu in asked.gpus],
                rate=asked.rate,
                slo=asked.slo,
                cut=asked.cut,
                context=asked.context,
                gamma=asked.gamma,
                compressible=asked.compressible,
            )
        return self._sized[asked]

    def _within(self, workload: str, above: int, up_to: int) -> tuple[Atom, ...]:
        key = (workload, above, up_to)
        if key not in self._atoms:
            every = uniform_atoms(self._cdfs[workload])
            self._atoms[key] = tuple(atom for atom in every if above < atom[1] + atom[2] <= up_to)
        return self._atoms[key]

    def _curtailed(self, asked: Curtailed) -> float | None:
        cap, curve = _cap(asked), catalog.gpu(asked.gpu).power
        match asked.figure:
            case "cap":
                return cap
            case "watts":
                return float(power(curve, cap))
            case "fleet watts":
                return asked.gpus * float(power(curve, cap))
            case "ttft" | "simulated ttft":
                profile, cdf = paper_profile(asked.gpu), self._cdfs[asked.workload]
                pool = calibrate_by_draws(profile, cdf, above=0, up_to=asked.context, context=asked.context, slots=cap)
                return _finite(pool.wait(asked.rate, asked.gpus) + pool.prefill(profile))


def _range(asked: FleetAsked, place: int) -> tuple[int, int]:
    """Return the (above, up_to] that a pool is calibrated on."""
    if asked.cut is None:
        return 0, asked.context
    assert asked.gamma is not None, "a sweep has no ranges"
    return (0, asked.cut) if place == 0 else (int(asked.gamma * asked.cut), asked.context)


def _cap(asked: Curtailed) -> int:
    """Return the papers' batch under a power target: a bisection over 1..256 whose middle is rounded down.

    It may end one short of the largest batch that keeps the target, and where even one sequence draws more it says 1.
    """
    curve, profile = catalog.gpu(asked.gpu).power, paper_profile(asked.gpu)
    target = max(curve.idle, curve.nominal * (1.0 - asked.shed))
    low, high, last = 1, profile.calibration_concurrency, 0
    while low < high and (middle := (low + high) // 2) != last:
        last = middle
        low, high = (middle, high) if float(power(curve, middle)) <= target else (low, middle - 1)
    return min(max(low, 1), profile.slots(asked.context))


def _disaggregated(asked: Disaggregated) -> float:
    """Return a figure of inference-fleet-sim's separate prefill and decode workers, n = 128 at 8,192 tokens."""
    first, second = paper_profile(asked.prefill), paper_profile(asked.decode)
    steps = math.ceil(asked.prompt / first.prefill_chunk)
    prefill = PREFILL_BUSY * SLOTS / (steps * _step(first, asked.prompt))
    decode = DECODE_BUSY * SLOTS / (asked.output * _step(second, asked.output))
    workers = math.ceil(asked.rate / prefill), math.ceil(asked.rate / decode)
    match asked.figure:
        case "prefill":
            return workers[0]
        case "decode":
            return workers[1]
        case "replicas":
            return sum(workers)
        case "cost":
            return (workers[0] * first.price_per_hour + workers[1] * second.price_per_hour) * HOURS_PER_YEAR
        case "ttft":
            return TRANSFER * steps * _step(first, EIGHT_K)
        case "tpot":
            return _step(second, EIGHT_K)


def _step(profile: PaperProfile, tokens: int) -> float:
    return profile.base_step_time + profile.time_per_sequence * SLOTS * tokens / CALIBRATION_CONTEXT


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
