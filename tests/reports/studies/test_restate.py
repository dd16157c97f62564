from dataclasses import replace

import pytest

from fleettui.domain.engine_changes import changes_since
from fleettui.domain.plan import PlanIdentity
from fleettui.domain.whatif import Outcome
from fleettui.reports.input_changes import Change
from fleettui.reports.studies.restate import Restated, differs, restate_study
from fleettui.reports.study_text import study_text

THEN = Outcome(verdict="pass", gpus=48, cost=141.6)
PRICE = Change(kind="price", name="H100", before="$2.95/h", after="$2.50/h")
CHEAPER = Restated(
    plan=PlanIdentity(handle="41a7", name="chat"),
    then=THEN,
    now=replace(THEN, cost=120.0),
    anew=THEN,
    alone=((PRICE, replace(THEN, cost=120.0)),),
)
SAME = Restated(plan=PlanIdentity(handle="40f2"), then=THEN, now=THEN)
GONE = Restated(
    plan=PlanIdentity(handle="3ff0"), then=THEN, now=Outcome(verdict="infeasible", limited_by="unknown GPU")
)


def test_rounding_is_no_difference() -> None:
    assert not differs(THEN, replace(THEN, cost=141.6 * (1 + 1e-12)))
    assert differs(THEN, replace(THEN, cost=141.61))
    assert differs(THEN, replace(THEN, verdict="fail"))
    assert differs(THEN, GONE.now)


def test_what_changes_has_a_row_and_causes_are_counted() -> None:
    study = restate_study("tag:prod", [CHEAPER, SAME, GONE])
    assert study.question == "restate tag:prod"
    assert study.sentences == (
        "2 of 3 plans change; 1 unchanged",
        "the catalogue's price of H100: $2.95/h -> $2.50/h: 1 plan",
    )
    first, second = study.tables[0].rows
    assert first[:7] == ("41a7", "chat", 48, 48, 141.6, 120.0, "PASS")
    assert second[6:] == ("PASS -> INFEASIBLE", " (unknown GPU)")
    assert max(map(len, study_text(study).splitlines())) <= 80


def test_causes_add_up_to_the_change_and_what_moves_nothing_is_left_out() -> None:
    anew = replace(THEN, gpus=56, cost=165.2)
    model = Change(kind="model", name="llama-3.1-70b")
    idle = Change(kind="hardware", name="A100")
    moved = replace(
        CHEAPER,
        engines=(2, 3),
        anew=anew,
        now=replace(THEN, gpus=40, cost=100.0),
        alone=((PRICE, replace(anew, cost=140.0)), (model, replace(anew, gpus=48, cost=141.6)), (idle, anew)),
    )
    causes = restate_study("", [moved]).tables[1]
    assert [(row[1], row[2]) for row in causes.rows] == [
        ("engine: 2 -> 3", 8),
        ("the catalogue's price of H100: $2.95/h -> $2.50/h", 0),
        ("the catalogue's figures of llama-3.1-70b are others", -8),
        ("beyond the sum of each alone", -8),
    ]
    assert sum(row[2] for row in causes.rows) == 40 - 48  # type: ignore[misc]
    assert sum(row[3] for row in causes.rows) == pytest.approx(100.0 - 141.6, abs=1e-12)  # type: ignore[misc]
    assert max(map(len, study_text(restate_study("", [moved])).splitlines())) <= 80


def test_inputs_that_move_something_only_together_are_all_told() -> None:
    other = Change(kind="hardware", name="A100")
    both = replace(CHEAPER, alone=((PRICE, THEN), (other, THEN)))
    assert [text for text, *_ in both.why] == [PRICE.text, other.text]
    assert restate_study("", [both]).tables[1].rows[-1][1:4] == ("beyond the sum of each alone", 0, 120.0 - 141.6)


def test_inputs_that_cancel_each_other_are_told_and_their_rounding_is_not() -> None:
    """The engine moved the plan; of two inputs one takes what the other adds, to within the last digit."""
    anew = replace(THEN, gpus=56, cost=165.2)
    model = Change(kind="model", name="llama-3.1-70b")
    alone = ((PRICE, replace(anew, cost=165.2 - 11.1)), (model, replace(anew, cost=165.2 + 11.1)))
    found = replace(CHEAPER, engines=(2, 3), anew=anew, now=replace(anew, cost=165.2), alone=alone)
    rows = restate_study("", [found]).tables[1].rows
    assert [row[1] for row in rows] == ["engine: 2 -> 3", PRICE.text, model.text]
    assert sum(row[3] for row in rows) == pytest.approx(165.2 - 141.6)  # type: ignore[misc]


def test_what_engines_changed_since_the_earliest_that_moved_is_said() -> None:
    moved = replace(CHEAPER, engines=(5, 6), anew=replace(THEN, gpus=56, cost=165.2))
    assert restate_study("", [moved]).warnings == (f"what engines changed since 5: {'; '.join(changes_since(5))}",)


def test_an_engine_that_changed_without_a_new_version_is_a_fault() -> None:
    study = restate_study("", [replace(CHEAPER, anew=CHEAPER.now, alone=())], unfinished=2)
    assert "41a7" in study.warnings[0]
    assert "without a new version" in study.warnings[0]
    assert study.warnings[1] == "2 plans not finished and left out"
    assert study.sentences[0] == "1 of 1 plan changes; 0 unchanged"
