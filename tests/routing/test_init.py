"""The routers by name."""

from fleettui.domain.fleet import Fleet, FleetSketch
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.routing import ROUTERS


def test_every_default_is_the_first_router() -> None:
    asked = Question(slo=Slo(ttft=1.0)).router
    fleets = (Fleet.__dataclass_fields__["router"].default, FleetSketch(pools=()).router)
    assert {asked, *fleets} == {ROUTERS.default.name}
