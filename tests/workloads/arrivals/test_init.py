"""The arrival processes by name."""

from fleettui.domain.scenario import Question
from fleettui.domain.simulation import Traffic
from fleettui.domain.slo import Slo
from fleettui.workloads.arrivals import ARRIVALS


def test_every_default_is_the_first_process() -> None:
    assert {Question(slo=Slo(ttft=1.0)).arrivals, Traffic(pools=()).arrivals} == {ARRIVALS.default.name}
