"""How busy pools may be: as was asked, and BUSIEST where a fleet was given that is busier already."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import BUSIEST
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.utilization import held_to, scene_held_to, warned
from tests.store import samples


@pytest.mark.parametrize(("searched", "most", "held"), [(True, 0.5, 0.5), (False, 0.5, BUSIEST), (False, 0.9, 0.9)])
def test_a_fleet_that_is_given_is_held_to_what_was_asked_unless_it_is_busier(
    searched: bool, most: float, held: float
) -> None:
    """The sample's pools are .79 and .81 busy."""
    asked = replace(samples.question(), gpus=("h100",) if searched else (), max_utilization=most)
    whole = samples.answer(1)
    assert whole.answer is not None
    plan = replace(whole, candidates=(whole.answer,), excluded=())
    assert held_to(asked, plan).max_utilization == held
    scene = SceneSource(key="a", question=asked, workload="", profiles="", pairing="", rate=1.0)
    found = scene_held_to(scene, plan)
    assert (found.question.max_utilization, found.key == scene.key) == (held, held == most)
    busier = "it is 81% busy, plans at most 50%: spare, rate and sure are by latencies alone, to 98%"
    assert warned(plan, asked) == ((busier,) if held == BUSIEST else ())
