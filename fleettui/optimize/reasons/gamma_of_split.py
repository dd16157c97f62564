"""The best factor at each split around a plan's own: every split with every factor, both pools sized anew each time.

That is FleetOpt's Algorithm 1 whole, with compressed work counted and, where cores have a price, the compressor's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate
from fleettui.domain.study import StudyTable, table_of
from fleettui.optimize.reasons.compression_saving import FLAT
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.reasons.split_saving import asked

BESIDE = 3
"""Splits that are tried on each side of the plan's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtSplit:
    """The cheapest fleet at a split that compresses nothing, and that of any factor; None where none holds."""

    split: int
    plain: Candidate | None
    best: Candidate | None

    @property
    def saved(self) -> float | None:
        """The share of the cost that compressing saves."""
        if self.plain is None or self.best is None:
            return None
        return 1.0 - _cost(self.best) / _cost(self.plain)


def gamma_of_split(ground: Ground, fleet: Fleet) -> tuple[AtSplit, ...]:
    """Return the splits around that of a `fleet` of two pools, or of the best one of them; none where there is none."""
    own = fleet.pools[0].up_to if len(fleet.pools) == 2 else None
    known = [one for one in ground.kept.candidates if len(one.fleet.pools) == 2]
    if own is None and known:
        own = known[0].fleet.pools[0].up_to
    if own is None or len(fleet.pools) > 2:
        return ()
    splits = sorted({own, *(one.fleet.pools[0].up_to for one in known)})
    place = splits.index(own)
    question = asked(ground.question, fleet, ground.question.admission, 2)
    most = max(ground.question.gamma[1], fleet.gamma)

    def best(split: int, gamma: float) -> Candidate | None:
        return ground.best(replace(question, splits=(split,), gamma=(1.0, gamma)))

    return tuple(
        AtSplit(split=split, plain=best(split, 1.0), best=best(split, most))
        for split in splits[max(place - BESIDE, 0) : place + BESIDE + 1]
    )


def sentences(found: Sequence[AtSplit]) -> Iterator[str]:
    """Yield which split and factor are cheapest, and which splits are as good."""
    known = [(one.split, one.best) for one in found if one.best is not None]
    if len(known) < 2:
        return
    split, best = min(known, key=lambda one: (round(_cost(one[1]), 9), one[1].fleet.gamma, one[0]))
    good = [f"{one:,}" for one, other in known if one != split and _cost(other) <= _cost(best) * (1.0 + FLAT)]
    others = f"as good within {FLAT:.0%}, at their own gammas are {', '.join(good)}" if good else "no other is as good"
    yield f"of {len(known)} splits tried with every gamma {split:,} at gamma {best.fleet.gamma:g} is cheapest; {others}"


def table(found: Sequence[AtSplit]) -> StudyTable:
    """Return each split with its best factor."""
    return table_of(
        "the best gamma at each split",
        found,
        ("split", "tokens", lambda one: one.split),
        ("gamma", "number", lambda one: one.best.fleet.gamma if one.best else None),
        ("gpus", "count", lambda one: one.best.gpus if one.best else None),
        ("cost_per_hour", "dollars per hour", lambda one: _cost(one.best) if one.best else None),
        ("gpus_without", "count", lambda one: one.plain.gpus if one.plain else None),
        ("saved", "share", lambda one: one.saved),
        note="by formula; of every factor in steps of 0.1 the cheapest, the least where several are; both pools sized "
        "anew, compressed work counted; saved against the same split without compression",
    )


def _cost(one: Candidate) -> float:
    return one.cost_per_hour + one.compressor_cost
