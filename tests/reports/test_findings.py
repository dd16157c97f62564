"""What a check tested: codes with limits and values, and JUnit."""

from dataclasses import replace
from xml.etree import ElementTree

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.plan_inputs import Size
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports import findings


def size(gpus: int, cost: float) -> Size:
    return Size(gpus=gpus, cost_per_hour=cost, method="formula")


def test_a_baseline_is_held_to_by_gpus_and_by_cost() -> None:
    gpus, cost = findings.of_baseline(size(48, 141.6), size(56, 141.6), "chat")
    assert (gpus.code, gpus.limit, gpus.value, gpus.holds) == ("gpus_above_baseline", 48, 56, False)
    assert gpus.text == "chat: it needs more GPUs: 48 -> 56"
    assert (cost.code, cost.holds, cost.text) == ("cost_above_baseline", True, "")
    cheaper, _ = findings.of_baseline(size(12, 48.0), size(17, 41.7))
    assert cheaper.text == "it needs more GPUs: 12 -> 17, which cost $6.30/h less"


def test_sizes_by_formula_are_marked_beside_what_was_simulated() -> None:
    formula, proven = size(13, 39.4), Size(gpus=16, cost_per_hour=47.2, method="simulation")
    gpus, cost = findings.of_baseline(formula, size(12, 39.4), "by formula", (formula, proven))
    assert (gpus.limit_words, gpus.value_words) == ("~13", "~12 (simulated: 16)")
    assert (cost.limit_words, cost.value_words) == ("~$39.40/h", "~$39.40/h (simulated: $47.20/h)")
    filed, _ = findings.of_baseline(proven, formula, "by formula", (proven, formula))
    assert (filed.limit_words, filed.value_words) == ("16", "~13"), "the formulas could not be asked about a file"
    plain, _ = findings.of_baseline(formula, formula)
    assert (plain.limit_words, plain.value_words) == ("", "")


def test_a_maximum_has_its_limit_and_its_value() -> None:
    broken = findings.of_maximum(165.2, 160.0)
    assert (broken.limit, broken.value, broken.unit, broken.holds) == (160.0, 165.2, "USD/h", False)
    assert broken.text == "it costs $165.20/h, $5.20/h above the maximum of $160.00/h"
    assert findings.of_maximum(160.0, 160.0).holds


def test_a_latency_is_held_to_its_limit_at_the_high_end(answer: Answer, proven: Candidate, question: Question) -> None:
    seen = replace(answer, answer=proven)
    ttft, tpot = findings.of_latencies(seen, question)
    assert (ttft.subject, ttft.limit, ttft.value, ttft.unit, ttft.holds) == ("P99 TTFT", 0.5, 0.447, "s", True)
    assert tpot.subject == "P99 TPOT"
    (tight,) = findings.of_latencies(seen, replace(question, slo=Slo(ttft=0.445)))
    assert (tight.holds, tight.text) == (False, "P99 TTFT 0.45 s is above 445ms")
    assert not list(findings.of_latencies(replace(answer, answer=None), question))


def test_junit_has_a_case_for_each_and_counts_what_broke() -> None:
    found = [findings.of_verdict("pass", ""), findings.of_verdict("fail", 'a <b> & "c"')]
    root = ElementTree.fromstring(findings.junit("q.yaml", found))
    (suite,) = root.iter("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    (failure,) = root.iter("failure")
    assert (failure.get("type"), failure.text) == ("verdict", 'a <b> & "c"')
    assert {case.get("classname") for case in root.iter("testcase")} == {"q.yaml"}
