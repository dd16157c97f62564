"""A fleet that its load alone condemns: the busiest pool is named, and only pools that are too busy fail."""

from fleettui.planning.overload import evidence_against
from tests.planning.trials import shape


def test_only_the_pools_that_are_too_busy_fail() -> None:
    fleet = shape(2, 3, work=[1.0, 3.3])
    found = evidence_against(
        fleet, (0.5, 1.1), lambda busy: busy > 0.9, lambda pool, busy: f"{pool} {busy:g}", seed=3, precision=0.1
    )
    short, long = found.pools
    assert (found.method, found.verdict, found.reason) == ("formula", "fail", f"{long.name} 1.1")
    assert (short.verdict, long.verdict) == (None, "fail")
    assert (short.batch, long.batch) == (fleet.pools[0].batch, fleet.fleet.pools[1].concurrency)
