"""What a fleet costs per unit, in the head of an answer, its page and its JSON."""

import dataclasses

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.reports.answer_head import fleet_head
from fleettui.reports.plan_json import plan_json
from fleettui.reports.plan_text import plan_text
from fleettui.reports.text_page import lines
from fleettui.reports.unit_cost_text import told_by_unit, unit_cost_text

USERS = Demand(form="users", users=24_000.0, requests_per_user=6 / 3600, peak_factor=2.5)
OVER_DAY = "$0.77 per 1M output over the day, $0.31 at peak; $0.49 per 1K requests; $2.16 per user a month"


def test_a_typed_rate_is_said_to_be_the_one_that_costs_are_at(best: Candidate, question: Question) -> None:
    assert unit_cost_text(best, question) == "$0.31 per 1M output at this rate; $0.20 per 1K requests"
    assert told_by_unit(best, question) == ""


@pytest.mark.parametrize("brief", [True, False])
def test_a_typed_day_stands_before_its_peak(proven: Candidate, question: Question, brief: bool) -> None:
    asked = dataclasses.replace(question, demand=USERS)
    told = lines(fleet_head(proven, "pass", asked, brief=brief), 120)
    assert told[:2] == ["PASS   24 H100   $71/h   $51,830/month", f"cost    {OVER_DAY}"]


def test_users_without_a_peak_have_a_cost_each(best: Candidate, question: Question) -> None:
    level = dataclasses.replace(question, demand=dataclasses.replace(USERS, peak_factor=1.0))
    assert told_by_unit(best, level).startswith("$0.31 per 1M output at this rate; $0.20 per 1K requests; $2.16 per us")


def test_the_json_has_the_costs_of_a_mean_hour(answer: Answer, infeasible: Answer, question: Question) -> None:
    asked = dataclasses.replace(question, demand=USERS)
    told = plan_json(answer, question=asked)
    assert told["unit_cost"]["cost_per_million_output_tokens_at_mean"] == pytest.approx(0.775)
    assert told["answer"]["cost_per_million_output_tokens"] == 0.31
    assert plan_json(infeasible, question=asked)["unit_cost"] is None


def test_a_day_of_arrivals_stands_before_its_peak_in_head_page_and_json(answer: Answer, question: Question) -> None:
    asked = dataclasses.replace(question, power_price=0.12)
    made = dataclasses.replace(answer, demand=dataclasses.replace(answer.demand, day_share=0.5))
    assert "0.62 per 1M output over the day, $0.31 at peak" in plan_text(made, asked)
    assert "at the peak's power all the time" in " ".join(plan_text(made, asked).split())
    assert plan_json(made, question=asked)["unit_cost"]["basis"] == "day"
    assert "over the day" not in plan_text(answer, asked)
