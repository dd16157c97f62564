from dataclasses import replace

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.plan import Candidate
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study, StudyColumn, StudyTable
from fleettui.optimize.reasons import flips, neighbours
from fleettui.reports.report.model import Kept
from fleettui.reports.report.outlook import MOST_ROWS, OF_FLIPS, OF_REPLICAS, changes, growth, steps
from tests.own_fits import FIT, SERVER
from tests.store import samples


def grown(count: int) -> Study:
    columns = (StudyColumn(name="needed_from", quantity="date"), StudyColumn(name="gpus", quantity="count"))
    rows = tuple((f"2026-{month:02}-01", 8 * month) for month in range(1, count + 1))
    table = StudyTable(title="orders", columns=columns, rows=rows, note="a month is a twelfth")
    return replace(samples.study(), kind="growth", handle="9b9e", tables=(table,))


def explained() -> Study:
    """Return a study of reasons, its tables with the columns of `fleettui why`."""
    replicas = StudyTable(
        title="one replica fewer and one more",
        columns=tuple(StudyColumn(name=name) for name in ("pool", "replicas", "more_per_hour", "breaks")),
        rows=(("long", 5, -23.6, "TTFT"), ("long", 7, 23.6, "nothing")),
    )
    flips = StudyTable(
        title="prices",
        columns=tuple(StudyColumn(name=name) for name in ("gpu", "now", "flips", "price", "then")),
        rows=(("a100", 1.3, "below", 0.91, "a100 tp8 x 7"), ("b200", 5.0, "below", None, "never")),
    )
    return replace(samples.study(), kind="why", tables=(replicas, flips))


def test_growth_is_told_or_how_to_find_it(kept: Kept) -> None:
    assert "--growth 8%/month" in growth(kept).sentences[0]
    section = growth(replace(kept, studies=(grown(MOST_ROWS),)))
    assert len(section.tables[0].rows) == MOST_ROWS
    assert section.sentences[0] == "4 H100 hold up to 25.5/s."


def ordered(*rows: tuple[str, str, int, str]) -> Study:
    """Return a growth study with (order by, needed from, GPUs, note) in each row, the first of which is no order."""
    columns = tuple(StudyColumn(name=name) for name in ("order_by", "needed_from", "order", "note"))
    table = StudyTable(title="orders", columns=columns, rows=((None, "2026-05-04", None, ""), *rows))
    return replace(samples.study(), kind="growth", tables=(table,))


def test_what_to_do_next_agrees_with_the_dates_of_growth(kept: Kept, proved: Kept) -> None:
    ahead = ordered(("2026-10-09", "2027-01-01", 8, ""), ("2027-01-09", "2027-04-01", 8, ""))
    told = steps(replace(kept, studies=(ahead,)))
    assert "Order 8 GPUs more by 2026-10-09, as growth needs them from 2027-01-01 on, 84 days later." in told
    at_once = steps(replace(kept, studies=(ordered(("2027-01-01", "2027-01-01", 8, "")),)))
    assert "Order 8 GPUs more by 2027-01-01, as growth needs them from 2027-01-01 on." in at_once
    late = ordered(("2026-01-09", "2026-04-01", 8, "already late"), ("2026-04-09", "2026-07-01", 16, "already late"))
    late_now = "their last day was 2026-01-09, as growth needs them from 2026-04-01 on."
    assert f"Order 24 GPUs more now: {late_now}" in steps(replace(proved, studies=(late,)))
    assert f"Then order 24 GPUs more at once, with those: {late_now}" in steps(replace(kept, studies=(late,)))
    assert not any(one.startswith("Order ") for one in steps(replace(kept, studies=(grown(3),))))


def test_what_to_measure_before_renting_does_not_stand_beside_an_order_now(proved: Kept) -> None:
    """Found: "Do not rent this before you have measured" beside "Order 8 GPUs more now"."""
    best = proved.answer.answer
    assert best is not None
    unsure = Confidence(holds=0.53, replicas=(5,), gpus=40, cost=118.0, span=(8, 64))
    late = ordered(("2026-01-09", "2026-04-01", 8, "already late"))
    nominal = replace(proved, answer=replace(proved.answer, confidence=unsure), studies=(late,))
    told = steps(nominal)
    assert told[0].startswith("Measure one replica before you rent: ")
    assert told[1].startswith("Then rent 16 H100 + 4 A100, or as many")
    assert told[2] == (
        "Then order 8 GPUs more at once, with those: their last day was 2026-01-09, as growth needs them from "
        "2026-04-01 on."
    )
    assert sum("profile validate" in one for one in told) == 1
    assert not any(" now: " in one or "Do not rent" in one for one in told)


def test_what_may_be_cheaper_is_measured_before_anything_is_ordered(kept: Kept, proved: Kept) -> None:
    """Found: the plan said that an MI300X may be cheaper, and the page for whoever decides only what to rent."""
    reason = (
        "a100 with mi300x may be cheaper: $7.96/h by formula, ~$15.92/h beside ~$9.00/h to be 90% sure: a measurement"
    )
    for one in (kept, proved):
        told = steps(replace(one, answer=replace(one.answer, why=(*one.answer.why, reason))))
        step = f"Before you order, measure A100 and MI300X, which may be cheaper: fleettui profile next {one.handle} "
        assert f"{step}says how." in told
        assert not any("may be cheaper" in words for words in steps(one))


def test_what_is_measured_already_is_measured_further(proved: Kept) -> None:
    best = proved.answer.answer
    assert best is not None
    unsure = Confidence(holds=0.53, replicas=(5,), gpus=40, cost=118.0, span=(8, 64))
    told = replace(proved, answer=replace(proved.answer, confidence=unsure))
    own = measured(told, best)
    assert steps(own)[0].startswith("Measure one replica further before you rent: ")
    assert steps(own)[0].endswith(f"; fleettui profile next {proved.handle} names the runs.")


def measured(kept: Kept, best: Candidate) -> Kept:
    """Return a plan by a fit that knows all of the hardware of its fleet."""
    question = kept.scenario.question
    servers = tuple(
        replace(
            SERVER,
            engine=question.engine,
            **{one: getattr(pool, one) for one in ("gpu", "model", "dtype", "tp", "kv_dtype")},
        )
        for pool in best.fleet.pools
    )
    fit = replace(FIT, step_law=question.step_law, servers=servers)
    return replace(kept, scenario=replace(kept.scenario, question=replace(question, fit=fit)))


def test_what_changes_nothing_is_no_change(kept: Kept) -> None:
    """Found: how the engine is set stood under what would change the answer."""
    why = (
        *kept.answer.why,
        "vllm as it comes: 8,192 tokens a step",
        "pool all: the formula asks for 3 replicas, the simulation for 4",
    )
    assert changes(replace(kept, answer=replace(kept.answer, why=why))) == changes(kept)


def test_long_growth_keeps_its_first_orders_and_its_last(kept: Kept) -> None:
    (table,) = growth(replace(kept, studies=(grown(12),))).tables
    assert len(table.rows) == MOST_ROWS
    assert [row[0] for row in (table.rows[0], table.rows[-1])] == ["2026-01-01", "2026-12-01"]
    assert table.note.startswith("3 more before the last: fleettui show 9b9e")


def test_orders_add_up_though_some_are_left_out(kept: Kept) -> None:
    """Found: orders of 8, 16, 16 and 24 GPUs that come to 80 more, as one of 16 was hidden."""
    orders = [("2026-10-09", "2027-01-01", 8, "")] * (MOST_ROWS - 1)
    (table,) = growth(replace(kept, studies=(ordered(*orders),))).tables
    assert len(table.rows) == MOST_ROWS
    assert "before the last" not in table.note
    (table,) = growth(
        replace(kept, studies=(ordered(*orders, ("2028-01-01", "2028-04-01", 16, ""), *orders[:2]),))
    ).tables
    assert table.note.startswith("3 more, of 32 GPUs in all, before the last: fleettui show ")


def test_reasons_are_the_studys_or_else_the_plans(kept: Kept) -> None:
    own = changes(kept)
    assert own.sentences[0] == "TTFT at the short pool."
    assert own.sentences[-1] == f"Which prices change the answer: fleettui why {kept.handle}."
    section = changes(replace(kept, studies=(explained(),)))
    assert section.sentences == (
        "Pool long: one replica fewer saves $23.60/h and breaks TTFT; one more costs $23.60/h.",
    )
    assert [row[0] for row in section.tables[0].rows] == ["a100"]


def test_the_reasons_tables_are_known_by_their_columns() -> None:
    assert {column.name for column in flips.table(()).columns} >= OF_FLIPS
    assert {column.name for column in neighbours.table((), Slo(ttft=0.5)).columns} >= OF_REPLICAS


def test_no_fleet_asks_for_relaxations(infeasible: Kept) -> None:
    assert changes(infeasible).sentences[-1].startswith("Which limit to relax")
    assert changes(infeasible).sentences[0] == "λ × w."
    said = changes(replace(infeasible, studies=(replace(samples.study(), kind="why"),))).sentences
    assert said[0] == "4 H100 hold up to 25.5/s."
    assert growth(infeasible).tables == ()


@pytest.mark.parametrize(
    ("verdict", "word"), [("pass", "Rent 16 H100"), ("unproven", "--precision"), ("fail", "Do not")]
)
def test_the_next_step_follows_from_the_verdict(proved: Kept, verdict, word: str) -> None:
    held = replace(proved, answer=replace(proved.answer, verdict=verdict))
    assert word in steps(held)[0]


@pytest.mark.parametrize(
    ("verdict", "word"),
    [("pass", "Run 16 H100"), ("unproven", "Prove it before you rely on it"), ("fail", "Do not rely on this")],
)
def test_a_fleet_that_was_given_is_not_rented(proved: Kept, verdict, word: str) -> None:
    held = replace(proved, given=True, answer=replace(proved.answer, verdict=verdict))
    assert steps(held)[0].startswith(word)
    assert not any(" rent" in one or "Rent" in one for one in steps(held))


def test_what_no_further_run_would_prove_is_not_rented_as_it_is(proved: Kept) -> None:
    best = proved.answer.answer
    assert best is not None
    assert best.evidence is not None
    open_still = replace(best, evidence=replace(best.evidence, verdict="unproven"))
    held = replace(proved, answer=replace(proved.answer, verdict="unproven", answer=open_still))
    assert steps(held)[0].startswith("Do not rent this as it is: more runs would not tell")


def test_what_is_not_proven_is_proven_first(kept: Kept, infeasible: Kept) -> None:
    assert steps(kept)[0] == f"Prove it before you rent: fleettui verify {kept.handle} simulates it."
    assert any("Little room is left (4%)" in step for step in steps(kept))
    assert steps(infeasible) == (f"See which limit to relax, and by how much: fleettui why {infeasible.handle}.",)
    assert steps(replace(kept, finished=False)) == ("Let the plan finish: fleettui jobs shows how to go on with it.",)


def test_the_papers_constants_are_nothing_to_rent_by(kept: Kept) -> None:
    question = replace(kept.scenario.question, preset="paper")
    held = replace(kept, scenario=replace(kept.scenario, question=question))
    assert [step.split(":")[0] for step in steps(held)] == ["Do not rent this"]
    assert all("fleettui why" not in one for one in changes(held).sentences)
    assert "no fleet" in growth(held).sentences[0]


def test_a_fleet_that_was_given_has_no_rivals_to_be_cheaper(kept: Kept) -> None:
    alone = replace(kept.answer, candidates=kept.answer.candidates[:1], excluded=())
    held = replace(kept, answer=alone, given=True)
    assert changes(held).sentences[-1].startswith("What one replica fewer or more would do")
