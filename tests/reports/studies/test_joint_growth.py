"""Growth of a joint plan: all workloads' orders, and what all of them have once each is there."""

from dataclasses import replace
from datetime import date

from fleettui.domain.study import Study
from fleettui.domain.whatif import Stage
from fleettui.reports.studies.joint_growth import joint_growth_study
from tests.reports.studies.test_steps import ABOUT, GROWTH, step

JOINT = Study(kind="joint", title="Joint plan j", question="plan -f j.yaml", seed=1)


def stages(*ordered: tuple[str, int, int]) -> list[Stage]:
    """Return the fleet of six replicas of eight GPUs that is there, and by day those to come, with idle GPUs."""
    now = Stage(reached="2026-12-01", order_by="", late=False, rate=100.0, step=step(6, 110.0))
    found = [now]
    for reached, replicas, gpus in ordered:
        there = step(replicas, 10.0 * replicas)
        there = replace(there, gpus=there.gpus + gpus, there=(("h100", there.gpus + gpus),) if gpus else ())
        more = there.gpus - found[-1].step.gpus
        due = date.fromisoformat(reached).replace(day=1).isoformat()
        found.append(Stage(reached=reached, order_by=due, late=False, rate=100.0, step=there, ordered=more))
    return found


def test_all_gpus_of_whole_nodes_count_whether_replicas_run_on_them_or_not() -> None:
    grown = {
        "chat": (ABOUT, stages(("2027-02-05", 7, 4))),
        "code": (ABOUT, stages(("2027-01-05", 8, 0), ("2027-03-05", 9, 0))),
    }
    found = joint_growth_study(JOINT, grown, GROWTH, "whatif j --growth 8%/month")
    assert [row["then_all"] for row in found.tables[0].records()] == ["112 H100", "124 H100", "132 H100"]
    assert "in the end 132 H100, after 3 orders" in found.sentences
