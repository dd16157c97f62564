"""How busy pools may be: as was asked of a search, BUSIEST where a fleet was given."""

from dataclasses import replace

import pytest

from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.utilization import BUSIEST, held_to, scene_held_to
from tests.store import samples


@pytest.mark.parametrize("searched", [True, False])
def test_a_fleet_that_is_given_is_held_to_its_limits_however_busy(searched: bool) -> None:
    asked = replace(samples.question(), gpus=("h100",) if searched else ())
    whole = samples.answer(1)
    assert whole.answer is not None
    plan = replace(whole, candidates=(whole.answer,), excluded=())
    most = held_to(asked, plan).max_utilization
    assert most == (asked.max_utilization if searched else BUSIEST)
    scene = SceneSource(key="a", question=asked, workload="", profiles="", pairing="", rate=1.0)
    held = scene_held_to(scene, plan)
    assert (held.question.max_utilization, held.key == scene.key) == (most, searched)
