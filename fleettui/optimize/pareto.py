"""What a question trades for what: the best fleet for each objective, and the front of cost and TTFT."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import TPOT, TTFT
from fleettui.domain.pareto import SeenFleet, Tradeoff, Weighed, settled
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Objective, Question
from fleettui.domain.seen_fleets import worst
from fleettui.optimize.enlarge import SizedFleet, enlarged
from fleettui.optimize.evaluate import broken_by
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.offers import NO_ANCHORS, Anchors
from fleettui.optimize.plan import find_plan
from fleettui.optimize.ranges import Slices
from fleettui.optimize.resize import resize
from fleettui.routing import pools_meet

TRADED: tuple[Objective, ...] = ("cost", "gpus", "power", "ttft")
"""The objectives whose best fleets stand beside the front; what is least in energy lies between GPUs and power."""
MEASURES: Mapping[Objective, Callable[[SizedFleet], tuple[float, ...]]] = {
    "cost": lambda one: (_alike(one.cost), _alike(one.ttft), one.fleet.gpus),
    "gpus": lambda one: (one.fleet.gpus, _alike(one.cost), _alike(one.ttft)),
    "power": lambda one: (_alike(one.power), _alike(one.cost), _alike(one.ttft)),
    "ttft": lambda one: (_alike(one.ttft), _alike(one.cost), one.fleet.gpus),
}
"""What a fleet is best by, and what decides between fleets that are alike in that."""
MOST_ROWS = 40
ALIKE = 9
"""Digits to which costs and latencies are told apart: sums of equal prices differ beyond."""
Point = tuple[float, float]
"""(US dollars an hour, seconds)."""
Note = Callable[[str, int, int], None]


def trade(
    question: Question,
    *,
    slices: Slices,
    profiles: Sequence[Profile],
    grid: Sequence[int],
    context: int,
    anchors: Anchors = NO_ANCHORS,
    seen: Sequence[SeenFleet] = (),
    note: Note = lambda _message, _done, _total: None,
) -> Tradeoff:
    """Return the best fleet for each objective, and of all that the searches find, at any useful size, the front.

    The arguments are those of `find_plan`; `seen` are the fleets that were simulated: those that hold are weighed as
    they were seen, and none that one of them rules out has a place. Every fleet keeps the question's limits and
    constraints; nothing is best and the front is empty where none does.
    """
    known = _Known.of(question, seen, profiles)
    answers = []
    for done, objective in enumerate(TRADED):
        note(f"searching fleets for least {objective}", done, len(TRADED))
        asked = replace(question, objective=objective)
        answers.append(find_plan(asked, slices=slices, profiles=profiles, grid=grid, context=context, anchors=anchors))
    searched = (one.fleet for own in answers for one in own.candidates if not one.shortfalls)
    found = list(dict.fromkeys((*searched, *known.holding)))
    sized = enlarged(
        found,
        question=question,
        slices=slices,
        profiles=profiles,
        context=context,
        anchors=anchors,
        note=lambda done, total: note("giving fleets more replicas", done, total),
    )
    allowed = [
        known.as_seen(one)
        for one in sized
        if not broken_by(one.fleet, cost=one.cost, watts=one.power, question=question, profiles=profiles)
        and not known.rules_out(one.fleet)
    ]
    standing = front(allowed)
    points = [(one.cost, one.ttft) for one in standing]
    bend = knee(points)
    shown = thinned(points, MOST_ROWS, kept=bend)
    by_fleet = {one.fleet: one for one in allowed}
    best = [
        (objective, chosen)
        for objective, own in zip(TRADED, answers, strict=True)
        if (chosen := known.best(objective, own, by_fleet, () if objective == "ttft" else standing)) is not None
    ]
    note("weighing the front", 0, 1)
    scored = {
        one: known.weighed(one.fleet, question=question, slices=slices, context=context, anchors=anchors)
        for one in dict.fromkeys([*(own for _, own in best), *(standing[place] for place in shown)])
    }
    return Tradeoff(
        best=tuple((objective, scored[own]) for objective, own in best),
        front=tuple(scored[standing[place]] for place in shown),
        knee=None if bend is None else shown.index(bend),
        found=len(found),
        weighed=len(allowed),
        standing=len(standing),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What simulations of fleets showed; `profiles` are those of all replicas that may be had."""

    meeting: bool
    seen: tuple[SeenFleet, ...]
    profiles: Sequence[Profile]

    @classmethod
    def of(cls, question: Question, seen: Sequence[SeenFleet], profiles: Sequence[Profile]) -> _Known:
        """Return what was seen of fleets of these profiles."""
        keys = {one.replica_key for one in profiles}
        ours = tuple(one for one in seen if all(pool.replica_key in keys for pool in one.fleet.pools))
        waiting = question.demand.form == "concurrency"
        meeting = waiting or any(pools_meet(one.fleet.router, len(one.fleet.pools)) for one in ours)
        return cls(meeting=meeting, seen=ours if meeting else settled(ours), profiles=profiles)

    @property
    def holding(self) -> list[Fleet]:
        """The fleets that hold as simulated."""
        return [one.fleet for one in self.seen if one.holds]

    def rules_out(self, fleet: Fleet) -> bool:
        """Return whether a fleet is known not to hold."""
        return any(one.rules_out(fleet, meeting=self.meeting) for one in self.seen)

    def of_fleet(self, fleet: Fleet) -> SeenFleet | None:
        """Return what was seen of a fleet that holds, None where nothing was."""
        return next((one for one in self.seen if one.holds and one.fleet == fleet), None)

    def as_seen(self, one: SizedFleet) -> SizedFleet:
        """Return a fleet with its TTFT as simulated, where it was."""
        seen = self.of_fleet(one.fleet)
        return one if seen is None or seen.ttft is None else replace(one, ttft=seen.ttft)

    def best(
        self,
        objective: Objective,
        answer: Answer,
        allowed: Mapping[Fleet, SizedFleet],
        standing: Sequence[SizedFleet],
    ) -> SizedFleet | None:
        """Return the best that a search found and that is `allowed`, or a better one of the front `standing`, or one
        that holds as simulated.
        """
        ranked = (one.fleet for one in (answer.answer, *answer.candidates) if one is not None and not one.shortfalls)
        first = next((allowed[fleet] for fleet in ranked if fleet in allowed), None)
        found = [*filter(None, [first]), *standing, *(allowed[fleet] for fleet in self.holding if fleet in allowed)]
        return min(found, key=MEASURES[objective], default=None)

    def weighed(
        self, fleet: Fleet, *, question: Question, slices: Slices, context: int, anchors: Anchors = NO_ANCHORS
    ) -> Weighed:
        """Return a fleet with its figures, the latencies as simulated where it was."""
        found = weighed(
            fleet, question=question, profiles=self.profiles, slices=slices, context=context, anchors=anchors
        )
        seen = self.of_fleet(fleet)
        if seen is None:
            return found
        return replace(found, ttft=seen.ttft or found.ttft, tpot=seen.tpot or found.tpot, simulated=True)


def front(fleets: Sequence[SizedFleet]) -> list[SizedFleet]:
    """Return the fleets for which no other is at least as good in both cost and TTFT, cheapest first.

    Of those that are alike in both, the one with fewer GPUs, then fewer watts, then fewer pools, then the first.
    """
    kept: list[SizedFleet] = []
    for one in sorted(fleets, key=_order):
        if not kept or _alike(one.ttft) < _alike(kept[-1].ttft):
            kept.append(one)
    return kept


def _order(one: SizedFleet) -> tuple[float, float, int, float, int]:
    return _alike(one.cost), _alike(one.ttft), one.fleet.gpus, _alike(one.power), len(one.fleet.pools)


def _alike(value: float) -> float:
    return float(f"{value:.{ALIKE}g}")


def knee(points: Sequence[Point]) -> int | None:
    """Return the place of the point farthest below the line from the first to the last, on logarithmic axes.

    None where no point lies below it, and where a value has no logarithm.

    >>> knee([(1.0, 10.0), (2.0, 2.0), (10.0, 1.0)]), knee([(1.0, 10.0), (10.0, 1.0)])
    (1, None)
    """
    if len(points) < 3 or min(map(min, points)) <= 0.0:
        return None
    at = [(math.log(cost), math.log(seconds)) for cost, seconds in points]
    (left, top), (right, bottom) = at[0], at[-1]
    # Twice the area of the triangle with the ends: the distance from their line times its length, whatever the scales.
    below = [(right - left) * (top - y) - (x - left) * (top - bottom) for x, y in at]
    farthest = max(range(len(at)), key=lambda place: below[place])
    return farthest if below[farthest] > 1e-12 else None


def thinned(points: Sequence[Point], most: int, *, kept: int | None = None) -> list[int]:
    """Return the places of at most `most` points of a front, its ends and `kept` among them.

    One after the other the point is left out that beats least beyond its neighbours: the smallest rectangle, on
    logarithmic axes where all values have a logarithm.
    """
    logs = min(map(min, points), default=0.0) > 0.0
    at = [(math.log(x), math.log(y)) if logs else (x, y) for x, y in points]
    left = list(range(len(at)))

    def beaten(place: int) -> float:
        before, own, after = (at[left[place + step]] for step in (-1, 0, 1))
        return (after[0] - own[0]) * (before[1] - own[1])

    while len(left) > most:
        inner = [place for place in range(1, len(left) - 1) if left[place] != kept]
        left.pop(min(inner, key=beaten))
    return left


def weighed(
    fleet: Fleet,
    *,
    question: Question,
    profiles: Sequence[Profile],
    slices: Slices,
    context: int,
    anchors: Anchors = NO_ANCHORS,
) -> Weighed:
    """Return a fleet with its figures, scored as it stands; latencies as the anchors correct them."""
    kinds = {one.replica_key: one for one in profiles}
    own = [kinds[pool.replica_key] for pool in fleet.pools]
    sizes = [pool.replicas for pool in fleet.pools]
    fixed = resize(fleet, sizes, question=question, profiles=own, slices=slices, context=context)
    return Weighed(
        fleet=fixed.candidate.fleet,
        cost=fixed.candidate.cost_per_hour,
        power=fixed.candidate.power,
        ttft=worst(fixed.candidate, TTFT.latency, anchors),
        tpot=worst(fixed.candidate, TPOT.latency, anchors),
        tokens_per_joule=_output_rate(fixed) / fixed.candidate.power,
    )


def _output_rate(fixed: ScoredFleet) -> float:
    """Return output tokens per second, λ·E[L_out], of every pool in the time slice that asks most of it."""
    return sum(
        pool.arrival_rate * sum(atom[0] * atom[2] for atom in pool.atoms) / sum(atom[0] for atom in pool.atoms)
        for pool in fixed.traffic.pools
    )
