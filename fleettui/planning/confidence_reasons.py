"""Why an answer is as large as a wished confidence has it, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.fleet import Fleet, counted
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import BY_FORMULA, broken_alone, remedy
from fleettui.domain.scenario import Question
from fleettui.domain.wish import none_as_sure

NOUNS = {"budget": "budget", "power": "power limit", "feed": "feed"}
"""What a constraint is called that no fleet keeps; all others are on GPUs, a stock."""


def sized(question: Question, nominal: Candidate) -> str:
    """Return what the question wishes, and which fleet holds at the step times predicted."""
    return (
        f"sized to be {_share(question)} sure; at the step times predicted"
        f"{', in the middle of each range,' if question.ranges else ''} "
        f"{fleet_words(nominal.fleet)} would do: {counted(nominal.gpus)}, ${nominal.cost_per_hour:,.2f}/h"
    )


def little_known(best: Candidate, candidates: Iterable[Candidate], question: Question) -> tuple[str, ...]:
    """Return that much less is known of a fleet than of others that hold, and how a nominal plan takes that."""
    if not any(one.known_better_than(best) for one in candidates if not one.shortfalls):
        return ()
    return (
        f"{best.speeds}: to be {_share(question)} sure its size pays for that; a plan without --confidence sets such "
        f"GPUs aside where better known ones cost less to be {LIKELY:.0%} sure",
    )


def of_equals(first: Answer, other: Answer) -> Answer:
    """Return of two answers that cost as much the surer, as they are printed, and the `other` where they are as sure.

    That has fewer pools then; it says how sure the first is, or how many pools that takes.
    """
    if first.answer is None or _reached(other.confidence) < _reached(first.confidence):
        return first
    return replace(other, why=(as_cheap(first.answer, first.confidence, other.confidence), *other.why))


def as_cheap(other: Candidate, sure: Confidence | None, own: Confidence | None) -> str:
    """Return that another fleet holds for as much, and how sure that is, or how many pools it takes where as sure."""
    if _reached(sure) == _reached(own):
        return f"{_as_cheap(other)}, but takes {counted(len(other.fleet.pools), 'pool')}"
    return f"{_as_cheap(other)}, but is {_reached(sure):.0%} sure"


def _reached(sure: Confidence | None) -> float:
    """Return how sure a fleet is as it is printed, 0 where that is not known."""
    from fleettui.reports.confidence_text import reached

    return 0.0 if sure is None else reached(sure.holds)


def unfilled(smaller: Candidate) -> str:
    """Return that a fleet would do which leaves a part of its whole nodes unused."""
    return f"{_as_cheap(smaller)}: whole nodes are paid for"


def unmeasured(other: Candidate, question: Question) -> str:
    """Return that another fleet holds for as much, of hardware that the question's own fit has not seen."""
    assert question.fit is not None, "what is measured is so by a fit"
    return f"{_as_cheap(other)}, but {question.fit.words} has not seen all its hardware"


def none(question: Question, nearest: Candidate | None) -> str:
    """Return that nothing that was found is as sure as wished, and why: what is said first has room in a headline.

    `nearest` is the best that would be without the constraints on money, power and stock; None where nothing would.
    """
    if nearest is None:
        return (
            f"{none_as_sure(_wished(question), 'of any size')}: at step times that long some limit breaks; "
            "a fit to your own servers narrows the error (fleettui profile fit)"
        )
    alone = broken_alone(nearest, question)
    several = f"${nearest.cost_per_hour:,.2f}/h; {'; '.join(nearest.shortfalls)}"
    would = several if alone is None else remedy(*alone, nearest).removesuffix(f", {BY_FORMULA}")
    within = f"within the {'constraints' if alone is None else NOUNS.get(alone[0], 'stock')}"
    fleet = f"{BY_FORMULA} {fleet_words(nearest.fleet)}"
    return f"{none_as_sure(_wished(question), within)}; {fleet} would be: {would}"


def left_off(question: Question, tried: int) -> str:
    """Return that nothing that was found is as sure as wished, as no more than so many fleets are `tried` for it."""
    ended = f"of {tried} that were simulated for it"
    return f"{none_as_sure(_wished(question), ended)}: no more are tried, and a larger one may be"


def untried(other: Fleet, sizes: Sequence[int], saving: float) -> str:
    """Return which fleet was not looked at that may be as sure and cheaper, and by how much at most."""
    words = fleet_words(other, sizes)
    return f"{words} might be as sure for up to {saving:.0%} less: not tried"


def _as_cheap(other: Candidate) -> str:
    return f"{fleet_words(other.fleet)} holds, too, and costs as much"


def _share(question: Question) -> str:
    return f"{100 * _wished(question):.3g}%"


def _wished(question: Question) -> float:
    return question.confidence or 0.0
