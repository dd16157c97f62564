"""Proposition 1 against a finite difference of continuous replicas, and both ends of its sentence."""

import numpy as np
import pytest

from fleettui.domain.plan import Candidate
from fleettui.optimize import sizing
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.reasons.marginal import boundaries, held_at, nearest, sentences, table
from fleettui.queueing.batching import saturated_rate
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.service import Service
from tests.optimize.reasons.grounds import answer_of, ground
from tests.optimize.samples import atoms, profile, question

FAST, SLOW = profile("fast", blocks=3000), profile("slow", tp=4, speed=0.8, price=0.5, blocks=9000)
STEP = 1e-4


def replicas_for(fixed: ScoredFleet, place: int, more: float) -> float:
    """Return the continuous replicas at the utilization cap when `more` requests/s of the boundary's length arrive."""
    pool, traffic = fixed.candidate.fleet.pools[place], fixed.traffic.pools[place]
    near = nearest(fixed, max(place, 1))
    weight = sum(atom[0] for atom in traffic.atoms)
    added = more / traffic.arrival_rate * weight
    share = added / sum(atom[0] for atom in near)
    mixed = [*traffic.atoms, *((atom[0] * share, *atom[1:]) for atom in near)]
    moments = RequestTable.of(mixed, chunk=pool.token_budget).moments([0], [len(mixed)])
    service = Service.of(pool.profile, pool.concurrency, pool.token_budget, (1,))
    return float((traffic.arrival_rate + more) / saturated_rate(moments, service)[0] / 0.85)


@pytest.mark.parametrize("profiles", [[FAST], [FAST, SLOW]])
@pytest.mark.parametrize("admission", ["paged", "reserved"])
def test_one_more_request_asks_for_what_a_finite_difference_says(profiles, admission) -> None:
    base = ground(question(ttft=20.0, pools=(2,), admission=admission), 60.0, atoms(5), profiles)
    fixed = base.standing(answer_of(base))
    (one,) = boundaries(base, answer_of(base))
    for place, side in enumerate((one.short, one.long)):
        assert side.held == 0.85
        tp = fixed.candidate.fleet.pools[place].tp
        slope = (replicas_for(fixed, place, STEP) - replicas_for(fixed, place, -STEP)) / (2 * STEP)
        assert side.boundary == pytest.approx(tp * slope, rel=1e-6)
        rate = fixed.traffic.pools[place].arrival_rate
        assert side.own == pytest.approx(tp * replicas_for(fixed, place, 0.0) / rate, rel=1e-9)
    assert one.saving == pytest.approx(one.long.boundary * one.long.price - one.short.boundary * one.short.price)


def test_a_pool_held_by_latency_is_held_below_the_cap() -> None:
    base = ground(question(ttft=0.25, pools=(2,)), 60.0, atoms(5), [FAST])
    fixed = base.standing(answer_of(base))
    helds = [side.held for one in boundaries(base, answer_of(base)) for side in (one.short, one.long)]
    assert min(helds) < 0.84
    for place, held in enumerate(helds):
        load = base.load(fixed, place)
        busy = float(load.occupancy.utilization[0] * load.replicas[0])
        assert sizing.keeps(load.resized(np.array([busy / held * (1 + 1e-6)])), base.terms)[0]
        if held < 0.85:
            assert not sizing.keeps(load.resized(np.array([busy / held * (1 - 1e-6)])), base.terms)[0]


def test_a_pool_that_breaks_its_terms_by_formula_is_held_where_it_is() -> None:
    base = ground(question(ttft=0.2, pools=(1,)), 60.0, atoms(5), [profile("fast")])
    fleet = answer_of(base).fleet
    load = base.load(base.fix(fleet, [fleet.pools[0].replicas - 1]), 0)
    assert held_at(load, base.terms) == pytest.approx(float(load.occupancy.utilization[0]))


def test_the_boundary_is_one_percent_of_the_requests_above_it() -> None:
    base = ground(question(ttft=5.0, pools=(2,)), 60.0, atoms(5, 400), [FAST])
    fixed = base.standing(answer_of(base))
    long = fixed.traffic.pools[1]
    near = nearest(fixed, 1)
    share = sum(atom[0] for atom in near) / sum(atom[0] for atom in long.atoms) * long.arrival_rate / 60.0
    assert share == pytest.approx(0.01)
    longest = max(prompt + output for _, prompt, output in near)
    others = [atom for atom in long.atoms if atom[1:] not in [one[1:] for one in near]]
    assert all(prompt + output >= longest for _, prompt, output in others)


def test_one_pool_has_no_boundary() -> None:
    base = ground(question(ttft=5.0, pools=(1,)), 60.0, atoms(5), [FAST])
    assert boundaries(base, answer_of(base)) == ()


def test_the_sentence_says_which_way_it_pays() -> None:
    base: Ground = ground(question(ttft=5.0, pools=(2,)), 60.0, atoms(5), [FAST])
    answer: Candidate = answer_of(base)
    found = boundaries(base, answer)
    (said,) = sentences(found)
    assert f"of {answer.fleet.pools[0].up_to} tokens" in said
    assert ("saves" in said) == (found[0].saving >= 0)
    assert len(table(found).rows) == 2
    (instead,) = sentences(found, "FAST tp4 x2 + tp4 x3")
    assert (
        instead == f"one pool has no boundary; in FAST tp4 x2 + tp4 x3, the best of several that the plan ranks: {said}"
    )
    assert table(found, "FAST tp4 x2 + tp4 x3").title == (
        f"{table(found).title}, in FAST tp4 x2 + tp4 x3, as one pool has no boundary"
    )
