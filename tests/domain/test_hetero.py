"""The scores of an allocation, and which gate refuses it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.hetero import Allocation
from fleettui.domain.plan import Estimate
from tests.domain.test_frontier import BASE

PLAIN = Allocation(base=BASE, roles=(), gpus=(("h100", 16),), cost=40.0, tokens=1000.0, ttft=0.5, tpot=0.04)
SWAPPED = replace(
    PLAIN,
    roles=("attention",),
    gpus=(("h100", 8), ("h20", 8)),
    cost=30.0,
    tokens=900.0,
    slower=(("attention", 1.02),),
)


def test_scores_are_of_dollars_and_of_tokens_for_one() -> None:
    assert SWAPPED.spend_ratio(PLAIN) == pytest.approx(4.0 / 3.0)
    assert SWAPPED.efficiency(PLAIN) == pytest.approx(1.2)
    assert PLAIN.efficiency(PLAIN) == 1.0


def test_the_last_gate_looks_at_what_was_simulated_where_that_was() -> None:
    known = replace(SWAPPED, gain=Estimate(value=1.05, low=1.01, high=1.09))
    assert (known.decided_by(PLAIN), known.refused_by(PLAIN), known.undecided) == (1.05, "efficiency", True)
    surer = replace(SWAPPED, tokens=700.0, gain=Estimate(value=1.2, low=1.1, high=1.3))
    assert (surer.decided_by(PLAIN), surer.refused_by(PLAIN), surer.undecided) == (1.2, "", False)
    assert not replace(SWAPPED, gain=Estimate(value=1.05, low=1.02, high=1.07)).undecided
    none = replace(SWAPPED, gain=Estimate(value=None))
    assert (none.decided_by(PLAIN), none.undecided, SWAPPED.undecided) == (SWAPPED.efficiency(PLAIN), False, False)


def test_the_first_gate_that_is_not_passed_refuses() -> None:
    assert SWAPPED.refused_by(PLAIN) == ""
    assert PLAIN.refused_by(PLAIN) == ""
    assert replace(SWAPPED, tokens=800.0).refused_by(PLAIN) == "efficiency"
    assert replace(SWAPPED, tokens=0.0).refused_by(PLAIN) == "limits"
    assert replace(SWAPPED, tokens=0.0, slower=(("attention", 1.5),)).refused_by(PLAIN) == "compute"
    assert replace(SWAPPED, why="too large").refused_by(PLAIN) == "memory"
