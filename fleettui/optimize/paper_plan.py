"""Plans under preset `paper`: the papers' profiles, slots and replica rule, and the arithmetic that they imply."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.hardware import Gpu, Model
from fleettui.domain.limiting import ONE_REPLICA
from fleettui.domain.plan import Answer, Candidate, Estimate, Evidence, PlanIdentity, PoolEvidence, PoolFigures
from fleettui.domain.scenario import Question
from fleettui.domain.unit_cost import per_million_tokens
from fleettui.errors import InputError
from fleettui.hardware.paper_profiles import CALIBRATION_CONTEXT, SETTINGS, WARNING, PaperProfile
from fleettui.hardware.power import power
from fleettui.optimize.evaluate import POOL_NAMES
from fleettui.optimize.paper import (
    MAX_UTILIZATION,
    Lengths,
    SizedPool,
    size_pools,
)
from fleettui.optimize.plan import factors_of
from fleettui.optimize.spares import papers_spares, share_up
from fleettui.queueing.availability import all_up

NODE_GPUS = 8
KEPT = 200
NO_SIZE_HELPS = "the mean prefill is over the limit, or the wait with it: the papers' rule buys no more GPUs for that"
Range = tuple[int, int]
TIME_LEFT_OUT = "so is the measured time of the compressor, which no TTFT here has"
LEFT_OUT = "the work of the compressed requests is left out, as in the papers; --preset recommended counts it"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperDemand:
    """Requests per second and their lengths."""

    rate: float
    lengths: Lengths


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """A way to divide the lengths: at `cut` tokens, those of up to gamma times as many compressed, or not at all."""

    cut: int | None = None
    gamma: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sized:
    """One pool: as the papers size it, its GPU and its lengths, for a `question`."""

    pool: SizedPool
    gpu: Gpu
    lengths: Range
    question: Question

    @property
    def count(self) -> int:
        """Replicas; a pool of hardly any requests, to which the papers give none, needs one to be a pool."""
        return max(1, self.pool.replicas)

    @property
    def spares(self) -> int:
        """Replicas that stand by for those that are down."""
        return papers_spares(self.count, self.question)

    @property
    def cost_per_hour(self) -> float:
        """US dollars per hour, one GPU's price for each replica, spare ones too."""
        return (self.count + self.spares) * self.pool.profile.price_per_hour

    @property
    def ttft(self) -> float:
        """The P99 TTFT that the papers print, in seconds: the P99 wait and the mean prefill."""
        calibration = self.pool.calibration
        return calibration.wait(self.pool.rate, self.count) + calibration.prefill(self.pool.profile)


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

    Where the papers' rule sizes fleets of which none keeps the limit by the TTFT that it prints, the cheapest fails.
    `gpus` pairs each of the papers' profiles with the catalogue's GPU, which gives power and the datasheet peak that
    the implied MFU is measured by (of an 8-GPU node, since that is the speed the profiles have).
    """
    fleets = [
        (way.gamma, pools)
        for way in _ways(question, demand.lengths, splits, context)
        for pools in _fleets(question, demand, gpus, way, context)
    ]
    if not fleets:
        raise InputError("no split leaves requests on both sides", where="--split", value=question.splits)
    best = sorted(fleets, key=lambda fleet: (not _holds(fleet[1], question), _order(fleet)))[:KEPT]
    candidates = [_candidate(question, pools, model, gamma) for gamma, pools in best]
    answer, holds = candidates[0], _holds(best[0][1], question)
    return Answer(
        verdict="pass" if holds else "fail",
        plan=PlanIdentity(name=question.name, seed=question.seed),
        demand=DerivedDemand(rate=demand.rate, arithmetic=""),
        answer=answer,
        why=(*_why(answer), *_standing_by(answer, question), *([] if holds else [NO_SIZE_HELPS])),
        candidates=tuple(candidates),
        warnings=(WARNING, _implied(answer), *_left_out(answer.fleet, question)),
    )


def _left_out(fleet: Fleet, question: Question) -> list[str]:
    """Return what the papers' sizes leave out of compression, where the fleet has any."""
    if fleet.gamma <= 1.0:
        return []
    return [LEFT_OUT] if question.compressor is None else [LEFT_OUT, TIME_LEFT_OUT]


def _holds(pools: Sequence[_Sized], question: Question) -> bool:
    """Return whether the TTFT of every pool is within the limit."""
    limit = question.slo.ttft
    assert limit is not None, "the papers size by TTFT"
    return all(one.ttft <= limit for one in pools)


def _order(fleet: tuple[float, tuple[_Sized, ...]]) -> tuple[float, int, int, float, str]:
    """Return what a fleet, a factor with its pools, is ranked by: cost, GPUs, pools, gamma, names and splits."""
    gamma, pools = fleet
    cost = sum(one.cost_per_hour for one in pools)
    names = " ".join(f"{one.gpu.name} {one.lengths[1]:9d}" for one in pools)
    return round(cost, 9), sum(one.count + one.spares for one in pools), len(pools), gamma, names


def _ways(question: Question, lengths: Lengths, splits: Sequence[int], context: int) -> list[_Way]:
    """Return the ways to divide the lengths that leave each pool requests to be calibrated on."""
    ways = [_Way()] if 1 in question.pools else []
    if 2 in question.pools:
        factors = [gamma for gamma in factors_of(question.gamma) if gamma >= question.gamma[0]]
        ways += [
            _Way(cut=cut, gamma=gamma)
            for cut, gamma in itertools.product(splits, factors)
            if lengths.holds(0, cut) and lengths.holds(int(gamma * cut), context)
        ]
    return ways


def _fleets(
    question: Question, demand: PaperDemand, gpus: Sequence[tuple[PaperProfile, Gpu]], way: _Way, context: int
) -> list[tuple[_Sized, ...]]:
    """Return every pairing of `gpus` over one way to divide the lengths; a pool's size rests on its own GPU alone."""
    limit = question.slo.ttft
    assert limit is not None, "the papers size by TTFT"
    bounds = list(itertools.pairwise((0, context) if way.cut is None else (0, way.cut, context)))
    by_gpu = []
    for profile, gpu in gpus:
        sized = size_pools(
            demand.lengths,
            [profile],
            rate=demand.rate,
            slo=limit,
            cut=way.cut,
            context=context,
            gamma=way.gamma,
            compressible=question.compressible,
        )
        pairs = zip(sized, bounds, strict=True)
        by_gpu.append([_Sized(pool=one, gpu=gpu, lengths=own, question=question) for one, own in pairs])
    return list(itertools.product(*zip(*by_gpu, strict=True)))


def _candidate(question: Question, pools: Sequence[_Sized], model: Model, gamma: float) -> Candidate:
    names = POOL_NAMES[len(pools)]
    figures = tuple(_figures(one, name, model) for one, name in zip(pools, names, strict=True))
    deployed = tuple(_pool(one, name, question, model) for one, name in zip(pools, names, strict=True))
    cost = sum(one.cost_per_hour for one in pools)
    fleet = Fleet(gamma=gamma, compressible=question.compressible, admission="reserved", pools=deployed)
    outputs = sum(one.pool.rate * one.pool.calibration.output for one in pools)
    return Candidate(
        gpus=fleet.gpus,
        cost_per_hour=cost,
        cost_per_million_output_tokens=per_million_tokens(cost, outputs),
        power=sum(one.power for one in figures),
        gpus_range=(fleet.gpus, fleet.gpus),
        model_error=0.0,
        fleet=fleet,
        pools=figures,
        evidence=Evidence(
            method="formula",
            verdict="pass" if _holds(pools, question) else "fail",
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
    calibration, profile, rate = one.pool.calibration, one.pool.profile, one.pool.rate
    batch = calibration.offered(rate) / one.count
    wait, prefill = calibration.wait(rate, one.count), calibration.prefill(profile)
    utilization = batch / calibration.slots
    step = (
        profile.base_step_time + profile.time_per_sequence * calibration.slots * calibration.total / CALIBRATION_CONTEXT
    )
    needed = rate * calibration.total * 2.0 * model.active_parameters
    return PoolFigures(
        name=name,
        arrival_rate=rate,
        utilization=utilization,
        batch=batch,
        probability_of_wait=calibration.waits(rate, one.count),
        wait=wait,
        prefill=prefill,
        ttft=one.ttft,
        tpot=step,
        e2e=wait + calibration.mean_service,
        mfu=needed / (one.count * NODE_GPUS * one.gpu.peak_bf16),
        bandwidth_use=0.0,
        longest_step=step,
        power=float(power(one.gpu.power, np.maximum(batch, 1.0))) * one.count + one.spares * one.gpu.power.idle,
        limited_by=_limited_by(utilization, one.count),
        margin=1.0 - utilization / MAX_UTILIZATION,
    )


def _limited_by(utilization: float, count: int) -> str:
    """Return what one replica fewer would break: the load goes from so many to one fewer."""
    if count == 1:
        return ONE_REPLICA
    return "utilization" if utilization * count > MAX_UTILIZATION * (count - 1) else "wait"


def _pool(one: _Sized, name: str, question: Question, model: Model) -> Pool:
    return Pool(
        name=name,
        gpu=one.gpu.name,
        model=model.name,
        dtype="bf16",
        tp=1,
        replicas=one.count,
        context=one.lengths[1],
        concurrency=one.pool.calibration.slots,
        max_num_seqs=one.pool.calibration.slots,
        token_budget=question.token_budget if isinstance(question.token_budget, int) else SETTINGS.token_budget,
        above=one.lengths[0],
        up_to=one.lengths[1],
        profile=PoolProfile(
            base_step_time=one.pool.profile.base_step_time,
            time_per_context_token=one.pool.profile.time_per_sequence / CALIBRATION_CONTEXT,
            time_per_prompt_token=0.0,
            kv_blocks=one.pool.profile.kv_blocks,
        ),
        spares=one.spares,
    )


def _why(answer: Candidate) -> tuple[str, ...]:
    return tuple(
        f"pool {pool.name}: {deployed.replicas} x {deployed.concurrency} slots, {pool.utilization:.3f} busy; "
        f"P99 wait {pool.wait:.3g} s + mean prefill {pool.prefill:.3g} s"
        for pool, deployed in zip(answer.pools, answer.fleet.pools, strict=True)
    )


def _standing_by(answer: Candidate, question: Question) -> Iterator[str]:
    """Yield what the papers' rule for spares comes to, nothing where the question has no availability."""
    up = share_up(question)
    for pool in answer.fleet.pools if up is not None else ():
        assert up is not None, "it has one here"
        held = pool.replicas + pool.spares
        yield (
            f"pool {pool.name}: {pool.replicas} over the availability {up:.2%} is {held}, the papers' rule: "
            f"as many as are needed are up {all_up(pool.replicas, held, up):.1%} of the time; "
            "--preset recommended takes a target for that"
        )


def _implied(answer: Candidate) -> str:
    most = max(answer.pools, key=lambda pool: pool.mfu)
    return (
        f"implied MFU of pool {most.name}: {most.mfu:.0%} of an 8-GPU node's datasheet peak (60 % is rarely reached); "
        "plan without --preset paper for a fleet that can run"
    )
