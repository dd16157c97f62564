"""What is advised with an option is told as a key of the question in the app; a command stays as it is typed."""

from dataclasses import replace

import pytest

from fleettui.domain.study import StudyColumn, StudyTable
from fleettui.reports.in_app import in_app, items_in_app, study_in_app
from fleettui.reports.panes import pane
from fleettui.reports.plan_text import plan_screen, plan_text
from fleettui.reports.table import Head, Table
from fleettui.reports.text_page import Item
from tests.store import samples

BURSTS = "bursts: 99% of minutes are below 152/s: 24 more like these, --rate 152/s"


@pytest.mark.parametrize(
    ("kept", "shown"),
    [
        (BURSTS, "bursts: 99% of minutes are below 152/s: 24 more like these, rate 152/s"),
        ("more --tp (up to 8) or --dtype fp8 may help", "more tp (up to 8) or dtype fp8 may help"),
        ("--power-cap auto: 500 W", "power-cap auto: 500 W"),
        ("it came less: --correct 906a", "it came less: --correct 906a"),
        ("fleettui verify 41a7 --precision 1% adds runs", "fleettui verify 41a7 --precision 1% adds runs"),
        ("no option", "no option"),
    ],
)
def test_an_option_of_a_key_is_the_key_in_the_app(kept: str, shown: str) -> None:
    assert in_app(kept) == shown
    assert in_app(shown) == shown


def test_the_screen_of_a_plan_has_keys_where_its_text_has_options() -> None:
    """Found: the app advised `--rate 152/s`, which is nowhere to be typed in it."""
    answer, question = replace(samples.answer(), warnings=(BURSTS,)), samples.question()
    assert "--rate 152/s" in plan_text(answer, question, 120)
    shown = plan_screen(answer, question, 120)
    assert "--rate" not in shown
    assert shown.count("like these, rate 152/s") == 2, "its head has the last warning, too"


def test_what_was_asked_and_tables_stay_on_a_page() -> None:
    table = Table(columns=(Head(title="a"),), rows=())
    items: list[Item] = [("asked   ", "whatif 41a7 --price h100=2"), ("! ", BURSTS), table, BURSTS]
    assert items_in_app(items) == [items[0], ("! ", in_app(BURSTS)), table, in_app(BURSTS)]
    assert "rate 152/s" in pane("", [BURSTS]).text(120, "ascii", 0)


def test_a_study_in_the_app_advises_keys_and_says_how_it_was_asked() -> None:
    table = StudyTable(
        title="options",
        columns=(StudyColumn(name="option"), StudyColumn(name="gpus", quantity="count")),
        rows=(("--tp auto", 8),),
        note="--slo-ttft 1s: 2 GPUs fewer",
    )
    kept = replace(
        samples.study(), question="why 41a7 --rate", sentences=(BURSTS,), tables=(table,), warnings=(BURSTS,)
    )
    shown = study_in_app(kept)
    assert shown.sentences == shown.warnings == (in_app(BURSTS),)
    assert shown.tables[0].rows == (("tp auto", 8),)
    assert shown.tables[0].note == "slo-ttft 1s: 2 GPUs fewer"
    assert shown.question == kept.question
