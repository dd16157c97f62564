"""Offers that are sized once for questions that differ in their fleets alone, and are what each would size."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.optimize.kept_offers import KeptOffers
from fleettui.optimize.offers import NO_ANCHORS, Offer, offers_of
from fleettui.optimize.plan import find_plan
from tests.optimize.reasons.grounds import CONTEXT, GRID
from tests.optimize.samples import atoms, profile, question

PROFILES = [profile("fast"), profile("slow", speed=0.5, price=1.4)]


def best(asked: Question, kept: KeptOffers) -> Candidate | None:
    return find_plan(asked, slices=[(45.0, atoms(5))], profiles=PROFILES, grid=GRID, context=CONTEXT, alone=kept).answer


def test_questions_of_the_same_ranges_are_sized_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: fleets of two pools were sized again where fleets of one and two had been."""
    base, kept, sized = question(ttft=0.8, pools=(1, 2)), KeptOffers(NO_ANCHORS), []
    changed: list[dict[str, Any]] = [
        *({}, {"pools": (2,)}, {"gpus": ("fast", "slow")}, {"budget": 1e3}, {"splits": GRID}),
        *({"pools": (1,)}, {"max_utilization": 0.7}),
    ]
    asked = [replace(base, **one) for one in changed]
    alone = [best(one, KeptOffers(NO_ANCHORS)) for one in asked]

    def counted(*args: Any, **named: Any) -> list[Offer]:
        sized.append(args)
        return offers_of(*args, **named)

    monkeypatch.setattr("fleettui.optimize.kept_offers.offers_of", counted)
    assert [best(one, kept) for one in asked] == alone
    assert len(sized) == 3, "in one and two pools, in one, and with another limit"
