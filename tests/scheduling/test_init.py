"""The schedulers by name."""

from fleettui.domain.fleet import Fleet, FleetSketch
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.scheduling import SCHEDULERS


def test_every_default_is_the_first_scheduler() -> None:
    asked = Question(slo=Slo(ttft=1.0)).admission
    fleets = (Fleet.__dataclass_fields__["admission"].default, FleetSketch(pools=()).admission)
    assert {asked, *fleets} == {SCHEDULERS.default.name}
