"""All reasons together: which stand there, and in which order."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Answer
from fleettui.domain.reasons import Reasons
from fleettui.domain.remedy import USUAL_GPUS
from fleettui.domain.scenario import Question
from fleettui.optimize.reasons.all_reasons import _best_split, _of_prices, deciding, reasons
from fleettui.optimize.reasons.inputs import words
from tests.optimize.reasons.grounds import CONTEXT, answer_of, ground, knowing, simulated
from tests.optimize.samples import atoms, profile, question

PROFILES = [profile("fast"), profile("slow", speed=0.5, price=1.4)]


def explained(base, *, searched: bool = True) -> tuple[Reasons, list[str]]:
    told: list[str] = []
    return reasons(base, context=CONTEXT, searched=searched, note=told.append), told


def titles(found: Reasons) -> list[str]:
    return [table.title for table in found.tables]


@pytest.mark.evidence
def test_an_answer_has_every_reason() -> None:
    base = ground(question(ttft=0.8), 45.0, atoms(5), PROFILES)
    found, told = explained(base)
    *others, last = titles(found)
    assert others[-4:] == [
        "one replica fewer and one more",
        "plans that fail, cheapest first",
        "prices at which another fleet is cheaper",
        "what a split saves",
    ]
    instead = next(one for one in base.kept.candidates if len(one.fleet.pools) > 1 and not one.shortfalls)
    assert len(answer_of(base).fleet.pools) == 1, "pools of its own name need no fleet"
    assert last == f"GPUs for one more request/s, in {words(instead)}, as one pool has no boundary"
    of = f"in {words(instead)}, the best of several that the plan ranks: moving 1 request/s"
    assert any(of in one for one in found.sentences)
    assert found.sentences[0].startswith("pool ")
    heads = ("limited by", "one replica more", "the cheapest plan that fails", "costs less", "under paged", "moving 1")
    places = [next(at for at, said in enumerate(found.sentences) if head in said) for head in heads]
    assert places == sorted(places), "what limits, one replica fewer and more, money, the rest"
    assert len(told) == 5
    assert found.warnings == ()


@pytest.mark.parametrize("budget", [None, 1.0])
def test_what_names_fleets_to_prove_is_worked_out_apart(budget: float | None) -> None:
    """Found: each of five looks at rivals had all reasons worked out anew, of which prices alone were read."""
    base = ground(question(ttft=0.8, budget=budget, pools=(1,)), 45.0, atoms(5), PROFILES)
    first: list[str] = []
    decided = deciding(base, searched=True, note=first.append)
    assert len(first) == 1
    whole, told = explained(base)
    given: list[str] = []
    assert reasons(base, context=CONTEXT, searched=True, note=given.append, decided=decided) == whole
    assert sorted([*first, *given]) == sorted(told)


def test_each_table_says_what_of_it_is_by_formula() -> None:
    base = ground(question(ttft=0.8), 45.0, atoms(5), PROFILES)
    for table in explained(base)[0].tables:
        said = f"{table.title} {table.note} {' '.join(column.name for column in table.columns)}"
        assert "formula" in said, table.title


def test_a_split_that_failed_as_simulated_is_not_the_best_that_the_plan_ranks() -> None:
    base = ground(question(ttft=0.8, pools=(1, 2)), 45.0, atoms(5), PROFILES)
    best = _best_split(base)
    assert best is not None
    left = _best_split(knowing(base, simulated(best, "fail")))
    assert left is not None
    assert left.fleet != best.fleet


def test_what_simulations_correct_is_neither_the_best_split_nor_what_a_price_turns_to() -> None:
    """Found: one of the fleets ranked by formula was named that does not hold with the error that was seen."""
    base = ground(question(ttft=2.0, pools=(1, 2)), 45.0, atoms(5), [*PROFILES, profile("tiny", speed=0.3, price=1.5)])
    best = answer_of(base)
    known = knowing(base, simulated(best, "pass"))

    def find(asked: Question) -> Answer:
        found = base.find(asked)
        held = tuple(one for one in found.candidates if "slow" not in one.fleet.gpus_by_type)
        return replace(found, answer=held[0], candidates=held)

    assert "slow" in str(_of_prices(known, best, lambda _: None).to_prove)
    corrected = replace(known, find=find)
    said = _of_prices(corrected, best, lambda _: None)
    assert said.to_prove
    assert "slow" not in str(said.to_prove)
    split = _best_split(corrected)
    assert split is not None
    assert "slow" not in split.fleet.gpus_by_type


def test_a_split_that_was_seen_to_hold_is_ranked_by_what_it_costs() -> None:
    base = ground(question(ttft=0.8, pools=(1, 2)), 45.0, atoms(5), PROFILES)
    best = _best_split(base)
    assert best is not None
    cheaper = replace(best, fleet=replace(best.fleet, router="random"), cost_per_hour=best.cost_per_hour - 1.0)
    assert _best_split(knowing(base, simulated(cheaper, "pass"))) == simulated(cheaper, "pass")


def test_what_may_win_earlier_is_simulated_first() -> None:
    """Found: at $8.34, not at $8.46, since the formulas said of 8 H200 beside 1 H100 that they just fail."""
    base = ground(question(ttft=2.0), 45.0, atoms(5), [*PROFILES, profile("tiny", speed=0.3, price=1.5)])
    best = answer_of(base)

    def find(asked: Question) -> Answer:
        found = base.find(asked)
        held = tuple(one for one in found.candidates if "slow" not in one.fleet.gpus_by_type)
        return replace(found, answer=held[0], candidates=held)

    without = replace(knowing(base, simulated(best, "pass")), find=find)
    hoping = replace(without, hopeful=replace(without, find=base.find))
    assert any("slow" in str(fleet) for fleet in _of_prices(hoping, best, lambda _: None).to_prove)
    assert any("at the earliest" in one for one in _of_prices(hoping, best, lambda _: None).sentences)
    assert _of_prices(replace(hoping, hopeful=without), best, lambda _: None) == _of_prices(
        without, best, lambda _: None
    )


def test_a_fleet_that_was_not_searched_for_has_no_rivals() -> None:
    base = ground(question(ttft=0.8), 45.0, atoms(5), PROFILES)
    found, _ = explained(base, searched=False)
    assert titles(found)[-1] == "one replica fewer and one more"


def test_one_pool_alone_has_no_boundary() -> None:
    base = ground(question(ttft=0.8, pools=(1,)), 45.0, atoms(5), PROFILES)
    assert "GPUs for one more request/s" not in titles(explained(base)[0])


def test_another_answer_than_the_formulas_is_warned_of() -> None:
    base = ground(question(ttft=0.8, pools=(1,)), 45.0, atoms(5), PROFILES)
    larger = base.fix(answer_of(base).fleet, [answer_of(base).fleet.pools[0].replicas + 1]).candidate
    found, _ = explained(replace(base, kept=replace(base.kept, answer=larger)))
    assert "prices are compared by formula" in found.warnings[0]


def test_a_fleet_that_is_larger_than_the_formulas_ask_for_says_why() -> None:
    base = ground(question(ttft=0.8, pools=(1,)), 45.0, atoms(5), PROFILES)
    larger = base.fix(answer_of(base).fleet, [answer_of(base).fleet.pools[0].replicas + 2]).candidate
    known = replace(base, kept=replace(base.kept, answer=larger))
    surer = replace(known, question=replace(base.question, confidence=0.9))
    because = {explained(known)[0].sentences[0], explained(surer)[0].sentences[0]}
    because.add(explained(known, searched=False)[0].sentences[0])
    ends = ("the simulation asked for this size", "90% sure was asked for", "the fleet is as it was given")
    assert {one.rpartition("; ")[2] for one in because} == {*ends}


def test_an_infeasible_question_has_relaxations() -> None:
    base = ground(question(ttft=0.8, budget=1.0, pools=(1,)), 45.0, atoms(5), PROFILES)
    assert base.kept.answer is None
    found, _ = explained(base)
    assert any(one.startswith("budget of $") for one in found.sentences)
    assert "what would make it feasible: money" in titles(found)
    assert "plans that fail, cheapest first" in titles(found)


@pytest.mark.parametrize("known", ["by formula", "as simulated"])
def test_what_a_plan_tells_of_the_usual_gpus_is_told_once_and_as_it_knows_it(known: str) -> None:
    """Found: "as simulated: $18.70/h" and "by formula: $17.33/h" two lines apart; followed, the latter failed."""
    base = ground(question(ttft=0.8, budget=1.0, pools=(1,), gpus=("fast",)), 45.0, atoms(5), PROFILES)
    assert base.kept.answer is None
    (anew,) = (one for one in explained(base)[0].sentences if one.startswith(USUAL_GPUS))
    assert "by formula" in anew
    for said in (f"a fleet would do, {known}: FAST tp2 x4, $18.70/h", "no fleet was seen to hold either, as simulated"):
        told = f"{USUAL_GPUS}fast alone) {said}"
        kept = replace(base, kept=replace(base.kept, why=(*base.kept.why, told)))
        assert [one for one in explained(kept)[0].sentences if one.startswith(USUAL_GPUS)] == [told]
