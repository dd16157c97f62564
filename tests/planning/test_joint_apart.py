"""What is left of a joint plan's limits once workloads before it have theirs, and who is planned again inside that."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from fleettui.domain.joint import Joint, JointPlan, JointQuestion, Planned, SharedLimits
from fleettui.domain.plan import Answer
from fleettui.planning import joint_apart
from fleettui.planning.joint_apart import Left, OneByOne
from fleettui.planning.studies.study_context import StudyContext
from tests.planning.test_joint import ASKED, desk
from tests.planning.test_joint_turns import answer
from tests.planning.trials import shape
from tests.store import samples


def left(**limits: object) -> Left:
    entries = desk({"chat": [[0, 4]]}, SharedLimits()).question.entries
    return Left.of(JointQuestion(name="made", entries=entries, limits=SharedLimits(**limits)))  # type: ignore[arg-type]


def plan(gpus: int):
    """Return a plan of so many H100s at a dollar each, which draw 10 kW."""
    best = replace(shape(gpus // 2), cost_per_hour=float(gpus))
    return replace(samples.answer(1), answer=best)


LIMITS = [
    {"max_gpus": (("h100", 8),)},
    {"max_total_gpus": 8},
    {"budget": 8.0},
    {"max_power": 10_000.0},
]


@pytest.mark.parametrize("limits", LIMITS)
def test_a_fleet_fits_until_something_is_used_up(limits: dict[str, object]) -> None:
    rest = left(**limits)
    assert rest.holds(plan(8))
    assert not rest.holds(plan(10)) or "max_power" in limits
    assert not rest.holds(None)
    rest.take(None)
    rest.take(plan(8))
    assert not rest.holds(plan(2))
    spent = rest.within(replace(ASKED, gpus=("h100",)))
    assert spent is None


def test_a_question_is_asked_inside_what_is_left() -> None:
    rest = left(max_gpus=(("a100", 4), ("h100", 8)), max_total_gpus=12, budget=20.0)
    rest.take(plan(8))
    asked = rest.within(replace(ASKED, gpus=("a100", "h100")))
    assert asked is not None
    assert (asked.gpus, asked.max_gpus) == (("a100",), (("a100", 4),)), "a stock of none cannot be written"
    assert (asked.max_total_gpus, asked.budget, asked.max_power) == (4, 12.0, None)


def test_a_question_that_names_no_gpus_is_asked_about_those_that_are_left_of_the_usual_ones() -> None:
    rest = left(max_gpus=(("a100", 4), ("h100", 8)))
    usual = ("a100", "h100", "l40s")
    assert rest.within(ASKED, usual) == replace(ASKED, max_gpus=(("a100", 4), ("h100", 8)))
    rest.take(plan(8))
    assert rest.within(ASKED, usual) == replace(ASKED, gpus=("a100", "l40s"), max_gpus=(("a100", 4),))
    assert rest.within(ASKED, ("h100",)) is None


def test_without_limits_everything_fits_and_the_question_stays() -> None:
    rest = left()
    rest.take(plan(100))
    assert rest.holds(plan(1000))
    assert rest.within(ASKED) == ASKED


@pytest.mark.parametrize("limited", [True, False])
async def test_limits_that_no_fleet_keeps_by_formula_are_asked_of_simulations(
    monkeypatch: pytest.MonkeyPatch, *, limited: bool
) -> None:
    """Found: none was taken to hold in what the others leave, where simulations found one."""
    asked, found = replace(ASKED, max_gpus=(("h100", 4),) if limited else ()), answer("chat", "h100", 4)

    async def run(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(answer=samples.infeasible(), scenario=SimpleNamespace(question=asked))

    async def work_on(*_: object, prices: bool, **__: object) -> Answer:
        assert prices, "what posted prices turn to stands on the page of each"
        return found

    monkeypatch.setattr(StudyContext, "run", run)
    monkeypatch.setattr(joint_apart, "begin", lambda *_, **__: None)
    monkeypatch.setattr(joint_apart, "work_on", work_on)
    made = desk({"chat": [[4, 0]]}, SharedLimits())
    apart = OneByOne(desk=made.desk, question=made.question, kinds=made.kinds, told=lambda _: None, trace_format=None)
    assert await apart.planned(made.menus[0], asked, below=math.inf) == (found if limited else None)


def test_a_plan_that_passes_says_whose_plan_by_itself_has_other_gpus_or_is_not_known() -> None:
    """Found: every workload was said to have the fleet that it would have by itself, where one's was dearer."""
    search = desk({"chat": [[0, 4]], "code": [[0, 4]], "mail": [[0, 4]]}, SharedLimits(max_gpus=(("h100", 20),)))
    asked = search.question
    one_by_one = OneByOne(desk=search.desk, question=asked, kinds=search.kinds, told=lambda _: None, trace_format=None)
    for entry, gpus in zip(asked.entries, (8, 4, 6), strict=True):
        one_by_one.known[entry.name, replace(entry.question, objective=asked.objective), math.inf] = plan(gpus)
    held = Planned(entry=asked.entries[2], plan=plan(8), needs=(("stock of h100", 24.0),))
    chosen = (*(Planned(entry=entry, plan=plan(8)) for entry in asked.entries[:2]), held)
    made = JointPlan(question=asked, verdict="pass", kinds=search.kinds, joint=Joint(chosen=(0, 0, 0)), planned=chosen)
    same, other, kept = one_by_one.beside_own(made).planned
    assert (same, kept) == (chosen[0], held)
    assert (other.is_own, other.alone, other.alone_cost) == (False, (("h100", 4),), 4.0)
    one_by_one.known.clear()
    assert not any(one.is_own or one.alone for one in one_by_one.beside_own(made).planned[:2])
