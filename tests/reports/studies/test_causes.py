from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import ENGINE_VERSION, Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study
from fleettui.domain.whatif import Outcome
from fleettui.reports.studies.causes import GPUS, TYPED, Alone, Causes, by_owner, causes_study, own_priced, parts_of
from tests.store import samples

OLD = Question(workload="chat", demand=Demand(form="rate", rate=100.0), slo=Slo(ttft=0.5), gpus=("h100",))
NEW = replace(OLD, demand=Demand(form="rate", rate=120.0), gpus=("h100", "a100"))


def plan(handle: str, gpus: int | None, cost: float = 0.0, engine: int = ENGINE_VERSION) -> Answer:
    given = samples.answer(1)
    fleet = None if gpus is None else replace(samples.candidate(), gpus=gpus, cost_per_hour=cost)
    return replace(
        given, plan=replace(given.plan, handle=handle, name="", id=handle, engine_version=engine), answer=fleet
    )


def outcome(gpus: int | None, cost: float | None, limited_by: str = "prefill compute") -> Outcome:
    return Outcome(verdict="pass" if gpus else "infeasible", gpus=gpus, cost=cost, ttft=0.4, limited_by=limited_by)


def study(alone: list[Alone], new: Answer, anew: tuple[Outcome, Outcome], old: Answer | None = None) -> Study:
    return causes_study(
        Causes(
            asked="diff a b",
            old=old or plan("a", 10, 30.0),
            new=new,
            questions=(OLD, NEW),
            anew=anew,
            alone=tuple(alone),
        )
    )


ALONE = [Alone(label="demand", outcome=outcome(14, 42.0)), Alone(label="gpus", outcome=outcome(10, 28.0))]


def test_the_causes_add_up_to_the_whole_difference() -> None:
    found = study(ALONE, plan("b", 13, 37.0), (outcome(9, 27.0), outcome(12, 33.0)))
    (table,) = found.tables
    rows = {row[0]: row[1:4] for row in table.rows}
    assert rows["demand"] == ("rate 100/s -> 120/s", 5, 15.0)
    assert rows["gpus"] == ("gpu h100 -> h100,a100", 1, 1.0)
    assert rows["together"][1:] == (-3, -10.0)
    assert rows["proof"][1:] == (0, 1.0)
    assert rows["total"][1:] == (3, 7.0)
    assert sum(row[3] for row in table.rows[:-1]) == pytest.approx(table.rows[-1][3])  # type: ignore[misc]
    assert sum(row[2] for row in table.rows[:-1]) == table.rows[-1][2]  # type: ignore[misc]


def test_sentences_tell_the_largest_first_with_their_signs() -> None:
    found = study(ALONE, plan("b", 13, 37.0), (outcome(9, 27.0), outcome(12, 33.0)))
    assert found.sentences == (
        "b costs $7.00/h more than a",
        "rate 100/s -> 120/s: +$15.00/h, +5 GPUs",
        "the inputs together, beyond the sum of each alone: -$10.00/h, -3 GPUs",
        "gpu h100 -> h100,a100: +$1.00/h, +1 GPU",
        "what simulation moved: +$1.00/h",
        "each input alone is by formula",
    )


def chained(*reached: Outcome, alone: list[Alone] = ALONE) -> Study:
    """Return the causes of 13 GPUs beside 10, with what the inputs come to one after the other."""
    return causes_study(
        Causes(
            asked="diff a b",
            old=plan("a", 10, 30.0),
            new=plan("b", 13, 37.0),
            questions=(OLD, NEW),
            anew=(reached[0], reached[-1]),
            alone=tuple(alone),
            chain=reached,
        )
    )


def test_what_inputs_do_only_together_is_told_one_after_the_other() -> None:
    """Found: $0 for each of two inputs alone and $8.80 together, of which nothing says which of them does it."""
    found = chained(outcome(9, 27.0), outcome(14, 42.0), outcome(12, 33.0))
    rows = {row[0]: row[1:4] for row in found.tables[1].rows}
    assert rows["demand"] == ("rate 100/s -> 120/s", 5, 15.0)
    assert rows["gpus"] == ("gpu h100 -> h100,a100", -2, -9.0)
    assert rows["proof"][1:] == (0, 1.0)
    assert rows["total"][1:] == (3, 7.0)
    said = "one after the other: rate 100/s -> 120/s: +$15.00/h, +5 GPUs; then gpu h100 -> h100,a100: -$9.00/h, -2 GPUs"
    assert said in found.sentences
    assert found.tables[1].title == "what each input adds to those above it, by formula"
    assert "several in one row" not in found.tables[1].note


def test_an_input_that_moves_nothing_in_its_turn_says_so() -> None:
    found = chained(outcome(9, 27.0), outcome(9, 27.0), outcome(12, 33.0))
    assert "one after the other: rate 100/s -> 120/s: nothing; then gpu h100 -> h100,a100: +$6.00/h, +3 GPUs" in (
        found.sentences
    )


def test_inputs_that_add_up_have_no_order() -> None:
    assert len(chained(outcome(9, 27.0), outcome(14, 42.0), outcome(15, 43.0)).tables) == 1


def test_an_input_with_which_nothing_holds_is_one_step_with_the_next() -> None:
    none, slower = outcome(None, None), replace(NEW, slo=Slo(ttft=0.9))
    alone = [replace(ALONE[0], outcome=none), ALONE[1], Alone(label="slo", outcome=outcome(8, 24.0))]
    base = Causes(
        asked="diff a b",
        old=plan("a", 9, 27.0),
        new=plan("b", 11, 30.0),
        questions=(OLD, slower),
        anew=(outcome(9, 27.0), outcome(11, 30.0)),
        alone=tuple(alone),
        chain=(outcome(9, 27.0), none, outcome(12, 33.0), outcome(11, 30.0)),
    )
    table = causes_study(base).tables[1]
    assert [row[0] for row in table.rows] == ["demand, gpus", "slo", "proof", "total"]
    assert table.rows[0][1:4] == ("rate 100/s -> 120/s, gpu h100 -> h100,a100", 3, 6.0)
    assert table.note.endswith("several in one row: no fleet holds with the first of them alone")
    all_at_once = causes_study(replace(base, chain=(outcome(9, 27.0), none, none, outcome(11, 30.0))))
    assert len(all_at_once.tables) == 1, "one step of all is the whole"


def test_one_input_has_no_interaction() -> None:
    found = study(ALONE[:1], plan("b", 14, 42.0), (outcome(10, 30.0), outcome(14, 42.0)))
    assert [row[0] for row in found.tables[0].rows] == ["demand", "proof", "total"]


def test_an_input_that_no_fleet_holds_leaves_the_sum_open_and_says_so() -> None:
    alone = [Alone(label="demand", outcome=outcome(None, None, "nothing fits")), ALONE[1]]
    found = study(alone, plan("b", 13, 37.0), (outcome(9, 27.0), outcome(12, 33.0)))
    rows = {row[0]: row[2:4] for row in found.tables[0].rows}
    assert rows["demand"] == rows["together"] == (None, None)
    assert rows["total"] == (3, 7.0)
    assert "rate 100/s -> 120/s alone: no fleet holds (nothing fits)" in found.sentences


def test_a_plan_without_a_fleet_has_no_total() -> None:
    found = study(ALONE, plan("b", None), (outcome(9, 27.0), outcome(None, None)))
    assert found.sentences[0] == "b has no fleet that holds every limit: no sum can be told"


def test_another_engine_is_a_cause_of_its_own() -> None:
    found = study(ALONE, plan("b", 13, 37.0), (outcome(9, 27.0), outcome(12, 33.0)), plan("a", 10, 30.0, engine=1))
    assert "what simulation or another engine moved: +$1.00/h" in found.sentences
    assert found.warnings == (f"a was made by engine 1, this is {ENGINE_VERSION}: what that changed is in proof",)


def test_another_method_of_proof_is_named_as_the_cause() -> None:
    kept = plan("b", 13, 37.0)
    assert kept.answer is not None
    simulated = replace(kept, answer=replace(kept.answer, evidence=samples.simulated()))
    found = study(ALONE, simulated, (outcome(9, 27.0), outcome(12, 33.0)))
    assert "method formula -> simulation: +$1.00/h" in found.sentences


def test_ttfts_add_up_to_what_the_plans_are_proven_at() -> None:
    old, new = (
        replace(one, answer=replace(one.answer, evidence=samples.simulated(ttft=ttft)))
        for one, ttft in ((plan("a", 10, 30.0), 0.53), (plan("b", 13, 37.0), 0.47))
        if one.answer is not None
    )
    later = replace(outcome(12, 33.0), ttft=0.56)
    slower = Alone(label="gpus", outcome=replace(outcome(10, 28.0), ttft=0.55))
    found = study([ALONE[0], slower], new, (outcome(9, 27.0), later), old)
    moved = {row[0]: row[4] for row in found.tables[0].rows}
    assert moved["gpus"] == pytest.approx(0.15)
    assert moved["together"] == pytest.approx(0.01)
    assert moved["proof"] == pytest.approx(-0.22)
    assert moved["total"] == pytest.approx(0.47 - 0.53)
    *parts, total = (row[4] for row in found.tables[0].rows)
    assert sum(parts) == pytest.approx(total)  # type: ignore[arg-type]


def test_the_table_says_how_its_rows_are_known() -> None:
    known = tuple(replace(outcome(*one), simulated=True) for one in ((10, 30.0), (14, 42.0)))
    base = Causes(
        asked="diff a b",
        old=plan("a", 10, 30.0),
        new=plan("b", 14, 42.0),
        questions=(OLD, NEW),
        anew=(known[0], known[1]),
        alone=(Alone(label="demand", outcome=known[1]),),
        corrected=True,
    )
    several = replace(base, alone=(*base.alone, Alone(label="gpus", outcome=known[0])))
    by_formula = replace(base, anew=(outcome(10, 30.0), outcome(14, 42.0)))
    shown = (base, several, by_formula, replace(by_formula, corrected=False))
    titles = [causes_study(one).tables[0].title for one in shown]
    assert [one.partition("; ")[0] for one in titles] == [
        "what the one input that differs adds, as simulated",
        "what each input adds alone, as simulated",
        "what one input adds at a time, by formula as the plans' simulations correct it",
        "what one input adds at a time, by formula",
    ]


def test_contents_that_changed_under_their_names_are_told() -> None:
    alone = [Alone(label=name, outcome=outcome(10, 30.0)) for name in ("lengths", "catalogue")]
    found = study(alone, plan("b", 10, 30.0), (outcome(10, 30.0), outcome(10, 30.0)))
    changes = [row[1] for row in found.tables[0].rows]
    assert changes[:2] == ["the same name, another content", "other figures of the same hardware"]
    assert found.sentences == ("b costs what a costs",)


def test_a_price_that_one_plan_typed_stands_beside_the_one_that_the_other_pays() -> None:
    found = Causes(
        asked="diff a b",
        old=plan("a", 10, 30.0),
        new=plan("b", 10, 20.0),
        questions=(OLD, replace(OLD, prices=(("h100", 2.0),))),
        prices=({"h100": 3.0}, {"h100": 2.0}),
        anew=(outcome(10, 30.0), outcome(10, 20.0)),
        alone=(Alone(label="prices", outcome=outcome(10, 20.0)),),
    )
    assert causes_study(found).sentences[1] == "price h100 $3.00/h catalogue -> h100 $2.00/h typed: -$10.00/h"


def test_a_price_goes_with_its_gpu_where_only_one_plan_was_asked_about_that() -> None:
    typed = replace(OLD, prices=(("h100", 2.0),))
    other = replace(OLD, gpus=("a100",), prices=(("h100", 2.0), ("a100", 1.0)))
    of_h100, of_a100, of_both = {"h100": 2.0}, {"a100": 1.0}, {"h100": 2.0, "a100": 1.0}
    assert own_priced((typed, other), (of_h100, of_a100)) == {"a100"}
    assert not own_priced((typed, NEW), (of_h100, of_both)), "the price is of a GPU that both were asked about"
    assert not own_priced((typed, replace(typed, gpus=("a100",))), (of_h100, of_a100)), "both typed it"
    found_too = replace(OLD, prices=(("a100", 1.0),))
    assert not own_priced((OLD, found_too), (of_h100, of_both)), "a price alone adds a GPU to a search"
    assert own_priced((OLD, found_too), (of_h100, of_a100), given=True) == {"a100"}, "fleets' questions name no GPU"
    assert [one.prices for one in by_owner(other, frozenset({"a100"}))] == [(("a100", 1.0),), (("h100", 2.0),)]


def test_prices_are_told_before_gpus_each_with_its_own() -> None:
    """Found: "gpus and prices -$6.40/h", where planned apart the prices are -$5.50 of it and the GPU -$0.90."""
    cheaper = (("h100", 2.0), ("a100", 1.0))
    names = list(parts_of())
    assert names.index(TYPED) + 1 == names.index(GPUS)
    found = Causes(
        asked="diff a b",
        old=plan("a", 10, 30.0),
        new=plan("b", 10, 10.0),
        questions=(replace(OLD, prices=(("h100", 3.0),)), replace(NEW, demand=OLD.demand, prices=cheaper)),
        prices=({"h100": 3.0}, {"h100": 2.0, "a100": 1.0}),
        anew=(outcome(10, 30.0), outcome(10, 10.0)),
        alone=(Alone(label=TYPED, outcome=outcome(10, 20.0)), Alone(label=GPUS, outcome=outcome(10, 15.0))),
        chain=(outcome(10, 30.0), outcome(10, 20.0), outcome(10, 10.0)),
    )
    each, in_turn = causes_study(found).tables
    rows = [(row[0], row[1], row[3]) for row in in_turn.rows[:2]]
    assert rows == [
        (TYPED, "price h100 $3.00/h typed -> h100 $2.00/h typed", -10.0),
        (GPUS, "gpu h100 -> h100,a100, price none of a100 -> a100 $1.00/h typed", -10.0),
    ]
    assert [row[:2] for row in each.rows[:2]] == [row[:2] for row in rows]
    assert in_turn.note == "the inputs in the order of a question, up to the same total, prices before GPUs"


def test_a_fleet_of_other_gpus_that_was_given_is_told_with_the_prices_typed_of_them() -> None:
    fleets = samples.candidate(1).fleet, samples.candidate(2).fleet
    found = Causes(
        asked="diff a b",
        old=plan("a", 10, 30.0),
        new=plan("b", 10, 10.0),
        questions=(OLD, replace(OLD, prices=(("a100", 1.0),))),
        given=fleets,
        prices=({"h100": 3.0}, {"a100": 1.0}),
        anew=(outcome(10, 30.0), outcome(10, 10.0)),
        alone=(Alone(label="fleet", outcome=outcome(10, 10.0)),),
    )
    change = causes_study(found).tables[0].rows[0][1]
    assert isinstance(change, str)
    assert change.endswith("given, price none of a100 -> a100 $1.00/h typed")


def test_fields_that_mean_something_only_together_are_one_part() -> None:
    parts = parts_of()
    assert parts["pools"] == ("pools", "splits")
    assert parts["slo"] == ("slo", "batch_share")
    assert parts["prices"] == ("prices", "price_terms", "price_list"), "a class has a price in its list alone"
    assert parts["lengths"] == ("workload", "prompt", "output", "output_share", "lengths")
    assert not {"seed", "name", "verify", "precision"} & {name for own in parts.values() for name in own}


def test_a_figure_of_the_sentence_is_that_of_the_table() -> None:
    """Seen: -$10/h in the sentence, -10.20 in the table, so that the sentence did not add up to the total."""
    found = Causes(
        asked="diff a b",
        old=plan("a", 10, 38.4),
        new=plan("b", 10, 28.2),
        questions=(OLD, replace(OLD, prices=(("h100", 2.0),))),
        anew=(outcome(10, 38.4), outcome(10, 28.2)),
        alone=(Alone(label="prices", outcome=outcome(10, 28.2)),),
    )
    told = causes_study(found)
    assert told.sentences[0] == "b costs $10.20/h less than a"
    assert told.sentences[1].endswith(": -$10.20/h")
    assert told.tables[0].rows[0][3] == pytest.approx(-10.2)
