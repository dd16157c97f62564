"""The task `advice`: what another question takes beside a proven answer, by formula as its simulations correct it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from fleettui.domain.advice import Advice, Turn
from fleettui.domain.confidence import LIKELY
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import UNKNOWN_PAIRING, Answer, Candidate
from fleettui.domain.seen_fleets import by_replica, make_of, mildest, with_unseen, worst
from fleettui.domain.serialization import decode
from fleettui.domain.uncertain import slower_than
from fleettui.domain.workload import Workload
from fleettui.optimize.better_known import least_of
from fleettui.optimize.kept_offers import KeptOffers
from fleettui.optimize.plan import scorer_of
from fleettui.planning.anchors import anchors_from
from fleettui.planning.plan_search import shapes_of
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.confidence import known_by, remembered, shape_of
from fleettui.planning.tasks.paired_settings import settings_instead
from fleettui.planning.tasks.plan import answer_case, paid_for, searched, settings_of, tried_of
from fleettui.planning.tasks.posted_prices import posted_prices
from fleettui.planning.tasks.simulation_inputs import read, scene_of
from fleettui.planning.tasks.sure_fleet import sized_shapes
from fleettui.planning.tasks.tried_advice import with_one_pool
from fleettui.planning.worth import cost
from fleettui.reports.posted_prices import PostedPrices

MOST_OTHERS = 20
"""Fleets of other GPU types that are returned at most."""


def run(context: Context, *, source: SceneSource, answer: Answer) -> list[Advice]:
    """Return what would change `answer`, whose candidates are all that was simulated for it."""
    context.check()
    scene = scene_of(source)
    anchors = by_replica(answer.candidates, scene.question, scene.rate)
    tried = tried_of(answer, scene, answer.candidates, anchors)
    return [*tried.advice(decode(Workload, source.workload))]


def instead(context: Context, *, source: SceneSource, answer: Answer, nearest: Candidate, turn: Turn) -> list[Advice]:
    """Return the settings of the engine with which a question has a fleet that has none, best first.

    The candidates of `answer` are all that was simulated for it; what is tried are the settings of the `nearest` fleet.
    """
    context.check()
    scene = scene_of(source)
    anchors = by_replica(answer.candidates, scene.question, scene.rate)
    return settings_instead(settings_of(scene, anchors), nearest, turn)


def pairing(context: Context, *, source: SceneSource, answer: Answer) -> str:
    """Return how many GPUs other ways take in which lengths may pair, as the answer's simulations correct the formulas.

    Empty where the workload tells, and where none takes another number.
    """
    context.check()
    scene, best = scene_of(source), answer.answer
    assert best is not None, "what is proven has a fleet"
    anchors = by_replica(answer.candidates, scene.question, scene.rate)
    cases, _ = read(scene.question, decode(Workload, source.workload), scene.profiles)
    others = [case for case in cases if case.pairing != source.pairing]
    found = [answer_case(scene.question, case, scene.profiles, scene.context, anchors=anchors) for case in others]
    sizes = [one.answer.gpus for one in found if one.answer is not None]
    least, most = min(sizes, default=best.gpus), max(sizes, default=best.gpus)
    if most > best.gpus:
        return f"{UNKNOWN_PAIRING}: ~{least} to ~{most} GPUs beside the {best.gpus} shown; a trace tells"
    return (
        f"{UNKNOWN_PAIRING}: ~{least} to {best.gpus} GPUs, the most shown; a trace tells" if least < best.gpus else ""
    )


def outputs(context: Context, *, source: SceneSource, answer: Answer) -> tuple[str, ...]:
    """Return an answer's warnings, that of a router that must know outputs with what one pool takes.

    That is by formula as the candidates of the answer correct it: replicas of which none was simulated err as little as
    any that were.
    """
    context.check()
    scene, best = scene_of(source), answer.answer
    assert best is not None, "what is proven has a fleet"
    anchors = by_replica(answer.candidates, scene.question, scene.rate)
    corrected = with_unseen(anchors, (one.replica_key for one in scene.profiles))
    found = searched(scene, replace(scene.question, pools=(1,), splits=()), scene.profiles, corrected).answer
    return with_one_pool(answer.warnings, best, found)


def prices(
    context: Context,
    *,
    source: SceneSource,
    answer: Answer,
    ranked: Sequence[Candidate],
    shown: Sequence[Candidate],
    closed: Sequence[Fleet],
) -> list[PostedPrices]:
    """Return which fleet would cost less than a proven answer at posted prices, none where none would.

    `ranked` are the fleets that hold by formula; those count which were not simulated and hold with the error that was
    seen on their replicas, too. One of other replicas, which would not with as little as was seen on any, takes more.
    `shown` are fleets that looks showed to be what the question asks for, `closed` the makes that were looked at: where
    it wishes how sure a fleet is, no other size of these is.
    """
    context.check()
    scene, seen = scene_of(source), {one.fleet for one in answer.candidates}
    anchors = by_replica(answer.candidates, scene.question, scene.rate)
    limits = scene.question.held_limits()
    known = set(closed) if scene.question.confidence is not None else set()
    passed = [
        one
        for one in answer.candidates
        if one.simulation is not None and one.simulation.verdict == "pass" and make_of(one) not in known
    ]
    guessed = [
        one
        for one in ranked
        if one.fleet not in seen and all(worst(one, limit, anchors) <= limit.seconds for limit in limits)
    ]
    more = [one.fleet for one in guessed if any(mildest(one, limit, anchors) > limit.seconds for limit in limits)]
    found = posted_prices(answer, scene, [*passed, *guessed], anchors, more=more, shown=shown)
    return [] if found is None else [found]


def without(context: Context, *, source: SceneSource, answer: Answer) -> list[Candidate]:
    """Return fleets without an answer's GPU types that hold by formula, as its candidates correct it; best first.

    Where the question wishes how sure a fleet is they are as sure; else it is the best one. What costs less than an
    answer that is as sure was found to be less sure.
    """
    context.check()
    scene, best = scene_of(source), answer.answer
    assert best is not None, "what stands beside an answer has one"
    others = tuple(one for one in scene.profiles if one.gpu not in best.fleet.gpus_by_type)
    if not others:
        return []
    anchors = by_replica(answer.candidates, scene.question, scene.rate)
    if scene.question.confidence is None:
        alone = KeptOffers(anchors)
        found = answer_case(scene.question, scene.case, others, scene.context, anchors=anchors, alone=alone).answer
        return [] if found is None else [found]
    all_ = answer_case(scene.question, scene.case, others, scene.context, anchors=anchors)
    sized = sized_shapes(all_, replace(scene, profiles=others), known_by(anchors), remembered(source.key))
    return [*islice((one for one in sized if cost(one) >= cost(best)), MOST_OTHERS)]


def shapes(context: Context, *, source: SceneSource, answer: Answer) -> list[Candidate]:
    """Return the shapes that a plan without an answer's GPU types would walk to, by the formulas alone; best first."""
    context.check()
    scene, best = scene_of(source), answer.answer
    assert best is not None, "what stands beside an answer has one"
    others = tuple(one for one in scene.profiles if one.gpu not in best.fleet.gpus_by_type)
    found = answer_case(scene.question, scene.case, others, scene.context)
    return shapes_of(found.candidates, found, scene.question)


def divided(context: Context, *, source: SceneSource, answer: Answer, turned: PostedPrices) -> list[Fleet]:
    """Return the fleet of the GPU types that prices turn an answer to which is best at these, none where none holds.

    It is the formulas', as the candidates of the answer correct them.
    """
    context.check()
    scene, said = scene_of(source), dict(turned.prices)
    question = replace(scene.question, prices=tuple({**dict(scene.question.prices), **said}.items()))
    profiles = tuple(
        replace(one, price_per_hour=said.get(one.gpu, one.price_per_hour))
        for one in scene.profiles
        if one.gpu in turned.other.fleet.gpus_by_type
    )
    anchors = by_replica(answer.candidates, scene.question, scene.rate)
    alone = KeptOffers(anchors)
    found = answer_case(question, scene.case, profiles, scene.context, anchors=anchors, alone=alone).answer
    return [] if found is None else [found.fleet]


def sure_cost(context: Context, *, source: SceneSource, answer: Answer, fleet: Candidate) -> list[float]:
    """Return what the GPUs of `fleet` cost an hour to be as good as sure, nothing where no number is.

    It is what a fleet costs: the least of this one and of those that the formulas rank of exactly its GPU types, as
    those among the answer's candidates that have the same types correct them. Whatever else may be had, it is the same.
    """
    context.check()
    scene, gpus = scene_of(source), fleet.fleet.gpus_by_type.keys()
    question, rate = scene.question, scene.rate
    alike = [one for one in answer.candidates if one.fleet.gpus_by_type.keys() == gpus]
    profiles = [one for one in scene.profiles if one.gpu in gpus]
    anchors = with_unseen(by_replica(alike, question, rate), (one.replica_key for one in profiles))
    scorer = scorer_of(
        replace(question, confidence=LIKELY),
        slices=scene.case.at(rate),
        profiles=profiles,
        grid=question.splits or scene.case.grid(),
        context=scene.context,
        anchors=anchors,
    )
    shape = shape_of(scene, fleet.fleet, anchors_from(alike, fleet, question, rate))
    sizes = shape.replicas(rate, slower_than(LIKELY))
    own = math.inf if sizes is None else shape.cost(sizes)
    least = max(fleet.cost_per_hour, min(own, least_of(frozenset(gpus), scorer)))
    return [least] if math.isfinite(least) else []


def paid(context: Context, *, source: SceneSource, fleets: Sequence[Fleet]) -> list[int]:
    """Return how many GPUs each fleet is paid for."""
    context.check()
    scene = scene_of(source)
    return [paid_for(one, scene) for one in fleets]
