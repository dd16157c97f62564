"""An earlier plan beside the one of the page, with what made the difference."""

from dataclasses import replace

from fleettui.domain.demand import Demand
from fleettui.reports.comparison.build import compare
from fleettui.reports.comparison.model import Compared
from fleettui.reports.input_changes import Change
from fleettui.reports.report.build import report
from fleettui.reports.report.model import Kept, Then
from fleettui.reports.report.then_and_now import TITLE, then_and_now

RATE = Change(kind="question", name="rate", before="80/s", after="100/s")


def beside(kept: Kept, *, file: str = "", **told: object) -> Kept:
    """Return the page's plan beside one of last spring, which was smaller and cheaper."""
    now = Compared(answer=kept.answer, question=kept.scenario.question)
    best = kept.answer.answer
    assert best is not None
    fewer = replace(best, gpus=8, cost_per_hour=47.2)
    identity = replace(kept.answer.plan, id="old", handle="41a7", name="spring", created="2026-02-03T04:05:06Z")
    answer = replace(kept.answer, plan=identity, answer=fewer, demand=replace(kept.answer.demand, rate=80.0))
    then = Compared(answer=answer, question=replace(now.question, demand=Demand(form="rate", rate=80.0)), file=file)
    return replace(kept, then=Then(comparison=compare((then, now)), changes=(RATE,), **told))  # type: ignore[arg-type]


def test_both_plans_stand_beside_each_other_with_what_changed(kept: Kept) -> None:
    (section,) = then_and_now(beside(kept))
    (table,) = section.tables
    assert table.columns[1].title == "then: 41a7 spring, 2026-02-03"
    rows = {row[0]: row[1:] for row in table.rows}
    assert next(iter(rows.items())) == ("rate", ("80/s", "-")), "what was asked otherwise comes first"
    assert rows["GPUs"][0] == "8"
    assert rows["cost"][0] == "$47/h"
    assert rows["cost"][1].endswith("worse")
    assert section.sentences[1:] == (
        "What changed: rate: 80/s -> 100/s.",
        f"What each adds: fleettui diff 41a7 {kept.handle}.",
    )
    titles = [one.title for one in report(beside(kept)).sections]
    assert titles.index(TITLE) == titles.index("Answer") + 1


def test_causes_that_are_kept_stand_in_place_of_the_changes(kept: Kept) -> None:
    (section,) = then_and_now(beside(kept, causes=("rate 80/s -> 100/s: +$24/h", "what simulation moved: +$1.00/h")))
    assert section.sentences[1:] == (
        "What each input adds: rate 80/s -> 100/s: +$24/h; what simulation moved: +$1.00/h.",
    )


def test_of_a_file_no_diff_is_offered_and_no_change_is_said(kept: Kept) -> None:
    (section,) = then_and_now(beside(kept, file="plan.json"))
    assert not any("fleettui diff" in words for words in section.sentences)
    same = beside(kept)
    assert same.then is not None
    (section,) = then_and_now(replace(same, then=replace(same.then, changes=())))
    assert section.sentences[-1] == "No input differs; what does is the program's or the proof's."


def test_a_page_of_its_own_has_no_such_part(kept: Kept) -> None:
    assert then_and_now(kept) == ()
