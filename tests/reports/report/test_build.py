from dataclasses import replace

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.demand import Demand
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.report.build import NO_FLEET, asked, report
from fleettui.reports.report.model import Kept, Report
from tests.store import samples

SECTIONS = (
    "Question",
    "Answer",
    "How sure this is",
    "What to do next",
    "Alternatives",
    "Growth",
    "What would change this",
    "Assumptions by origin",
)


def asking(kept: Kept, question: Question) -> Kept:
    return replace(kept, scenario=replace(kept.scenario, question=question))


def cells(page: Report, title: str) -> dict[str, str]:
    """Return the first row of a section's first table by the columns' titles."""
    (section,) = [one for one in page.sections if one.title == title]
    table = section.tables[0]
    return dict(zip((column.title for column in table.columns), table.rows[0], strict=True))


def test_the_page_says_what_and_how_much(proved: Kept) -> None:
    page = report(proved)
    assert tuple(one.title for one in page.sections) == SECTIONS
    assert (page.title, page.word) == (f"Capacity plan {proved.handle}: proved", "PASS")
    assert page.answer == "16 H100 + 4 A100 for $91/h are enough."
    figures = cells(page, "Answer")
    # 90.50 an hour, 8,760 hours a year, a twelfth of them a month
    assert (figures["per month"], figures["per year"]) == (f"${90.5 * 730:,.0f}", f"${90.5 * 8.76:,.0f}K")
    assert figures["at the meter"] == "34.6 kW"  # 14 kW and 20 GPUs' 630 W, x 1.3
    assert (figures["GPUs"], figures["power of GPUs"], figures["per 1M output"]) == (
        "16 H100 + 4 A100",
        "14.0 kW",
        "$0.77",  # .31 at a peak of 2.5 times the day's mean
    )
    pools = page.sections[1].tables[1]
    assert [row[0] for row in pools.rows] == ["short", "long"]
    assert pools.rows[1][1:] == ("4,096 to 16,384", "91.7", "4 A100 tp4 x1", "0.46 s", "35 ms")


def test_a_page_of_a_plan_that_is_not_sure_is_no_bare_pass(proved: Kept) -> None:
    """Found: PASS over "hold at nominal speed only"."""
    unsure = replace(proved, answer=replace(proved.answer, confidence=samples.sure(0.61)))
    assert report(unsure).word == "PASS at nominal speed"


def test_tokens_cost_on_the_page_what_its_first_line_says(proved: Kept) -> None:
    day = Demand(form="users", users=1000, requests_per_user=0.1, peak_factor=2.0)
    page = report(asking(proved, replace(proved.scenario.question, demand=day)))
    cost = cells(page, "Answer")["per 1M output"]
    (section,) = [one for one in page.sections if one.title == "Answer"]
    assert section.sentences[0].startswith(f"{cost} per 1M output over the day")
    assert section.tables[0].note.endswith("per million output tokens, over the day")


def test_what_holds_at_nominal_speed_alone_is_not_to_be_rented_yet(proved: Kept) -> None:
    sure = Confidence(holds=0.5, replicas=(5, 1), gpus=28, cost=120.0, span=(16, 30))
    page = report(replace(proved, answer=replace(proved.answer, confidence=sure)))
    words = "50% sure that 20 GPUs suffice, short decides, 90% with ~28 like these, 5 + 1 replicas (~$120/h)"
    assert page.answer == f"16 H100 + 4 A100 for $91/h hold at nominal speed only: {words}."
    told = "\n".join(line for section in page.sections for line in section.sentences)
    assert f"Measure one replica before you rent: {words}; speeds are known to" in told
    assert "Rent 16 H100" not in told


def test_a_fleet_of_ones_own_is_told_how_sure_it_is_and_is_not_rented(proved: Kept) -> None:
    """Found: "are enough" beside "short by ~4 H100 with 90%", and "Rent 24 H100" of a fleet that is there."""
    sure = Confidence(holds=0.866, replicas=(5, 1), gpus=28, cost=120.0, span=(16, 30))
    page = report(replace(proved, given=True, answer=replace(proved.answer, confidence=sure)))
    assert page.answer.startswith("16 H100 + 4 A100 for $91/h are enough, 86% sure.")
    told = "\n".join(line for section in page.sections for line in section.sentences)
    assert "Run 16 H100 + 4 A100 as listed" in told
    assert "rent" not in told.lower().replace("currently", "")


def test_how_sure_is_not_told_of_clients_that_wait_for_each_answer(proved: Kept) -> None:
    waiting = Demand(form="concurrency", concurrency=350, think=12.0)
    page = report(asking(proved, replace(proved.scenario.question, demand=waiting)))
    assert page.answer.startswith(
        "16 H100 + 4 A100 for $91/h hold at nominal speed only: how sure it is cannot be told"
    )
    told = "\n".join(line for section in page.sections for line in section.sentences)
    assert "Measure one replica before you rent: how sure it is cannot be told" in told


def test_a_formula_is_told_as_one(kept: Kept) -> None:
    page = report(kept)
    assert page.answer.endswith("are enough by formula, not yet simulated.")
    assert page.sections[1].tables[1].note.startswith("latencies by formula, not simulated; P99: 99% of the requests")


def test_stages_are_told_where_there_are_some(proved: Kept) -> None:
    best = proved.answer.answer
    assert best is not None
    staged = replace(best, fleet=replace(best.fleet, pools=tuple(replace(one, pp=2) for one in best.fleet.pools)))
    notes = [
        report(replace(proved, answer=replace(proved.answer, answer=one))).sections[1].tables[1].note
        for one in (best, staged)
    ]
    assert ["each with a part of the model's layers" in note for note in notes] == [False, True]


@pytest.mark.parametrize(
    ("verdict", "finished", "words"),
    [("fail", True, "are not enough"), ("unproven", True, "may be enough"), ("unproven", False, "is not finished")],
)
def test_what_does_not_pass_is_not_told_to_be_enough(kept: Kept, verdict, finished: bool, words: str) -> None:
    held = replace(kept, answer=replace(kept.answer, verdict=verdict), finished=finished)
    assert words in report(held).answer


def test_a_wish_that_no_fleet_fulfils_is_the_answer(kept: Kept) -> None:
    clause = "no fleet within the budget is 90% sure; by formula H100 tp8 x8 would be"
    missed = replace(kept.answer, verdict="fail", why=(f"{clause}: a budget of $9/h would do",))
    assert report(replace(kept, answer=missed)).answer.endswith(f" hold at nominal speed only: {clause}.")
    none = replace(missed, answer=None, verdict="infeasible")
    assert report(replace(kept, answer=none)).answer == f"N{clause[1:]}."


def test_no_fleet_has_no_figures(infeasible: Kept) -> None:
    page = report(infeasible)
    assert (page.word, page.answer) == ("INFEASIBLE", NO_FLEET)
    titles = [one.title for one in page.sections]
    assert "Answer" not in titles
    assert "The nearest fleets, none of which holds" in titles


def test_files_and_all_gpus_are_named_as_they_were_typed(kept: Kept) -> None:
    question = replace(kept.scenario.question, gpus=("./mine.toml", "all", "h100"))
    words = asked(replace(kept, scenario=replace(kept.scenario, question=question)))
    assert words.startswith("How many of which GPU (./mine.toml, all, H100) does")


def test_the_question_is_one_sentence(kept: Kept) -> None:
    words = asked(kept)
    assert words.startswith("How many of which GPU (H100, A100) does llama-3.1-70b in bf16 need, at the least cost,")
    assert "83.3 requests/s of chat (20,000 × 6/h × 2.5)" in words
    assert "99% of the requests of every pool get the first token (TTFT) within 500ms and each" in words
    rated = Question(
        workload="chat", demand=Demand(form="rate", rate=83.3), slo=Slo(e2e=30, percentile=0.95), dtype="auto"
    )
    other = asked(asking(kept, rated))
    assert "How many of which GPU does llama-3.1-70b in the best number format need" in other
    assert "(20,000" not in other
    assert other.endswith("so that 95% of the requests of every pool get the whole answer (E2E) within 30s?")


def test_a_fleet_that_was_given_is_asked_about(kept: Kept) -> None:
    alone = replace(kept.answer, candidates=kept.answer.candidates[:1], excluded=())
    question = Question(workload="chat", slo=Slo())
    words = asked(replace(asking(kept, question), answer=alone, given=True))
    assert words.startswith("Do 12 H100 + 4 A100 of llama-3.1-70b suffice to answer 83.3 requests/s of chat")
    assert words.endswith("?")


def test_a_plan_that_is_not_finished_says_what_was_found_so_far(proved: Kept) -> None:
    found = "24 H100 ($71/h) holds as simulated; 16 H100 ($47/h) is not proven yet"
    open_ = replace(proved, finished=False, answer=replace(proved.answer, so_far=found))
    assert report(open_).answer == f"Not finished, so far: {found}."


def test_the_question_says_what_each_class_is_promised(kept: Kept) -> None:
    slo = Slo(ttft=0.5, further=(("batch.ttft", 60.0), ("batch.e2e.p50", 600.0)))
    words = asked(asking(kept, Question(workload="chat", slo=slo, batch_share=0.3)))
    assert words.endswith(
        "so that 99% of the interactive requests of every pool get the first token (TTFT) within 500ms, and 99% of the "
        "batch requests the first token (TTFT) within 60s, and 50% the whole answer (E2E) within 600s, each "
        "limit by itself?"
    )
