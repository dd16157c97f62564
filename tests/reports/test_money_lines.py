"""How a plan's GPUs are paid for, below its answer."""

from dataclasses import replace

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.reports.money_lines import money_lines
from fleettui.reports.plan_text import plan_screen
from tests.reports.studies.test_money import grown, study


def test_what_to_commit_to_stands_with_prices_by_class_and_date() -> None:
    ((label, text),) = money_lines(replace(study(), handle="ab12"))
    assert label.strip() == "money"
    assert text == ("32 H100 reserved-1y at $1.00/h (us 2026-11): $32.00/h on average (fleettui show ab12)")
    assert money_lines(replace(study(), tables=())) == []


def test_of_several_terms_the_first_is_named_and_the_mean_is_over_all() -> None:
    """Found: the first term's GPUs and its cost as if they were those of all years, and none as growth needs them."""
    ((_, text),) = money_lines(replace(grown(years=2, growth=0.05), handle="ab12"))
    assert text == (
        "16 H100 on-demand as growth needs them at $2.00/h (us 2026-11) + 48 H100 reserved-1y at $1.00/h (us 2026-11) "
        "in the first term: $73.53/h on average (fleettui show ab12)"
    )


def test_it_stands_on_the_screen_of_the_answer_alone(answer: Answer, question: Question) -> None:
    found = replace(study(), handle="ab12")
    assert "\nmoney   32 H100 reserved-1y at $1.00/h" in plan_screen(answer, question, money=found)
    assert "money" not in plan_screen(answer, question)
    assert "money  " not in plan_screen(answer, question, chosen=answer.answer, money=found)
