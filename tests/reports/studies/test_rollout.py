"""Rollouts as a study: what its sentences and tables say of rows made up here."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.plan import Estimate
from fleettui.domain.rollout import FROM_THE_START, NEVER, Rolled, RolloutRun
from fleettui.domain.study import Study
from fleettui.reports.studies.rollout import rollout_study
from fleettui.reports.study_text import study_text
from tests.domain.test_rollout import ASKED
from tests.reports.studies.test_sweep import PLAN

NONE = Estimate(value=0.0, low=0.0, high=0.0)


def rolled(threshold: float, makespan: float, change: float, *, behind: Estimate = NONE, sure: float = 1.0) -> Rolled:
    return Rolled(
        threshold=threshold,
        left=100.0 * threshold,
        at=makespan / 2,
        moving=0.5,
        makespan=Estimate(value=makespan, low=makespan - 1, high=makespan + 1),
        change=Estimate(value=change, low=change - sure, high=change + sure),
        behind=behind,
        tokens=1000.0,
        idle=0.25,
    )


NEAR, FAR = Estimate(value=0.5, low=-0.5, high=1.5), Estimate(value=20.0, low=15.0, high=25.0)
ROWS = (
    replace(rolled(NEVER, 100.0, 0.0, behind=FAR), change=NONE),
    rolled(0.1, 70.0, -30.0),
    rolled(0.5, 70.5, -29.5, behind=NEAR),
    rolled(FROM_THE_START, 90.0, -10.0, behind=FAR),
)
RUNS = tuple(RolloutRun(index=index, tokens=100, cut=0, courses=()) for index in range(10))


def study(*rows: Rolled, pause: float = 0.0, cut: int = 0) -> Study:
    runs = tuple(replace(one, cut=cut) for one in RUNS)
    return rollout_study(PLAN, replace(ASKED, pause=pause), rows, runs=runs, price=2.0)


def test_the_best_threshold_is_told_with_what_the_switch_may_take() -> None:
    shown = study(*ROWS)
    assert shown.title.startswith("rollouts of ")
    assert shown.sentences[:3] == (
        "switch from H100 tp1 x8 to H100 tp8 x1 when 10% are left: 70 s instead of 100 s, 30% less",
        "it pays while the switch takes less than 30 s (30 s to be sure); 0.50 s of it are counted",
        "not proven to be longer than the best: 50%",
    )
    assert shown.sentences[3].startswith("0.156 GPU-hours instead of 0.222 ($0.31 instead of $0.44)")
    makespans, switches = (table.records() for table in shown.tables)
    assert [row["switch_at"] for row in makespans] == ["never", "10%", "50%", "the start"]
    assert [row["it_is"] for row in makespans] == ["", "shorter", "shorter", "shorter"]
    assert makespans[0]["change"] is None
    assert switches[1]["gpu_hours"] == 0.1556
    assert "time yours" in shown.warnings[0]
    assert max(map(len, study_text(shown).splitlines())) <= 80


def test_a_pause_is_counted_and_asks_for_no_more() -> None:
    shown = study(*ROWS, pause=10.0, cut=1)
    assert "less than 40 s (40 s to be sure); 10 s of it are counted" in shown.sentences[1]
    assert shown.warnings == ("1% of the trajectories were cut at the longest context that is served",)


def test_no_switch_and_the_second_layout_alone_are_told_as_such() -> None:
    worse = (ROWS[0], rolled(0.1, 99.5, -0.5), rolled(FROM_THE_START, 120.0, 20.0, behind=FAR))
    assert study(*worse).sentences[0] == (
        "H100 tp1 x8 throughout: no switch to H100 tp8 x1 is proven to end rollouts sooner"
    )
    wide = (ROWS[0], rolled(0.1, 80.0, -20.0, behind=FAR), rolled(FROM_THE_START, 60.0, -40.0))
    shown = study(*wide)
    assert shown.sentences[0] == (
        "H100 tp8 x1 from the start: 60 s, 40% less than H100 tp1 x8 throughout; no switch is shorter"
    )
    assert not shown.warnings
