"""Which fleets stand beside a plan's own in a study: the cheapest that may hold of each choice of GPUs and pools."""

from dataclasses import replace

from fleettui.domain.plan import Candidate, Verdict
from fleettui.planning.studies.fleets_beside import fleets_beside
from tests.store import samples


def on(gpu: str, cost: float, *, verdict: Verdict | None = None, broken: tuple[str, ...] = ()) -> Candidate:
    """Return a fleet on GPUs of one type, simulated where it has a verdict."""
    one = samples.candidate(cost=cost, shortfalls=broken)
    pools = tuple(replace(pool, gpu=gpu) for pool in one.fleet.pools)
    seen = replace(samples.evidence(), method="simulation", verdict=verdict) if verdict else None
    return replace(one, fleet=replace(one.fleet, pools=pools, gamma=cost), evidence=seen)


def test_a_fleet_that_was_simulated_to_fail_stands_beside_no_plan() -> None:
    best = on("h100", 9.0, verdict="pass")
    failed, unproven, dearer = on("a100", 5.0, verdict="fail"), on("a100", 6.0, verdict="unproven"), on("a100", 7.0)
    broken, formula = on("l40s", 4.0, broken=("P99 TTFT 0.52 s is above 500ms",)), on("b200", 8.0)
    assert [one.may_hold for one in (best, failed, unproven, dearer, broken)] == [True, False, True, True, False]
    found = fleets_beside(best, [failed, dearer, unproven, broken, formula])
    assert found == (best.fleet, unproven.fleet, formula.fleet)
