from dataclasses import replace

from fleettui.domain.plan import PlanIdentity
from fleettui.domain.whatif import Outcome
from fleettui.reports.changes import Change
from fleettui.reports.studies.restate import Restated, differs, restate_study
from fleettui.reports.study_text import study_text

THEN = Outcome(verdict="pass", gpus=48, cost=141.6)
PRICE = Change(kind="price", name="H100", before="$2.95/h", after="$2.50/h")
CHEAPER = Restated(
    plan=PlanIdentity(handle="41a7", name="chat"), then=THEN, now=replace(THEN, cost=120.0), why=(PRICE,)
)
SAME = Restated(plan=PlanIdentity(handle="40f2"), then=THEN, now=THEN)
GONE = Restated(
    plan=PlanIdentity(handle="3ff0"), then=THEN, now=Outcome(verdict="infeasible", limited_by="unknown GPU"), why=()
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


def test_an_engine_that_changed_without_a_new_version_is_a_fault() -> None:
    engine = Change(kind="engine", name="engine", before="3", after="3")
    study = restate_study("", [replace(CHEAPER, why=(engine,))], unfinished=2)
    assert "41a7" in study.warnings[0]
    assert "without a new version" in study.warnings[0]
    assert study.warnings[1] == "2 plans not finished and left out"
    assert study.sentences[0] == "1 of 1 plan changes; 0 unchanged"
