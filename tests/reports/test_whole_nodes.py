"""What a joint plan pays for in whole nodes, told and read again, and two such plans side by side."""

from dataclasses import replace

from fleettui.domain.joint import JointPlan
from fleettui.domain.study import Study
from fleettui.reports.joint_check import JointChecked, total_of
from fleettui.reports.joint_study import joint_study
from fleettui.reports.report.joint import joint_changes
from fleettui.reports.whole_nodes import TITLE, paid_cost, paid_gpus
from tests.reports.test_joint_study import answer, plan, table


def in_nodes(*sizes: int) -> JointPlan:
    """Return a joint plan in whole nodes: 8 H100 for chat, and nightly's pools of A100 in two nodes of eight."""
    base = plan()
    chat, nightly = base.planned
    other = replace(nightly, plan=answer(handle="cccc", gpu="a100", sizes=sizes))
    question = replace(base.question, limits=replace(base.question.limits, whole_nodes=True))
    return replace(base, question=question, planned=(chat, other))


def test_the_gpus_of_all_nodes_are_told_those_that_serve_and_those_that_do_not() -> None:
    assert [tuple(row.values()) for row in table(in_nodes(4, 2), TITLE)] == [
        ("A100", 16, 12, 4, 16.0),
        ("H100", 8, 8, 0, 24.0),
    ]
    study = joint_study(in_nodes(4, 2))
    assert (paid_gpus(study), paid_cost(study)) == ({"a100": 16, "h100": 8}, 40.0)
    assert total_of(study) == (24, 40.0)
    assert paid_gpus(joint_study(plan())) == {}


def test_what_is_paid_for_decides_which_of_two_costs_more() -> None:
    """Found: $2.95/h more for one GPU more in use of the same nodes at the same cost."""
    fewer, more = (joint_study(in_nodes(*sizes)) for sizes in ((4, 2), (4, 3)))
    assert next(joint_changes(fewer, more)) == "24 GPUs paid for (20 in use) then, 24 paid for (22 in use) now: " + (
        "the same cost"
    )
    assert JointChecked(plan=in_nodes(4, 3), study=more, against=fewer).holds


def test_one_that_was_kept_without_its_nodes_is_held_to_what_serves() -> None:
    fewer, more = (joint_study(in_nodes(*sizes)) for sizes in ((4, 2), (4, 3)))
    old = replace(fewer, tables=tuple(one for one in fewer.tables if one.title != TITLE))
    assert told(old, more).startswith("20 GPUs then, 22 now: ")
    assert told(joint_study(plan()), more).startswith("24 GPUs then, 24 paid for (22 in use) now: ")


def told(old: Study, new: Study) -> str:
    return next(joint_changes(old, new))
