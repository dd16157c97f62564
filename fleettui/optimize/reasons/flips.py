"""The prices at which the answer changes: how cheap another GPU, or how dear its own, must become.

With a fleet's sizes fixed its cost is linear in the price of one GPU, so the cheapest of all fleets is a concave,
piecewise linear function of that price, whose first turn from the answer is looked for (`price_lines`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import WITHOUT, Answer, Candidate, Verdict
from fleettui.domain.remedy import BY_FORMULA, keeps_constraints
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.domain.study import StudyTable, table_of
from fleettui.optimize.reasons.inputs import PROOFS, Ground, words
from fleettui.optimize.reasons.limits import gpus_of
from fleettui.optimize.reasons.price_lines import CLOSE, FREE, Direction, Lines, is_put_aside

FAR = 3.0
"""By what factor a price is so far from today's that little rests on what it turns to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """The price of `gpu`, US dollars per hour, below or above which `winner` costs less than the answer.

    `price` and `winner` are None where no price does it. `pools` is the winner's number of pools, 0 where any counts.
    `verdict` is what a simulation said of the winner, None where none did. `aside` says what of it the formulas set
    aside past that price, and for which fleet; empty where they do not.
    """

    gpu: str
    pools: int
    direction: Direction
    now: float
    price: float | None
    winner: Candidate | None
    verdict: Verdict | None = None
    aside: str = ""

    @property
    def proof(self) -> str:
        """How the winner is known to hold: ~pass is by formula alone; empty where there is none."""
        return "" if self.winner is None else self.verdict or "~pass"


def flips(ground: Ground, reference: Answer) -> tuple[Flip, ...]:
    """Return the flips of the answer `reference`: its GPUs dearer and cheaper, every other cheaper.

    What a simulation did not pass is no rival, nor beside an answer that is proven what costs less today: no price made
    it the answer.
    A GPU that the answer has none of can only win, and is told by topology; one that it has may win more of the fleet.

    None where something else than cost is wanted: then prices decide between equals alone. The budget is left out, as
    it moves with no price. GPUs of which much less is known than of the answer are left out: their fleets may cost less
    already and are not chosen for it, so that where they do is no price at which the answer changes. Where the question
    wishes how sure a fleet is, rivals are the shapes of its ground at the sizes that are as sure.
    """
    best = reference.answer
    if best is None or ground.question.objective != "cost":
        return ()
    unsure = less_known(ground, best)
    own = sorted({pool.gpu for pool in best.fleet.pools})
    others = sorted(set(ground.prices) - set(own) - set(unsure))
    question = replace(ground.question, budget=None)
    if unsure:
        question = replace(question, gpus=(*own, *others))
    rivals = (*ground.passed, *reference.candidates) if ground.sized is None else ground.sized()
    sure = [one for one in rivals if not question.sets_aside(one, best)]
    kept = [one for one in sure if not _breaks_more_than_budget(one) and keeps_constraints(one, question)]
    known = [one for one in kept if not is_put_aside(one, best, ground)]

    def lines(gpu: str, asked: Question) -> Lines:
        return Lines(ground=ground, gpu=gpu, best=best, question=asked)

    ways: tuple[Direction, ...] = ("above", "below")
    found = [_flip(lines(gpu, question), known, way, 0) for gpu in own for way in ways]
    for gpu in others:
        for pools in sorted(count for count in set(question.pools) if _divides(question.splits, count)):
            narrowed = replace(question, pools=(pools,), splits=question.splits if pools > 1 else ())
            alike = [one for one in known if len(one.fleet.pools) == pools]
            found.append(_flip(lines(gpu, narrowed), alike, "below", pools))
    return tuple(found)


def flips_finer(ground: Ground, reference: Answer) -> tuple[Flip, ...]:
    """Return the same where rivals also divide between the points of the grid, near those that were simulated to win.

    Of such fleets fewer replicas may hold.
    """
    found = flips(ground, reference)
    winners = [one.winner for one in found if one.winner is not None and one.verdict == "pass"]
    near = [one for one in winners if len(one.fleet.pools) == 2]
    if ground.finer is None or ground.sized is not None or not near:
        return found
    makes = [_kinds(one) for one in near]
    alike = [one for one in ground.proofs.values() if one not in near and _kinds(one) in makes]
    finer = ground.finer([*near, *alike])
    return flips(ground, replace(reference, candidates=(*reference.candidates, *finer)))


def _kinds(one: Candidate) -> list[ReplicaKey]:
    return [pool.replica_key for pool in one.fleet.pools]


def less_known(ground: Ground, best: Candidate) -> tuple[str, ...]:
    """Return the GPUs of whose replicas much less is known than of an answer."""
    own = {pool.gpu for pool in best.fleet.pools}
    return tuple(sorted({one.gpu for one in ground.profiles if ground.question.sets_aside(one, best)} - own))


def _divides(splits: Sequence[int], pools: int) -> bool:
    """Return whether the splits that a question names, if any, make so many pools."""
    return not splits or pools <= len(splits) + 1


def _breaks_more_than_budget(one: Candidate) -> bool:
    return any(not broken.startswith("budget") for broken in one.shortfalls)


def _flip(lines: Lines, known: Iterable[Candidate], direction: Direction, pools: int) -> Flip:
    price, winner = lines.settle(*lines.start(known, direction), direction)
    now = lines.ground.prices[lines.gpu]
    verdict = None if winner is None else lines.ground.verdict(winner.fleet)
    return Flip(gpu=lines.gpu, pools=pools, direction=direction, now=now, price=price, winner=winner, verdict=verdict)


def sentences(
    found: Sequence[Flip],
    best: Candidate | None,
    page: Sequence[str] = (),
    hoped: Sequence[Flip] = (),
    *,
    left_out: bool = False,
) -> tuple[str, ...]:
    """Return, per GPU, the price at which the answer changes, and at which it may where those `hoped` for hold.

    Where GPUs are `left_out` they may change it before, so that a price is the latest. `page` are the plan's own
    reasons; where one names by formula what follows without the answer's GPUs, and simulations came to another fleet,
    that is said.
    """
    if best is None:
        return ()
    earlier = _earlier(hoped, found)
    said = [_told(one, left_out) + _instead_of(one, best, page) for one in first(found)]
    said += map(_at_the_earliest, earlier)
    priced = {one.gpu for one in (*found, *earlier) if one.price is not None}
    never = [one.gpu for one in found if one.gpu not in priced]
    if never:
        said.append(f"no price of {', '.join(dict.fromkeys(never))} changes the answer")
    return tuple(said)


def _earlier(hoped: Sequence[Flip], found: Sequence[Flip]) -> list[Flip]:
    """Return those of what is hoped for that come before what was `found`, not FAR from today's prices."""
    known = {(one.gpu, one.direction): one.price or 0.0 for one in first(found)}
    return [
        one
        for one in first(hoped)
        if one.verdict is None
        and _is_near(one)
        and not math.isclose(one.price or 0.0, known.get((one.gpu, one.direction), 0.0))
    ]


def first(found: Sequence[Flip]) -> list[Flip]:
    """Return of each GPU, dearer and cheaper, the flip that comes first."""
    nearest = []
    for gpu, direction in dict.fromkeys((one.gpu, one.direction) for one in found):
        own = [one for one in found if (one.gpu, one.direction) == (gpu, direction) and one.price is not None]
        if own:
            nearest.append(_least_past(own, direction))
    return nearest


def _least_past(found: Sequence[Flip], direction: Direction) -> Flip:
    """Return of flips that have a price the first, of several at one price that whose winner costs least past it."""
    prices = [one.price or 0.0 for one in found]
    turn = max(prices) if direction == "below" else min(prices)
    alike = [one for one, price in zip(found, prices, strict=True) if math.isclose(price, turn, rel_tol=CLOSE)]
    pick = max if direction == "below" else min
    return pick(alike, key=lambda one: 0 if one.winner is None else gpus_of(one.winner, one.gpu))


def to_prove(found: Sequence[Flip]) -> tuple[Fleet, ...]:
    """Return the fleets that win at prices nearest to today's and that no simulation looked at, the nearest first."""
    return tuple(dict.fromkeys(one.winner.fleet for one in _nearest(found) if one.winner and one.verdict is None))


def decides(found: Sequence[Flip]) -> tuple[Fleet, ...]:
    """Return of the fleets to prove the first, none where each wins at a price FAR from today's alone."""
    return to_prove([one for one in found if _is_near(one)])[:1]


def _is_near(flip: Flip) -> bool:
    return flip.price is not None and flip.now > 0.0 and 1.0 / FAR <= flip.price / flip.now <= FAR


def _nearest(found: Sequence[Flip]) -> list[Flip]:
    return sorted(first(found), key=lambda one: abs(math.log((one.price or FREE) / one.now)) if one.now else math.inf)


def _told(flip: Flip, left_out: bool) -> str:
    assert flip.winner is not None, "a flip with a price has a winner"
    assert flip.price is not None, "and a price"
    holds = f", {PROOFS[flip.verdict]}" if flip.verdict else ", by formula"
    latest = " at the latest" if left_out or flip.verdict == "pass" else ""
    return (
        f"{flip.gpu} {flip.direction} ${flip.price:.4f}/h{_change(flip)}{latest}, now ${flip.now:.2f}: "
        f"{words(flip.winner)} costs less{holds}{f'; {flip.aside}' if flip.aside else ''}"
    )


def _at_the_earliest(flip: Flip) -> str:
    """Return where a fleet would win that fails by formula and was not simulated: the formula may err on it."""
    assert flip.winner is not None, "a flip with a price has a winner"
    return (
        f"{flip.gpu} {flip.direction} ${flip.price:.4f}/h{_change(flip)} at the earliest: {words(flip.winner)} would "
        "cost less, but fails by formula, which may err, and was not simulated"
    )


def _change(flip: Flip) -> str:
    """Return by what share a price is another than today's, nothing where it has none or is free."""
    return f" ({flip.price / flip.now - 1.0:+.0%})" if flip.price is not None and flip.now > 0 else ""


def _instead_of(flip: Flip, best: Candidate, page: Sequence[str]) -> str:
    """Return that the page's own successor, which was by formula, is not this one that was simulated; else nothing."""
    named = next((one for one in page if one.startswith(WITHOUT) and f", {BY_FORMULA}: " in one), "")
    if not named or flip.winner is None or flip.verdict != "pass" or flip.direction != "above":
        return ""
    alone = best.fleet.gpus_by_type.keys().isdisjoint(flip.winner.fleet.gpus_by_type)
    return f" (next without {flip.gpu} on the page was by formula)" if alone and words(flip.winner) not in named else ""


def table(found: Sequence[Flip]) -> StudyTable:
    """Return every flip, those that no price brings too."""
    aside = "".join(f"; {one.gpu} {one.direction} ${one.price:.2f}: {one.aside}" for one in found if one.aside)
    return table_of(
        "prices at which another fleet is cheaper",
        found,
        ("gpu", "text", lambda one: one.gpu),
        ("pools", "count", lambda one: one.pools or (None if one.winner is None else len(one.winner.fleet.pools))),
        ("now", "dollars per hour", lambda one: one.now),
        ("flips", "text", lambda one: one.direction),
        ("price", "dollars per hour", lambda one: one.price),
        ("then", "text", lambda one: "never" if one.winner is None else words(one.winner)),
        ("verdict", "text", lambda one: one.proof),
        note="per GPU; one price is moved, the others stay; pass: simulated, so at the latest, as what was not may win "
        f"before; ~pass: by formula{aside}",
    )
