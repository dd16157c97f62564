"""What the prefix caches of a fleet came to, in words."""

from fleettui.domain.plan import Estimate, PoolEvidence
from fleettui.reports.prefix_text import hits


def pool(name: str, hit: float | None) -> PoolEvidence:
    unknown = Estimate(value=None)
    return PoolEvidence(name=name, ttft=unknown, tpot=unknown, utilization=0.9, batch=9.0, hit=hit)


def test_the_share_is_told_of_each_pool_that_keeps_prefixes() -> None:
    assert hits([pool("short", 0.312), pool("long", 0.0)]) == (
        "prompt tokens found in the prefix cache: short 31.2 %, long 0 %"
    )
    assert hits([pool("short", None)]) == ""
