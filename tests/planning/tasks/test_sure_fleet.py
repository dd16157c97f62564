"""Fleets that the formulas rank, at the sizes that are as sure as is wished: no more are sized than are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.anchor import NOTHING_SEEN, Anchor
from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import confidence, plan, sure_fleet
from fleettui.planning.tasks.simulation_inputs import Scene, read
from fleettui.planning.tasks.sure_fleet import sized_shapes, with_better
from tests.planning.trials import shape
from tests.store import samples

SHARE, FIRST = 0.9, 3


@pytest.fixture
def asked(question: Question) -> Question:
    return replace(
        question, model="llama-3.1-8b", gpus=("h100", "a100"), step_law="kernels", verify=False, confidence=SHARE
    )


def test_the_first_fleets_are_told_without_all_being_sized(asked: Question) -> None:
    """Found: what stands beside a plan sized each of up to 200 fleets, five times, and told one."""
    new = plan.run(Context(), question=asked)
    (case, *_), context = read(new.scenario.question, new.workload, new.profiles)
    scene = Scene(
        question=new.scenario.question,
        case=case,
        rate=new.answer.demand.rate,
        context=context,
        profiles=tuple(new.profiles),
    )
    sized: list[Fleet] = []

    def size(scene: Scene, fleet: Fleet, anchors: Sequence[Anchor], share: float) -> tuple[int, ...] | None:
        sized.append(fleet)
        return confidence.sized(scene, fleet, anchors, share)

    def found(most: int | None) -> list[Candidate]:
        sized.clear()
        shapes = sized_shapes(new.answer, scene, lambda fleet: (NOTHING_SEEN,) * len(fleet.pools), size)
        return [*islice(shapes, most)]

    every, all_ = found(None), len(sized)
    assert [one.cost_per_hour for one in every] == sorted(one.cost_per_hour for one in every)
    assert found(FIRST) == every[:FIRST]
    assert FIRST < len(sized) < all_


def test_a_fleet_is_sized_once_for_what_is_known_of_its_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def sized(*given: object) -> tuple[int, ...]:
        asked.append(given)
        return (len(asked),)

    monkeypatch.setattr(confidence, "sized", sized)
    size, other, seen = confidence.remembered("one"), confidence.remembered("another"), replace(NOTHING_SEEN, seen=())
    scene, fleet = object(), object()
    first = size(scene, fleet, (seen,), SHARE)  # type: ignore[arg-type]
    assert size(scene, fleet, (seen,), SHARE) == first  # type: ignore[arg-type]
    assert other(scene, fleet, (seen,), SHARE) != first  # type: ignore[arg-type]
    assert size(scene, fleet, (seen, seen), SHARE) != first  # type: ignore[arg-type]
    assert size(scene, fleet, (seen,), 0.8) != first  # type: ignore[arg-type]


def test_what_of_its_gpu_types_is_as_good_as_sure_is_told_beside_what_of_others_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By formula, as beside a simulated answer."""
    best, other, dear = shape(4), replace(shape(2, 2), candidate="o"), replace(shape(9, gpu="b200"), candidate="b")
    answer = replace(samples.answer(1), answer=best, candidates=(best, other, dear))
    sure = Confidence(holds=0.5, replicas=(90,), gpus=90, cost=90.0, span=(4, 300))
    ranked = {"b": SureFleet(fleet=dear.fleet, cost=20.0), "o": SureFleet(fleet=other.fleet, cost=30.0)}

    def least(_: Confidence, among: Answer, *_others: object) -> SureFleet | None:
        return next((ranked[key] for key in ranked if key in {one.candidate for one in among.candidates}), None)

    monkeypatch.setattr(sure_fleet, "_better", least)
    scene: Any = SimpleNamespace(question=Question(slo=Slo(ttft=0.5)))
    found = with_better(sure, answer, best, scene, lambda _: ())
    assert (found.instead, found.alike) == (ranked["b"], ranked["o"])
    without = with_better(sure, replace(answer, candidates=(best, other)), best, scene, lambda _: ())
    assert (without.instead, without.alike) == (ranked["o"], None)
