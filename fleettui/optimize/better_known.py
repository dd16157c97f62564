"""The cheapest fleet, or one whose hardware is known better where that costs less to be as good as sure."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from fleettui.domain.hardware import Profile
from fleettui.domain.uncertain import least_known
from fleettui.optimize.evaluate import Scorer
from fleettui.optimize.search import Choice, search

DIGITS = 6
"""Digits to which fleets that cost as much are alike."""


def better_known(ranked: Sequence[Choice], scorer: Scorer) -> Choice:
    """Return the first of `ranked`, unless much more is known of the fleet that costs least to be as good as sure.

    Then the cheapest of those of which not much less is known. It never costs more than a fleet sized for a wished
    confidence. Other objectives than cost keep what they have least of.
    """
    first = ranked[0]
    rivals = _known_better(first, scorer) if scorer.question.objective == "cost" else []
    if not rivals:
        return first
    best, kept = _surest([*ranked, *_alike(_kinds(first, scorer), scorer)], rivals, scorer), list[int]()
    while _is_known_better(best, first, scorer):
        own = _least_known(best, scorer)
        places = [place for place, one in enumerate(scorer.offers) if not own.known_better_than(one.profile)]
        if places == kept:
            return best
        best, kept = _search(places, scorer)[0], places
    return first


def sure_cost(choice: Choice, scorer: Scorer) -> float:
    """Return US dollars an hour of the hardware of a choice to be as good as sure, infinite if none is.

    It is that of a fleet: the least of the choice and of all of its GPU types, however they divide.
    """
    return min(scorer.sure_costs([choice, *_alike(_kinds(choice, scorer), scorer)]))


def least_of(gpus: Collection[str], scorer: Scorer) -> float:
    """Return the least that fleets of exactly these GPU types cost an hour to be as good as sure, infinite if none is.

    Those are looked at that a search among these types alone ranks, whatever else may be had.
    """
    return min(scorer.sure_costs(_alike(gpus, scorer)), default=math.inf)


def chosen_of(ranked: Sequence[Choice], scorer: Scorer) -> Choice:
    """Return what a search answers with: the first where a confidence is wished, which sizes fleets by their error."""
    return ranked[0] if scorer.question.confidence is not None else better_known(ranked, scorer)


def measured_first(ranked: Sequence[Choice], scorer: Scorer) -> list[Choice]:
    """Return choices, cheapest first; of those that cost as much the ones that the own fit knows all of come first.

    Other objectives than cost keep their order.
    """
    question = scorer.question
    if question.objective != "cost" or question.fit is None:
        return list(ranked)

    def is_unseen(choice: Choice) -> bool:
        return any(question.fit_of(profile) is None for profile in scorer.profiles(choice))

    return sorted(ranked, key=lambda choice: (round(choice.cost, DIGITS), is_unseen(choice)))


def _surest(others: Sequence[Choice], rivals: Sequence[Choice], scorer: Scorer) -> Choice:
    """Return the fleet that costs least to be as good as sure, the first of equals; the first rival where none is."""
    fleets = [*others, *rivals]
    costs = [round(cost, DIGITS) for cost in scorer.sure_costs(fleets)]
    least = min(costs)
    return fleets[costs.index(least)] if math.isfinite(least) else rivals[0]


def _kinds(choice: Choice, scorer: Scorer) -> frozenset[str]:
    return frozenset(profile.gpu for profile in scorer.profiles(choice))


def _least_known(choice: Choice, scorer: Scorer) -> Profile:
    return least_known(scorer.profiles(choice))


def _is_known_better(one: Choice, other: Choice, scorer: Scorer) -> bool:
    return _least_known(one, scorer).known_better_than(_least_known(other, scorer))


def _alike(gpus: Collection[str], scorer: Scorer) -> list[Choice]:
    """Return the fleets of exactly these GPU types that a search among these alone ranks, best first."""
    ranked = _search([place for place, one in enumerate(scorer.offers) if one.profile.gpu in gpus], scorer)
    return [one for one in ranked if _kinds(one, scorer) == gpus]


def _known_better(choice: Choice, scorer: Scorer) -> list[Choice]:
    """Return the fleets all of whose hardware is known much better than a choice's, best first."""
    own = _least_known(choice, scorer)
    return _search([place for place, one in enumerate(scorer.offers) if one.profile.known_better_than(own)], scorer)


def _search(places: Sequence[int], scorer: Scorer) -> list[Choice]:
    """Return the fleets of the offers at these places, best first."""
    if not places:
        return []
    ranked = search([scorer.offers[place] for place in places], scorer.ranges, scorer.question).ranked
    return [replace(one, pools=tuple((places[index], row) for index, row in one.pools)) for one in ranked]
