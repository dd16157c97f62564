"""Plans under preset `paper`: the papers' profiles, slots and replica rule, and the arithmetic that they imply."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.hardware import Gpu, Model
from fleettui.domain.plan import Answer, Candidate, Estimate, Evidence, PlanIdentity, PoolEvidence, PoolFigures
from fleettui.domain.scenario import DerivedDemand, Question
from fleettui.domain.workload import Atom, CdfPoint
from fleettui.hardware.paper_profiles import CALIBRATION_CONTEXT, WARNING, PaperProfile
from fleettui.hardware.power import power
from fleettui.optimize.evaluate import POOL_NAMES
from fleettui.optimize.paper import (
    MAX_UTILIZATION,
    Calibration,
    calibrate_by_draws,
    calibrate_exactly,
    fraction_below,
    replicas,
)

NODE_GPUS = 8
KEPT = 200
Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperDemand:
    """Requests per second and their lengths: breakpoints of total tokens where known, atoms always."""

    rate: float
    atoms: Sequence[Atom]
    cdf: Sequence[CdfPoint] = ()

    def within(self, lengths: Range) -> list[Atom]:
        """Return the atoms whose total lies in (above, up_to]."""
        return [atom for atom in self.atoms if lengths[0] < atom[1] + atom[2] <= lengths[1]]

    def share(self, lengths: Range) -> float:
        """Return the share of requests in (above, up_to]."""
        if self.cdf:
            return fraction_below(self.cdf, lengths[1]) - fraction_below(self.cdf, lengths[0])
        return sum(atom[0] for atom in self.within(lengths)) / sum(atom[0] for atom in self.atoms)

    def calibrate(self, profile: PaperProfile, lengths: Range) -> Calibration:
        """Return a pool's calibration: the papers' draws from breakpoints, exact sums over atoms otherwise."""
        above, up_to = lengths
        if self.cdf:
            return calibrate_by_draws(profile, self.cdf, above=above, up_to=up_to, context=up_to)
        return calibrate_exactly(profile, self.within(lengths), up_to)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sized:
    """One pool: its profile, lengths, rate, calibration and replicas."""

    profile: PaperProfile
    gpu: Gpu
    lengths: Range
    rate: float
    calibration: Calibration
    count: int


def find_paper_plan(
    question: Question,
    demand: PaperDemand,
    *,
    gpus: Sequence[tuple[PaperProfile, Gpu]],
    model: Model,
    splits: Sequence[int],
    context: int,
) -> Answer:
    """Return what the papers' method answers: the cheapest fleet of one or two pools that keeps a P99 TTFT limit.

    `gpus` pairs each of the papers' profiles with the catalogue's GPU, which gives power and the datasheet peak that
    the implied MFU is measured by (of an 8-GPU node, since that is the speed the profiles have).
    """
    limit = question.slo.ttft
    assert limit is not None, "the papers size by TTFT"
    sized: dict[tuple[int, Range], _Sized | None] = {}

    def pool(index: int, lengths: Range) -> _Sized | None:
        key = (index, lengths)
        if key not in sized:
            sized[key] = _size(demand, gpus[index], lengths, limit)
        return sized[key]

    fleets = []
    for count in sorted(set(question.pools)):
        cuts = [()] if count == 1 else [(cut,) for cut in splits if 0.0 < demand.share((0, cut)) < 1.0]
        for cut, chosen in itertools.product(cuts, itertools.product(range(len(gpus)), repeat=count)):
            bounds = list(itertools.pairwise((0, *cut, context)))
            pools = [pool(index, lengths) for index, lengths in zip(chosen, bounds, strict=True)]
            if all(one is not None for one in pools):
                fleets.append([one for one in pools if one is not None])
    candidates = sorted((_candidate(question, pools, model) for pools in fleets), key=_order)[:KEPT]
    answer = candidates[0]
    return Answer(
        verdict="pass",
        plan=PlanIdentity(name=question.name, seed=question.seed),
        demand=DerivedDemand(rate=demand.rate, arithmetic=""),
        answer=answer,
        why=_why(answer),
        candidates=tuple(candidates),
        warnings=(WARNING, _implied(answer)),
    )


def _order(candidate: Candidate) -> tuple[float, int, int, str]:
    pools = candidate.fleet.pools
    names = " ".join(f"{pool.gpu} {pool.up_to:9d}" for pool in pools)
    return round(candidate.cost_per_hour, 9), candidate.gpus, len(pools), names


def _size(demand: PaperDemand, gpu: tuple[PaperProfile, Gpu], lengths: Range, limit: float) -> _Sized | None:
    share = demand.share(lengths)
    if share <= 0.0:
        return None
    calibration = demand.calibrate(gpu[0], lengths)
    rate = demand.rate * share
    count = max(1, replicas(calibration, rate, limit))
    return _Sized(profile=gpu[0], gpu=gpu[1], lengths=lengths, rate=rate, calibration=calibration, count=count)


def _candidate(question: Question, pools: Sequence[_Sized], model: Model) -> Candidate:
    names = POOL_NAMES[len(pools)]
    figures = tuple(_figures(one, name, model) for one, name in zip(pools, names, strict=True))
    deployed = tuple(_pool(one, name, question, model) for one, name in zip(pools, names, strict=True))
    cost = sum(one.count * one.profile.price_per_hour for one in pools)
    fleet = Fleet(admission="reserved", pools=deployed)
    outputs = sum(one.rate * one.calibration.output for one in pools)
    return Candidate(
        gpus=fleet.gpus,
        cost_per_hour=cost,
        cost_per_million_output_tokens=cost / (outputs * 3600.0) * 1e6,
        power=sum(one.power for one in figures),
        gpus_range=(fleet.gpus, fleet.gpus),
        model_error=0.0,
        fleet=fleet,
        pools=figures,
        evidence=Evidence(
            method="formula",
            verdict="pass",
            ttft=Estimate(value=max(one.ttft for one in figures)),
            attainment=Estimate(value=None),
            pools=tuple(
                PoolEvidence(
                    name=one.name,
                    ttft=Estimate(value=one.ttft),
                    tpot=Estimate(value=one.tpot),
                    utilization=one.utilization,
                    batch=one.batch,
                )
                for one in figures
            ),
        ),
    )


def _figures(one: _Sized, name: str, model: Model) -> PoolFigures:
    calibration, profile = one.calibration, one.profile
    batch = calibration.offered(one.rate) / one.count
    wait, prefill = calibration.wait(one.rate, one.count), calibration.prefill(profile)
    utilization = batch / calibration.slots
    step = (
        profile.base_step_time + profile.time_per_sequence * calibration.slots * calibration.total / CALIBRATION_CONTEXT
    )
    needed = one.rate * calibration.total * 2.0 * model.active_parameters
    return PoolFigures(
        name=name,
        arrival_rate=one.rate,
        utilization=utilization,
        batch=batch,
        probability_of_wait=calibration.waits(one.rate, one.count),
        wait=wait,
        prefill=prefill,
        ttft=wait + prefill,
        tpot=step,
        e2e=wait + calibration.mean_service,
        mfu=needed / (one.count * NODE_GPUS * one.gpu.peak_bf16),
        bandwidth_use=0.0,
        longest_step=step,
        power=float(power(one.gpu.power, np.maximum(batch, 1.0))) * one.count,
        limited_by="utilization" if utilization > MAX_UTILIZATION * (1.0 - 1.0 / (one.count + 1)) else "wait",
        margin=1.0 - utilization / MAX_UTILIZATION,
    )


def _pool(one: _Sized, name: str, question: Question, model: Model) -> Pool:
    return Pool(
        name=name,
        gpu=one.gpu.name,
        model=model.name,
        dtype="bf16",
        tp=1,
        replicas=one.count,
        context=one.lengths[1],
        concurrency=one.calibration.slots,
        max_num_seqs=one.calibration.slots,
        token_budget=question.token_budget,
        above=one.lengths[0],
        up_to=one.lengths[1],
        profile=PoolProfile(
            base_step_time=one.profile.base_step_time,
            time_per_context_token=one.profile.time_per_sequence / CALIBRATION_CONTEXT,
            time_per_prompt_token=0.0,
            kv_blocks=one.profile.kv_blocks,
        ),
    )


def _why(answer: Candidate) -> tuple[str, ...]:
    return tuple(
        f"pool {pool.name}: {deployed.replicas} x {deployed.concurrency} slots, {pool.utilization:.3f} busy; "
        f"P99 wait {pool.wait:.3g} s + mean prefill {pool.prefill:.3g} s"
        for pool, deployed in zip(answer.pools, answer.fleet.pools, strict=True)
    )


def _implied(answer: Candidate) -> str:
    most = max(answer.pools, key=lambda pool: pool.mfu)
    return (
        f"implied MFU of pool {most.name}: {most.mfu:.0%} of an 8-GPU node's datasheet peak (60 % is rarely reached); "
        "plan without --preset paper for a fleet that can run"
    )
