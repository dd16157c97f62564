"""By formula, fleets at other sizes: the one that is as sure as wished, and what would be as good as sure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.confidence import LIKELY, Confidence, SureFleet
from fleettui.domain.limiting import LONGER_STEPS, WHOLE_NODES
from fleettui.domain.other_gpus import other_gpu
from fleettui.domain.plan import WITHOUT, Answer, Candidate, Evidence
from fleettui.domain.remedy import without_constraints
from fleettui.domain.size_curve import fills_nodes
from fleettui.optimize import paid_nodes
from fleettui.optimize.evaluate import Scorer
from fleettui.optimize.explain import surplus
from fleettui.optimize.offers import offers_of
from fleettui.optimize.ranges import Ranges
from fleettui.optimize.search import Choice
from fleettui.optimize.terms import Terms
from fleettui.planning import confidence_reasons
from fleettui.planning.sized_shapes import (
    MOST_SURE,
    Option,
    Shape,
    beside,
    better,
    has_other_types,
    needs_more,
    options,
    with_alike,
)
from fleettui.planning.tasks import confidence
from fleettui.planning.tasks.confidence import Known
from fleettui.planning.tasks.simulation_inputs import Scene
from fleettui.planning.walked_shapes import distinct, worth_a_walk
from fleettui.planning.worth import best_first, worth_of


def as_sure_as_wished(answer: Answer, scene: Scene, known: Known) -> Answer:
    """Return the answer with the best fleet that suffices in the wished share of the cases; infeasible if none does."""
    best, question, wished = answer.answer, scene.question, scene.question.confidence
    if best is None or wished is None:
        return answer
    shapes = _shapes(answer, best, scene)
    found = _options(shapes, scene, known, wished)
    resized = (_as_wished(one.shape, one.sizes, scene) for one in found)
    surest = next((one for one in resized if not one.shortfalls), None)
    if surest is None:
        free = replace(scene, question=without_constraints(question))
        would = next(iter(_options(shapes, free, known, wished)), None)
        nearest = None if would is None else _as_wished(would.shape, would.sizes, scene)
        return replace(answer, verdict="infeasible", answer=None, why=(confidence_reasons.none(question, nearest),))
    same = next((one for one in answer.candidates if one.fleet == surest.fleet), None)
    candidates = answer.candidates if same else _among(surest, answer.candidates)
    own = answer.why[: len(best.fleet.pools)] if same == best else (confidence_reasons.sized(question, best),)
    own = (*own, *confidence_reasons.little_known(surest, answer.candidates, question))
    others = _with_surplus(answer.why[len(best.fleet.pools) :], best, surest, scene)
    why = (*own, *_as_wished_of_others(others, surest, found, scene))
    return replace(answer, answer=same or surest, candidates=candidates, why=why)


def in_all_paid(answer: Answer, scene: Scene) -> Answer:
    """Return the answer with as many replicas as the whole nodes have room for that it pays for anyway, by formula."""
    best, question = answer.answer, scene.question
    if best is None or not fills_nodes(question):
        return answer
    sized = paid_nodes.in_all_paid(
        best, question, slices=scene.case.at(scene.rate), profiles=scene.profiles, context=scene.context
    )
    if sized.fleet == best.fleet:
        return answer
    own, sizes = len(best.fleet.pools), [pool.replicas for pool in sized.fleet.pools]
    larger = _limited(_resized(best, sizes, scene), best, WHOLE_NODES)
    why = (confidence_reasons.unfilled(best), *_with_surplus(answer.why[own:], best, larger, scene))
    return replace(answer, answer=larger, candidates=_among(larger, answer.candidates), why=why)


def _among(new: Candidate, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted((new, *candidates), key=_by_cost))


def _with_surplus(reasons: Sequence[str], before: Candidate, after: Candidate, scene: Scene) -> Iterator[str]:
    """Yield the reasons of a fleet as those of another: first what that holds beyond what its requests need."""
    old, new = (
        surplus(one, scene.question, [scene.profile_of(pool) for pool in one.fleet.pools]) for one in (before, after)
    )
    yield from new
    yield from (one for one in reasons if one not in old)


def _as_wished_of_others(
    reasons: Iterable[str], surest: Candidate, found: Sequence[Option], scene: Scene
) -> Iterator[str]:
    """Yield the reasons; that of the best fleet without the GPU types of `surest` with one that is as sure.

    Where none was found to be, it is left out.
    """
    own = {*surest.fleet.gpus_by_type}
    for reason in reasons:
        if not reason.startswith(WITHOUT):
            yield reason
        elif other := next((one for one in found if own.isdisjoint(one.shape.fleet.gpus_by_type)), None):
            yield other_gpu(surest, _as_wished(other.shape, other.sizes, scene), scene.question)


def sized_shapes(
    answer: Answer, scene: Scene, known: Known, size: confidence.Size = confidence.sized
) -> Iterator[Candidate]:
    """Yield the answer's shapes of fleets at the sizes that suffice in the wished share of the cases, best first.

    Only those are sized that may be the next: none takes less for that share than at the step times predicted.
    """
    best, question, wished = answer.answer, scene.question, scene.question.confidence
    if best is None or wished is None:
        return
    worth, sized = worth_of(question.objective, question.host_power), list[Option]()
    for shape in _shapes(answer, best, scene):
        least = worth(shape[0])
        while sized and sized[0].worth <= least:
            yield _resized_for_longer_steps(sized.pop(0), scene)
        for one in _options([shape], scene, known, wished, size):
            insort(sized, one, key=lambda option: option.worth)
    yield from (_resized_for_longer_steps(one, scene) for one in sized)


def _resized_for_longer_steps(one: Option, scene: Scene) -> Candidate:
    return _limited(scene.resize(one.shape.fleet, one.sizes, ranged=False)[0].candidate, one.shape)


def with_better(sure: Confidence, answer: Answer, best: Candidate, scene: Scene, known: Known) -> Confidence:
    """Return how sure a fleet is with one of another shape that is as good as sure, where that is clearly better.

    It stays as it is where the fleet is as sure as was wished.
    """
    if not needs_more(sure, scene.question):
        return sure
    told = replace(sure, instead=_better(sure, answer, best, scene, known))
    if not has_other_types(told, best):
        return told
    own = best.fleet.gpus_by_type.keys()
    alike = tuple(one for one in answer.candidates if one.fleet.gpus_by_type.keys() == own)
    return with_alike(told, _better(sure, replace(answer, candidates=alike), best, scene, known))


def _better(sure: Confidence, answer: Answer, best: Candidate, scene: Scene, known: Known) -> SureFleet | None:
    """Return the best of an answer's shapes that are as good as sure, None where more of the fleet's own is."""
    shapes = _shapes(answer, best, scene, MOST_SURE)
    other = better(_options(shapes[1:], scene, known, LIKELY), shapes[0], sure, scene.question)
    if other is None:
        return None
    found = scene.resize(other.shape.fleet, other.sizes, ranged=False)[0].candidate
    return beside(best, found, other.curves, scene.question)


def formula_evidence(known: Candidate, scene: Scene) -> Evidence:
    """Return what the formulas say of a fleet that the search found, by the search's scorer, at the scene's rate.

    It passes where no pool is busier than allowed and it breaks no limit and no constraint.
    """
    question, pools, terms = scene.question, known.fleet.pools, Terms.of(scene.question)
    splits, gamma = [pool.up_to for pool in pools[:-1]], known.fleet.gamma
    factors = (1.0,) if gamma == 1.0 else (1.0, gamma)
    ranges = Ranges.of(splits, pools[-1].up_to, cuts=range(len(splits)), factors=factors)
    asked = replace(question, compressible=known.fleet.compressible)
    profiles = [replace(one, settings=one.settled(pool)) for pool in pools for one in [scene.profile_of(pool)]]
    offers = offers_of(profiles, scene.case.at(scene.rate), ranges, asked, terms)
    given = [  # the sizes that the fleet has, in place of those that its rate asks for
        replace(one, replicas=np.full_like(one.replicas, pool.replicas))
        for one, pool in zip(offers, pools, strict=True)
    ]
    scorer = Scorer(offers=given, ranges=ranges, question=question, terms=terms)
    rows = ranges.of_fleet(len(factors) - 1)
    choice = Choice(pools=tuple(enumerate(rows)), cost=known.cost_per_hour, gpus=known.gpus, gamma=gamma)
    (scored,) = scorer.candidates([choice])
    busy = max(pool.utilization for pool in scored.pools) > terms.max_utilization * (1.0 + 1e-9)
    return scorer.evidence(choice, "fail" if busy or scored.shortfalls else "pass")


def _shapes(answer: Answer, best: Candidate, scene: Scene, most: int | None = None) -> list[Shape]:
    """Return the answer's fleet and others that hold, best first, with curves of their sizes.

    Of `most` there are as many that are as well known, and of those that are set aside.
    """
    question = scene.question
    holding = [one for one in answer.candidates if not one.shortfalls and one != best]
    others = best_first(holding, question.objective, question.host_power)
    if most is None:
        shapes = [best, *distinct(others)]
    else:
        aside = [one for one in others if question.sets_aside(one, best)]
        known = [one for one in others if not question.sets_aside(one, best)]
        shapes = [best, *worth_a_walk(known, most), *worth_a_walk(aside, most)]
    return [*zip(shapes, scene.curves([one.fleet for one in shapes], late=False), strict=True)]


def _options(
    shapes: Sequence[Shape], scene: Scene, known: Known, share: float, size: confidence.Size = confidence.sized
) -> list[Option]:
    """Return the shapes at the sizes that suffice in a share of the cases and keep every constraint, best first."""
    fleets = [shape.fleet for shape, _ in shapes]
    sizes = [size(scene, fleet, known(fleet), share) for fleet in fleets]
    return options(zip(shapes, sizes, strict=True), scene.question)


def _as_wished(known: Candidate, sizes: Sequence[int], scene: Scene) -> Candidate:
    """Return the same where the sizes are for a wished confidence, which then limits the pools that it made larger."""
    larger = _resized(known, sizes, scene)
    free = fills_nodes(scene.question) and larger.cost_per_hour <= known.cost_per_hour
    return _limited(larger, known, WHOLE_NODES if free else LONGER_STEPS)


def _limited(larger: Candidate, known: Candidate, by: str = LONGER_STEPS) -> Candidate:
    pairs = zip(larger.pools, larger.fleet.pools, known.fleet.pools, strict=True)
    return replace(
        larger,
        pools=tuple(
            replace(figures, limited_by=by) if pool.replicas > before.replicas else figures
            for figures, pool, before in pairs
        ),
    )


def _resized(known: Candidate, sizes: Sequence[int], scene: Scene) -> Candidate:
    """Return a fleet that the search found at other sizes, with its evidence by formula."""
    scored = scene.resize(known.fleet, sizes, ranged=False)[0].candidate
    return replace(scored, gpus_range=known.gpus_range, evidence=formula_evidence(scored, scene))


def _by_cost(candidate: Candidate) -> tuple[bool, float, int]:
    return bool(candidate.shortfalls), round(candidate.cost_per_hour, 9), candidate.gpus
