"""Candidates as tables: the answer with its runners-up, and pages of all of them."""

import csv
import dataclasses
import io
import re
from dataclasses import replace

import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Objective, Question
from fleettui.domain.slo import Slo
from fleettui.reports.candidates_table import (
    RUNNERS_UP,
    candidate_columns,
    candidates_block,
    candidates_page,
    candidates_table,
    nearest_first,
)
from fleettui.reports.columns import csv_text
from fleettui.reports.table import head, render
from fleettui.reports.text_page import lines
from tests.reports.conftest import column, simulated, too_slow, two_pools


def sized(candidate: Candidate, replicas: int) -> Fleet:
    """Return a candidate's fleet with so many replicas in its first pool."""
    first, *others = candidate.fleet.pools
    return dataclasses.replace(candidate.fleet, pools=(dataclasses.replace(first, replicas=replicas), *others))


def test_of_what_differs_only_in_the_split_the_first_is_listed(answer: Answer, question: Question) -> None:
    table = candidates_table(answer, question)
    assert [row[0] for row in table.rows] == ["> 41a7", "  41b3"]
    assert table.title == "candidates 2 of 3: the answer, then cheapest first; best split of each"


def test_runners_up_stand_beside_the_answer(answer: Answer, best: Candidate, question: Question) -> None:
    others = tuple(
        dataclasses.replace(best, candidate=str(at), handle=f"{at:04x}", fleet=sized(best, at)) for at in range(5, 13)
    )
    many = dataclasses.replace(answer, candidates=(*answer.candidates, *others))
    assert len(candidates_table(many, question).rows) == 1 + RUNNERS_UP
    assert candidates_table(many, question).title.startswith("candidates 5 of 11: ")
    without = dataclasses.replace(many, answer=None, verdict="infeasible")
    assert len(candidates_table(without, question).rows) == RUNNERS_UP
    assert "nearest first" in candidates_table(without, question).title


def test_of_what_does_not_hold_the_simulated_that_breaks_a_limit_by_least_is_the_nearest(best: Candidate) -> None:
    """Found: once simulations refuted the formulas' fleets, those that they had not looked at stood before them."""
    near = simulated(replace(best, candidate="near", cost_per_hour=40.0), "fail")
    far = simulated(replace(best, candidate="far", cost_per_hour=90.0))
    by_formula = replace(best, candidate="formula")
    asked = Question(slo=Slo(ttft=0.44), budget=50.0)
    assert nearest_first((by_formula, far, near), asked) == [near, far, by_formula]


def test_a_row_is_a_fleet_its_cost_and_what_is_left(
    answer: Answer, proven: Candidate, failed: Candidate, question: Question
) -> None:
    seen = dataclasses.replace(answer, answer=proven, candidates=(proven, failed))
    expected = {
        "  name": ["> 41a7", "  41b3"],
        "fleet": ["H100 tp4 x4 + tp4 x2", "MI300X tp4 x5"],
        "GPUs": ["24", "20"],
        "$/h": ["71.00", "59.00"],
        "proof": ["simulated", "fails"],
        "TTFT": ["0.44 s", "0.44 s"],
        "TPOT": ["34 ms", "34 ms"],
        "left": ["11%", "no"],
    }
    table = candidates_table(seen, question)
    assert {title: column(table, title) for title in expected} == expected


def test_figures_of_the_formula_bear_a_sign_and_the_note_says_how_far_it_was_off(
    answer: Answer, proven: Candidate, question: Question
) -> None:
    seen = dataclasses.replace(answer, answer=proven, candidates=(proven, *answer.candidates[1:]))
    table = candidates_table(seen, question)
    assert column(table, "proof") == ["simulated", "formula"]
    assert column(table, "TTFT") == ["0.44 s", "~0.52 s"]
    assert column(table, "left") == ["11%", "no"]
    assert table.note == (
        "~ by formula, not simulated: the answer itself had TTFT ~0.44 s, simulated 0.44 s; "
        "TPOT ~34 ms, simulated 34 ms"
    )
    assert candidates_table(answer, question).note == "~ by formula, not simulated"
    alone = dataclasses.replace(seen, candidates=(proven,))
    assert candidates_table(alone, question).note == ""


@pytest.mark.parametrize(
    ("objective", "head", "first"), [("gpus", "GPUs", "20"), ("power", "draws", "9.0 kW"), ("ttft", "TTFT", "~0.20 s")]
)
def test_the_list_is_ordered_by_what_the_plan_has_least_of_and_shows_it(
    answer: Answer, best: Candidate, question: Question, objective: Objective, head: str, first: str
) -> None:
    fast = dataclasses.replace(
        best,
        candidate="id-beef",
        handle="beef",
        gpus=20,
        power=9_000.0,
        fleet=sized(best, 3),
        pools=tuple(dataclasses.replace(one, ttft=0.2) for one in best.pools),
    )
    middle = dataclasses.replace(
        best, candidate="id-cafe", handle="cafe", gpus=22, power=10_000.0, fleet=sized(best, 5)
    )
    asked = dataclasses.replace(question, objective=objective, slo=Slo(e2e=10.0))
    table = candidates_table(dataclasses.replace(answer, candidates=(middle, *answer.candidates, fast)), asked)
    assert [row[0] for row in table.rows] == ["> 41a7", "  beef", "  cafe", "  41b3"]
    assert column(table, head)[1] == first
    assert {"gpus": "fewest GPUs", "power": "least power", "ttft": "fastest by formula"}[objective] in table.title


def test_a_large_cost_needs_no_cents(best: Candidate, question: Question) -> None:
    costly = [dataclasses.replace(best, cost_per_hour=cost) for cost in (99.5, 100.4, 12_345.6)]
    assert column(candidates_page(costly, question), "$/h") == ["99.50", "100", "12,346"]


def test_a_page_keeps_the_order_and_marks_the_answer_where_it_is(
    best: Candidate, slow: Candidate, question: Question
) -> None:
    page = candidates_page((slow, best), question, best)
    assert [row[0] for row in page.rows] == ["  41b3", "* 41a7"]
    assert page.title == ""
    assert [row[0] for row in candidates_page((slow, best), question).rows] == ["  41b3", "  41a7"]
    assert candidates_page((), question, best).rows == ()


def test_a_page_and_the_list_have_the_same_columns(answer: Answer, best: Candidate, question: Question) -> None:
    assert candidates_page((best,), question).columns == candidates_table(answer, question).columns


def test_an_answer_alone_is_not_listed_again(answer: Answer, best: Candidate, question: Question) -> None:
    assert candidates_block(dataclasses.replace(answer, candidates=(best,)), question) == []
    assert candidates_block(dataclasses.replace(answer, candidates=()), question) == []


def test_an_answer_with_an_undefined_figure_is_still_itself(
    best: Candidate, answer: Answer, question: Question
) -> None:
    one, same = (
        dataclasses.replace(best, pools=tuple(dataclasses.replace(pool, ttft=float("nan")) for pool in best.pools))
        for _ in range(2)
    )
    assert one != same
    assert candidates_block(dataclasses.replace(answer, answer=one, candidates=(same,)), question) == []


def test_without_an_answer_each_says_what_it_breaks(
    infeasible: Answer, best: Candidate, unproven: Candidate, question: Question
) -> None:
    text = "\n".join(lines(candidates_block(infeasible, question)))
    assert text.endswith("41b3    P99 TTFT 0.52 s is above 500ms")
    seen = dataclasses.replace(infeasible, candidates=(unproven,))
    assert "41a7    TTFT of pool short: 0.443 s [0.376, 0.510] around 0.5 s" in lines(candidates_block(seen, question))
    feed = "feed: 19.364 kW above 19 kW"
    hot = dataclasses.replace(simulated(best, reason="TTFT is 0.4 s"), shortfalls=(feed,))
    assert lines(candidates_block(dataclasses.replace(infeasible, candidates=(hot,)), question))[-1].endswith(feed)
    nameless = dataclasses.replace(infeasible, candidates=(dataclasses.replace(infeasible.candidates[0], handle=""),))
    assert lines(candidates_block(nameless, question))[-1].startswith("nearest P99 TTFT")


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_line_is_wider_than_asked(answer: Answer, infeasible: Answer, question: Question, width: int) -> None:
    for one in (answer, infeasible):
        assert max(map(len, lines(candidates_block(one, question), width))) <= width
    assert max(map(len, render(candidates_table(answer, question), width).splitlines())) <= width


def test_a_list_of_80_columns_has_room_for_the_fleet_beside_two_further_limits(
    answer: Answer, best: Candidate, question: Question
) -> None:
    asked = dataclasses.replace(question, slo=Slo(further=(("e2e.p95", 20.0), ("ttft.p50", 0.2))))
    page = candidates_page([best], asked, best)
    (heads,) = head(page, 80)
    assert heads.startswith("  name  fleet")
    assert re.split(" {2,}", heads.strip()) == ["name", "fleet", "GPUs", "$/h", "proof", "P95 E2E", "P50 TTFT", "left"]
    assert column(page, "fleet")[0] in render(page, 80), "not squeezed"


def test_every_candidate_is_a_row_in_si_units(question: Question) -> None:
    best = simulated(two_pools())
    text = csv_text(candidate_columns(question, best), (best, too_slow()))
    first, second = csv.DictReader(io.StringIO(text))
    assert tuple(first)[:4] == ("candidate", "answer", "fleet", "pools")
    assert text.count("\n") == 3
    assert (first["candidate"], first["answer"], first["method"], first["verdict"]) == (
        "41a7",
        "1",
        "simulation",
        "pass",
    )
    assert (first["fleet"], first["up_to"]) == ("H100 tp4 x4 + tp4 x2", "4096 16384")
    assert (float(first["cost_per_hour"]), float(first["power"])) == (71.0, 14_000.0)
    assert [float(first[name]) for name in ("ttft", "ttft_low", "ttft_high")] == [0.443, 0.886 - 0.447, 0.447]
    assert (second["answer"], second["method"], second["verdict"], second["ttft_low"]) == ("0", "formula", "", "")
    assert second["shortfalls"] == "P99 TTFT 0.52 s is above 500ms"
    assert float(second["ttft"]) == 0.52
    cheaper = dataclasses.replace(two_pools(), cost_per_hour=50.0)
    wished = dataclasses.replace(question, confidence=0.9)
    rows = list(csv.DictReader(io.StringIO(csv_text(candidate_columns(wished, best), (best, cheaper, too_slow())))))
    told = "sized for the step times predicted, not to be 90% sure"
    assert [one["remark"] for one in rows] == ["", told, ""]


def test_of_a_cheaper_fleet_of_other_evidence_the_note_says_how_well_its_speeds_are_known(
    answer: Answer, proven: Candidate, question: Question
) -> None:
    cheaper = dataclasses.replace(
        answer.candidates[1],
        cost_per_hour=proven.cost_per_hour / 2.0,
        shortfalls=(),
        speeds="kernels not measured",
        pools=tuple(dataclasses.replace(one, ttft=0.1, tpot=0.01) for one in answer.candidates[1].pools),
        fleet=dataclasses.replace(
            answer.candidates[1].fleet,
            pools=tuple(dataclasses.replace(one, gpu="mi300x") for one in answer.candidates[1].fleet.pools),
        ),
    )
    seen = dataclasses.replace(answer, answer=proven, candidates=(proven, cheaper))
    assert candidates_table(seen, question).note.endswith(f"; {cheaper.handle}: kernels not measured")
    same = dataclasses.replace(cheaper, speeds=proven.speeds)
    assert "measured" not in candidates_table(dataclasses.replace(seen, candidates=(proven, same)), question).note
