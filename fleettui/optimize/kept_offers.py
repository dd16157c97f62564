"""Offers that were sized for one question, for others that differ from it in what no size depends on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, replace

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.optimize.offers import Anchors, Offer, offers_of
from fleettui.optimize.ranges import Ranges, Slices
from fleettui.optimize.terms import Terms

OF_FLEETS = frozenset(
    ("gpus", "prices", "budget", "max_power", "max_feed", "max_total_gpus", "max_gpus", "pools", "splits")
)
"""What a question says of whole fleets: which hardware and which ranges that comes to is told beside it."""


@dataclass(slots=True)
class KeptOffers:
    """What hardware offers for the lengths of one case under `anchors`, each sized once.

    Sizes do not depend on prices, nor on constraints of the whole fleet, nor on how many pools it has. A range that one
    search sizes exactly is exact for the next.
    """

    anchors: Anchors
    _found: dict[Hashable, list[Offer]] = field(default_factory=dict)

    def of(
        self, profiles: Sequence[Profile], slices: Slices, ranges: Ranges, question: Question, terms: Terms
    ) -> list[Offer]:
        """Return the offers of `profiles`, in their order and at their prices."""
        key = (
            tuple(replace(one, price_per_hour=0.0) for one in profiles),
            tuple(rate for rate, _ in slices),
            ranges.key,
            tuple(getattr(question, one.name) for one in fields(question) if one.name not in OF_FLEETS),
        )
        if key not in self._found:
            self._found[key] = offers_of(profiles, slices, ranges, question, terms, rivals=True, anchors=self.anchors)
        pairs = zip(self._found[key], profiles, strict=True)
        return [replace(one, profile=profile, question=question) for one, profile in pairs]
