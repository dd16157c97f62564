"""Shapes of fleets at the sizes that suffice in a share of the cases, best first.

A case is a step time that the evidence on the hardware allows. Sizes are by the formulas, as what was simulated
corrects them.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fleettui.domain.anchor import NOTHING_SEEN, Anchor
from fleettui.domain.confidence import LIKELY, Confidence, SureFleet
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate, Look
from fleettui.domain.remedy import without_constraints
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import by_replica
from fleettui.domain.size_curve import filled, paid_beyond, within_constraints
from fleettui.domain.unseen import not_fitted
from fleettui.planning.anchors import anchors_from, kinds_of
from fleettui.planning.at_best import AtBest
from fleettui.planning.kept_looks import with_looks
from fleettui.planning.ladder import as_the_rungs_tell
from fleettui.planning.walk import Sizes
from fleettui.planning.walked_shapes import replicas_of
from fleettui.planning.worth import Curves, worth_of_sizes

MOST_SURE = 12
"""Shapes, best first, among which one is looked for that is as good as sure for less than a fleet's own.

Those of one pool are looked at beside them: they are few and unlike the others.
"""
CLEARLY = 0.01
"""Share by which another shape has to be better than a fleet's own to be told beside it."""

Shape = tuple[Candidate, Curves]
Key = tuple[str, Sizes]
"""A shape's candidate, and the sizes of a fleet of it."""
Known = tuple[Fleet, tuple[Anchor, ...]]
"""A fleet with what simulations showed of each of its pools."""
Wish = Callable[[Sequence[Known]], Awaitable[list[Sizes | None]]]
"""Sizes fleets for a share of the cases; None where no size does."""


@dataclass(frozen=True, slots=True)
class Option:
    """A shape of fleet at the sizes that suffice in a share of the cases, and what they are worth."""

    worth: float
    shape: Candidate
    sizes: Sizes
    curves: Curves

    @property
    def key(self) -> Key:
        """What tells it from others: the shape's candidate, and the sizes."""
        return self.shape.candidate, self.sizes


def options(sized: Iterable[tuple[Shape, Sizes | None]], question: Question) -> list[Option]:
    """Return the shapes at their sizes that keep every constraint, best first; those without sizes are left out.

    Whole nodes that these pay for are filled.
    """
    found = [
        Option(_worth(shape, sizes, question), shape[0], filled(shape[1], sizes, question), shape[1])
        for shape, sizes in sized
        if sizes is not None and within_constraints(shape[1], sizes, question)
    ]
    return sorted(found, key=lambda one: one.worth)


def at_sizes(option: Option, sizes: Sizes, question: Question) -> Option | None:
    """Return a shape at other sizes, None where these break a constraint."""
    return next(iter(options([((option.shape, option.curves), sizes)], question)), None)


def better(found: Sequence[Option], own: Shape, sure: Confidence, question: Question) -> Option | None:
    """Return the best of the options for LIKELY if it is clearly better than as many of a fleet's `own` as suffice.

    Any is where so many break a constraint, or where no number suffices.
    """
    kept = sure.replicas is not None and within_constraints(own[1], sure.replicas, question)
    worth = _worth(own, sure.replicas, question) if kept and sure.replicas is not None else math.inf
    return next((one for one in found[:1] if one.worth < worth * (1.0 - CLEARLY)), None)


def simulated_alike(shapes: Sequence[Shape], best: Candidate, tried: Sequence[Candidate]) -> set[str]:
    """Return the candidates of shapes of a fleet's replicas, divided otherwise, that were simulated at any sizes."""
    own, kinds = replicas_of(best.fleet), kinds_of(best)
    seen = [kinds_of(one) for one in tried if replicas_of(one.fleet) == own and kinds_of(one) != kinds]
    return {one.candidate for one, _ in shapes if replicas_of(one.fleet) == own and kinds_of(one) in seen}


def needs_more(sure: Confidence, question: Question) -> bool:
    """Return whether it is worth telling what would be as good as sure: it was not wished, and the fleet is not."""
    return question.confidence is None and sure.holds < LIKELY


def has_other_types(sure: Confidence, best: Candidate) -> bool:
    """Return whether what is told to be as good as sure is of other GPU types than a fleet's, but for more of it."""
    told = (one for one in (sure.better_known, sure.instead) if one is not None)
    return all(one.fleet.gpus_by_type.keys() != best.fleet.gpus_by_type.keys() for one in told)


def with_alike(sure: Confidence, alike: SureFleet | None) -> Confidence:
    """Return how sure a fleet is with what else of its GPU types is as good as sure, if anything is."""
    if alike is None:
        return sure
    return replace(sure, instead=alike) if sure.instead is None else replace(sure, alike=alike)


def beside(best: Candidate, other: Candidate, curves: Curves, question: Question) -> SureFleet:
    """Return the other fleet that is as good as sure, whose pools have these curves, as told beside the `best`."""
    paid = paid_beyond(curves, [pool.replicas for pool in other.fleet.pools])
    speeds = other.speeds if best.known_better_than(other) else not_fitted(other.fleet, question)
    return SureFleet(fleet=other.fleet, cost=other.cost_per_hour, paid=paid, speeds=speeds)


@dataclass(frozen=True, slots=True)
class SizedShapes:
    """A question at a rate in requests/s, and what sizes its fleets for a share of the cases.

    `sized` remembers the sizes of fleets by what was known of their pools; `looks` are what was simulated of fleets at
    other rates. Where all `err_alike`, replicas that were never simulated are expected to be as far from the formulas
    as those that were; else they are taken by formula, to be simulated next.
    """

    question: Question
    rate: float
    wish: Wish
    err_alike: bool = False
    sized: dict[Known, Sizes | None] = field(default_factory=dict)
    looks: list[Look] = field(default_factory=list)

    async def options(self, shapes: Sequence[Shape], tried: Sequence[Candidate]) -> list[Option]:
        """Return the shapes at the wished sizes that keep every constraint, best first.

        A shape whose pools none of those that were `tried` has is sized by what others showed of the same replicas.
        """
        alike = by_replica(tried, self.question, self.rate)
        others = tuple(seen for own in alike.values() for seen in own.seen) if self.err_alike else ()
        known = [(one.fleet, self._anchors(one, tried, alike, Anchor(seen=others))) for one, _ in shapes]
        return await self._options(shapes, known)

    async def at_best(self, shapes: Sequence[Shape], tried: Sequence[Candidate]) -> list[Option]:
        """Return the same where the formulas err to the safe side as far as they may by all that was simulated."""
        alike = by_replica(tried, self.question, self.rate)
        errors = AtBest.of(self.question, self.rate, tried, self.looks)
        expected = [(one, self._anchors(one, tried, alike, NOTHING_SEEN)) for one, _ in shapes]
        return await self._options(shapes, [(one.fleet, errors.anchors(one, own)) for one, own in expected])

    async def by_formula(self, shapes: Sequence[Shape]) -> list[Option]:
        """Return the same by the formulas alone, whatever was simulated, and whatever constraint that breaks."""
        known = [(one.fleet, (NOTHING_SEEN,) * len(one.fleet.pools)) for one, _ in shapes]
        return await replace(self, question=without_constraints(self.question))._options(shapes, known)

    async def _options(self, shapes: Sequence[Shape], known: Sequence[Known]) -> list[Option]:
        new = [one for one in known if one not in self.sized]
        self.sized.update(zip(new, await self.wish(new), strict=True))
        return options(zip(shapes, map(self.sized.__getitem__, known), strict=True), self.question)

    async def unconstrained(self, shapes: Sequence[Shape], tried: Sequence[Candidate]) -> Option | None:
        """Return the best of what suffices if a fleet may cost, draw and take what it will; None where nothing does.

        None, too, where the question has no such constraint.
        """
        free = without_constraints(self.question)
        if free == self.question:
            return None
        return next(iter(await replace(self, question=free).options(shapes, tried)), None)

    def _anchors(
        self, shape: Candidate, tried: Sequence[Candidate], alike: Mapping[ReplicaKey, Anchor], others: Anchor
    ) -> tuple[Anchor, ...]:
        """Return what was seen of each pool of a shape, or else of pools of the same replicas, or else of `others`."""
        looks = self._looks_at(shape)
        known = with_looks(anchors_from(tried, shape, self.question, self.rate), looks, shape, self.question)
        own = known
        for sizes in dict.fromkeys(look.sizes for look in looks):
            own = as_the_rungs_tell(own, (look for look in looks if look.sizes == sizes))
        pairs = zip(own, shape.fleet.pools, strict=True)
        return tuple(one if one.seen else alike.get(pool.replica_key, others) for one, pool in pairs)

    def _looks_at(self, shape: Candidate) -> list[Look]:
        return [look for look in self.looks if kinds_of(look.candidate) == kinds_of(shape)]


def _worth(shape: Shape, sizes: Sizes, question: Question) -> float:
    candidate, curves = shape
    compressor = candidate.compressor_cost
    return worth_of_sizes(question.objective, curves, sizes, question.host_power, compressor=compressor)
