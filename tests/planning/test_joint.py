"""Joint plans: end to end on a small trace, and the rounds of choosing and proving with proofs made up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.joint import Entry, JointPlan, JointQuestion, Kind, Option, SharedLimits
from fleettui.domain.plan import Answer, PlanIdentity, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study
from fleettui.domain.typed_range import TypedRange
from fleettui.errors import InputError
from fleettui.planning import joint as joint_planning
from fleettui.planning.example import FOLDER
from fleettui.planning.joint import MOST_BETTER, MOST_ROUNDS, JointSearch
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.plan_together import plan_together
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports.joint_study import joint_study
from fleettui.reports.question import joint_file
from fleettui.reports.question.conversion import Given
from store import Store
from tests.planning.simulated import OPTIMISTIC, Here, evidence_of, question, sizes, trace
from tests.planning.trials import shape

EXAMPLE = FOLDER / "joint.yaml"


def joint(workload: str, stock: int, *, verify: bool, ttft: float | None = None, **changes: Any) -> JointQuestion:
    """Ask for chat and code over a stock of H100s; by formula they need 24 and 16, as simulated 24 each."""
    code = OPTIMISTIC if ttft is None else {**OPTIMISTIC, "slo": Slo(ttft=ttft)}
    asked = [question(workload, verify=verify, **own, **changes) for own in ({}, code)]
    entries = tuple(
        Entry(name=name, service_class="interactive", question=replace(one, name=f"spring/{name}"))
        for name, one in zip(("chat", "code"), asked, strict=True)
    )
    limits = SharedLimits(max_gpus=(("h100", stock),))
    return JointQuestion(name="spring", entries=entries, limits=limits, verify=verify)


async def made(
    asked: JointQuestion, *, store: Store | Callable[[], Store], pool: WorkerPool
) -> tuple[JointPlan, Study]:
    """Return a joint plan, and its study as it is kept."""
    desk = StudyContext(store, pool)
    plan = await plan_together(desk, asked)
    return plan, desk.store.add_study(joint_study(plan))


async def test_every_fleet_is_proven_and_kept_and_the_limits_hold_as_simulated(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = joint(trace(tmp_path), 48, verify=True)
    plan, study = await made(asked, store=store, pool=workers)
    assert plan.verdict == "pass"
    assert plan.joint.paid == (48,)
    assert store.study(study.handle) == study
    assert study.kind == "joint"
    for one in plan.planned:
        assert one.plan is not None
        kept = store.plan(f"spring/{one.entry.name}")
        assert kept == one.plan == store.plan(one.plan.plan.handle)
        assert sizes(kept.answer) == (3,)
        assert evidence_of(kept.answer).method == "simulation"
        assert store.question(kept.plan.id) == one.entry.question
        assert any("one replica fewer" in sentence for sentence in kept.why)
    assert study.sentences[0].startswith("PASS at nominal speed, as simulated: 48 H100 of 48, $")


async def test_by_formula_alone_it_is_chosen_and_kept_without_proof(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    plan, study = await made(joint(trace(tmp_path), 40, verify=False), store=lambda: store, pool=workers)
    assert (plan.verdict, plan.joint.paid) == ("pass", (40,))
    assert [sizes(one.plan.answer) for one in plan.planned if one.plan] == [(3,), (2,)]
    assert store.count() == 2
    assert study.sentences[0].startswith("~PASS at nominal speed, by formula: 40 H100 of 40, $")


@pytest.mark.thorough
async def test_by_formula_alone_it_says_how_sure_each_is_over_what_was_typed_as_a_range_too(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    """A rate that may be a third more or less leaves chat less sure; the table says over what."""
    rate = TypedRange(key="rate", low=15.0, high=26.7)
    asked = joint(trace(tmp_path), 64, verify=False)
    chat, code = asked.entries
    ranged = replace(chat, question=replace(chat.question, ranges=(rate,)))
    known, _ = await made(asked, store=store, pool=workers)
    plan, study = await made(replace(asked, entries=(ranged, code)), store=store, pool=workers)
    first, second = ([one.plan.confidence for one in made.planned if one.plan] for made in (known, plan))
    assert first[0] is not None
    assert second[0] is not None
    assert second[0].holds < first[0].holds < 1.0
    assert second[1] == first[1]
    (table,) = [one for one in study.tables if one.title == "How sure"]
    assert "; of chat also rate 15/s to 26.7/s; likely" in table.note


@pytest.mark.evidence
async def test_fleets_of_more_pools_and_with_compression_are_proven_as_any(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    """Above 2,000 tokens a prompt is cut to fit below; the plan that is kept says so, and its simulation held it."""
    asked = joint(trace(tmp_path), 96, verify=True, pools=(2, 3), splits=(1000, 2000), gamma=(1.6, 1.6))
    plan, _ = await made(asked, store=store, pool=workers)
    assert plan.verdict == "pass"
    for one in plan.planned:
        kept = store.plan(f"spring/{one.entry.name}")
        assert kept.answer is not None
        assert len(kept.answer.fleet.pools) in (2, 3)
        assert kept.answer.fleet.gamma == 1.6
        assert evidence_of(kept.answer).method == "simulation"
        assert kept.verdict == "pass"


async def test_too_small_a_stock_is_named_with_the_smallest_that_would_do(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    workload = trace(tmp_path)
    plan, study = await made(joint(workload, 30, verify=True), store=store, pool=workers)
    assert plan.verdict == "infeasible"
    (use,) = plan.joint.uses
    assert use.would_do == 40
    assert study.sentences[0] == "INFEASIBLE by formula: no combination of one fleet per workload keeps all limits"
    assert study.sentences[1] == "the stock of H100 is too small: 40 instead of 30 would do, 10 more, by formula"
    assert sum(count for one in plan.planned for _, count in one.alone) == 40, "of one GPU type the needs add up"
    assert all(
        one.rate is not None and f"{one.entry.name} alone needs" in "".join(study.sentences) for one in plan.planned
    )
    assert plan.fitting is not None
    assert plan.fitting.names == ("code",)
    assert "code fits: 16 H100, $47/h, by formula" in study.sentences
    assert "chat beside it: 40 as stock of H100 (10 more) would do, by formula" in study.sentences
    assert store.count() == 0
    relaxed, _ = await made(joint(workload, 40, verify=False), store=store, pool=workers)
    assert relaxed.verdict == "pass"


async def test_a_workload_that_no_fleet_holds_is_named_and_its_plan_kept(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    plan, study = await made(joint(trace(tmp_path), 400, verify=True, ttft=0.0001), store=store, pool=workers)
    assert plan.verdict == "infeasible"
    assert study.sentences[0] == "INFEASIBLE by formula: no fleet holds for code, whatever the limits"
    assert store.plan("spring/code").verdict == "infeasible"
    assert "no number of GPUs helps" in study.sentences[-1]


async def test_a_workload_that_cannot_be_asked_for_is_refused_with_its_name(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked, before = joint(trace(tmp_path), 48, verify=True, model="no-such-model"), store.plans()
    with pytest.raises(InputError, match=r"workload (chat|code): unknown model"):
        await made(asked, store=lambda: store, pool=workers)
    assert store.plans() == before


@pytest.mark.evidence
async def test_the_shipped_example_keeps_its_stock_and_who_is_held_back_gains_by_what_is_named(
    store: Store, workers: WorkerPool
) -> None:
    """Five models by formula, the roofline and small steps; with the stock that a sentence names, its fleet is had.

    Over 44 A100 and 68 H100, so that the stock is short.
    """
    read = joint_file.read(EXAMPLE.read_text("utf-8"), str(EXAMPLE))
    typed = {
        "verify": "false",
        "max-num-seqs": "256",
        "token-budget": "2048",
        "step-law": "roofline",
        "pools": "1,2",
        "tp": "1,2,4,8",
    }
    asked = joint_file.to_joint(read, typed={key: Given(text, f"--{key}") for key, text in typed.items()}, own={})
    assert dict(asked.limits.max_gpus) == {"a100": 56, "h100": 112}
    asked = replace(asked, limits=SharedLimits(max_gpus=(("a100", 44), ("h100", 68))))
    assert len({one.question.model for one in asked.entries}) == 5
    assert {one.service_class for one in asked.entries} == {"interactive", "batch"}
    plan, _ = await made(asked, store=store, pool=workers)
    assert plan.verdict == "pass"
    used = {kind.name: count for kind, count in zip(plan.kinds, plan.joint.paid, strict=True)}
    assert all(used[name] <= most for name, most in asked.limits.max_gpus)
    for place, one in enumerate(plan.planned):
        assert one.plan is not None
        assert one.plan.answer is not None
        assert all(pool.limited_by for pool in one.plan.answer.pools)
        if one.needs:
            stocks = dict(asked.limits.max_gpus)
            stocks |= {name.removeprefix("stock of "): int(most) for name, most in one.needs}
            wider = replace(asked, limits=SharedLimits(max_gpus=tuple(stocks.items())))
            better, _ = await made(wider, store=store, pool=workers)
            assert better.joint.cost < plan.joint.cost
            assert not better.planned[place].needs
    assert any(one.needs for one in plan.planned)


KINDS = (Kind(name="a100", price=1.0, per_node=8), Kind(name="h100", price=3.0, per_node=8))
KIND = {one.name: one for one in KINDS}
ASKED = Question(workload="made-up", slo=Slo(ttft=0.5))


@dataclass
class Shelf:
    """A store that remembers what was put away."""

    archived: list[str] = field(default_factory=list)

    def set_name(self, ref: str, name: str) -> None:
        assert (bool(ref), name) == (True, "")

    def set_note(self, ref: str, note: str) -> None:
        assert ref
        assert "passed over" in note

    def archive(self, ref: str) -> None:
        self.archived.append(ref)


def archived(search: JointSearch) -> list[str]:
    """Return the plans that were put away."""
    assert isinstance(search.desk.store, Shelf)
    return search.desk.store.archived


def desk(menus: Mapping[str, list[list[int]]], limits: SharedLimits) -> JointSearch:
    """Return the search over entries with fleets of (a100, h100)."""
    entries = tuple(Entry(name=name, question=ASKED) for name in menus)
    search = JointSearch(
        question=JointQuestion(name="made", entries=entries, limits=limits),
        desk=StudyContext(Shelf(), Here()),  # type: ignore[arg-type]
        trace_format=None,
        kinds=KINDS,
    )
    found = [[Option(gpus=tuple(row), watts=0.0) for row in rows] for rows in menus.values()]
    search.menus = [Menu(entry=entry, options=options, rate=1.0) for entry, options in zip(entries, found, strict=True)]
    return search


def proving(
    monkeypatch: pytest.MonkeyPatch, holds: Mapping[tuple[str, int], tuple[Verdict, str, int]], *, lenient: bool = False
) -> list[Any]:
    """Let every proof be one of `holds`: (entry, place) -> (verdict, GPU type, GPUs); return those asked for.

    As the formula sizes it a fleet holds that is no larger once proven, or any if `lenient`.
    """
    asked: list[Any] = []

    async def prove(
        self: JointSearch, menu: Menu, option: int, kind: str = "plan", known: Answer | None = None
    ) -> Answer:
        assert self.kinds == KINDS
        asked.append((menu.entry.name, option) if kind == "plan" else (menu.entry.name, option, kind))
        verdict, gpu, count = holds[menu.entry.name, option]
        assert known is None or known.plan.name == f"{menu.entry.name}-{option}"
        if kind == "simulate" and not lenient and count > menu.options[option].gpus[KINDS.index(KIND[gpu])]:
            verdict = "fail"
        best = shape(count // 2, gpu=gpu)
        name = f"{menu.entry.name}-{option}"
        return Answer(
            verdict=verdict,
            plan=PlanIdentity(id=name, name=name),
            demand=DerivedDemand(rate=1.0, arithmetic=""),
            answer=best,
        )

    async def nothing(*_: object) -> bool:
        """No workload has a plan by itself."""
        return False

    monkeypatch.setattr(joint_planning.JointSearch, "_prove", prove)
    monkeypatch.setattr(joint_planning.JointSearch, "_one_by_one", nothing)
    monkeypatch.setattr(joint_planning.JointSearch, "_in_turns", nothing)
    return asked


def chosen(plan: JointPlan) -> list[str]:
    return [one.plan.plan.id for one in plan.planned if one.plan is not None]


async def test_a_fleet_that_grew_beyond_the_stock_makes_another_workload_give_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By formula both take 4 H100s; chat needs 6, so code goes to A100s, which cost more than its H100s."""
    made = desk({"chat": [[0, 4], [40, 0]], "code": [[0, 4], [14, 0]]}, SharedLimits(max_gpus=(("h100", 8),)))
    asked = proving(
        monkeypatch,
        {
            ("chat", 0): ("pass", "h100", 6),
            ("code", 0): ("pass", "h100", 4),
            ("code", 1): ("pass", "a100", 14),
        },
    )
    plan = await made.plan()
    assert plan.verdict == "pass"
    assert chosen(plan) == ["chat-0", "code-1"]
    assert plan.joint.paid == (14, 6)
    assert asked == [("chat", 0), ("code", 0), ("code", 1)]
    assert archived(made) == ["code-0"]
    assert [one.formula for one in plan.planned] == [(("h100", 4),)] * 2, "what the formulas chose first"
    assert [(one.entry.name, one.alone, one.needs) for one in plan.planned if one.needs] == [
        ("code", (("h100", 4),), (("stock of h100", 10.0),))
    ]


async def test_a_fleet_that_grew_dearer_than_another_gives_way_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other is looked at as the formula sizes it, and proven once that holds."""
    made = desk({"chat": [[0, 4], [14, 0]]}, SharedLimits())
    asked = proving(monkeypatch, {("chat", 0): ("pass", "h100", 8), ("chat", 1): ("pass", "a100", 14)})
    plan = await made.plan()
    assert (plan.verdict, chosen(plan), plan.joint.cost) == ("pass", ["chat-1"], 14.0)
    assert asked == [("chat", 0), ("chat", 1, "simulate"), ("chat", 1)]


async def test_one_that_does_not_hold_as_the_formula_sizes_it_is_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = desk({"chat": [[0, 4], [14, 0]]}, SharedLimits())
    asked = proving(monkeypatch, {("chat", 0): ("pass", "h100", 8), ("chat", 1): ("pass", "a100", 16)})
    plan = await made.plan()
    assert (plan.verdict, chosen(plan), plan.joint.cost) == ("pass", ["chat-0"], 24.0)
    assert asked == [("chat", 0), ("chat", 1, "simulate")]


async def test_what_promises_next_to_nothing_is_told_and_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    made = desk({"chat": [[0, 4], [249, 0]], "code": [[0, 80]]}, SharedLimits())
    proof = {("chat", 0): ("pass", "h100", 84), ("code", 0): ("pass", "h100", 80)}
    asked = proving(monkeypatch, proof)  # type: ignore[arg-type]
    plan = await made.plan()
    assert (plan.verdict, chosen(plan), plan.joint.cost) == ("pass", ["chat-0", "code-0"], 492.0)
    assert len(asked) == 2
    assert plan.notes == ("another combination has 0.6% less cost by formula; it was not simulated",)


async def test_a_fleet_that_does_not_hold_is_replaced_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    made = desk({"chat": [[0, 4], [14, 0]]}, SharedLimits())
    proving(monkeypatch, {("chat", 0): ("fail", "h100", 4), ("chat", 1): ("pass", "a100", 14)})
    assert chosen(await made.plan()) == ["chat-1"]


@pytest.mark.parametrize(("how", "verdict"), [("fail", "fail"), ("unproven", "unproven")])
async def test_where_nothing_holds_the_verdict_is_that_of_the_last_tried(
    monkeypatch: pytest.MonkeyPatch, how: Verdict, verdict: Verdict
) -> None:
    made = desk({"chat": [[0, 4]]}, SharedLimits())
    proving(monkeypatch, {("chat", 0): (how, "h100", 4)})
    plan = await made.plan()
    assert (plan.verdict, plan.joint.chosen, chosen(plan)) == (verdict, None, ["chat-0"])


async def test_where_none_failed_and_one_is_unproven_so_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    made = desk({"chat": [[0, 4]], "code": [[0, 4]]}, SharedLimits())
    proving(monkeypatch, {("chat", 0): ("pass", "h100", 4), ("code", 0): ("unproven", "h100", 4)})
    plan = await made.plan()
    assert (plan.verdict, chosen(plan)) == ("unproven", ["chat-0", "code-0"])


async def test_what_was_tried_before_a_stop_gives_its_names_back(monkeypatch: pytest.MonkeyPatch) -> None:
    made = desk({"chat": [[0, 4], [14, 0]]}, SharedLimits())
    proving(monkeypatch, {("chat", 0): ("fail", "h100", 4)})
    with pytest.raises(KeyError):  # the second is never proven
        await made.plan()
    assert archived(made) == ["chat-0"]


async def test_what_holds_but_breaks_a_limit_fails_and_says_what_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    made = desk({"chat": [[0, 4]], "code": [[0, 4]]}, SharedLimits(max_gpus=(("h100", 8),)))
    proving(monkeypatch, {("chat", 0): ("pass", "h100", 6), ("code", 0): ("pass", "h100", 4)})
    plan = await made.plan()
    assert (plan.verdict, chosen(plan)) == ("fail", ["chat-0", "code-0"])
    assert [(use.resource, use.most, use.would_do) for use in plan.joint.uses] == [("stock of h100", 8.0, 10.0)]
    assert plan.proven == replace(plan.joint, simulated=True), "every fleet was simulated"


async def test_what_would_do_with_fleets_that_were_not_simulated_is_told_beside_what_would_with_those_that_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The formulas have 6 H100 for another fleet of code, which beside chat's proven 6 takes more than there are."""
    made = desk({"chat": [[0, 4]], "code": [[0, 4], [0, 6]]}, SharedLimits(max_gpus=(("h100", 8),)))
    proving(monkeypatch, {("chat", 0): ("pass", "h100", 6), ("code", 0): ("pass", "h100", 8)})
    plan = await made.plan()
    assert [use.would_do for use in plan.joint.uses] == [12.0]
    assert plan.proven is not None
    assert [use.would_do for use in plan.proven.uses] == [14.0]


async def test_what_would_do_after_the_last_round_rests_on_fleets_that_hold_as_simulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each fleet that is looked at holds, but takes more H100s than there are, and the next may do with fewer."""
    count = 2 * MOST_ROUNDS
    stock = SharedLimits(max_gpus=(("h100", 40),))
    made = desk({"chat": [[60 - place, 10 + place] for place in range(count)]}, stock)
    proving(monkeypatch, {("chat", place): ("pass", "h100", 50) for place in range(count)})
    plan = await made.plan()
    assert (plan.verdict, plan.proven) == ("unproven", plan.joint)
    assert "the stock of H100 is too small for them: 50 instead of 40 would do, 10 more, as simulated" in (
        joint_study(plan).sentences
    )


async def test_after_the_last_round_the_best_of_what_is_proven_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fleet that is looked at holds and is dearer once proven, so the next one always looks better."""
    count = 20
    made = desk({"chat": [[60 - place, 10 + place] for place in range(count)]}, SharedLimits())
    holds = {("chat", place): ("pass", "h100", 100 - 2 * place) for place in range(count)}
    asked = proving(monkeypatch, holds, lenient=True)  # type: ignore[arg-type]
    plan = await made.plan()
    proven = [one for one in asked if len(one) == 2]
    assert len(proven) == 1 + MOST_BETTER
    assert plan.verdict == "pass"
    assert plan.joint.cost == 3.0 * min(holds[one][2] for one in proven)
    assert any("was not simulated" in note for note in plan.notes)


async def test_while_nothing_is_proven_the_rounds_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 2 * MOST_ROUNDS
    made = desk({"chat": [[60 - place, 10 + place] for place in range(count)]}, SharedLimits())
    fails = {("chat", place): ("fail", "h100", 10) for place in range(count)}
    asked = proving(monkeypatch, fails)  # type: ignore[arg-type]
    plan = await made.plan()
    assert len(asked) == MOST_ROUNDS
    assert (plan.verdict, plan.joint.chosen) == ("unproven", None)
    assert chosen(plan) == [f"chat-{asked[-1][1]}"], "the last that was tried"
    assert f"{MOST_ROUNDS} combinations tried, none holds; there are others, not tried" in plan.notes
