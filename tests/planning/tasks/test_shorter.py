"""A fleet of two pools may need more of one where prompts are shorter."""

from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest
from fleettui.domain.length_factors import Lengths
from fleettui.domain.scenario import Question
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import plan, shorter


@pytest.mark.parametrize(
    ("pools", "splits", "told"),
    [
        (2, (1536,), "--prompt-length 0.9, split held: pool short takes ~8 replicas, not 7"),
        (2, (2048,), ""),
        (1, (), ""),
    ],
    ids=["more below the split", "room for them", "one pool"],
)
def test_more_requests_below_a_split_that_stays_overload_its_pool(
    pools: int, splits: tuple[int, ...], told: str, question: Question
) -> None:
    """Found: with prompts a tenth shorter a plan's fleet of 1 + 4 failed, of which nothing was said."""
    demand = Demand(form="rate", rate=200.0)
    asked = replace(question, demand=demand, pools=(pools,), splits=splits, verify=False)
    new = plan.run(Context(), question=asked)
    source = SceneSource.of(asked, new.workload, new.answer.demand, digest(asked), new.profiles)
    assert shorter.prompts(Context(), source=source, answer=new.answer) == told
    if told:
        again = plan.run(Context(), question=replace(asked, lengths=Lengths(prompt=shorter.SHORTER))).answer.answer
        assert again is not None, "what the warning names can be typed"
        assert f"~{again.fleet.pools[0].replicas} replicas" in told
