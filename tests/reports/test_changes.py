import dataclasses
from typing import Any

import pytest

from fleettui.domain.plan import Answer, Candidate, Estimate, Evidence, PoolEvidence
from fleettui.domain.scenario import Question
from fleettui.reports.changes import changes, sentence
from tests.store import samples

OLD_QUESTION = dataclasses.replace(samples.question(), seed=1)


def plan(handle: str, best: Candidate | None, verdict: Any = "pass") -> Answer:
    given = samples.answer(1)
    return dataclasses.replace(
        given, plan=dataclasses.replace(given.plan, handle=handle), answer=best, verdict=verdict, candidates=()
    )


def seen(ttft: float, half: float = 0.01, **changed: Any) -> Candidate:
    """Return a simulated candidate whose worst pool's TTFT is `ttft` give or take `half`."""
    tpot = Estimate(value=0.035, low=0.034, high=0.036)
    pool = PoolEvidence(
        name="short",
        ttft=Estimate(value=ttft, low=ttft - half, high=ttft + half),
        tpot=tpot,
        utilization=0.8,
        batch=1.0,
    )
    evidence = Evidence(method="simulation", verdict="pass", ttft=tpot, attainment=Estimate(value=None), pools=(pool,))
    return dataclasses.replace(samples.candidate(), evidence=evidence, **changed)


def told(old: Answer, new: Answer, question: Question = OLD_QUESTION) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in changes(old, OLD_QUESTION, new, question).rows}


def test_only_what_differs_is_told_inputs_before_results() -> None:
    old, new = plan("41a7", seen(0.443)), plan("40f2", seen(0.391, gpus=20, cost_per_hour=78.1, power=15_000.0))
    asked = dataclasses.replace(OLD_QUESTION, tp=(2,), max_gpus=(), budget=None, name="another")
    table = changes(old, OLD_QUESTION, new, asked)
    assert [column.title for column in table.columns] == ["", "41a7", "40f2", "difference", ""]
    assert table.rows == (
        ("tp", "auto", "2", "", "-"),
        ("max-gpus", "a100=40", "-", "", "-"),
        ("GPUs", "16", "20", "+4", "-"),
        ("cost", "$71/h", "$78/h", "+$7.00/h", "worse"),
        ("P99 TTFT", "0.44 s +-2%", "0.39 s +-3%", "-52 ms", "better"),
        ("power", "14.0 kW", "15.0 kW", "+1.0 kW", "worse"),
    )
    assert table.note.endswith("inputs and 3 results unchanged")


def test_nothing_changed_is_counted() -> None:
    table = changes(plan("a", seen(0.4)), OLD_QUESTION, plan("b", seen(0.4)), OLD_QUESTION)
    assert table.rows == ()
    assert table.note.endswith(" and 7 results unchanged")


@pytest.mark.parametrize(
    ("ttft", "half", "word"),
    [(0.45, 0.02, "not proven"), (0.45, 0.001, "worse"), (0.38, 0.001, "not proven"), (0.36, 0.001, "better")],
)
def test_intervals_that_overlap_prove_nothing(ttft: float, half: float, word: str) -> None:
    assert told(plan("a", seen(0.4, 0.03)), plan("b", seen(ttft, half)))["P99 TTFT"][-1] == word


def test_a_formula_is_marked_and_a_mixture_is_said() -> None:
    table = changes(plan("a", samples.candidate()), OLD_QUESTION, plan("b", seen(0.3)), OLD_QUESTION)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["P99 TTFT"] == ("~0.48 s", "0.30 s +-3%", "-0.18 s", "better")
    assert "by formula only" in table.note
    assert told(plan("a", samples.candidate()), plan("b", samples.candidate())) == {}


def test_a_plan_without_a_fleet_has_nothing_to_compare() -> None:
    rows = told(plan("a", seen(0.4)), plan("b", None, "infeasible"))
    assert rows["GPUs"] == ("16", "-", "", "-")
    assert rows["verdict"] == ("PASS", "INFEASIBLE", "", "worse")


def test_one_sentence_says_what_it_comes_to() -> None:
    old, new = plan("41a7", seen(0.443)), plan("40f2", seen(0.391, cost_per_hour=78.21), "unproven")
    said = sentence(old, new, OLD_QUESTION)
    assert said == "40f2 against 41a7: +$7.11/h (+10%) worse, P99 TTFT better, PASS -> NOT PROVEN"
    assert sentence(old, old, OLD_QUESTION) == "41a7 against 41a7: costs the same, stays PASS"
    assert sentence(old, plan("b", None, "infeasible"), OLD_QUESTION) == "only 41a7 has a fleet that may hold"
    nobody = plan("b", None, "infeasible")
    assert sentence(nobody, nobody, OLD_QUESTION) == "neither plan has a fleet that holds every limit"
