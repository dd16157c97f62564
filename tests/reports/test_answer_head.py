"""The head of an answer: verdict first, then what is left, how it is known, and the model's own error."""

import dataclasses

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.demand import Demand
from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.plan import Answer, Candidate, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.seen_load import SeenLoad
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import TypedRange
from fleettui.reports.answer_head import answer_head, fleet_head
from fleettui.reports.plan_json import plan_json
from fleettui.reports.text_page import MARGIN, fact, lines
from tests import own_fits


def head(candidate: Candidate, question: Question, verdict: Verdict = "pass", *, brief: bool = False) -> str:
    return "\n".join(lines(fleet_head(candidate, verdict, question, brief=brief)))


def test_what_only_a_formula_says_is_no_plain_pass(answer: Answer, proven: Candidate, question: Question) -> None:
    assert lines(answer_head(answer, question))[0].startswith("PASS by formula   24 H100   $71/h   $51,830/month   ")
    seen = dataclasses.replace(answer, answer=proven)
    assert lines(answer_head(seen, question))[0] == (
        "PASS   24 H100   $71/h   $51,830/month   $0.31 per 1M output at this rate"
    )


def test_a_pass_of_which_nobody_knows_how_sure_it_is_is_one_at_nominal_speed(
    answer: Answer, proven: Candidate, question: Question
) -> None:
    """Found: a plain PASS of clients that wait, whose fleet may take twice the GPUs."""
    waiting = dataclasses.replace(question, demand=Demand(form="concurrency", concurrency=350, think=12.0))
    seen = dataclasses.replace(answer, answer=proven, confidence=None)
    told = lines(answer_head(seen, waiting))
    assert told[0].startswith("PASS at nominal speed   24 H100   ")
    assert "sure    how sure it is cannot be told, as clients that wait" in " ".join(told)
    known = dataclasses.replace(seen, answer=dataclasses.replace(proven, model_error=0.0))
    assert lines(answer_head(known, waiting))[0].startswith("PASS   24 H100   ")


def test_a_pass_that_many_step_times_would_break_is_one_at_nominal_speed(
    answer: Answer, proven: Candidate, question: Question
) -> None:
    seen = dataclasses.replace(answer, answer=proven)
    for holds, word in ((0.79, "PASS at nominal speed"), (0.8, "PASS")):
        sure = Confidence(holds=holds, replicas=(9,), gpus=36, cost=106.2, span=(20, 40))
        told = lines(answer_head(dataclasses.replace(seen, confidence=sure), question))
        assert told[0].startswith(f"{word}   24 H100   ")
        sentence = f"{round(100 * holds)}% sure that 24 GPUs suffice, 90% with ~36 like these (~$106/h)"
        own = " ".join(" ".join(told).split())
        assert own.partition(" sure ")[2].startswith(f"{sentence}; over step times, not waits ")
        brief = lines(answer_head(dataclasses.replace(seen, confidence=sure), question, brief=True))
        assert brief[-1] == f"sure    {sentence}"
    likely = Confidence(holds=0.98, replicas=(6,), gpus=24, cost=71.0, span=(20, 24))
    told = lines(answer_head(dataclasses.replace(seen, confidence=likely), question))
    assert "sure    98% sure that 24 GPUs suffice; over step " in "".join(told[-2:])
    least = Confidence(holds=0.4, replicas=None, gpus=None, cost=None, span=(20, None))
    told = lines(answer_head(dataclasses.replace(seen, confidence=least), question))
    assert "40% sure that 24 GPUs suffice, 90% with no number of them; " in "".join(told[-2:])


def test_a_wish_that_no_fleet_fulfils_is_in_the_headline(answer: Answer, proven: Candidate, question: Question) -> None:
    """Found: FAIL over a fleet that keeps every limit, and why only at the end of the page."""
    clause = "no fleet within the budget is 90% sure; by formula H100 tp8 x8 would be"
    missed = dataclasses.replace(answer, answer=proven, verdict="fail", why=(f"{clause}: a budget of $9/h would do",))
    first, second, *_ = lines(answer_head(missed, question))
    assert first.startswith("FAIL   24 H100   ")
    assert second == f"wish    {clause}"
    assert plan_json(missed)["unmet_wish"] == clause
    none = dataclasses.replace(missed, answer=None, verdict="infeasible")
    assert answer_head(none, question) == [("INFEASIBLE   ", f"{clause}; the nearest are below")]
    other = dataclasses.replace(missed, why=("one replica fewer fails", "it is 90% sure"))
    assert not lines(answer_head(other, question))[1].startswith("wish")
    assert "unmet_wish" not in plan_json(other)


def test_what_was_typed_as_a_range_stands_with_what_is_planned_at_and_how_sure_that_is(
    answer: Answer, question: Question
) -> None:
    typed = (TypedRange(key="rate", low=80.0, high=120.0), TypedRange(key="prefix-hit", low=0.2, high=0.6))
    asked = dataclasses.replace(question, prefix_hit=0.4, ranges=typed)
    sure = Confidence(holds=0.6, replicas=(9,), gpus=36, cost=106.2, span=(20, 40), ranges=typed)
    told = " ".join(" ".join(lines(answer_head(dataclasses.replace(answer, confidence=sure), asked))).split())
    assert "range rate 80/s to 120/s, planned at 98/s; prefix hit 20% to 60%, planned at 40%" in told
    assert "within the model's error, rate 80/s to 120/s and prefix hit 20% to 60%" in told
    plain = plan_json(dataclasses.replace(answer, confidence=sure), question=asked)["confidence"]
    assert plain["ranges"][0] == {"key": "rate", "low": 80.0, "high": 120.0}


def test_a_fleet_without_a_limit_passes_none(proven: Candidate, question: Question) -> None:
    """Found: PASS without an SLO."""
    asked = dataclasses.replace(question, slo=Slo())
    assert head(proven, asked).startswith("KEEPS UP   24 H100   ")
    assert head(proven, asked, "fail").startswith("FAIL   24 H100   ")


@pytest.mark.parametrize(("verdict", "word"), [("fail", "FAIL"), ("unproven", "NOT PROVEN")])
def test_another_verdict_is_the_same_word_however_it_is_known(
    best: Candidate, proven: Candidate, question: Question, verdict: Verdict, word: str
) -> None:
    for candidate in (best, proven):
        assert head(candidate, question, verdict).startswith(f"{word}   24 H100")


def test_a_fleet_that_failed_is_no_headline_while_the_search_goes_on(
    answer: Answer, proven: Candidate, question: Question
) -> None:
    assert proven.evidence is not None
    failed = dataclasses.replace(proven, evidence=dataclasses.replace(proven.evidence, verdict="fail"))
    walking = dataclasses.replace(answer, verdict="unproven", answer=failed)
    first = lines(answer_head(walking, question, finished=False))[0]
    assert first == "NOT PROVEN YET   24 H100 fails as simulated: another fleet is needed"
    found = "32 H100 ($96/h) holds as simulated; 28 H100 ($84/h) is not proven yet"
    head_of = lines(answer_head(dataclasses.replace(walking, so_far=found), question, finished=False))
    assert " ".join(" ".join(head_of[:2]).split()) == f"NOT PROVEN YET so far {found}"
    assert not any(line.startswith("so far") for line in head_of)


def test_what_was_found_so_far_stands_below_the_headline(answer: Answer, question: Question) -> None:
    found = "32 H100 ($96/h) holds as simulated; 24 H100 ($72/h) is not proven yet"
    walking = dataclasses.replace(answer, verdict="unproven", so_far=found)
    told = answer_head(walking, question, finished=False)
    assert lines(told)[0].startswith("NOT PROVEN YET   24 H100")
    assert told[1:2] == fact("so far", found)
    assert plan_json(walking)["so_far"] == found
    assert "so_far" not in plan_json(answer)


def test_the_lines_in_their_order(proven: Candidate, question: Question) -> None:
    told = lines(fleet_head(proven, "pass", question))
    assert [line[:MARGIN].strip() for line in told[1:]] == ["limits", "", "proof", "", "", "model"]
    assert told[5] == "        every limit holds in every pool"


def test_in_brief_a_pass_needs_no_reason_and_less_words(
    proven: Candidate, unproven: Candidate, question: Question
) -> None:
    told = lines(fleet_head(proven, "pass", question, brief=True))
    assert told[0] == "PASS   24 H100   $71/h   $51,830/month   $0.31 per 1M output"
    assert "proof   12 runs, 400K requests, P99 TTFT 0.44 s +-0.9%" in told
    assert "every limit holds" not in "\n".join(told)
    assert "TTFT of pool short: 0.443 s [0.376, 0.510]" in head(unproven, question, "unproven", brief=True)


def test_without_a_fleet_it_says_what_was_not_found(infeasible: Answer, question: Question) -> None:
    assert lines(answer_head(infeasible, question)) == [
        "INFEASIBLE   no fleet holds every limit; the nearest are below"
    ]
    open_ended = dataclasses.replace(infeasible, verdict="unproven")
    assert lines(answer_head(open_ended, question)) == [
        "NOT PROVEN   no fleet is proven to hold every limit; the nearest are below"
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("brief", [False, True])
def test_no_line_is_wider_than_asked(
    answer: Answer,
    infeasible: Answer,
    proven: Candidate,
    unproven: Candidate,
    question: Question,
    width: int,
    brief: bool,
) -> None:
    for one in (answer, infeasible, dataclasses.replace(answer, answer=proven)):
        assert max(map(len, lines(answer_head(one, question, brief=brief), width))) <= width
    assert max(map(len, lines(fleet_head(unproven, "unproven", question, brief=brief), width))) <= width


def test_speeds_that_were_given_have_no_range(proven: Candidate, question: Question) -> None:
    given = dataclasses.replace(proven, model_error=0.0, gpus_range=(None, None))
    assert "model   the speeds are given: no error is known" in head(given, question)
    alone = dataclasses.replace(proven, gpus_range=(None, None))
    assert head(alone, question).endswith("\nmodel   roofline, not calibrated: +-25%")


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((22, 30), "between 22 and 30 of these"),
        ((26, 26), "26 GPUs"),
        ((1, 1), "1 GPU"),
        ((22, None), "between 22 and more than can be had"),
        ((None, 30), "between no fleet and 30 of these"),
    ],
)
def test_the_models_error_is_a_range_of_fleets(
    best: Candidate, question: Question, ends: tuple[int | None, int | None], words: str
) -> None:
    assert head(dataclasses.replace(best, gpus_range=ends), question).endswith(f"+-25%  ->  {words}")


def test_what_else_than_step_times_is_in_a_range_is_told_alike_of_any_fleet(
    answer: Answer, proven: Candidate, question: Question
) -> None:
    """Found: one page said that 24 GPUs are 99 % sure, and between 20 and 88; and that 12 are 91 % sure, and 22.

    And: 3 GPUs are 60 % sure, between 2 and 14, and 5 are 94 % sure, between 2 and 8, with waits, too.
    """
    wide, narrow, one = (dataclasses.replace(proven, gpus_range=(20, high)) for high in (88, 24, 20))
    sure = Confidence(holds=0.99, replicas=(3,), gpus=24, cost=70.0, span=(20, 88))

    def told(best: Candidate, holds: float) -> str:
        known = dataclasses.replace(answer, answer=best, confidence=dataclasses.replace(sure, holds=holds))
        return "\n".join(lines(answer_head(known, question), 200))

    for best, holds in ((wide, 0.99), (wide, 0.7), (narrow, 0.99)):
        assert "over step times, not waits (x0.6 to x1.8), within the model's error" in told(best, holds)
        assert f"->  between 20 and {best.gpus_range[1]} of these, by runs\n" in told(best, holds)
    assert "over step times, not waits, within the model's error" in told(one, 0.99)


def test_a_range_is_as_its_own_runs_correct_it(answer: Answer, proven: Candidate, question: Question) -> None:
    """Found: 16 to 48, 16 to 52 and 16 to 48 GPUs for one demand, as fleets of 5, 6 and 7 replicas showed it.

    And: 2 to 14 by runs of 3 replicas, 2 to 8 by runs of 5 of the same.
    """
    sure = Confidence(holds=0.99, replicas=(3,), gpus=24, cost=70.0, span=(16, 52))
    known = dataclasses.replace(answer, answer=dataclasses.replace(proven, gpus_range=(16, 52)), confidence=sure)
    told, plain = (
        "\n".join(lines(answer_head(one, question), 200))
        for one in (known, dataclasses.replace(known, confidence=None))
    )
    assert "->  between 16 and 52 of these, by runs" in told
    assert "by runs" not in plain, "they are the formulas'"


def test_a_class_of_evidence_has_its_band(best: Candidate, question: Question) -> None:
    known = dataclasses.replace(best, band=(0.82, 1.26), speeds="kernels and model measured", gpus_range=(40, 64))
    told = "model   kernels and model measured: -18% to +26%  ->  between 40 and 64 of these"
    assert head(known, question).endswith(told)
    assert len(told) <= 80


def test_the_papers_speeds_are_the_papers(best: Candidate, question: Question) -> None:
    paper = dataclasses.replace(question, preset="paper")
    assert "model   the papers' own speeds: +-25%" in head(best, paper)


def test_a_fleet_that_the_own_fit_does_not_know_says_so_beside_its_error(best: Candidate, question: Question) -> None:
    """A plan that took in what production showed was answered with replicas that nobody had corrected."""
    asked = dataclasses.replace(question, fit=own_fits.FIT, step_law="kernels")
    assert "without own fit" not in head(best, asked)
    other = dataclasses.replace(own_fits.FIT, servers=(dataclasses.replace(own_fits.SERVER, tp=8),))
    told = " ".join(head(best, dataclasses.replace(asked, fit=other)).split())
    assert "model roofline, not calibrated, without own fit prod (no h100 tp4): +-25% -> between 22 and 30" in told


def test_what_is_surer_by_a_load_that_was_seen_says_that_it_is_so_near_that_load_alone(
    answer: Answer, question: Question
) -> None:
    """Found: 80 % sure became 99 % by a backtest of a fleet that was slower than planned, without a word."""
    load = SeenLoad(
        rate=4.0,
        prompt_tokens=1000.0,
        output_tokens=200.0,
        prefix_hit=0.0,
        settings=EngineSettings(max_num_seqs=256, token_budget=8192),
        band=0.01,
    )
    servers = [(own_fits.SERVER,), (dataclasses.replace(own_fits.SERVER, seen=(load,)),)]
    sure = Confidence(holds=0.99, replicas=(3,), gpus=24, cost=70.0, span=(20, 30))
    known = dataclasses.replace(answer, confidence=sure)
    fits = [dataclasses.replace(own_fits.FIT, servers=one) for one in servers]
    told = [
        " ".join(lines(answer_head(known, dataclasses.replace(question, fit=fit, step_law="kernels")), 300))
        for fit in fits
    ]
    only = "within the model's error; so sure only near the load that was measured"
    assert [only in one for one in told] == [False, True]
