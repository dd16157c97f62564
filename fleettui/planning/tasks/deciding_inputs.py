"""Which input that is guessed, or left at its default, decides most about what a fleet costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fleettui.domain.anchor import Anchor
from fleettui.domain.decisive import Decisive
from fleettui.domain.fleet import Fleet
from fleettui.domain.path_or_name import GPU_FILE, is_path
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.typed_range import HIT as HITS
from fleettui.domain.typed_range import LENGTHS, LIKELY_HIT, TypedRange
from fleettui.errors import InputError
from fleettui.optimize.confidence import sizes_for
from fleettui.optimize.costs import taken_by_fleet
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.held_fleet import HeldFleet
from fleettui.planning.tasks.simulation_inputs import Scene

WORTH_A_WORD = 0.1
"""By what share the dollars must be fewer or more for an input to be told."""
PEAK, BUSY_HOUR, ASKED = 2.0, 0.12, 1.5
"""The peak over the mean, the busiest hour's share of a day's tokens, and by how many times as much a user may ask."""
Search = Callable[[Question], Candidate | None]
"""Returns the best fleet by formula for a question; raises InputError where no hardware serves it."""


class Needed(NamedTuple):
    """What a fleet comes to: its GPUs, US dollars an hour, and those paid for in whole nodes where they are more."""

    gpus: int
    cost: float
    paid: int | None


@dataclass(frozen=True, slots=True)
class Other:
    """A question with one input at another value: its key, both values as texts, and what the rate is multiplied by."""

    name: str
    now: str
    other: str
    question: Question
    rate: float = 1.0


def of_fleet(scene: Scene, fleet: Fleet, anchors: Sequence[Anchor], search: Search) -> list[Decisive]:
    """Return the inputs that move the cost of `fleet` by WORTH_A_WORD, the one that moves it most first.

    `anchors` are what was simulated of its pools. Replicas stay of the fleet's make, but where no number of them holds
    another number format, which their GPUs may not know: then all that is asked for is searched. One that nothing knows
    is no input, nor is one whose best fleet is of GPUs that cost less in the present format, too: what it saves is not
    by its format. They are as many as are as sure as the question wishes.
    """
    held = _held(scene, scene.question, fleet, anchors)
    sizes = None if held is None else _sizes(held, scene.rate)
    found: list[tuple[float, Decisive]] = []
    if held is None or sizes is None:
        return []
    now = _of(held.planned, sizes)
    for one in _others(scene.question):
        needed = _needs(scene, fleet, anchors, one, sizes)
        searched = needed is None and one.question.dtype != scene.question.dtype
        if searched:
            best = _best(search, one.question)
            if best is None or _costs_less_now(search, scene.question, best.fleet, now):
                continue
            needed = _needed(best, replace(scene, question=one.question))
        sure = one.question.confidence is not None
        told = Decisive(name=one.name, now=one.now, other=one.other, gpus=None, cost=None, searched=searched, sure=sure)
        if needed is not None:
            told = replace(told, gpus=needed.gpus, cost=needed.cost, paid=needed.paid)
        found.append((_weight(now, needed), told))
    found.sort(key=lambda row: -row[0])
    return [one for weight, one in found if weight >= math.log1p(WORTH_A_WORD)]


def _others(question: Question) -> Iterator[Other]:
    """Yield the inputs that may well have another value: those that nobody said, or only guessed."""
    demand, typed = question.demand, {one.key: one for one in question.ranges}
    for one in typed.values():
        if one.key not in LENGTHS:
            yield _costlier(one, question)
    if demand.form == "users" and demand.peak_factor == 1.0:
        yield Other("peak-factor", "1", f"{PEAK:g}", question, PEAK)
    if demand.form == "users" and "requests-per-user" not in typed:
        yield Other("requests-per-user", "as typed", f"{ASKED:g} times as many", question, ASKED)
    if demand.form == "tokens" and demand.peak_hour < BUSY_HOUR and "peak-hour" not in typed:
        rate = BUSY_HOUR / demand.peak_hour
        yield Other("peak-hour", f"{demand.peak_hour:.0%}", f"{BUSY_HOUR:.0%}", question, rate)
    if question.dtype == "bf16":
        yield Other("dtype", "bf16", "fp8", replace(question, dtype="fp8"))
    if question.says_nothing_of_hits():
        yield Other("prefix-hit", "0%", f"{LIKELY_HIT:.0%}", replace(question, prefix_hit=LIKELY_HIT))


def _costlier(one: TypedRange, question: Question) -> Other:
    """Return the question at the end of a range that asks for more."""
    from fleettui.reports import range_words

    if one.key == HITS:
        low = replace(question, prefix_hit=one.low, ranges=())
        return Other(one.key, range_words.middle(one), range_words.written(one, one.low), low)
    known = replace(question, ranges=tuple(other for other in question.ranges if other != one))
    return Other(one.key, range_words.middle(one), range_words.written(one, one.high), known, one.high / one.middle)


def _needs(scene: Scene, fleet: Fleet, anchors: Sequence[Anchor], one: Other, now: Sequence[int]) -> Needed | None:
    """Return what the make of a fleet comes to where an input is another, None where no size is known to do.

    Where that asks no more of a replica for each request, what needs `now` so many needs no more for each.
    """
    before, after = scene.question, one.question
    known = anchors if one.rate != 1.0 else [own.elsewhere for own in anchors]
    held = _held(scene, after, _in_format(fleet, before, after), known)
    if held is None:
        return None
    sizes = _sizes(held, scene.rate * one.rate)
    if before.dtype == after.dtype and after.prefix_hit >= before.prefix_hit:
        most = [math.ceil(size * one.rate) for size in now]
        sizes = tuple(map(min, sizes or most, most))
    return None if sizes is None else _of(held.planned, sizes)


def _in_format(fleet: Fleet, now: Question, other: Question) -> Fleet:
    """Return a fleet whose pools in the number format of the question `now` have that of the other."""
    dtype = other.dtype
    if dtype == "auto":
        return fleet
    pools = (replace(pool, dtype=dtype) if pool.dtype == now.dtype else pool for pool in fleet.pools)
    return replace(fleet, pools=tuple(pools))


def _held(scene: Scene, question: Question, fleet: Fleet, anchors: Sequence[Anchor]) -> HeldFleet | None:
    """Return a fleet held under a question, None where its hardware cannot serve that."""
    asked = replace(scene, question=question)
    try:
        profiles = [asked.profile_of(pool) for pool in fleet.pools]
        return HeldFleet.of(fleet, question, profiles, scene.case.at(1.0), anchors, modelled=True)
    except InputError:
        return None


def _sizes(held: HeldFleet, rate: float) -> tuple[int, ...] | None:
    """Return the replicas that hold a rate, as sure as is wished, None where no size does."""
    wished = held.question.confidence
    return held.planned.replicas(rate) if wished is None else sizes_for(held, rate, wished)


def _of(shape: Shape, sizes: Sequence[int]) -> Needed:
    """Return what a shape of fleet comes to at these sizes."""
    return Needed(sum(shape.gpus(sizes)), shape.cost(sizes), shape.paid_beyond(sizes))


def _best(search: Search, question: Question) -> Candidate | None:
    """Return the best fleet for a question, None where nothing serves it."""
    try:
        return search(question)
    except InputError:
        return None


def _costs_less_now(search: Search, question: Question, fleet: Fleet, now: Needed) -> bool:
    """Return whether the best of the GPU types of another fleet costs less than `now` as the question is, too."""
    files = tuple(one for one in question.gpus if is_path(one, GPU_FILE))
    alike = _best(search, replace(question, gpus=(*sorted(fleet.gpus_by_type), *files)))
    return alike is not None and alike.cost_per_hour < now.cost


def _needed(found: Candidate, asked: Scene) -> Needed:
    """Return what a fleet comes to."""
    profiles = [asked.profile_of(pool) for pool in found.fleet.pools]
    paid = sum(taken_by_fleet(found.fleet, profiles, whole_nodes=asked.question.whole_nodes).values())
    return Needed(found.gpus, found.cost_per_hour, paid if paid > found.gpus else None)


def _weight(now: Needed, other: Needed | None) -> float:
    """Return how far the other fleet's dollars are from those now, its GPUs where they cost nothing."""
    if other is None:
        return math.inf
    if now.cost > 0.0 and other.cost > 0.0:
        return abs(math.log(other.cost / now.cost))
    return abs(math.log(other.gpus / now.gpus))
