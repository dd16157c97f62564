"""From a question with its workload and profiles to an answer: size, search, score, explain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import METRICS, Limit
from fleettui.domain.other_gpus import may_be_cheaper, other_gpu
from fleettui.domain.plan import Answer, Candidate, Excluded, PlanIdentity
from fleettui.domain.remedy import breaks_several, remedy
from fleettui.domain.scenario import Question
from fleettui.domain.survival_words import survival, with_survival
from fleettui.domain.uncertain import least_known
from fleettui.optimize import explain
from fleettui.optimize.better_known import better_known, chosen_of, measured_first, sure_cost
from fleettui.optimize.budgets import with_budgets
from fleettui.optimize.evaluate import Scorer
from fleettui.optimize.floor_words import MORE_TP, helping, more_tp
from fleettui.optimize.kept_offers import KeptOffers
from fleettui.optimize.offers import NO_ANCHORS, Anchors, offers_of
from fleettui.optimize.paid_nodes import in_all_paid
from fleettui.optimize.ranges import Ranges, Slices
from fleettui.optimize.search import SEVERAL, Choice, Found, merged, search
from fleettui.optimize.searched_words import chosen, untried
from fleettui.optimize.terms import Terms
from fleettui.optimize.topologies import cuts_for, groups_of

FACTOR_STEP = 0.1


def find_plan(
    question: Question,
    *,
    slices: Slices,
    profiles: Sequence[Profile],
    grid: Sequence[int],
    context: int,
    anchors: Anchors = NO_ANCHORS,
    alone: KeptOffers | None = None,
) -> Answer:
    """Return the cheapest fleet that keeps the question's terms in every slice, with the ranked alternatives.

    `grid` are the splits to try where the question names none; `context` is the longest request served, in tokens;
    `anchors` is what was simulated of replicas of a kind, by which the formulas are corrected. The verdict is "pass" or
    "infeasible"; then the nearest fleets stand in `candidates` and `why` says what would help. With `alone` the best
    fleet is told alone, without alternatives and reasons, by what was sized before and under its anchors.
    """
    assert slices, "a plan needs demand"
    assert profiles, "a plan needs a profile"
    scorer = scorer_of(
        question, slices=slices, profiles=profiles, grid=grid, context=context, anchors=anchors, alone=alone
    )
    found = search(scorer.offers, scorer.ranges, question)
    demand = DerivedDemand(rate=max(rate for rate, _ in slices), arithmetic="")
    identity = PlanIdentity(name=question.name, seed=question.seed)
    if found.ranked and alone is not None:
        best = chosen_of(_best_first(found, scorer), scorer)
        answer = replace(scorer.candidates([best])[0], evidence=scorer.evidence(best, "pass"))
        return Answer(verdict="pass", plan=identity, demand=demand, answer=answer, candidates=(answer,))
    if found.ranked:
        feasible = _feasible(found, scorer, demand, identity)
        if not question.survive:
            return feasible
        plain = None
        ordered = [one.profile for one in scorer.offers]
        as_paid = partial(in_all_paid, slices=slices, profiles=ordered, context=context)
        if question.confidence is None:
            free = replace(question, survive=0)
            bare = find_plan(
                free, slices=slices, profiles=profiles, grid=grid, context=context, alone=KeptOffers(anchors)
            ).answer
            plain = None if bare is None else as_paid(bare, free)
        assert feasible.answer is not None, "it was found"
        return _surviving(feasible, question, as_paid(feasible.answer, question), plain)
    return _infeasible(found, scorer, demand, identity)


def scorer_of(
    question: Question,
    *,
    slices: Slices,
    profiles: Sequence[Profile],
    grid: Sequence[int],
    context: int,
    anchors: Anchors = NO_ANCHORS,
    alone: KeptOffers | None = None,
) -> Scorer:
    """Return what scores the fleets of `profiles`, sized; the arguments are those of `find_plan`."""
    ordered = with_budgets(profiles, question, slices)
    ranges = ranges_for(question, grid, context, ordered)
    terms = Terms.of(question)
    if alone is None:
        offers = offers_of(ordered, slices, ranges, question, terms, rivals=True, anchors=anchors)
    else:
        offers = alone.of(ordered, slices, ranges, question, terms)
    return Scorer(offers=offers, ranges=ranges, question=question, terms=terms)


def _surviving(answer: Answer, question: Question, best: Candidate, plain: Candidate | None) -> Answer:
    """Return an answer that says what it takes to survive replicas, as `best` does, beside one that survives none."""
    told = survival(question, best, plain, "by formula")
    return replace(answer, why=with_survival(answer.why, told, question, len(best.fleet.pools)))


def ranges_for(
    question: Question,
    grid: Sequence[int],
    context: int,
    profiles: Sequence[Profile],
    *,
    most_cuts: int | None = None,
) -> Ranges:
    """Return the ranges that the wanted fleets may have; those of more than two pools at `most_cuts` of the splits."""
    if max(question.pools) == 1:
        return Ranges.of((), context)
    splits = sorted(split for split in question.splits or grid if split < context)
    factors = factors_of(question.gamma)
    groups = len(groups_of(profiles, question))
    cuts = cuts_for(len(splits), groups, len(factors), question.pools, most_cuts=most_cuts)
    return Ranges.of(splits, context, cuts=cuts, factors=factors)


def factors_of(gamma: tuple[float, float]) -> tuple[float, ...]:
    """Return 1, no compression, and the factors to try: from the least to the largest in steps of 0.1.

    >>> factors_of((1.2, 1.45))
    (1.0, 1.2, 1.3, 1.4, 1.45)
    """
    least, largest = gamma
    count = math.floor((largest - least) / FACTOR_STEP + 1e-9)
    steps = [round(least + place * FACTOR_STEP, 9) for place in range(count + 1)]
    return tuple(sorted({1.0, *steps, largest}))


def _feasible(found: Found, scorer: Scorer, demand: DerivedDemand, identity: PlanIdentity) -> Answer:
    first, wished = _best_first(found, scorer), scorer.question.confidence is not None
    cheapest, known = first[0], better_known(first, scorer)
    if known is not cheapest:
        aside = _set_aside(known, scorer)
        found = merged(found, aside) if wished else aside
    best = cheapest if wished else known
    ranked, nearest = _best_first(found, scorer), [choice for _, choice, _ in found.nearest]
    others = [choice for choice in ranked if (choice.pools, choice.gamma) != (best.pools, best.gamma)]
    candidates = scorer.candidates([best, *others, *nearest])
    answer = replace(candidates[0], evidence=scorer.evidence(best, "pass"))
    return Answer(
        verdict="pass",
        plan=identity,
        demand=demand,
        answer=answer,
        why=explain.reasons(
            answer,
            best,
            candidates,
            scorer,
            instead=_instead(answer, best, cheapest, scorer),
            chosen=chosen(answer, scorer.offers, scorer.question, lambda offers: _answer_of(scorer.among(offers))),
            plain=_uncompressed(answer, scorer),
        ),
        candidates=(answer, *candidates[1:]),
        excluded=found.excluded,
        warnings=(
            *explain.warnings(answer, scorer.question, scorer.profiles(best)),
            *untried([one.profile for one in scorer.offers], scorer.question),
        ),
    )


def _set_aside(best: Choice, scorer: Scorer) -> Found:
    """Return what a search finds that sets hardware aside of which much less is known than of that of `best`."""
    own = least_known(scorer.offers[index].profile for index, _ in best.pools)
    aside = {place for place, one in enumerate(scorer.offers) if own.known_better_than(one.profile)}
    return search(scorer.offers, scorer.ranges, scorer.question, set_aside=aside)


def _uncompressed(answer: Candidate, scorer: Scorer) -> list[Candidate]:
    """Return the best fleets that compress nothing, of one pool or as many as the answer; none where it does not."""
    if answer.fleet.gamma <= 1.0:
        return []
    pools = tuple(sorted({1, len(answer.fleet.pools)}))
    found = search(scorer.offers, scorer.ranges, replace(scorer.question, gamma=(1.0, 1.0), pools=pools))
    splits = [pool.up_to for pool in answer.fleet.pools[:-1]]

    def is_wanted(choice: Choice) -> bool:
        own = [int(scorer.ranges.up_to[row]) for _, row in choice.pools[:-1]]
        return choice.gamma == 1.0 and own in ([], splits)

    return scorer.candidates([choice for choice in found.ranked if is_wanted(choice)])


def _best_first(found: Found, scorer: Scorer) -> list[Choice]:
    """Return the fleets that break nothing by the objective; which is the fastest is known once they are scored.

    Of those that cost as much the ones that the question's own fit knows come first.
    """
    ranked = list(found.ranked)
    if scorer.question.objective != "ttft":
        return measured_first(ranked, scorer)
    slowest = [max(pool.ttft for pool in one.pools) for one in scorer.candidates(ranked)]
    return [ranked[place] for place in sorted(range(len(ranked)), key=lambda place: (slowest[place], place))]


def _instead(answer: Candidate, best: Choice, cheapest: Choice, scorer: Scorer) -> str:
    """Return what there is beside an answer's GPU types: what may be cheaper, or else the best without them."""
    if best is not cheapest:
        (candidate,) = scorer.candidates([cheapest])
        return may_be_cheaper(candidate, sure_cost(cheapest, scorer), answer)
    other = _without(answer, scorer)
    sure = sure_cost(best, scorer) if other is not None and other.known_better_than(answer) else None
    return other_gpu(answer, other, scorer.question, sure)


def _without(answer: Candidate, scorer: Scorer) -> Candidate | None:
    """Return the best of all fleets that have none of the answer's GPU types, also those beyond the kept ones."""
    kinds = {pool.gpu for pool in answer.fleet.pools}
    others = scorer.among([one for one in scorer.offers if one.profile.gpu not in kinds])
    ranked = _ranked(others)
    return others.candidates(ranked[:1])[0] if ranked else None


def _answer_of(scorer: Scorer) -> Candidate | None:
    """Return the fleet that would be the answer of a scorer's offers, None where none holds."""
    ranked = _ranked(scorer)
    return scorer.candidates([chosen_of(ranked, scorer)])[0] if ranked else None


def _ranked(scorer: Scorer) -> list[Choice]:
    return _best_first(search(scorer.offers, scorer.ranges, scorer.question), scorer) if scorer.offers else []


def _infeasible(found: Found, scorer: Scorer, demand: DerivedDemand, identity: PlanIdentity) -> Answer:
    nearest = list(found.nearest)
    candidates = scorer.candidates([choice for _, choice, _ in nearest])
    why = [_remedy(name, used, one) for (name, _, used), one in zip(nearest, candidates, strict=True)]
    if not nearest:
        choice, sentence = _below_floor(scorer, found.excluded)
        candidates = scorer.candidates([choice] if choice else [])
        why = [sentence]
    return Answer(
        verdict="infeasible",
        plan=identity,
        demand=demand,
        answer=None,
        why=tuple(why),
        candidates=tuple(candidates),
        excluded=found.excluded,
    )


def _remedy(constraint: str, used: float, nearest: Candidate) -> str:
    """Return the smallest relaxation of one constraint that would do, or what the best that breaks several breaks."""
    if constraint != SEVERAL:
        return remedy(constraint, used, nearest)
    return breaks_several(nearest, nearest.shortfalls)


def _below_floor(scorer: Scorer, excluded: Sequence[Excluded]) -> tuple[Choice | None, str]:
    """Return the fleet nearest to the floor, and what would make the question feasible."""
    fitting = [i for i, one in enumerate(scorer.offers) if one.fits[0]]
    if not fitting:
        ways = f"{f'{MORE_TP}, ' * more_tp(scorer.question)}larger GPUs, --kv-dtype fp8, or --drop-longer"
        return None, f"no replica holds the longest request in its KV cache: {ways}"
    floors = {index: _floor(scorer, index) for index in fitting}
    index = min(floors, key=lambda i: floors[i])
    if floors[index] <= 1.0 and 1 not in scorer.question.pools:
        return None, _undivided(scorer.question, excluded)
    metric, value = _floor_words(scorer, index)
    profile = scorer.offers[index].profile
    place = (index, 0)
    gpus = float(scorer.load(place).replicas[0]) * profile.gpus_per_replica
    choice = Choice(pools=(place,), cost=gpus * profile.price_per_hour, gpus=gpus)
    sentence = (
        f"no number of GPUs helps: alone on a replica of {profile.name}, the fastest here, "
        f"{metric} is {value:.3g} s; {helping(profile, floors[index], scorer.question)}"
    )
    return choice, sentence


def _undivided(question: Question, excluded: Sequence[Excluded]) -> str:
    """Return why no fleet of the wanted numbers of pools serves what a single pool does."""
    counts = " or ".join(map(str, sorted(set(question.pools))))
    if not excluded:
        return f"no split leaves requests in each of {counts} pools: fewer --pools, or another --split"
    return (
        f"of {counts} pools one always misses a limit or its memory, even idle, and a single pool does not: --pools 1"
    )


def _floor(scorer: Scorer, index: int) -> float:
    """Return how far an idle replica of an offer is above its limits: the largest ratio of value to limit."""
    return max(value / limit.seconds for limit, value in _idle(scorer, index))


def _floor_words(scorer: Scorer, index: int) -> tuple[str, float]:
    limit, value = max(_idle(scorer, index), key=lambda pair: pair[1] / pair[0].seconds)
    return f"P{scorer.question.slo.share(limit) * 100:g} {METRICS.named(limit.metric).label}", value


def _idle(scorer: Scorer, index: int) -> list[tuple[Limit, float]]:
    """Return each limit with its latency on idle replicas of an offer serving everything, in the worst time slice."""
    terms, loads = scorer.terms, []
    for place in range(len(scorer.offers[index].slices)):
        load = scorer.load((index, 0), slice_index=place)
        least = np.ceil(load.arrival_rate * load.moments.steps * load.service.base * 1e3)
        loads.append(load.resized(np.maximum(least, 1.0)))
    return [(limit, max(float(terms.percentile(load, limit)[0]) for load in loads)) for limit in terms.limits]
