"""The task that says where a kept fleet's pools work."""

from pathlib import Path

import pytest

from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import operating_points, simulate
from tests.planning.simulated import question, sketch, trace


def test_each_pool_has_the_requests_that_are_routed_to_it(tmp_path: Path) -> None:
    """The trace has prompts of 300, 600, 900, 1,500 and 3,000 tokens as often, and outputs of 4 to 16."""
    found = simulate.run(Context(), sketch=sketch(1, 2), question=question(trace(tmp_path)))
    best = found.answer.answer
    assert best is not None
    source = SceneSource.of(found.scenario.question, found.workload, found.answer.demand, "x", found.profiles)
    short, long = operating_points.run(Context(), source=source, fleet=best.fleet)
    assert (short.prompt_tokens, long.prompt_tokens) == (pytest.approx(600.0), pytest.approx(2250.0))
    assert (short.output_tokens, long.output_tokens) == (pytest.approx(10.0), pytest.approx(10.0))
    assert [short.sequences, long.sequences] == [pool.batch for pool in best.pools]
