"""What limits a pool is what its simulation shows, not what the formulas took it for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.limiting import LARGER, LONGER_STEPS, limited_by
from fleettui.domain.plan import Candidate, Estimate, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from tests.reports.conftest import simulated, too_slow

ASKED = Question(slo=Slo(ttft=0.7, tpot=0.045))
TTFT_NEAR, TPOT_NEAR = (0.63, 0.036), (0.4, 0.044)
"""Seconds of TTFT and TPOT: which of them is nearer to its limit."""


def fleet(
    limits: str, seen: tuple[float, float], *, size: int = 3, busy: float = 0.46, verdict: Verdict = "pass"
) -> Candidate:
    """Return a fleet of one pool whose latencies were simulated; by formula it is limited by what is given."""
    one = too_slow()
    (pool,), (figures,) = one.fleet.pools, one.pools
    made = replace(
        one,
        fleet=replace(one.fleet, pools=(replace(pool, replicas=size),)),
        pools=(replace(figures, limited_by=limits, utilization=busy),),
    )
    known = simulated(made, verdict)
    assert known.evidence is not None
    (own,) = known.evidence.pools
    ttft, tpot = (Estimate(value=value, low=0.98 * value, high=1.01 * value) for value in seen)
    own = replace(own, ttft=ttft, tpot=tpot, verdict=verdict)
    return replace(known, evidence=replace(known.evidence, pools=(own,)))


def told(one: Candidate, *tried: Candidate) -> str:
    (found,) = limited_by(one, ASKED, (one, *tried))
    return found


def test_of_two_latencies_it_is_the_one_with_least_room() -> None:
    """Found: "limited by TPOT", where 9 % of TTFT were left as simulated and 20 % of TPOT."""
    assert told(fleet("TPOT", TTFT_NEAR)) == "TTFT"
    assert told(fleet("TTFT: prefill", TPOT_NEAR)) == "TPOT"
    assert told(fleet("TTFT: prefill", TTFT_NEAR)) == "TTFT: prefill", "which part of it is the formulas' to say"
    assert told(fleet(LARGER, TTFT_NEAR)) == "TTFT"


def test_what_one_replica_fewer_was_seen_to_break_goes_first() -> None:
    fewer = fleet("TPOT", (0.65, 0.056), size=2, verdict="fail")
    assert told(fleet("TPOT", TTFT_NEAR), fewer) == "TPOT", "TTFT is near its limit and stays there"
    both = fleet("TPOT", (0.9, 0.056), size=2, verdict="fail")
    assert told(fleet("TPOT", TTFT_NEAR), both) == "TTFT", "of both the one that gives way first"
    smaller = fleet("TPOT", (0.65, 0.056), size=1, verdict="fail")
    assert told(fleet("TPOT", TTFT_NEAR), smaller) == "TTFT", "two replicas fewer say nothing of one"


def test_a_pool_at_its_load_is_limited_by_its_work_unless_a_latency_is_nearer() -> None:
    assert told(fleet("KV memory", TPOT_NEAR, busy=0.845)) == "KV memory"
    assert told(fleet("KV memory", TPOT_NEAR, busy=0.7)) == "TPOT"


@pytest.mark.parametrize("verdict", ["fail", "unproven", None])
def test_a_pool_that_is_not_known_to_hold_is_limited_by_what_it_is_over_or_has_least_left_of(
    verdict: Verdict | None,
) -> None:
    """Found: limited by "TTFT: waiting", of which 35 % were left as simulated, where TPOT was 252 % over."""
    assert told(of_pool(fleet("TTFT: waiting", (0.4, 0.09)), verdict)) == "TPOT"
    assert told(of_pool(fleet("TPOT", (0.9, 0.05)), verdict)) == "TTFT", "of two that are over, the one that is by more"
    assert told(of_pool(fleet("TPOT", TTFT_NEAR), verdict)) == "TTFT"
    unknown = of_pool(fleet("TTFT: waiting", (0.4, 0.09)), verdict, ttft=Estimate(value=None))
    assert told(unknown) == "TTFT: waiting", "a queue without end has no latency to tell"


def of_pool(one: Candidate, verdict: Verdict | None, *, ttft: Estimate | None = None) -> Candidate:
    """Return a fleet whose one pool came to this verdict, with another TTFT where one is given."""
    assert one.evidence is not None
    (own,) = one.evidence.pools
    own = replace(own, verdict=verdict, ttft=ttft or own.ttft)
    return replace(one, evidence=replace(one.evidence, pools=(own,)))


def test_what_no_simulation_decides_stays() -> None:
    assert told(replace(fleet("TPOT", TTFT_NEAR), evidence=None)) == "TPOT"
    assert told(fleet("one replica", TTFT_NEAR, size=1)) == "one replica"
    assert told(fleet(LONGER_STEPS, TTFT_NEAR)) == LONGER_STEPS
    (found,) = limited_by(fleet("TPOT", TTFT_NEAR), replace(ASKED, slo=Slo(e2e=99.0)))
    assert found == "E2E"
