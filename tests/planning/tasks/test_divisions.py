"""Which fleets the GPUs of one may be divided into otherwise."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.fleet import FleetSketch, PoolProfile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import divisions, simulate
from tests.planning.simulated import question, sketch, trace

Divide = Callable[..., list[Candidate]]
PROFILE = PoolProfile(base_step_time=0.02, time_per_context_token=4e-8, time_per_prompt_token=3e-5, kv_blocks=30_000)


@pytest.fixture
def divided(tmp_path: Path) -> Divide:
    path = trace(tmp_path)

    def of(fleet: FleetSketch, **changes: object) -> list[Candidate]:
        asked: Question = question(path, gpus=(), tp=(), **changes)
        new = simulate.run(Context(), sketch=fleet, question=asked)
        best = new.answer.answer
        assert best is not None
        source = SceneSource.of(
            new.scenario.question, new.workload, new.answer.demand, f"{tmp_path} {changes}", new.profiles
        )
        return divisions.run(Context(), source=source, fleet=best.fleet)

    return of


def words(found: list[Candidate]) -> list[list[tuple[str, int, int]]]:
    return [[(pool.gpu, pool.tp, pool.replicas) for pool in one.fleet.pools] for one in found]


def test_gpus_of_one_type_form_other_replicas(divided: Divide) -> None:
    """In bf16 one of them does not hold the model; a replica of eight leaves four of twelve."""
    assert words(divided(sketch(3, tp=4))) == [[("h100", 2, 6)], [("h100", 8, 1)]]
    assert words(divided(sketch(2))) == [[("h100", 2, 8)], [("h100", 4, 4)]]


def test_several_pools_are_divided_alike_or_are_one(divided: Divide) -> None:
    assert words(divided(sketch(1, 2))) == [
        [("h100", 2, 4), ("h100", 2, 8)],
        [("h100", 4, 2), ("h100", 4, 4)],
        [("h100", 2, 12)],
        [("h100", 4, 6)],
        [("h100", 8, 3)],
    ]


def test_gpus_of_two_types_stay_in_their_pools(divided: Divide) -> None:
    mixed = sketch(1, 1)
    mixed = replace(mixed, pools=(replace(mixed.pools[0], gpu="h200"), mixed.pools[1]))
    assert [("h200", 4, 2), ("h100", 8, 1)] in words(divided(mixed))
    assert all([gpu for gpu, _, _ in one] == ["h200", "h100"] for one in words(divided(mixed)))


def test_what_others_would_be_is_not_known_of_engines_of_ones_own_and_beside_spares(divided: Divide) -> None:
    assert divided(sketch(4, tp=4, profile=PROFILE)) == []
    assert divided(sketch(4, tp=4, spares=1)) == []
    assert divided(sketch(4, tp=4), survive=1) == []
