"""The task `next_points`: which servers' own fits would narrow the range of a plan's fleets, and what to run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from fleettui.domain.anchor import Anchor
from fleettui.domain.calibration import OperatingPoint
from fleettui.domain.fleet import Pool
from fleettui.domain.hardware import Profile
from fleettui.domain.next_points import OWN_FIT, BenchPoint, Prospect, Span
from fleettui.domain.plan import Candidate
from fleettui.domain.uncertain import Factors, error_of, spread_of
from fleettui.errors import InputError
from fleettui.optimize.fit_words import outside
from fleettui.optimize.operating_points import operating_points
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.confidence import of_fleet
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of

FEWER = 8
"""By what factor the run with few clients has fewer: far enough apart to tell a step's constant from its factor."""
REPOSITORY = re.compile(r"huggingface\.co/([\w.-]+/[\w.-]+)")


def run(
    context: Context,
    *,
    source: SceneSource,
    candidates: tuple[Candidate, ...],
    anchors: tuple[tuple[Anchor, ...], ...],
) -> tuple[tuple[Prospect, ...], tuple[str, ...]]:
    """Return what fits of the servers of `candidates`, the answer first, would narrow, and the answer's known ones.

    `anchors` are what was simulated of the pools of each: their ranges are by that, as the plan's own is.
    What narrows most stands first, after the most that a server of the answer does. Of another fleet only what may cost
    less than the answer counts. A server stands once, with the first fleet that has it.
    """
    scene = scene_of(source)
    found: dict[str, Prospect] = {}
    known: list[str] = []
    for place, (candidate, seen) in enumerate(zip(candidates, anchors, strict=True)):
        context.progress("looking at fleets", place, len(candidates))
        if place and not _may_be_cheaper(candidate, candidates[0]):
            continue
        for one in _prospects(scene, candidate, seen, is_answer=place == 0):
            if one.unseen or _is_wider(one.band):
                found.setdefault(one.server, one)
            elif not place:
                known.append(one.server)
    ranked = sorted(found.values(), key=lambda one: -one.narrowed)
    own = [one for one in ranked if one.is_answer][:1]
    return (*own, *(one for one in ranked if one not in own)), tuple(known)


def _may_be_cheaper(other: Candidate, answer: Candidate) -> bool:
    """Return whether a fleet costs less than the answer where its steps take the least of their band."""
    least = other.gpus_range[0]
    return least is not None and other.cost_per_hour * least / other.gpus < answer.cost_per_hour


def _prospects(
    scene: Scene, candidate: Candidate, anchors: tuple[Anchor, ...], *, is_answer: bool
) -> Iterator[Prospect]:
    """Yield what a fit of each server of a fleet would do for it.

    None of hardware whose speeds were given, nor of pipelines: files of runs do not say their stages.
    """
    fleet, sizes = candidate.fleet, [pool.replicas for pool in candidate.fleet.pools]
    staged, profiles = scene.resize(fleet, sizes)
    points = list(zip(fleet.pools, operating_points(staged.candidate, staged.traffic), strict=True))
    today = _range(scene, candidate, anchors)
    measurable = (one for one in profiles if one.model_error and one.pp == 1 and not one.layout)
    for key, profile in {one.replica_key: one for one in measurable}.items():
        better = profile
        if _is_wider(profile.step_factors):
            better = replace(profile, band=OWN_FIT, model_error=error_of(OWN_FIT))
        fitted = replace(scene, profiles=tuple(better if one.replica_key == key else one for one in profiles))
        after = _range(fitted, candidate, anchors)
        fit = scene.question.fit_of(profile)
        own = [(pool, point) for pool, point in points if pool.replica_key == key]
        yield Prospect(
            gpu=profile.gpu,
            model=profile.model,
            engine=scene.question.engine,
            dtype=profile.dtype,
            kv_dtype=profile.kv_dtype,
            expert_parallel=profile.expert_parallel,
            tp=profile.tp,
            is_answer=is_answer,
            fleet=fleet,
            gpus=candidate.gpus,
            known_by=profile.evidence,
            band=profile.step_factors,
            gpus_range=today,
            fitted_range=after,
            unseen=() if fit is None else tuple(one for _, point in own for one in outside(point, fit)),
            narrowed=_narrowed(today, after) * candidate.cost_per_hour / candidate.gpus,
            repository=_repository(profile),
            points=tuple(_runs(own, profile)),
        )


def _range(scene: Scene, candidate: Candidate, anchors: tuple[Anchor, ...]) -> Span:
    """Return a fleet's range of GPUs over the error of its step times, corrected by what was simulated of its pools.

    By formula alone in a closed loop, whose rate is another at other speeds, and where a fleet cannot be sized.
    """
    fleet = candidate.fleet
    if scene.question.demand.form != "concurrency":
        with suppress(InputError):
            return of_fleet(scene, fleet, anchors).span
    return scene.resize(fleet, [pool.replicas for pool in fleet.pools])[0].candidate.gpus_range


def _is_wider(band: Factors) -> bool:
    """Return whether steps are known less well than by a fit to two runs."""
    return spread_of(band) > spread_of(OWN_FIT)


def _narrowed(today: Span, after: Span) -> float:
    """Return by how many GPUs a range is less wide."""
    before, then = (math.inf if high is None else high - (low or 0) for low, high in (today, after))
    return 0.0 if before == then else before - then


def _runs(own: Sequence[tuple[Pool, OperatingPoint]], profile: Profile) -> Iterator[BenchPoint]:
    """Yield a run at the point of each pool, and one with few clients, whose prompts fit in one step together."""
    busiest, *others = sorted((_run(pool, point, profile) for pool, point in own), key=lambda one: -one.clients)
    budget = own[0][0].token_budget
    few = max(1, min(busiest.clients // FEWER, budget // busiest.prompt_tokens))
    if few == busiest.clients:
        busiest = replace(busiest, clients=min(FEWER, _fitting(busiest, profile)))
    yield busiest
    yield replace(busiest, clients=few)
    yield from others


def _run(pool: Pool, point: OperatingPoint, profile: Profile) -> BenchPoint:
    run = BenchPoint(
        clients=max(1, round(point.sequences)),
        prompt_tokens=max(1, round(point.prompt_tokens)),
        output_tokens=max(2, round(point.output_tokens)),
    )
    return replace(run, clients=min(run.clients, pool.max_num_seqs, _fitting(run, profile)))


def _fitting(run: BenchPoint, profile: Profile) -> int:
    """Return how many of a run's requests the cache holds: with more, clients wait, and the run tells nothing."""
    return max(1, profile.kv_blocks * profile.block_size // (run.prompt_tokens + run.output_tokens))


def _repository(profile: Profile) -> str:
    cited = (REPOSITORY.search(one.source) for one in profile.citations if one.field == "model.config")
    return next((found[1] for found in cited if found), profile.model)
