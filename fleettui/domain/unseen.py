"""Which hardware of a fleet a question's own fit has not seen, so that its steps are as without it, in words."""

from __future__ import annotations

from fleettui.domain.fleet import Fleet
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.scenario import Question

SEEN_NO = " has seen no "
"""What is said of a fit before the hardware that it has not seen."""
SEEN_NONE = " has seen none; of what it has "
"""What is said of a fit, which has not seen all hardware of an answer, before the best of what it has."""


def unseen(fleet: Fleet, question: Question) -> str:
    """Return the kinds of replicas of a fleet that the question's own fit has not seen; empty without a fit."""
    if question.fit is None:
        return ""
    lacking = (pool for pool in fleet.pools if question.fit_of(pool) is None)
    return ", ".join(dict.fromkeys(f"{pool.gpu} {pool.division}" for pool in lacking))


def not_fitted(fleet: Fleet, question: Question) -> str:
    """Return of which of a fleet's replicas the steps are without the question's own fit; empty where of none."""
    lacking = unseen(fleet, question)
    return f"{lacking} not {question.fit.done}" if lacking and question.fit is not None else ""


def fleet_as_seen(fleet: Fleet, question: Question, *, beside: Fleet | None = None) -> str:
    """Return a fleet in words as `fleet_words`, and behind it of which of its replicas the own fit has seen none."""
    lacking = not_fitted(fleet, question)
    return f"{fleet_words(fleet, beside=beside)}{f' ({lacking})' if lacking else ''}"
