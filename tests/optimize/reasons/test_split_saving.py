"""The identity adds up to what the evaluator reports, under both admissions, and a split moves its first term."""

from dataclasses import replace

import pytest

from fleettui.optimize.reasons.inputs import words
from fleettui.optimize.reasons.split_saving import (
    Split,
    as_ranked,
    asked,
    failed_elsewhere,
    sentences,
    split_saving,
    table,
)
from tests.optimize.reasons.grounds import answer_of, ground, knowing, simulated
from tests.optimize.samples import atoms, profile, question
from tests.repeated import few

FAST = profile("fast", blocks=3000)


@pytest.mark.parametrize("pools", [(1,), (2,), (1, 2)])
@pytest.mark.parametrize("seed", few([5, 11], 1, more=1))
def test_the_terms_add_up_to_utilization_times_replicas(pools: tuple[int, ...], seed: int) -> None:
    base = ground(question(ttft=0.8, pools=pools), 60.0, atoms(seed), [FAST])
    found = split_saving(base, answer_of(base).fleet)
    assert [(one.admission, one.pools) for one in found] == [
        ("paged", 1),
        ("paged", 2),
        ("reserved", 1),
        ("reserved", 2),
    ]
    for one in found:
        assert one.candidate is not None
        assert one.work is not None
        pairs = zip(one.candidate.fleet.pools, one.candidate.pools, strict=True)
        assert one.work.total == pytest.approx(sum(f.utilization * p.replicas for p, f in pairs), rel=1e-9)
        assert one.candidate.fleet.admission == one.admission


def test_only_the_first_term_moves() -> None:
    """The made-up step has no arithmetic beyond its weights below 250 places, so h is the same in every pool."""
    base = ground(question(ttft=0.8, pools=(2,)), 60.0, atoms(5), [FAST])
    found = split_saving(base, answer_of(base).fleet)
    for admission in ("paged", "reserved"):
        one, split = (row.work for row in found if row.admission == admission)
        assert one is not None
        assert split is not None
        assert split.moving == pytest.approx(one.moving, rel=2e-3)
    reserved = [row.work for row in found if row.admission == "reserved"]
    assert reserved[0] is not None
    assert reserved[1] is not None
    assert reserved[1].stepping < 0.8 * reserved[0].stepping


def test_a_split_is_that_of_the_answer() -> None:
    base = ground(question(ttft=0.8, pools=(2,)), 60.0, atoms(5), [FAST])
    fleet = answer_of(base).fleet
    split = split_saving(base, fleet)[1].candidate
    assert split is not None
    assert [pool.up_to for pool in split.fleet.pools] == [pool.up_to for pool in fleet.pools]


def test_the_fleets_are_those_of_a_plan_for_the_question_that_is_asked() -> None:
    base = ground(question(ttft=0.8, pools=(1, 2), budget=1e3), 60.0, atoms(5), [FAST])
    fleet = answer_of(base).fleet
    for one in split_saving(base, fleet):
        again = base.find(asked(base.question, fleet, one.admission, one.pools)).answer
        assert again is not None
        assert one.candidate is not None
        assert again.cost_per_hour == one.candidate.cost_per_hour


def test_the_sentences_tell_gpus_money_and_work() -> None:
    base = ground(question(ttft=0.8, pools=(2,)), 60.0, atoms(5), [FAST])
    found = split_saving(base, answer_of(base).fleet)
    said = sentences(found, answer_of(base).fleet, base.question)
    assert [sentence.split()[1] for sentence in said] == ["paged", "reserved"]
    one, split = found[2].candidate, found[3].candidate
    assert one is not None
    assert split is not None
    assert one.gpus > split.gpus
    assert f"saves {one.gpus - split.gpus} GPUs" in said[1]
    assert len(table(found, answer_of(base).fleet, base.question).rows) == 4
    assert not any("spare" in one or "single" in one for one in said)


def test_what_the_compared_fleets_do_without_is_said() -> None:
    base = ground(question(ttft=0.8, pools=(2,), availability=0.98, whole_nodes=True), 60.0, atoms(5), [FAST])
    found = split_saving(base, answer_of(base).fleet)
    assert all(pool.spares == 0 for one in found if one.candidate for pool in one.candidate.fleet.pools)
    said = sentences(found, answer_of(base).fleet, base.question)
    assert all("(without spare replicas, in single GPUs)" in one for one in said)
    assert table(found, answer_of(base).fleet, base.question).note.endswith("without spare replicas, in single GPUs")


def test_an_admission_that_serves_nothing_says_so() -> None:
    nothing = Split(admission="reserved", pools=1, candidate=None, work=None)
    found = [Split(admission="paged", pools=1, candidate=None, work=None)] * 2 + [nothing] * 2
    fleet = answer_of(ground(question(ttft=0.8, pools=(1,)), 60.0, atoms(5), [FAST])).fleet
    said = sentences(found, fleet, question())
    held = f"on FAST {fleet.pools[0].division} alone"
    assert said[1] == f"under reserved admission no fleet of one pool keeps the limits {held}"


def test_a_split_that_the_plan_ranks_cheaper_than_simulations_allow_is_told_of() -> None:
    base = ground(question(ttft=0.8, pools=(1,)), 60.0, atoms(5), [FAST])
    answer = answer_of(base)
    corrected = split_saving(base, answer.fleet)
    split = corrected[1].candidate
    assert split is not None
    assert as_ranked(answer, split, corrected) == "", "the plan ranks what is found"
    cheaper = replace(split, cost_per_hour=split.cost_per_hour - 1.0)
    said = as_ranked(answer, cheaper, corrected)
    assert said.startswith(f"the best split that the plan ranks, {words(split)}, has {split.gpus} GPUs, $")
    assert said.endswith(f"by the formula alone; as simulations correct it, {words(split)} is the least that holds")
    assert ", and holds as simulated; " in as_ranked(answer, cheaper, corrected, "pass")
    same = replace(split, cost_per_hour=answer.cost_per_hour - 0.004)
    assert ("the same cost as the answer" in as_ranked(answer, same, corrected)) == (
        same.cost_per_hour < split.cost_per_hour - 0.01
    )


def test_a_split_that_fails_as_simulated_where_it_divides_otherwise_is_told_so() -> None:
    base = ground(question(ttft=0.8, pools=(1,)), 60.0, atoms(5), [FAST])
    answer, corrected = answer_of(base), split_saving(base, answer_of(base).fleet)
    split = corrected[1].candidate
    assert split is not None
    cheaper = replace(split, cost_per_hour=split.cost_per_hour - 1.0)
    first, last = split.fleet.pools
    moved = [
        replace(split, fleet=replace(split.fleet, pools=(replace(first, up_to=end), replace(last, above=end))))
        for end in (first.up_to + 50, first.up_to + 100)
    ]
    failed = failed_elsewhere(knowing(base, *(simulated(one, "fail") for one in reversed(moved))), split)
    assert failed is not None
    assert failed.fleet == moved[0].fleet, "the nearest"
    said = as_ranked(answer, cheaper, corrected, None, failed)
    here, there = (f"{end:,}" for end in (first.up_to, first.up_to + 50))
    assert f", by the formula alone, divided at {here} tokens, but fails as simulated at {there}" in said
    assert "fails" not in as_ranked(answer, cheaper, corrected, "pass", failed)
    holding = knowing(base, simulated(moved[0], "pass"))
    assert failed_elsewhere(holding, split) is None


def test_work_that_does_not_move_has_no_sign() -> None:
    base = ground(question(ttft=0.8, pools=(1,)), 60.0, atoms(5), [FAST])
    found = split_saving(base, answer_of(base).fleet)
    still = [replace(one, work=found[0].work) for one in found]
    said = sentences(still, answer_of(base).fleet, base.question)
    assert all("the work stays at" in one and "%" not in one for one in said)
