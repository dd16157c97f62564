"""The tasks of `frontier`: which rates and layouts there are, every fleet at one rate, and a point simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from fleettui.domain.afd import AfdLayout
from fleettui.domain.disagg import DisaggFleet, Links
from fleettui.domain.fleet import FleetSketch
from fleettui.domain.frontier import FrontierAsked, FrontierPoint, FrontierProof, FrontierRange, FrontierTried
from fleettui.domain.hardware import Gpu, Profile
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolLength, PoolTraffic, Replication, Traffic
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.kv_transfer import cache_size, links_between
from fleettui.optimize.afd_replicas import afd_replica, as_run, mean_context, widest
from fleettui.optimize.architectures import Architectures
from fleettui.optimize.disagg import pair_of
from fleettui.optimize.disagg_pair import Pair
from fleettui.optimize.ranges import Slices
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import checked
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.planning.tasks.simulation_inputs import KEPT, scene_of
from fleettui.planning.tasks.task_cache import Recent
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation import lengths, run, tandem_run
from fleettui.simulation.statistics import LATENCY, estimate

STEPS = 20
"""Rates that are tried, from a part of the highest on, evenly spread."""
RUNS = 5
MOST_REQUESTS = 20_000
"""Replications of a point, and requests of each that are measured at most, and before them."""

Made: TypeAlias = tuple[Architectures, tuple[tuple[str, str], ...]]
_recent = Recent[Made](KEPT)


def rates(context: Context, *, source: SceneSource, asked: FrontierAsked) -> FrontierRange:
    """Return the rates up to which some fleet may keep up, and the AFD layouts that hold the model."""
    context.progress("laying out replicas")
    made, refused = _made(source, asked)
    most = made.most_rate()
    if not most > 0.0:
        raise InputError(
            f"no replica of {asked.gpus} {asked.gpu} can hold the plan's requests", where="--gpus", value=asked.gpus
        )
    return FrontierRange(
        rates=tuple(most * place / STEPS for place in range(1, STEPS + 1)),
        layouts=tuple(text for text, _ in made.afd),
        left_out=refused,
    )


def points(context: Context, *, source: SceneSource, asked: FrontierAsked, rate: float) -> FrontierTried:
    """Return what every fleet does at one rate, those that another beats left out."""
    return _at(source, asked, rate).tried(context.check)


def play(
    context: Context,
    *,
    source: SceneSource,
    asked: FrontierAsked,
    points: tuple[FrontierPoint, ...],
    bound: float,
    tpot: float,
    seed: int,
) -> FrontierProof:
    """Return the first of `points`, highest rate first, whose latencies are within `bound` and `tpot` by simulation.

    The last one that was simulated where none is.
    """
    make_ready(context.progress)
    for tried, point in enumerate(points, 1):
        made = _at(source, asked, point.rate)
        runs = list[Replication]()
        for index in range(RUNS):
            context.check()
            runs.append(_replicate(made, point, seed, index))
        first = estimate([one.pools[0].ttft for one in runs], ends=LATENCY)
        later = estimate([one.pools[0].tpot for one in runs], ends=LATENCY)
        holds = (first.value or 0.0) <= bound and (later.value or 0.0) <= tpot
        proof = FrontierProof(bound=bound, point=point, ttft=first, tpot=later, holds=holds, runs=RUNS, tried=tried)
        if holds:
            break
    return proof


def _replicate(made: Architectures, point: FrontierPoint, seed: int, index: int) -> Replication:
    """Run replication `index` of a point's fleet, in the time slice with most requests."""
    question = made.question
    if point.together is not None:
        (profile,) = made.replicas_of(point)
        found = made.score_together(FleetSketch.of(point.together), profile)
        assert found is not None, "a fleet that was scored is scored again"
        fleet, traffic = found.candidate.fleet, found.traffic
        long = [_short(one) for one in lengths.lengths(fleet, traffic).pools]
        return run.replicate(fleet, traffic, long, profiles=[profile], slo=question.slo, seed=seed, index=index)
    assert point.apart is not None, "a point has one of two fleets"
    pair = _pair(made, point, point.apart)
    profiles = pair.prefill.profile, pair.decode.profile
    return replicate_apart(made, point.apart, profiles, seed=seed, index=index)


def replicate_apart(
    made: Architectures, fleet: DisaggFleet, profiles: tuple[Profile, Profile], *, seed: int, index: int
) -> Replication:
    """Run replication `index` of a fleet of two sides, in the time slice with most requests."""
    question = made.question
    busiest = max(range(len(made.slices)), key=lambda place: made.slices[place][0])
    rate, atoms = made.slices[busiest]
    traffic = Traffic(
        pools=(PoolTraffic(arrival_rate=rate, atoms=tuple(atoms)),),
        prefix_hit=question.prefix_hit,
        arrivals=question.arrivals,
        record=question.record,
    )
    return tandem_run.replicate(
        fleet,
        traffic,
        PoolLength(warm_up=MOST_REQUESTS // 4, measured=MOST_REQUESTS, relaxation=0.0),
        admission=question.admission,
        profiles=profiles,
        slo=question.slo,
        seed=seed,
        index=index,
    )


def _short(length: PoolLength) -> PoolLength:
    return replace(length, warm_up=MOST_REQUESTS // 4, measured=MOST_REQUESTS)


def _pair(made: Architectures, point: FrontierPoint, fleet: DisaggFleet) -> Pair:
    """Return the pair of profiles that a point's fleet is made of."""
    prefill, decode = made.replicas_of(point)
    return pair_of(fleet, made.question, slices=made.slices, profiles=(prefill, decode), context=made.context)


def _at(source: SceneSource, asked: FrontierAsked, rate: float) -> Architectures:
    """Return what may be built, at a rate."""
    made, _ = _made(source, asked)
    return replace(made, slices=scene_of(source).case.at(rate))


def made_of(source: SceneSource, asked: FrontierAsked) -> Architectures:
    """Return what may be built at the scene's rate."""
    return _made(source, asked)[0]


def _made(source: SceneSource, asked: FrontierAsked) -> Made:
    """Return what may be built at the scene's rate, and which layouts cannot, with why."""
    return _recent.get(f"{source.key} {asked!r}", lambda: _make(source, asked))


def _make(source: SceneSource, asked: FrontierAsked) -> Made:
    scene = scene_of(source)
    question = checked(scene.question)
    model = catalog.model(question.model)
    known = {one.name: one for one in catalog.asked_gpus(question.gpus, dict(question.prices))}
    gpu = known.get(asked.gpu) or catalog.gpu(asked.gpu)
    profiles = [one for one in profiles_of(question, model) if one.gpus_per_replica <= asked.gpus]
    if not profiles:
        raise InputError(
            f"no replica of {model.name} fits on so few GPUs", where="--gpus", value=asked.gpus, remedy="name more"
        )
    slices, afd, refused = scene.case.at(scene.rate), list[tuple[str, Profile]](), list[tuple[str, str]]()
    for text in asked.layouts:
        try:
            afd.append((text, _afd(text, profiles, gpu, question=question, slices=slices, link=asked.link)))
        except InputError as refusal:
            refused.append((text, refusal.what))

    def links(prefill: Profile, decode: Profile) -> Links:
        return links_between(prefill, decode, {gpu.name: gpu}, asked.link)

    made = Architectures(
        question=question,
        slices=slices,
        context=scene.context,
        gpus=asked.gpus,
        profiles=profiles,
        afd=tuple(afd),
        cache=cache_size(model, profiles[0].kv_dtype),
        links_of=links,
        only=asked.only,
    )
    return made, tuple(refused)


def _afd(
    text: str, profiles: Sequence[Profile], gpu: Gpu, *, question: Question, slices: Slices, link: float | None
) -> Profile:
    """Return the profile of AFD replicas laid out as `text` says, with the engine of the widest co-located one."""
    like = widest(profiles)
    replica = afd_replica(AfdLayout.read(text), (gpu, gpu), like, question, link=link)
    price = like.price_per_hour
    return as_run(replica.profile(like, (price, price), mean_context(slices)), like)
