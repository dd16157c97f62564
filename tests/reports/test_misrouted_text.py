"""Requests that outgrew their pool, in words."""

from fleettui.domain.plan import Estimate, PoolEvidence
from fleettui.reports.misrouted_text import outgrown


def pool(name: str, misrouted: float | None) -> PoolEvidence:
    unknown = Estimate(value=None)
    return PoolEvidence(name=name, ttft=unknown, tpot=unknown, utilization=0.9, batch=9.0, misrouted=misrouted)


def test_the_share_is_told_of_each_pool_that_did_not_hold_some() -> None:
    assert outgrown([pool("short", 0.0312), pool("long", None)]) == (
        "guessed too short, and served on where they fit: short 3.12 % of a pool's requests"
    )
    assert outgrown([pool("short", None)]) == ""
