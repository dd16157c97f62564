"""Which shares of the cases are asked for within a joint plan's limits, with plans made up."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.joint import JointPlan, JointQuestion
from fleettui.planning import joint_surer
from fleettui.planning.joint_surer import surer_within
from tests.reports.test_joint_sure import NOMINAL, SURE, made


async def surest(
    monkeypatch: pytest.MonkeyPatch, holding: Collection[tuple[float, bool]], least: float = 0.5
) -> tuple[float | None, list[tuple[float, bool]], float | None]:
    """Return how sure the limits let a plan be of which the least sure is so sure, and the plans that were asked for.

    Beside these what is told not to have been found, where nothing was.

    Those are (share, as simulated); the ones that pass are `holding`.
    """
    asked: list[tuple[float, bool]] = []

    async def aside(desk: Any, question: JointQuestion, trace_format: str | None, where: str) -> JointPlan:
        (share,) = {one.question.confidence for one in question.entries}
        assert share is not None
        assert {one.question.verify for one in question.entries} == {question.verify}
        asked.append((share, question.verify))
        found = made(replace(NOMINAL, holds=share), SURE)
        return found if asked[-1] in holding else replace(found, verdict="fail")

    monkeypatch.setattr(joint_surer, "planned_aside", aside)
    found = await surer_within(None, made(_of(least), SURE), None)  # type: ignore[arg-type]
    return None if found is None else found.holds, asked, None if found is None or found.fleets else found.sought


def _of(holds: float) -> Confidence:
    return replace(NOMINAL, holds=holds)


async def test_the_first_that_is_asked_for_is_what_whoever_wishes_it_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await surest(monkeypatch, [(0.9, True)]) == (0.9, [(0.9, True)], None)


async def test_less_is_simulated_where_the_formulas_have_fleets_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = await surest(monkeypatch, [(0.7, False), (0.7, True)])
    assert found == (0.7, [(0.9, True), (0.8, False), (0.7, False), (0.7, True)], None)


async def test_no_more_than_two_are_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a whole joint plan, which takes minutes."""
    found = await surest(monkeypatch, [(0.8, False), (0.7, False), (0.7, True)])
    assert found == (0.0, [(0.9, True), (0.8, False), (0.8, True)], 0.8)


async def test_nothing_is_asked_for_that_is_hardly_surer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await surest(monkeypatch, [], least=0.78) == (0.0, [(0.9, True)], 0.9)
    assert await surest(monkeypatch, [], least=0.92) == (None, [], None)


async def test_what_is_told_not_to_be_found_is_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: "none were found to be surer" than 57 %, where fleets of which each is 65 % sure were in stock."""
    by_formula = [(0.8, False), (0.7, False)]
    assert await surest(monkeypatch, [], least=0.57) == (0.0, [(0.9, True), *by_formula], 0.7)
    assert await surest(monkeypatch, [], least=0.88) == (0.0, [(0.9, True)], 0.9)
