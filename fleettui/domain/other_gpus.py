"""What there is beside an answer's GPU types, in a sentence: the best without them, or what may be cheaper."""

from __future__ import annotations

import math

from fleettui.domain.advice import AT_MOST, CENT
from fleettui.domain.confidence import LIKELY
from fleettui.domain.fleet import counted
from fleettui.domain.meter import feed
from fleettui.domain.plan import MAY_BE_CHEAPER, TOGETHER, WITHOUT, Candidate
from fleettui.domain.remedy import BY_FORMULA, SIMULATED
from fleettui.domain.scenario import Question
from fleettui.domain.unseen import fleet_as_seen

ABOUT = "~"
"""Stands before a cost that is by formula."""


def kinds(one: Candidate) -> str:
    """Return the GPU types of a fleet."""
    return " or ".join(sorted({pool.gpu for pool in one.fleet.pools}))


def other_gpu(
    answer: Candidate,
    other: Candidate | None,
    question: Question,
    sure_cost: float | None = None,
    *,
    at_most: bool = False,
) -> str:
    """Return what the best fleet without the answer's GPU types, `other`, comes to; empty where there is none.

    It is `at_most` that where it is not shown to be the best.
    Where much less is known of the answer's than of the other's it says what the answer's cost to be as good as sure,
    if that is given.
    """
    if other is None:
        return ""
    fleet = fleet_as_seen(other.fleet, question)
    aims = {
        "gpus": f"{counted(other.gpus)}, ",
        "power": f"{other.power / 1e3:.1f} kW, ",
        "energy": f"{feed(question, other.power, other.gpus) / 1e3:.1f} kW at the meter, ",
        "ttft": f"TTFT {max(pool.ttft for pool in other.pools):.3g} s, ",
    }
    aim = aims.get(question.objective, "")
    most = AT_MOST if at_most else ""
    told = f"{WITHOUT}{kinds(answer)}, {known(other)}: {fleet}, {most}{aim}{_costs(other, answer)}"
    if sure_cost is None or not other.known_better_than(answer):
        return told
    return f"{told}; {_together(answer)} {_when_sure(answer, sure_cost)}"


def may_be_cheaper(
    cheapest: Candidate,
    sure_cost: float,
    answer: Candidate,
    own_cost: float = math.inf,
    *,
    share: float | None = None,
    at_most: bool = False,
    surest: Candidate | None = None,
) -> str:
    """Return why the cheapest fleet is not the answer: what its GPUs cost an hour to be as good as sure.

    That is of the `surest`, which is named where it has some of its GPU types alone.
    Beside that stands the `own_cost` of the answer's for it where it is finite. It holds in a `share` of the cases
    where that is known, and costs `at_most` so much by predicted steps where it is not shown to be the cheapest.
    """
    most, holds = AT_MOST if at_most else "", "" if share is None else f"{100 * share:.0f}% sure, "
    tell = "confirm it" if sure_cost < answer.cost_per_hour else "decide"
    surest = surest or cheapest
    whose = "" if _together(surest) == _together(cheapest) else f"{_together(surest)} alone "
    cost = f"{_about(cheapest)}${cheapest.cost_per_hour:.2f}/h"
    beside = f" beside {_sure_cost(answer, own_cost)}" if math.isfinite(own_cost) else ""
    return (
        f"{_together(cheapest)}{MAY_BE_CHEAPER}{most}{cost} {known(cheapest)}, {holds}"
        f"{whose}{_when_sure(surest, sure_cost, beside)}: "
        f"a measurement (two bench points: fleettui profile fit) would {tell}"
    )


def _when_sure(one: Candidate, sure_cost: float, beside: str = "") -> str:
    """Return what the GPUs of a fleet cost an hour to be as good as sure, and how they are known.

    What an answer's cost for that stands `beside` it.
    """
    likely = f"{100 * LIKELY:.0f}% sure"
    reaches = (
        f"{_sure_cost(one, sure_cost)}{beside} to be {likely}" if math.isfinite(sure_cost) else f"no size {likely}"
    )
    return f"{reaches} ({one.speeds})"


def _sure_cost(one: Candidate, cost: float) -> str:
    """Return what a fleet's GPUs cost an hour to be as good as sure: by formula unless it is the fleet as simulated."""
    own = math.isclose(cost, one.cost_per_hour, abs_tol=CENT)
    return f"{_about(one) if own else ABOUT}${cost:.2f}/h"


def known(one: Candidate) -> str:
    """Return how a fleet is known to hold."""
    return BY_FORMULA if one.simulation is None else SIMULATED


def _together(one: Candidate) -> str:
    """Return the GPU types of a fleet, all of which it has."""
    return TOGETHER.join(sorted({pool.gpu for pool in one.fleet.pools}))


def _about(one: Candidate) -> str:
    """Return what stands before the cost of a fleet that is known by formula alone."""
    return ABOUT if one.simulation is None else ""


def _costs(other: Candidate, answer: Candidate) -> str:
    cost, own = other.cost_per_hour, answer.cost_per_hour
    percent = cost / own - 1.0 if own > 0 else 0.0
    return f"{_about(other)}${cost:.2f}/h beside ${own:.2f}/h ({percent:+.0%})"
