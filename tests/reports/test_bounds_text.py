"""What became of requests whose stay was bounded, in words."""

from dataclasses import replace

from fleettui.domain.plan import Estimate, PoolEvidence
from fleettui.domain.storm import Storm
from fleettui.reports.bounds_text import losses


def pool(name: str, rejected: int, timed_out: int) -> PoolEvidence:
    unknown = Estimate(value=None)
    return PoolEvidence(
        name=name,
        ttft=unknown,
        tpot=unknown,
        utilization=0.9,
        batch=9.0,
        rejected=rejected,
        timed_out=timed_out,
        offered=40_000,
    )


def test_what_was_not_served_is_told_of_each_pool_that_lost_some() -> None:
    found = losses([pool("short", 400, 0), pool("long", 0, 0), pool("rest", 10, 30)])
    assert found == (
        "not served, and in no latency: short 1 % of 40,000 (400 rejected), "
        "rest 0.1 % of 40,000 (10 rejected, 30 timed out)"
    )
    assert losses([pool("short", 0, 0)]) == ""


def test_who_came_again_is_told_with_the_attempts_that_this_made() -> None:
    found = losses([replace(pool("short", 0, 400), retried=2_000, attempts=46_000)])
    assert found.endswith("; came again: short 5 % (2,000), 1.15 attempts a request")


def test_the_worst_minutes_stand_beside_those_in_which_nobody_comes_again() -> None:
    storm = Storm(seconds=300.0, met=0.4125, attempts=2.345, without=0.63)
    found = losses([replace(pool("all", 0, 400), retried=2_000, attempts=46_000, storm=storm)])
    assert found.endswith(
        "; all: 41.25 % within every limit in the worst 300 s of the first run, at 2.35 attempts a request; "
        "63 % where nobody comes again"
    )
