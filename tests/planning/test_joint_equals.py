"""Of fleets for as much the surest is the answer of a joint plan, too, with proofs made up."""

from dataclasses import replace

import pytest

from fleettui.domain.joint import Joint, SharedLimits
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.planning.joint import JointSearch
from fleettui.planning.joint_apart import OneByOne
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.joint_equals import SurestOfEquals
from tests.planning.test_joint import KINDS, desk
from tests.planning.test_joint_turns import answer
from tests.reports.test_joint_sure import NOMINAL

STOCK = SharedLimits(max_gpus=(("a100", 4), ("h100", 7)))


def sure(name: str, gpu: str, count: int, holds: float) -> Answer:
    """Return a plan that holds with so many GPUs, so sure."""
    plan = answer(name, gpu, count)
    made = f"{plan.plan.id}-{holds:.0%}"
    return replace(plan, plan=replace(plan.plan, id=made), confidence=replace(NOMINAL, holds=holds))


def search(limits: SharedLimits = STOCK, mail: float = 0.63) -> JointSearch:
    """Return a search that found 6 H100s for chat, planned by itself, and 4 A100s for mail, proven as it was chosen."""
    made = desk({"chat": [], "mail": []}, limits)
    chat, post = made.menus
    chat.offer(sure("chat", "h100", 6, 0.69), KINDS)
    post.offer(sure("mail", "a100", 4, mail), KINDS)
    made.known["chat", chat.entry.question, 1.0] = chat.plans[0]
    return made


def finding(monkeypatch: pytest.MonkeyPatch, found: Answer | None) -> list[tuple[str, Question]]:
    """Let each plan inside what the others leave come to this; return what is asked of whom."""
    asked: list[tuple[str, Question]] = []

    async def planned(self: OneByOne, menu: Menu, question: Question, below: float) -> Answer | None:
        asked.append((menu.entry.name, question))
        if found is not None:
            menu.offer(found, self.kinds)
        return found

    monkeypatch.setattr(OneByOne, "_planned", planned)
    return asked


async def instead(made: JointSearch) -> tuple[Joint, list[str]]:
    """Return what is chosen at last, and the plans of that."""
    best = await made._choose(made.menus, proven_only=True)
    found = await SurestOfEquals(apart=made._apart(), menus=made.menus, choices=made._choices).instead(best)
    assert found.chosen is not None
    return found, [menu.plans[option].plan.id for menu, option in zip(made.menus, found.chosen, strict=True)]


async def test_a_workload_whose_fleet_was_proven_alone_has_the_surest_of_the_others_for_as_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Found: 4 A100s, 63% sure, where a plan inside the same limits came to 4 A100s, 71% sure."""
    asked = finding(monkeypatch, sure("mail", "a100", 4, 0.71))
    found, plans = await instead(search())
    assert plans == ["chat-6-h100-69%", "mail-4-a100-71%"]
    assert (found.cost, found.paid) == (22.0, (4, 6))
    assert [(name, question.max_gpus) for name, question in asked] == [("mail", (("a100", 4), ("h100", 1)))]


@pytest.mark.parametrize("other", [("a100", 4, 0.6), ("a100", 2, 0.3), ("h100", 2, 0.99), None])
async def test_what_is_no_surer_or_costs_more_is_not_taken_and_what_costs_less_is(
    monkeypatch: pytest.MonkeyPatch, other: tuple[str, int, float] | None
) -> None:
    finding(monkeypatch, None if other is None else sure("mail", *other))
    _, plans = await instead(search())
    cheaper = other is not None and other[1] == 2 and other[0] == "a100"
    assert (plans[1] == "mail-4-a100-63%") is not cheaper


async def test_nodes_that_are_shared_are_divided_otherwise_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many GPUs of another type, or fewer, need not cost less where whole nodes are paid for."""
    shared = SharedLimits(max_gpus=(("a100", 8), ("h100", 8)), whole_nodes=True)
    for other, taken in ((("a100", 4, 0.71), True), (("a100", 2, 0.71), False)):
        finding(monkeypatch, sure("mail", *other))
        _, plans = await instead(search(shared))
        assert (plans[1] == "mail-4-a100-71%") is taken


async def test_nothing_is_planned_again_that_is_as_good_as_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = finding(monkeypatch, None)
    await instead(search(mail=0.95))
    assert asked == []


@pytest.mark.parametrize("wished", [None, 0.6])
async def test_the_plan_of_all_is_the_surest_unless_it_is_wished_how_sure_each_is(
    monkeypatch: pytest.MonkeyPatch, wished: float | None
) -> None:
    """By itself mail has the H100s that code needs; 8 A100s are proven for it as the formulas choose them."""

    async def planned(_: OneByOne, menu: Menu, question: Question, below: float) -> Answer | None:
        name, left = menu.entry.name, dict(question.max_gpus).get("h100", 0 if question.gpus else 8)
        needed = {"chat": 6, "mail": 2, "code": 2}[name]
        fits = needed <= (left if question.max_gpus else 8)
        found = sure(name, "h100", needed, 0.8) if fits else sure("mail", "a100", 8, 0.71) if name == "mail" else None
        if found is not None:
            menu.offer(found, KINDS)
        return found

    async def prove(_: JointSearch, menu: Menu, option: int, **__: object) -> Answer:
        a100, h100 = menu.options[option].gpus
        return sure(menu.entry.name, *(("a100", a100) if a100 else ("h100", h100)), 0.63)

    monkeypatch.setattr(OneByOne, "_planned", planned)
    monkeypatch.setattr(JointSearch, "_prove", prove)
    limits = SharedLimits(max_gpus=(("a100", 8), ("h100", 8)))
    made = desk({"chat": [[0, 6]], "mail": [[8, 0], [0, 2]], "code": [[0, 2]]}, limits)
    for menu in made.menus:
        menu.entry = replace(menu.entry, question=replace(menu.entry.question, confidence=wished))
    plan = await made.plan()
    assert (plan.verdict, plan.joint.paid) == ("pass", (8, 8))
    ids = [one.plan.plan.id for one in plan.planned if one.plan is not None]
    assert ids[1] == f"mail-8-a100-{71 if wished is None else 63}%"
