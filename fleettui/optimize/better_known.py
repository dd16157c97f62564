"""The cheapest fleet, or one whose hardware is known better where the cheapest may turn out to cost as much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.uncertain import least_known
from fleettui.optimize.evaluate import Scorer
from fleettui.optimize.search import Choice, search

DIGITS = 6
"""Digits to which fleets that cost as much are alike."""


def better_known(cheapest: Choice, scorer: Scorer) -> Choice:
    """Return `cheapest`, unless at the slower end of its band it costs more than the best of those known better.

    Then that one. Other objectives than cost keep what they have least of.
    """
    if scorer.question.objective != "cost":
        return cheapest
    rival = _best_known_better(cheapest, scorer)
    if rival is None or scorer.slower_cost(cheapest) <= rival.cost:
        return cheapest
    return better_known(rival, scorer)


def chosen_of(cheapest: Choice, scorer: Scorer) -> Choice:
    """Return what a search answers with: `cheapest` where a confidence is wished, which sizes fleets by their error."""
    return cheapest if scorer.question.confidence is not None else better_known(cheapest, scorer)


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


def _best_known_better(choice: Choice, scorer: Scorer) -> Choice | None:
    """Return the best fleet all of whose hardware is known much better than a choice's."""
    own = least_known(scorer.offers[index].profile for index, _ in choice.pools)
    places = [place for place, one in enumerate(scorer.offers) if one.profile.known_better_than(own)]
    if not places:
        return None
    ranked = search([scorer.offers[place] for place in places], scorer.ranges, scorer.question).ranked
    if not ranked:
        return None
    return replace(ranked[0], pools=tuple((places[index], row) for index, row in ranked[0].pools))
