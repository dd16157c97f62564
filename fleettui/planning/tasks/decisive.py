"""The task `decisive`: which input that is guessed, or left at its default, decides most about a fleet's size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.anchor import Anchor
from fleettui.domain.decisive import Decisive
from fleettui.domain.fleet import Fleet
from fleettui.domain.scenario import Question
from fleettui.domain.typed_range import HIT as HITS
from fleettui.domain.typed_range import LENGTHS, TypedRange
from fleettui.errors import InputError
from fleettui.optimize.fleet_shape import Shape
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of
from fleettui.reports import range_words

WORTH_A_WORD = 0.1
"""By what share the GPUs must be fewer or more for an input to be told."""
PEAK, BUSY_HOUR, ASKED = 2.0, 0.12, 1.5
"""The peak over the mean, the busiest hour's share of a day's tokens, and by how many times as much a user may ask."""
HIT = 0.3
"""A share of prompt tokens that prefix caches of chats find, a low one."""


@dataclass(frozen=True, slots=True)
class Other:
    """A question with one input at another value: its key, both values as texts, and what the rate is multiplied by."""

    name: str
    now: str
    other: str
    question: Question
    rate: float = 1.0


def run(context: Context, *, source: SceneSource, fleet: Fleet, anchors: tuple[Anchor, ...]) -> list[Decisive]:
    """Return the inputs that move the GPUs of `fleet` by WORTH_A_WORD, the one that moves them most first.

    `anchors` are what was simulated of its pools.
    """
    context.check()
    return of_fleet(scene_of(source), fleet, anchors)


def of_fleet(scene: Scene, fleet: Fleet, anchors: Sequence[Anchor]) -> list[Decisive]:
    """Return the same of a scene."""
    now = _gpus(scene, scene.question, fleet, anchors, scene.rate)
    found: list[tuple[float, Decisive]] = []
    if now is None:
        return []
    for one in _others(scene.question):
        same = one.rate != 1.0
        known = anchors if same else [own.elsewhere for own in anchors]
        asked = fleet if same else _as_asked(fleet, one.question)
        needed = _gpus(scene, one.question, asked, known, scene.rate * one.rate)
        gpus, cost = (None, None) if needed is None else needed
        told = Decisive(name=one.name, now=one.now, other=one.other, gpus=gpus, cost=cost)
        found.append((_weight(now, needed), told))
    found.sort(key=lambda row: -row[0])
    return [one for weight, one in found if weight >= math.log1p(WORTH_A_WORD)]


def _others(question: Question) -> Iterator[Other]:
    """Yield what may well be otherwise: what nobody said, or only guessed."""
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
    is_free = not (question.prefix_cache or question.sessions or question.length_error)
    if question.prefix_hit == 0.0 and is_free:
        yield Other("prefix-hit", "0%", f"{HIT:.0%}", replace(question, prefix_hit=HIT))


def _costlier(one: TypedRange, question: Question) -> Other:
    """Return the question at the end of a range that asks for more."""
    if one.key == HITS:
        low = replace(question, prefix_hit=one.low, ranges=())
        return Other(one.key, range_words.middle(one), range_words.written(one, one.low), low)
    return Other(one.key, range_words.middle(one), range_words.written(one, one.high), question, one.high / one.middle)


def _as_asked(fleet: Fleet, question: Question) -> Fleet:
    """Return a fleet whose pools have the number format that a question says."""
    if question.dtype == "auto":
        return fleet
    dtype = question.dtype
    return replace(fleet, pools=tuple(replace(pool, dtype=dtype) for pool in fleet.pools))


def _gpus(
    scene: Scene, question: Question, fleet: Fleet, anchors: Sequence[Anchor], rate: float
) -> tuple[int, float] | None:
    """Return the GPUs and US dollars an hour of the shape of a fleet under a question, None where no size does."""
    asked = replace(scene, question=question)
    try:
        profiles = [asked.profile_of(pool) for pool in fleet.pools]
        shape = Shape.of(fleet, question, profiles, scene.case.at(1.0), modelled=True, anchors=anchors)
        sizes = shape.replicas(rate)
    except InputError:
        return None
    return None if sizes is None else (sum(shape.gpus(sizes)), shape.cost(sizes))


def _weight(now: tuple[int, float], other: tuple[int, float] | None) -> float:
    return math.inf if other is None else abs(math.log(other[0] / now[0]))
