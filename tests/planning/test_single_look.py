"""What short runs leave open of a fleet is run for longer where a study looks at other sizes of it, too."""

from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning import single_look
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.single_look import looked_around, looked_at
from tests.planning.trials import shape


@pytest.mark.parametrize(("most", "longer"), [(0, False), (2, True)])
async def test_only_what_a_study_looks_around_at_is_run_for_longer(
    monkeypatch: pytest.MonkeyPatch, most: int, longer: bool
) -> None:
    """Found: why left open whether 3 B200 + 8 H100 hold, and said a price 12 % too far."""
    asked: list[bool] = []

    async def look(_: FleetLimits, __: tuple[int, ...], ___: float, *, longer: bool) -> None:
        asked.append(longer)

    async def stage(*_: object) -> Any:
        return SimpleNamespace(candidate=shape(2))

    monkeypatch.setattr(FleetLimits, "look", look)
    monkeypatch.setattr(single_look, "prepared", stage)
    desk: Any = SimpleNamespace(workers=None, tell=None)
    source: Any = SimpleNamespace(question=Question(slo=Slo(ttft=0.5)), rate=10.0)
    fleet = shape(2).fleet
    if most:
        assert await looked_around(desk, source, fleet, 1, most) == []
    else:
        assert await looked_at(desk, source, fleet, 1) is None
    assert asked == [longer]
