from dataclasses import replace

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.plan import Candidate
from fleettui.domain.plan_inputs import Size
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.check_text import Checked, Pair
from fleettui.reports.findings import CONFIDENCE, junit
from fleettui.reports.input_changes import Change
from tests.cli.conftest import ANSWER, BEST, PROVEN

PLAN = replace(ANSWER.plan, handle="40f2", name="chat")
QUESTION = Question(workload="x", slo=Slo(ttft=0.5))
SAME = Pair(plan=PLAN, before=Size.of(BEST), after=Size.of(BEST))


def test_what_holds_says_how_sure() -> None:
    assert Checked(question=QUESTION, answer=ANSWER).text() == (
        "holds: 48 GPUs at $141.60/h, by formula\n"
        "! by formula alone: a simulation may ask for more; without --no-verify it is\n"
        "  proven\n"
        "kept as 9f3c; fleettui show 9f3c"
    )
    proven = replace(ANSWER, answer=PROVEN)
    assert "simulated in 10 runs" in Checked(question=QUESTION, answer=proven, max_cost=141.6, against=SAME).text()


def test_what_is_too_little_sure_holds_at_nominal_speed_only() -> None:
    unsure = Confidence(holds=0.55, replicas=(8,), gpus=64, cost=188.8, span=(40, 64))
    by_formula = Checked(question=QUESTION, answer=replace(ANSWER, confidence=unsure), against=SAME)
    assert by_formula.holds
    assert by_formula.text().startswith("~holds at nominal speed against 40f2 chat: 48 GPUs at $141.60/h, by formula\n")
    assert "! at nominal speed: ~55% sure that 48 GPUs suffice" in by_formula.text()
    assert "| verdict | pass | pass at nominal speed | yes |" in by_formula.markdown()
    proven = replace(by_formula, answer=replace(by_formula.answer, answer=PROVEN))
    assert proven.text().startswith("holds at nominal speed against 40f2 chat: ")
    surer = replace(proven, answer=replace(proven.answer, confidence=replace(unsure, holds=0.8)))
    assert surer.text().startswith("holds against 40f2 chat: ")


def test_steps_that_no_fit_has_seen_make_it_less_sure() -> None:
    """Found: a nightly check held by GPUs that the question's correction says nothing of, without a word."""
    said = "steps of b200 tp4 not corrected: own fit prod has seen none; of what it has no fleet was seen to hold"
    by_formula = "pool all: own fit prod has seen no b200 tp4, so its step times are the catalogue's"
    for one in (said, by_formula):
        found = Checked(question=QUESTION, answer=replace(ANSWER, answer=PROVEN, warnings=("other", one)))
        assert found.notes == (one,)


def test_sizes_by_formula_of_what_was_simulated_are_told_as_such_beside_it() -> None:
    """Found: 12 -> 16 GPUs, $39.40/h -> $47.20/h, where the plan that it is held to has 16, and nobody 12."""
    more, note = replace(BEST, gpus=56, cost_per_hour=165.2), "held to each other by formula: ..."
    stored = Size(gpus=56, cost_per_hour=165.2, method="simulation")
    pair = replace(SAME, after=Size.of(more), note=note, own=(stored, Size.of(more)))
    found = Checked(question=QUESTION, answer=replace(ANSWER, answer=more), against=pair)
    assert found.broken == (
        "by formula: it needs more GPUs: ~48 (simulated: 56) -> ~56",
        "by formula: it costs $23.60/h more: ~$141.60/h (simulated: $165.20/h) -> ~$165.20/h",
    )
    assert "| GPUs, as before by formula | ~48 (simulated: 56) | ~56 |" in found.markdown()
    assert "| cost, as before by formula | ~$141.60/h (simulated: $165.20/h) | ~$165.20/h |" in found.markdown()
    assert found.broken[0] in junit("q.yaml", found.findings).replace("&gt;", ">")
    told = found.json()
    assert told["against"]["before"] == {"gpus": 48, "cost_per_hour": 141.6, "method": "formula"}
    assert told["against"]["stored"] == {"gpus": 56, "cost_per_hour": 165.2, "method": "simulation"}
    assert [one["limit"] for one in told["findings"]] == [48, 141.6], "programs read what is compared"
    assert told["findings"][0]["limit_words"] == "~48 (simulated: 56)"


def test_what_does_not_hold_comes_first_then_why() -> None:
    more = replace(BEST, gpus=56, cost_per_hour=165.2)
    slo = Change(kind="slo", name="slo-ttft", before="0.5s", after="0.3s")
    found = Checked(
        question=QUESTION,
        answer=replace(ANSWER, answer=more),
        max_cost=160.0,
        against=replace(SAME, after=Size.of(more)),
        changes=(slo,),
    )
    assert found.text().splitlines() == [
        "NO LONGER HOLDS against 40f2 chat",
        "- it costs $165.20/h, $5.20/h above the maximum of $160.00/h",
        "- it needs more GPUs: 48 -> 56",
        "- it costs $23.60/h more: $141.60/h -> $165.20/h",
        "what changed:",
        "- slo-ttft: 0.5s -> 0.3s",
        "kept as 9f3c; fleettui diff 40f2 9f3c",
    ]
    told = found.json()
    assert told["changes"][0]["kind"] == "slo"
    assert told["against"]["after"] == {"gpus": 56, "cost_per_hour": 165.2, "method": "formula"}
    assert "the program does" in replace(found, changes=()).text()


@pytest.mark.parametrize(("holds", "broken"), [(0.9, []), (0.52, ["it is 52% sure, 90% is wished"])])
def test_a_fleet_that_is_less_sure_than_wished_does_not_hold(holds: float, broken: list[str]) -> None:
    sure = Confidence(holds=holds, replicas=None, gpus=None, cost=None, span=(None, None))
    asked, answer = replace(QUESTION, confidence=0.9), replace(ANSWER, confidence=sure)
    found = Checked(question=asked, answer=answer)
    assert [*found.broken] == broken
    assert f"| sure, at least | 90% | {holds:.0%} |" in found.markdown()
    (own,) = [one for one in found.findings if one.code == CONFIDENCE]
    assert (own.limit, own.value, own.unit) == (0.9, holds, "share")
    plain = Checked(question=QUESTION, answer=answer)
    assert not any(one.code == CONFIDENCE for one in plain.findings), "nothing was wished"


@pytest.mark.parametrize(("best", "now"), [(BEST, "~52%"), (PROVEN, "52%")])
def test_an_answer_that_is_less_sure_than_the_baseline_says_so_everywhere(best: Candidate, now: str) -> None:
    """Found: 78 % became 52 %, and a pull request read that the fleet holds at nominal speed."""
    sure = Confidence(holds=0.52, replicas=None, gpus=None, cost=None, span=(None, None))
    answer = replace(ANSWER, answer=best, confidence=sure)
    found = Checked(question=QUESTION, answer=answer, against=replace(SAME, sure=0.78))
    told = f"less sure than the baseline: 78% -> {now}"
    assert found.holds
    assert f"! {told}" in found.text().splitlines()
    assert f"> {told}" in found.markdown().splitlines()
    assert told in found.json()["notes"]
    assert found.json()["against"]["sure"] == 0.78
    assert told in junit("q.yaml", found.findings, found.notes).replace("&gt;", ">")
    alike = replace(found, against=replace(SAME, sure=0.524))
    assert not any(one.startswith("less sure") for one in alike.notes), "the same to the percent"


def test_what_production_showed_of_its_hardware_stands_with_it() -> None:
    """Found: a check passed a fleet that a backtest had refuted, with no word of that."""
    seen = "backtest f09d, h100 tp2: all step times x1.1: --correct f09d"
    found = Checked(question=QUESTION, answer=replace(ANSWER, warnings=("another", seen)))
    assert f"! {seen}" in found.text().splitlines()
    assert seen in found.json()["notes"]
    assert "another" not in found.text()


@pytest.mark.parametrize("verdict", ["fail", "unproven", "infeasible"])
def test_a_verdict_other_than_pass_does_not_hold(verdict) -> None:
    answer = replace(ANSWER, verdict=verdict, answer=None if verdict == "infeasible" else BEST, why=("too slow",))
    found = Checked(question=QUESTION, answer=answer, against=replace(SAME, after=Size.of(answer.answer)))
    assert len(found.broken) == 1
    assert found.broken[0].endswith(": too slow")
    assert found.text().startswith("DOES NOT HOLD\n- the verdict is ")
