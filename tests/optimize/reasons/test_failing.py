"""The plans that fail do fail, the cheapest is the cheapest, and by as much as is said."""

from dataclasses import replace

import pytest

from fleettui.optimize.evaluate import shortfalls
from fleettui.optimize.reasons.failing import failing, nearest, sentences, table
from fleettui.optimize.reasons.inputs import hardware, words
from fleettui.optimize.reasons.limits import worst
from tests.optimize.reasons.grounds import answer_of, ground, knowing, simulated
from tests.optimize.samples import atoms, profile, question
from tests.repeated import few

FAST, SLOW = profile("fast"), profile("slow", speed=0.5, price=0.9)


@pytest.mark.parametrize("changes", few([{}, {"budget": 41.0}, {"max_gpus": (("fast", 6), ("slow", 40))}], 1))
def test_each_breaks_a_limit_by_as_much_as_is_said(changes) -> None:
    asked = question(ttft=0.8, **changes)
    base = ground(asked, 40.0, atoms(5), [FAST, SLOW])
    found = failing(base, base.kept.answer)
    assert found
    for one in found:
        busy = max(pool.utilization for pool in one.candidate.pools)
        assert shortfalls(one.candidate, asked, base.terms, base.profiles) or busy > asked.max_utilization
        limit = worst(one.breaks)
        assert limit.value == pytest.approx(limit.most * (1.0 + limit.excess))
        assert limit.excess > 0
    assert [one.candidate.cost_per_hour for one in found] == sorted(one.candidate.cost_per_hour for one in found)
    if base.kept.answer is not None:
        assert found[-1].candidate.cost_per_hour < base.kept.answer.cost_per_hour
    fleets = [(hardware(one.candidate), one.candidate.fleet) for one in found]
    assert len(set(fleets)) == len(fleets)


def test_the_answer_less_one_replica_is_among_them() -> None:
    base = ground(question(ttft=0.8), 40.0, atoms(5), [FAST, SLOW])
    answer = answer_of(base)
    fleets = [hardware(one.candidate) for one in failing(base, answer)]
    for place, pool in enumerate(answer.fleet.pools):
        if pool.replicas > 1:
            fewer = [one.replicas - (at == place) for at, one in enumerate(answer.fleet.pools)]
            assert hardware(base.fix(answer.fleet, fewer).candidate) in fleets


def test_of_those_that_cost_the_same_the_nearest_to_holding_is_named() -> None:
    base = ground(question(ttft=0.8), 120.0, atoms(5), [FAST, SLOW])
    found = failing(base, answer_of(base))
    rows = [(round(one.candidate.cost_per_hour, 9), worst(one.breaks).excess) for one in found if one.breaks]
    assert rows == sorted(rows)
    assert len({cost for cost, _ in rows}) < len(rows), "some cost the same"
    assert any(limit.excess == float("inf") for one in found for limit in one.breaks), "one does not keep up"


def test_the_sentences_name_the_cheapest_and_the_nearest() -> None:
    base = ground(question(ttft=0.8), 120.0, atoms(5), [FAST, SLOW])
    answer = answer_of(base)
    found = failing(base, answer)
    first, second = sentences(found, answer)
    assert first.startswith(f"the cheapest plan that fails: {words(found[0].candidate)}, split at 700 tokens, at ")
    near = nearest(found)
    assert near is not None
    assert second.startswith(f"the nearest miss: {words(near.candidate)} at ")
    most = worst(near.breaks).excess
    assert all(worst(one.breaks).excess >= most for one in found)
    rows = table(found, answer).records()
    assert len(rows) <= 10
    assert rows[0]["split"] == "700"


def test_a_fleet_of_one_pool_has_no_split() -> None:
    base = ground(question(ttft=0.8, pools=(1,)), 120.0, atoms(5), [FAST, SLOW])
    alone = failing(base, answer_of(base))
    assert "split" not in table(alone, None).records()[0]
    assert "split" not in sentences(alone, None)[0]


def test_fleets_of_the_same_hardware_at_other_splits_do_not_hide_each_other() -> None:
    base = ground(question(ttft=0.8, pools=(2,)), 15.0, atoms(5), [FAST])
    tried = [one for one in base.kept.candidates if not one.shortfalls]
    twins = [one for one in tried if hardware(one) == hardware(tried[0])]
    assert len(twins) > 1
    fails = failing(base, None)
    for one in twins[:3]:
        for place, pool in enumerate(one.fleet.pools):
            if pool.replicas > 1:
                fewer = [own.replicas - (at == place) for at, own in enumerate(one.fleet.pools)]
                assert base.fix(one.fleet, fewer).candidate.fleet in [own.candidate.fleet for own in fails]
    rows = [row[0] for row in table(fails, None).rows]
    assert len(set(rows)) == len(rows)


@pytest.mark.thorough
def test_a_fleet_that_costs_as_much_but_for_rounding_tempts_nobody() -> None:
    base = ground(question(ttft=0.8), 40.0, atoms(5), [FAST, SLOW])
    answer = answer_of(base)
    dear = failing(base, answer)[-1].candidate.cost_per_hour
    same = replace(answer, cost_per_hour=dear * (1.0 + 1e-15))
    assert same.cost_per_hour > dear
    assert all(one.candidate.cost_per_hour < dear for one in failing(base, same))


def test_what_was_simulated_is_told_by_the_simulation() -> None:
    """Found: a row that broke "simulation" by nothing, and a nearest miss by formula that had passed."""
    base = ground(question(ttft=0.8), 120.0, atoms(5), [FAST, SLOW])
    answer = answer_of(base)
    near = nearest(failing(base, answer))
    assert near is not None
    passed = failing(knowing(base, simulated(near.candidate, "pass", 0.7)), answer)
    assert near.candidate.fleet not in [one.candidate.fleet for one in passed]
    failed = failing(knowing(base, simulated(near.candidate, "fail", 0.84)), answer)
    own = next(one for one in failed if one.candidate.fleet == near.candidate.fleet)
    assert worst(own.breaks).figure == 0.84
    alone = table([own], answer).records()[0]
    assert (alone["breaks"], alone["too_much"]) == ("TTFT 0.84 s", pytest.approx(0.05))
    (said,) = sentences([own], answer)
    assert said.endswith(": 0.84 s [0.832, 0.848], limit 0.8 s, 5.0% too much, as simulated")
    open_ = failing(knowing(base, simulated(near.candidate, "unproven", 0.795)), answer)
    own = next(one for one in open_ if one.candidate.fleet == near.candidate.fleet)
    assert sentences([own], answer)[0].endswith("as simulated, not proven")


def test_a_fleet_without_a_figure_beyond_a_limit_is_told_by_its_reason() -> None:
    base = ground(question(ttft=0.8), 120.0, atoms(5), [FAST, SLOW])
    cheap = min(base.kept.candidates, key=lambda one: (bool(one.shortfalls), one.cost_per_hour))
    reason = "TTFT of pool all is undefined in some runs"
    (own,) = (
        one
        for one in failing(knowing(base, simulated(cheap, "fail", 0.5, reason)), None)
        if one.candidate.fleet == cheap.fleet
    )
    assert not own.breaks
    assert sentences([own], None)[0].endswith(f"in simulation: {reason}")
    assert table([own], None).records()[0]["breaks"] == reason


def test_nothing_fails_where_nothing_was_tried() -> None:
    assert sentences((), None) == ()
