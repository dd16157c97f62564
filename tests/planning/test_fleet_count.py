"""The number of the fleet beside its runs, and what runs have shown of each limit."""

from dataclasses import replace

from fleettui.domain.plan import Estimate
from fleettui.domain.progress import Progress
from fleettui.domain.slo import Slo
from fleettui.planning.fleet_count import FleetCount, intervals
from tests.store import samples


def test_progress_bears_the_number_of_the_fleet_and_at_most_how_many_come() -> None:
    told: list[Progress] = []
    count = FleetCount(told.append)
    for number, most in ((1, 0), (2, 5), (3, 7), (4, 4), (5, 5)):
        count.begin(number, most)
        count.tell(Progress(message="simulating", done=1, total=4))
    assert [(one.fleet, one.fleets) for one in told] == [(1, 0), (2, 5), (3, 5), (4, 4), (5, 5)]
    assert {(one.message, one.done, one.total) for one in told} == {("simulating", 1, 4)}


def test_the_pool_nearest_to_a_limit_is_told() -> None:
    evidence = samples.simulated(ttft=0.46, replications=10)
    (seen,) = intervals(evidence, Slo(ttft=0.5))
    worst = max(evidence.pools, key=lambda pool: pool.ttft.high or 0.0).ttft
    assert (seen.low, seen.value, seen.high) == (worst.low, worst.value, worst.high)
    assert (seen.name, seen.limit, seen.runs) == ("P99 TTFT", 0.5, 10)


def test_what_is_undefined_is_not_told() -> None:
    evidence = samples.simulated()
    nothing = tuple(replace(pool, ttft=Estimate(value=None)) for pool in evidence.pools)
    assert intervals(replace(evidence, pools=nothing), Slo(ttft=0.5)) == ()
