from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.joint import Entry, HeldBack, Joint, JointPlan, JointQuestion, Kind, Planned, SharedLimits, Use
from fleettui.domain.plan import Answer, PlanIdentity, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.study import StudyTable
from fleettui.reports.joint_study import NONE_HELD_BACK, ONE_BY_ONE, joint_study
from fleettui.reports.report.joint import joint_changes
from fleettui.reports.study_text import study_text
from tests.planning.trials import evidence, seen, shape

ASKED = Question(workload="azure-2023-conv", model="qwen3-32b", slo=Slo(ttft=0.5))
KINDS = (Kind(name="a100", price=1.0, per_node=8), Kind(name="h100", price=3.0, per_node=8))
LIMITS = SharedLimits(max_gpus=(("a100", 40), ("h100", 8)), budget=100.0, max_power=4e4)
ENTRIES = (
    Entry(name="chat", service_class="interactive", question=ASKED),
    Entry(name="nightly", question=replace(ASKED, slo=Slo(e2e=60.0))),
)


def answer(verdict: Verdict = "pass", *, handle: str, gpu: str = "h100", sizes: tuple[int, ...] = (4,)) -> Answer:
    pools = [seen(name, (0.3, 0.5), verdict) for name in ("short", "long")[: len(sizes)]]
    best = replace(shape(*sizes, gpu=gpu), evidence=evidence(verdict, *pools))
    return Answer(
        verdict=verdict,
        plan=PlanIdentity(handle=handle),
        demand=DerivedDemand(rate=7.5, arithmetic=""),
        answer=best,
        warnings=("the trace's arrivals come in bursts",),
    )


def plan(**changes: Any) -> JointPlan:
    """Return a joint plan in which the stock of H100s keeps nightly from its own best."""
    uses = (
        Use(resource="stock of a100", used=16.0, most=40.0),
        Use(resource="stock of h100", used=8.0, most=8.0),
        Use(resource="cost", used=40.0, most=100.0),
        Use(resource="power", used=2e4, most=4e4),
    )
    made = JointPlan(
        question=JointQuestion(name="spring", entries=ENTRIES, limits=LIMITS),
        verdict="pass",
        kinds=KINDS,
        joint=Joint(
            chosen=(0, 1),
            paid=(16, 8),
            cost=40.0,
            uses=uses,
            held_back=(HeldBack(entry=1, option=0, needs=(("stock of h100", 12.0),)),),
        ),
        planned=(
            Planned(entry=ENTRIES[0], plan=answer(handle="aaaa")),
            Planned(
                entry=ENTRIES[1],
                plan=answer(handle="bbbb", gpu="a100", sizes=(6, 2)),
                alone=(("h100", 4),),
                needs=(("stock of h100", 12.0),),
            ),
        ),
    )
    return replace(made, **changes)


def table(made: JointPlan, title: str) -> list[dict[str, Any]]:
    found: StudyTable = next(one for one in joint_study(made).tables if one.title == title)
    return [dict(zip([column.name for column in found.columns], row, strict=True)) for row in found.rows]


def test_the_first_sentence_says_what_of_how_much_and_at_what_cost() -> None:
    study = joint_study(plan())
    assert study.kind == "joint"
    assert study.sentences == (
        "PASS as simulated: 16 A100 of 40 + 8 H100 of 8, $40/h, $29,200/month",
        "nightly is held back by the stock of H100 (12 needed of 8); by itself it would have 4 H100",
    )
    assert study.question == (
        "chat, nightly; least cost; stock of A100 40, stock of H100 8, budget $100/h, power cap 40.0 kW"
    )
    formula = plan(question=replace(plan().question, verify=False))
    assert joint_study(formula).sentences[0].startswith("~PASS by formula: ")
    alone = replace(plan().question, entries=ENTRIES[:1])
    assert joint_study(plan(question=alone)).title == "Joint plan spring: 1 workload over one stock"


def test_where_no_limit_holds_one_back_it_is_said_that_one_by_one_costs_the_same() -> None:
    free = plan(planned=tuple(replace(one, alone=(), needs=()) for one in plan().planned))
    assert f"{NONE_HELD_BACK}: {ONE_BY_ONE}" in joint_study(free).sentences
    assert not any(NONE_HELD_BACK in one for one in joint_study(plan()).sentences)


def test_a_workload_that_is_not_held_back_and_has_another_fleet_than_by_itself_is_told_with_that() -> None:
    """Found: "each has the fleet that it would have by itself", where one planned by itself had another, dearer one."""
    chat, nightly = (replace(one, alone=(), needs=()) for one in plan().planned)
    other = replace(nightly, is_own=False, alone=(("a100", 4), ("h100", 2)), alone_cost=21.9)
    (told,) = (one for one in joint_study(plan(planned=(chat, other))).sentences if NONE_HELD_BACK in one)
    assert told == f"{NONE_HELD_BACK}: nightly planned by itself has 4 A100 + 2 H100, $21.90/h"
    unknown = replace(nightly, is_own=False)
    assert NONE_HELD_BACK in joint_study(plan(planned=(chat, unknown))).sentences


def test_each_workload_has_its_fleet_and_what_limits_it() -> None:
    chat, nightly = table(plan(), "Fleets")
    assert (chat["name"], chat["fleet"], chat["gpus"], chat["cost"]) == ("chat", "H100 tp2 x4", 8, 4.0)
    assert (chat["ttft"], chat["low"], chat["high"]) == (0.4, 0.3, 0.5)
    assert (chat["verdict"], chat["plan"], nightly["plan"]) == ("pass", "aaaa", "bbbb")
    chat, nightly = table(plan(), "What limits each")
    assert (chat["limited by"], chat["held back by"]) == ("TTFT", "-"), "no room is left of it as simulated"
    assert (nightly["limited by"], nightly["held back by"]) == (
        "short weight reads, long weight reads",
        "stock of H100",
    )
    chat, nightly = table(plan(), "What was asked")
    assert (chat["class"], nightly["class"], chat["rate"]) == ("interactive", "-", 7.5)
    assert chat["question"] == "azure-2023-conv  qwen3-32b bf16  P99 TTFT<500ms"


def test_shared_limits_show_what_is_left() -> None:
    rows = [(row["shared limit"], row["used"], row["limit"], row["left"]) for row in table(plan(), "Shared limits")]
    assert rows == [
        ("stock of A100, GPUs", 16.0, 40.0, 24.0),
        ("stock of H100, GPUs", 8.0, 8.0, 0.0),
        ("budget, $/h", 40.0, 100.0, 60.0),
        ("power cap, W", 2e4, 4e4, 2e4),
    ]


def test_a_limit_of_all_gpus_says_so_once() -> None:
    made = plan()
    joint = replace(made.joint, uses=(Use(resource="gpus", used=24.0, most=64.0),))
    (row,) = table(replace(made, joint=joint), "Shared limits")
    assert row["shared limit"] == "GPUs of all types"


def test_an_infeasible_question_names_the_smallest_limit_of_each_kind_that_would_do() -> None:
    uses = (
        Use(resource="stock of h100", used=None, most=8.0, would_do=12.0),
        Use(resource="cost", used=None, most=100.0),
    )
    nothing = tuple(Planned(entry=entry, plan=None) for entry in ENTRIES)
    made = plan(verdict="infeasible", joint=Joint(chosen=None, uses=uses), planned=nothing)
    assert joint_study(made).sentences == (
        "INFEASIBLE by formula: no combination of one fleet per workload keeps all limits",
        "the stock of H100 is too small: 12 instead of 8 would do, 4 more, by formula",
    )
    assert [row["would do"] for row in table(made, "Shared limits")] == [12.0, None]
    either = Joint(chosen=None, uses=(*uses[:1], replace(uses[1], would_do=120.0)))
    assert joint_study(replace(made, joint=either)).sentences[1:] == (
        "the stock of H100 is too small: 12 instead of 8 would do, 4 more, by formula",
        "or, instead, the budget: $120/h instead of $100/h would do, $20/h more, by formula",
    )
    several = Joint(chosen=None, uses=uses[1:], together=(("stock of h100", 12.0), ("cost", 120.0)))
    assert joint_study(replace(made, joint=several)).sentences[1] == (
        "no limit alone is to blame; together 12 as stock of H100 (4 more) with $120/h as budget ($20/h more) would do"
        ", by formula"
    )


def test_an_infeasible_question_says_what_each_workload_needs_alone() -> None:
    uses = (Use(resource="stock of h100", used=None, most=8.0, would_do=20.0),)
    first, second = ENTRIES[:2]
    planned = (
        Planned(entry=first, plan=None, rate=3.0, alone=(("h100", 6),), alone_cost=12.0, simulated=True),
        Planned(entry=second, plan=None, rate=4.0, needs=(("stock of h100", 14.0),)),
    )
    made = plan(verdict="infeasible", joint=Joint(chosen=None, uses=uses), planned=planned)
    assert joint_study(made).sentences[2:] == (
        f"{first.name} alone needs 6 H100, $12/h, as simulated",
        f"{second.name} does not fit even alone: 14 as stock of H100 (6 more) would do, by formula",
    )
    assert [row["rate"] for row in table(made, "What was asked")] == [3.0, 4.0]


def test_a_fleet_that_the_simulation_moved_is_told_beside_the_formulas() -> None:
    made = plan()
    one = made.planned[0]
    assert one.plan is not None
    assert one.plan.answer is not None
    now = one.plan.answer
    (kind,) = {pool.gpu for pool in now.fleet.pools}

    def told(count: int) -> tuple[str, ...]:
        moved = replace(one, formula=((kind, count),))
        return joint_study(replace(made, planned=(moved, *made.planned[1:]))).sentences

    said = f"{one.entry.name}: {now.gpus - 1} {kind.upper()} by formula, {now.gpus} {kind.upper()} as simulated"
    assert said in told(now.gpus - 1)
    assert not any("by formula," in sentence for sentence in told(now.gpus))


def lacking(needed: float, resource: str = "stock of h100") -> Joint:
    """Return no choice, and the H100s, or what else of 8, with which there is one."""
    return Joint(chosen=None, uses=(Use(resource=resource, used=None, most=8.0, would_do=needed),))


@pytest.mark.parametrize(
    ("verdict", "told", "small"),
    [
        (
            "fail",
            "FAIL as simulated: no combination of the fleets that were looked at keeps all limits; of others one may",
            "is too small",
        ),
        (
            "unproven",
            "NOT PROVEN as simulated: no combination of fleets was proven to keep all limits",
            "is too small for them",
        ),
    ],
)
def test_what_fails_in_simulation_says_so(verdict: Verdict, told: str, small: str) -> None:
    joint, planned = lacking(12.0), tuple(replace(one, needs=()) for one in plan().planned)
    made = plan(verdict=verdict, joint=joint, planned=planned, proven=joint)
    assert joint_study(made).sentences[:2] == (
        told,
        f"the stock of H100 {small}: 12 instead of 8 would do, 4 more, as simulated",
    )


def test_fleets_that_are_no_answer_say_so_and_what_they_take_together() -> None:
    """Found: fleets of 32 H100 under a stock of 28, each with the word pass, and no sum."""
    made = plan(verdict="fail", joint=lacking(12.0), proven=lacking(12.0))
    (fleets, *_), (answered, *_) = joint_study(made).tables, joint_study(plan()).tables
    last = "These were looked at last and are no answer: together 8 H100 of 8 + 16 A100 of 40, $12/h."
    assert fleets.note.endswith(last)
    assert "together" not in answered.note


def test_what_two_joint_plans_came_to_is_told_where_it_is_not_a_pass_of_both() -> None:
    passes, fails = joint_study(plan()), joint_study(plan(verdict="fail", joint=lacking(12.0), proven=lacking(12.0)))
    words = "no combination of the fleets that were looked at keeps all limits; of others one may"
    assert next(joint_changes(passes, fails)) == f"PASS then, FAIL now: {words}"
    assert next(joint_changes(fails, passes)) == "FAIL then, PASS now"
    unsure = replace(passes, sentences=(passes.sentences[0].replace("PASS", "PASS at nominal speed,"),))
    assert next(joint_changes(fails, unsure)) == "FAIL then, PASS at nominal speed now"
    assert next(joint_changes(fails, fails)) == f"FAIL then, FAIL now: {words}"
    assert not next(joint_changes(passes, passes), "").startswith("PASS")


def test_limits_of_two_solutions_are_one_where_they_are_printed_alike() -> None:
    planned = tuple(replace(one, needs=()) for one in plan().planned)
    for resource in ("cost", "power"):
        joint, proven = (lacking(needed, resource) for needed in (12.0, 12.0 * (1.0 + 1e-12)))
        (_, said, *_) = joint_study(plan(verdict="fail", joint=joint, planned=planned, proven=proven)).sentences
        assert said.endswith("more, as simulated")
    joint, proven = (Joint(chosen=None, together=(("cost", 120.0 + more),)) for more in (0.0, 1e-10))
    (_, said, *_) = joint_study(plan(verdict="fail", joint=joint, planned=planned, proven=proven)).sentences
    assert said.endswith("would do, as simulated")


@pytest.mark.parametrize(("needed", "told"), [(15.0, "; 15 would do, as simulated"), (None, "")])
def test_a_limit_that_rests_on_what_was_not_simulated_only_may_do(needed: float | None, told: str) -> None:
    """Beside it stands which would do with the fleets that hold as simulated, where each workload has one."""
    planned = tuple(replace(one, needs=()) for one in plan().planned)
    proven = None if needed is None else lacking(needed)
    made = plan(verdict="fail", joint=lacking(12.0), planned=planned, proven=proven)
    assert joint_study(made).sentences[1] == (
        f"the stock of H100 is too small: ~12 instead of 8 may do, ~4 more, with fleets that were not simulated{told}"
    )


def test_limits_that_would_do_together_may_rest_on_what_was_not_simulated() -> None:
    planned = tuple(replace(one, needs=()) for one in plan().planned)
    joint = Joint(chosen=None, together=(("stock of h100", 12.0), ("cost", 120.0)))
    raised = "no limit alone is to blame; together 12 as stock of H100 (4 more) with $120/h as budget ($20/h more)"
    ends = {"fail": "may do, with fleets that were not simulated", "infeasible": "would do, by formula"}
    for verdict, end in ends.items():
        made = plan(verdict=verdict, joint=joint, planned=planned)
        assert joint_study(made).sentences[1] == f"{raised} {end}"
    proven = plan(verdict="fail", joint=joint, planned=planned, proven=joint)
    assert joint_study(proven).sentences[1] == f"{raised} would do, as simulated"


def test_what_no_simulation_settled_says_so() -> None:
    made = plan(verdict="unproven", joint=Joint(chosen=None))
    assert (
        joint_study(made).sentences[0].endswith("as simulated: no combination of fleets was proven to keep all limits")
    )


def test_a_warning_of_several_workloads_stands_once() -> None:
    assert [one for one in joint_study(plan()).warnings if "bursts" in one] == [
        "chat, nightly: the trace's arrivals come in bursts"
    ]


def test_what_posted_prices_would_save_is_told_of_a_workload_where_the_others_leave_it() -> None:
    """Found: 12 H100 at posted prices, of 16 of which the other workload has 8; here 16 of 40 A100 are taken."""
    chat, nightly = plan().planned
    assert chat.plan is not None
    few, many = (f"posted prices: --price h100=7: this $56.00/h, ~{count} A100 ~$30.00/h" for count in (24, 25))
    told = plan(planned=(replace(chat, plan=replace(chat.plan, warnings=(few, many))), nightly))
    assert [one for one in joint_study(told).warnings if "posted" in one] == [f"chat: {few}"]


def test_what_one_failure_stops_is_told_of_every_workload() -> None:
    """Found: the parts of a joint plan said it, and the joint plan and its page did not."""
    made = plan()
    alone = replace(made.planned[0], plan=answer(handle="aaaa", sizes=(1,)))
    told = joint_study(replace(made, planned=(alone, made.planned[1]))).warnings
    assert "chat: pool short has one replica: one failure stops it" in told
    assert "nightly: pool long fits in one node of 8 GPUs: placed there, it stops when that node fails" in told


def test_it_fits_eighty_columns() -> None:
    lines = study_text(joint_study(plan()), 80).splitlines()
    assert max(map(len, lines)) <= 80


def test_a_stock_of_gpus_that_no_workload_may_have_is_told() -> None:
    assert not any("no effect" in one for one in joint_study(plan()).warnings)
    stocked = replace(plan().question, limits=replace(LIMITS, max_gpus=(*LIMITS.max_gpus, ("l40s", 32))))
    assert "--max-gpus l40s: no effect, no fleet may have it" in joint_study(plan(question=stocked)).warnings


def test_what_would_do_is_rounded_up_so_that_it_suffices() -> None:
    """Found: $54/h advised where $54.36/h are needed, and then "$54/h instead of $54/h would do"."""
    use = Use(resource="cost", used=None, most=54.0, would_do=54.3512)
    question = replace(plan().question, limits=SharedLimits(budget=54.0))
    made = plan(verdict="infeasible", joint=Joint(chosen=None, uses=(use,)), planned=(), question=question)
    assert joint_study(made).sentences[1] == (
        "the budget is too small: $54.36/h instead of $54/h would do, $0.36/h more, by formula"
    )
    assert [row["would do"] for row in table(made, "Shared limits")] == [54.4]
    proven = Joint(chosen=None, uses=(replace(use, would_do=55.94),))
    asked = replace(question, limits=SharedLimits(budget=54.4))
    simulated = replace(made, proven=proven, question=asked)
    assert joint_study(simulated).sentences[1] == (
        "the budget is too small: ~$54.36/h instead of $54/h may do, ~$0.36/h more, with fleets that were not "
        "simulated; $55.94/h would do, as simulated"
    )
    assert joint_study(simulated).question.endswith("budget $54.40/h")
    assert [row["would do"] for row in table(simulated, "Shared limits")] == [56.0]
    (limits,) = [one for one in joint_study(simulated).tables if one.title == "Shared limits"]
    assert limits.note.endswith("the others as they are, with fleets that hold as simulated; rounded up.")
