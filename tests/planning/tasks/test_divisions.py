"""Which fleets the GPUs of one may be divided into otherwise."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.backtest import STEP_TIMES, Constant
from fleettui.domain.fleet import Fleet, FleetSketch, PoolProfile
from fleettui.domain.hardware import Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import divisions, simulate
from tests.planning.simulated import question, sketch, trace

Divide = Callable[..., list[Candidate]]
Give = Callable[..., tuple[NewPlan, Fleet]]
PROFILE = PoolProfile(base_step_time=0.02, time_per_context_token=4e-8, time_per_prompt_token=3e-5, kv_blocks=30_000)


@pytest.fixture
def given(tmp_path: Path) -> Give:
    path = trace(tmp_path)

    def of(sketched: FleetSketch, **changes: object) -> tuple[NewPlan, Fleet]:
        asked: Question = question(path, gpus=(), tp=(), **changes)
        new = simulate.run(Context(), sketch=sketched, question=asked)
        assert new.answer.answer is not None
        return new, new.answer.answer.fleet

    return of


def source_of(new: NewPlan, key: str, profiles: tuple[Profile, ...]) -> SceneSource:
    return SceneSource.of(new.scenario.question, new.workload, new.answer.demand, key, profiles)


@pytest.fixture
def divided(given: Give, tmp_path: Path) -> Divide:
    def of(sketched: FleetSketch, **changes: object) -> list[Candidate]:
        new, fleet = given(sketched, **changes)
        return divisions.run(Context(), source=source_of(new, f"{tmp_path} {changes}", new.profiles), fleet=fleet)

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
        *divisions.SPLITS * ([("h100", 8, 1), ("h100", 8, 2)],),
    ]


def test_gpus_of_two_types_stay_in_their_pools(divided: Divide) -> None:
    mixed = sketch(1, 1)
    mixed = replace(mixed, pools=(replace(mixed.pools[0], gpu="h200"), mixed.pools[1]))
    assert [("h200", 4, 2), ("h100", 8, 1)] in words(divided(mixed))
    both = [one for one in words(divided(mixed)) if len(one) > 1]
    assert both
    assert all([gpu for gpu, _, _ in one] == ["h200", "h100"] for one in both)


def test_what_others_would_be_is_not_known_of_engines_of_ones_own_and_beside_spares(divided: Divide) -> None:
    assert divided(sketch(4, tp=4, profile=PROFILE)) == []
    assert divided(sketch(4, tp=4, spares=1)) == []
    assert divided(sketch(4, tp=4), survive=1) == []


@pytest.mark.parametrize(
    ("sketched", "changes", "told"),
    [
        (sketch(4, tp=4, profile=PROFILE), {}, "its engine is one's own"),
        (sketch(4, tp=4, spares=1), {}, "replicas stand by"),
        (sketch(4, tp=4), {"survive": 1}, "replicas stand by"),
        (sketch(4, tp=4), {}, ""),
    ],
)
def test_why_others_are_not_known_is_told(
    given: Give, tmp_path: Path, sketched: FleetSketch, changes: dict[str, object], told: str
) -> None:
    new, fleet = given(sketched, **changes)
    source = source_of(new, f"{tmp_path} {told} {changes}", new.profiles)
    assert divisions.unknown(Context(), source=source, fleet=fleet) == told


@pytest.mark.parametrize("law", ["roofline", "kernels"])
@pytest.mark.parametrize("constant", ["all step times", "base step time", "time per prompt token"])
def test_a_fleet_with_corrected_steps_is_divided_into_others_with_steps_as_much_longer(
    given: Give, tmp_path: Path, law: str, constant: Constant
) -> None:
    new, fleet = given(sketch(4, tp=4), step_law=law)
    source = source_of(new, f"{tmp_path} {law}", new.profiles)
    whole = divisions.corrected(Context(), source=source, fleet=fleet, constant=constant, factor=1.5)
    corrected = source_of(new, f"{tmp_path} {law} {constant}", whole.profiles)
    before = divisions.run(Context(), source=source, fleet=fleet)
    after = divisions.run(Context(), source=corrected, fleet=whole.fleet)
    assert words(after) == words(before) == [[("h100", 2, 8)], [("h100", 8, 2)]]
    for name in STEP_TIMES[constant]:
        was, now = ([getattr(one.fleet.pools[0].profile, name) for one in found] for found in (before, after))
        assert [new / old for old, new in zip(was, now, strict=True)] == pytest.approx([1.5, 1.5], rel=0.2)


def test_gpus_of_one_type_alone_are_a_pool_for_all_lengths(divided: Divide) -> None:
    """Found: 4 A100 up to 1,200 with 8 H100 fail, and nobody looked at the 8 H100 alone, which hold."""
    mixed = sketch(1, 2, tp=4)
    mixed = replace(mixed, pools=(replace(mixed.pools[0], gpu="a100"), mixed.pools[1]))
    alone = [one.fleet.pools[0] for one in divided(mixed) if len(one.fleet.pools) == 1]
    assert [(one.gpu, one.tp, one.replicas) for one in alone] == [
        ("a100", 2, 2),
        ("a100", 4, 1),
        ("h100", 2, 4),
        ("h100", 4, 2),
        ("h100", 8, 1),
    ]
    longest = max(pool.up_to for one in divided(mixed) for pool in one.fleet.pools)
    assert {(one.above, one.up_to, one.context) for one in alone} == {(0, longest, longest)}


def test_two_pools_divide_at_the_lengths_that_keep_their_limits_best(divided: Divide) -> None:
    """Found: the same 4 A100 and 8 H100 hold with 700 in place of 1,200 tokens."""
    split = [one for one in divided(sketch(1, 2)) if words([one]) == [[("h100", 8, 1), ("h100", 8, 2)]]]
    ends = [one.fleet.pools[0].up_to for one in split]
    assert len({*ends, 1000}) == 1 + divisions.SPLITS
    assert [one.fleet.pools[1].above for one in split] == [one.fleet.pools[0].context for one in split] == ends
