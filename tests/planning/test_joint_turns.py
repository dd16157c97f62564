"""Workloads that are planned again inside what the others leave, with proofs made up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.joint import JointPlan, SharedLimits
from fleettui.domain.plan import Answer, PlanIdentity
from fleettui.domain.scenario import Question
from fleettui.planning import joint_turns
from fleettui.planning.joint import JointSearch
from fleettui.planning.joint_apart import OneByOne
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.joint_choices import CLOSE
from tests.planning.test_joint import KIND, archived, desk
from tests.planning.trials import shape

Fleets = Mapping[str, Sequence[tuple[str, int]]]
STOCK = SharedLimits(max_gpus=(("a100", 40), ("h100", 12)))


def answer(name: str, gpu: str, count: int) -> Answer:
    """Return a plan that holds with so many GPUs."""
    best = replace(shape(count // 2, gpu=gpu), cost_per_hour=count * KIND[gpu].price, power=0.0)
    made = f"{name}-{count}-{gpu}"
    identity = PlanIdentity(id=made, name=made)
    return Answer(verdict="pass", plan=identity, demand=DerivedDemand(rate=1.0, arithmetic=""), answer=best)


def holding(monkeypatch: pytest.MonkeyPatch, fleets: Fleets) -> list[tuple[str, tuple[tuple[str, int], ...]]]:
    """Let each workload hold with its `fleets` alone, and a plan be the cheapest in its stock; return what is asked.

    A question that names GPUs is answered with these alone.

    No fleet of a formula holds.
    """
    asked: list[tuple[str, tuple[tuple[str, int], ...]]] = []

    async def planned(self: OneByOne, menu: Menu, question: Question, below: float) -> Answer | None:
        name, stock = menu.entry.name, dict(question.max_gpus)
        asked.append((name, question.max_gpus))
        usable = [one for one in fleets[name] if one[0] in (question.gpus or KIND)]
        fits = [(gpu, count) for gpu, count in usable if count <= stock.get(gpu, count)]
        best = min(fits, key=lambda one: one[1] * KIND[one[0]].price, default=None)
        if best is None or best[1] * KIND[best[0]].price >= below:
            return None
        found = answer(name, *best)
        menu.offer(found, self.kinds)
        return found

    async def prove(_: JointSearch, menu: Menu, option: int, **__: object) -> Answer:
        count = sum(menu.options[option].gpus)
        return replace(answer(menu.entry.name, "h100", count), verdict="fail")

    monkeypatch.setattr(OneByOne, "_planned", planned)
    monkeypatch.setattr(JointSearch, "_prove", prove)
    return asked


def chosen(plan: JointPlan) -> list[str]:
    return [one.plan.plan.id for one in plan.planned if one.plan is not None]


async def test_a_workload_gives_way_where_the_one_after_it_has_no_fleet_in_what_it_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Chat has 30 A100s by itself, and code needs 20 of 40; by formula chat's H100s are more than there are."""
    asked = holding(monkeypatch, {"chat": [("a100", 30), ("h100", 12)], "code": [("a100", 20)]})
    made = desk({"chat": [[30, 0], [0, 14]], "code": [[20, 0]]}, STOCK)
    plan = await made.plan()
    assert (plan.verdict, chosen(plan)) == ("pass", ["chat-12-h100", "code-20-a100"])
    assert plan.joint.paid == (20, 12)
    assert asked[-1] == ("chat", (("a100", 20), ("h100", 12)))
    assert "chat-30-a100" in archived(made)


async def test_a_cheaper_combination_is_found_where_a_workload_that_was_first_gives_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One by one chat has all A100s and code 12 H100s for $36; the formulas know nothing of chat's 4 H100s."""
    holding(monkeypatch, {"chat": [("a100", 10), ("h100", 4)], "code": [("a100", 10), ("h100", 12)]})
    limits = SharedLimits(max_gpus=(("a100", 10), ("h100", 12)))
    plan = await desk({"chat": [[10, 0], [0, 10]], "code": [[10, 0]]}, limits).plan()
    assert (plan.verdict, chosen(plan), plan.joint.cost) == ("pass", ["chat-4-h100", "code-10-a100"], 22.0)


async def test_a_plan_beside_others_has_to_promise_less_than_all_cost_so_far_without_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All cost $46, of which $10 are code's better fleet, for which chat would give way."""
    holding(monkeypatch, {"chat": [("a100", 10)], "code": [("a100", 10), ("h100", 12)]})
    planned, told = OneByOne._planned, list[tuple[str, float]]()

    async def listening(self: OneByOne, menu: Menu, question: Question, below: float) -> Answer | None:
        told.append((menu.entry.name, below))
        return await planned(self, menu, question, below)

    monkeypatch.setattr(OneByOne, "_planned", listening)
    limits = SharedLimits(max_gpus=(("a100", 10), ("h100", 12)))
    plan = await desk({"chat": [[10, 0], [0, 10]], "code": [[10, 0]]}, limits).plan()
    assert plan.joint.cost == 46.0
    assert told[-1] == ("chat", pytest.approx(46.0 * (1.0 - CLOSE) - 10.0))


async def test_whole_nodes_are_shared_so_that_each_workload_is_planned_on_every_gpu_type_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By itself chat has 2 H100s for $6, for which a second node is paid; 8 A100s beside code's are $16 less."""
    holding(monkeypatch, {"chat": [("h100", 2), ("a100", 8)], "code": [("h100", 8)]})
    limits = SharedLimits(max_gpus=(("a100", 40), ("h100", 40)), whole_nodes=True)
    made = desk({"chat": [[0, 2]], "code": [[0, 8]]}, limits)
    for menu in made.menus:
        menu.gpus = ("a100", "h100")
    plan = await made.plan()
    assert (plan.verdict, chosen(plan), plan.joint.cost) == ("pass", ["chat-8-a100", "code-8-h100"], 32.0)


CROWDED: Fleets = {"chat": [("h100", 10), ("a100", 36)], "code": [("h100", 4), ("a100", 32)], "small": [("h100", 2)]}
"""One by one chat has all of 10 H100s and code 32 A100s, which leaves small none; beside chat's A100s all fit."""
CROWDED_STOCK = SharedLimits(max_gpus=(("a100", 40), ("h100", 10)))


@pytest.mark.parametrize("choices", [1, 2])
async def test_where_the_nearest_choice_comes_to_nothing_the_next_nearest_is_tried(
    monkeypatch: pytest.MonkeyPatch, choices: int
) -> None:
    monkeypatch.setattr(joint_turns, "MOST_CHOICES", choices)
    holding(monkeypatch, CROWDED)
    plan = await desk({"chat": [[0, 6]], "code": [[0, 2]], "small": [[0, 2]]}, CROWDED_STOCK).plan()
    assert plan.verdict == ("pass" if choices > 1 else "fail")
    if choices > 1:
        assert chosen(plan) == ["chat-36-a100", "code-4-h100", "small-2-h100"]


@pytest.mark.parametrize(("needed", "near"), [(48, True), (64, False)])
async def test_what_the_formulas_call_too_little_by_a_few_is_asked_of_simulations(
    monkeypatch: pytest.MonkeyPatch, needed: int, near: bool
) -> None:
    """Chat holds with 20 A100s, whatever the formulas say; its plan is then not told beside theirs."""
    asked = holding(monkeypatch, {"chat": [("a100", 20)], "code": [("a100", 20)]})
    made = desk({"chat": [[needed - 20, 0]], "code": [[20, 0]]}, SharedLimits(max_gpus=(("a100", 40),)))
    plan = await made.plan()
    assert (plan.verdict, bool(asked)) == (("pass", True) if near else ("infeasible", False))
    assert chosen(plan) == (["chat-20-a100", "code-20-a100"] if near else [])
    assert all(not one.formula for one in plan.planned)


async def test_what_simulations_find_too_little_too_stays_infeasible_and_puts_its_trials_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    holding(monkeypatch, {"chat": [("a100", 24)], "code": [("a100", 20)]})
    made = desk({"chat": [[28, 0]], "code": [[20, 0]]}, SharedLimits(max_gpus=(("a100", 40),)))
    plan = await made.plan()
    assert (plan.verdict, chosen(plan)) == ("infeasible", [])
    assert [use.would_do for use in plan.joint.uses] == [44.0]
    assert "no combination holds as simulated either" in plan.notes[0]
    assert sorted(archived(made)) == ["chat-24-a100", "code-20-a100"]


@pytest.mark.parametrize(("most", "made_in_turns"), [(1, 1), (2, 2), (12, 3)])
async def test_the_plans_that_are_made_in_turns_are_bounded(
    monkeypatch: pytest.MonkeyPatch, most: int, made_in_turns: int
) -> None:
    """No two of the fleets fit together: each workload is planned once more inside what the other two leave."""
    monkeypatch.setattr(joint_turns, "MOST_PLANS", most)
    fleets = [("a100", 38 - 2 * place) for place in range(8)]
    asked = holding(monkeypatch, dict.fromkeys(("chat", "code", "agents"), fleets))
    made = desk({name: [[13, 0]] for name in ("chat", "code", "agents")}, SharedLimits(max_gpus=(("a100", 40),)))
    plan = await made.plan()
    assert plan.verdict == "fail"
    by_itself, in_what_is_left = 3, 2
    assert len(asked) == by_itself + in_what_is_left + made_in_turns


async def test_no_plan_is_made_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = holding(monkeypatch, {"chat": [("a100", 30)], "code": [("a100", 20)]})
    plan = await desk({"chat": [[30, 0]], "code": [[10, 0]]}, STOCK).plan()
    assert plan.verdict == "fail"
    assert len(asked) == len(set(asked))


async def test_a_combination_that_turns_alone_make_possible_is_proven_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only inside what code leaves has chat 20 A100s; code's 6 H100s are then within the limits, but do not hold."""
    holding(monkeypatch, {"chat": [("h100", 6), ("a100", 20)], "code": [("h100", 10)]})
    made = desk({"chat": [[0, 4]], "code": [[0, 6]]}, SharedLimits(max_gpus=(("a100", 20), ("h100", 8))))
    plan = await made.plan()
    assert (plan.verdict, plan.joint.chosen) == ("fail", None)
    assert chosen(plan) == ["chat-20-a100", "code-6-h100"]


async def test_combinations_are_counted_as_they_were_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of the formulas fails, and the next is within the limits only with what chat has in turns."""
    holding(monkeypatch, {"chat": [("h100", 6), ("a100", 20)], "code": [("h100", 10)]})
    made = desk({"chat": [[0, 4]], "code": [[0, 4], [0, 6]]}, SharedLimits(max_gpus=(("a100", 20), ("h100", 8))))
    plan = await made.plan()
    assert plan.verdict == "unproven"
    assert plan.notes[0] == "1 combination tried, none holds; there are others, not tried"


async def test_what_promised_too_little_once_is_asked_again_where_more_would_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = holding(monkeypatch, {"chat": [("a100", 10)]})
    made = desk({"chat": [[10, 0]]}, STOCK)
    apart, (menu,) = made._apart(), made.menus
    assert await apart.planned(menu, apart.asked(menu), below=10.0) is None
    assert await apart.planned(menu, apart.asked(menu), below=10.5) is not None
    assert await apart.planned(menu, apart.asked(menu)) is not None
    assert len(asked) == 2, "no plan is made twice"
