"""What is told of a fleet that was simulated: how near each pool came to each limit."""

from fleettui.domain.plan import Estimate, PoolEvidence
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.trial import shares_of_limits


def test_shares_are_of_the_limits_less_the_headroom_and_undefined_where_the_latency_is() -> None:
    asked = Question(slo=Slo(ttft=0.5, tpot=0.05), headroom=0.5)
    seen = PoolEvidence(name="all", ttft=Estimate(value=0.125), tpot=Estimate(value=None), utilization=0.5, batch=9.0)
    assert shares_of_limits((seen,), asked) == ((0.5, None),)
