"""The cheapest fleet, or one whose hardware is known better where the cheapest may turn out to cost as much."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from fleettui.domain.uncertain import costs_more_if_slower, least_known
from fleettui.optimize.evaluate import Scorer
from fleettui.optimize.search import Choice, search

DIGITS = 6
"""Digits to which fleets that cost as much are alike."""


def better_known(ranked: Sequence[Choice], scorer: Scorer) -> Choice:
    """Return the first of `ranked`, unless the best of those known better costs less at the slower end of its own band.

    Then that one. Other objectives than cost keep what they have least of.
    """
    if scorer.question.objective != "cost":
        return ranked[0]
    rivals = _known_better(ranked[0], scorer)
    if not rivals:
        return ranked[0]
    known = better_known(rivals, scorer)
    return known if costs_more_if_slower(slower_cost(ranked[0], scorer), slower_cost(known, scorer)) else ranked[0]


def slower_cost(choice: Choice, scorer: Scorer) -> float:
    """Return US dollars an hour of the hardware of a choice at the slower end of its band, infinite if none holds.

    It is that of a fleet: the least of the choice and of all of its GPU types, however they divide.
    """
    return min(scorer.least_slower_cost([choice]), least_of(_kinds(choice, scorer), scorer))


def least_of(gpus: Collection[str], scorer: Scorer) -> float:
    """Return the least that fleets of exactly these GPU types cost an hour at the slower end of their bands.

    Those are looked at that a search among these types alone ranks, whatever else may be had; it is infinite where none
    of them holds.
    """
    own = scorer.among([one for one in scorer.offers if one.profile.gpu in gpus])
    ranked = search(own.offers, own.ranges, own.question).ranked if own.offers else ()
    alike = [one for one in ranked if _kinds(one, own) == gpus]
    return own.least_slower_cost(alike) if alike else math.inf


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


def _kinds(choice: Choice, scorer: Scorer) -> frozenset[str]:
    return frozenset(profile.gpu for profile in scorer.profiles(choice))


def _known_better(choice: Choice, scorer: Scorer) -> list[Choice]:
    """Return the fleets all of whose hardware is known much better than a choice's, best first."""
    own = least_known(scorer.offers[index].profile for index, _ in choice.pools)
    places = [place for place, one in enumerate(scorer.offers) if one.profile.known_better_than(own)]
    if not places:
        return []
    ranked = search([scorer.offers[place] for place in places], scorer.ranges, scorer.question).ranked
    return [replace(one, pools=tuple((places[index], row) for index, row in one.pools)) for one in ranked]
