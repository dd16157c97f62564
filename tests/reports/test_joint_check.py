from dataclasses import replace

from fleettui.domain.joint import Joint, JointPlan, JointQuestion
from fleettui.domain.study import Study, StudyColumn, StudyTable, plans_of
from fleettui.reports.joint_check import ByFormula, JointChecked
from tests.planning.test_check_joint import ASKED


def study(handle: str, how: str = "as simulated:", **fleets: tuple[int, float]) -> Study:
    """Return the study of a joint plan with GPUs and cost by workload."""
    columns = tuple(StudyColumn(name=name) for name in ("name", "gpus", "cost", "plan"))
    rows = tuple((name, gpus, cost, f"{name}1") for name, (gpus, cost) in fleets.items())
    table = StudyTable(title="Fleets", columns=columns, rows=rows)
    return Study(kind="joint", handle=handle, title="t", question="q", sentences=(f"PASS {how} x",), tables=(table,))


def plan(question: JointQuestion = ASKED) -> JointPlan:
    return JointPlan(question=question, verdict="pass", kinds=(), joint=Joint(chosen=(0, 0)), planned=())


KEPT = study("aaaa", chat=(4, 10.0), code=(4, 10.0))


def test_only_the_sum_decides_and_workloads_are_its_reasons() -> None:
    swapped = JointChecked(plan=plan(), study=study("bbbb", chat=(6, 15.0), code=(2, 5.0)), against=KEPT)
    assert swapped.holds
    more = replace(swapped, study=study("bbbb", chat=(6, 15.0), code=(3, 7.5)), changes=("chat: rate: 1/s -> 2/s",))
    assert more.broken == (
        "it needs more GPUs: 8 -> 9",
        "it costs $2.50/h more: $20.00/h -> $22.50/h",
        "chat: it needs more GPUs: 4 -> 6",
        "chat: it costs $5.00/h more: $10.00/h -> $15.00/h",
    )
    text = more.text()
    assert text.startswith("NO LONGER HOLDS against aaaa\n- it needs")
    assert "what changed:\n- chat: rate: 1/s -> 2/s" in text
    assert text.endswith("fleettui compare aaaa bbbb")
    found = more.json()
    assert (found["holds"], found["answer"], found["against"]) == (False, {"gpus": 9, "cost_per_hour": 22.5}, "aaaa")


def test_a_formula_is_held_to_the_formula_of_what_was_simulated() -> None:
    """The simulation took 8 GPUs where the formulas had chosen 5: six by formula are more, and not fewer."""
    found = JointChecked(plan=plan(), study=study("bbbb", "by formula:", chat=(6, 15.0)), against=KEPT)
    assert (found.holds, found.note) == (True, "")
    held = replace(
        found, formula=(ByFormula(fleets={"chat": (3, 7.5), "code": (2, 5.0)}), ByFormula(fleets={"chat": (6, 15.0)}))
    )
    assert held.broken == (
        "it needs more GPUs: ~5 (simulated: 8) -> ~6",
        "it costs $2.50/h more: ~$12.50/h (simulated: $20.00/h) -> ~$15.00/h",
        "chat: it needs more GPUs: ~3 (simulated: 4) -> ~6",
        "chat: it costs $7.50/h more: ~$7.50/h (simulated: $10.00/h) -> ~$15.00/h",
    )
    assert held.note == "held to each other by formula: only the stored one is simulated, to 8 GPUs at $20.00/h"
    assert f"! {held.note}" in held.text().replace("\n  ", " ")
    turned = replace(held, study=KEPT, against=held.study)
    assert turned.note.endswith("only the new one is simulated, to 8 GPUs at $20.00/h")
    assert plans_of(KEPT) == {"chat": "chat1", "code": "code1"}
