"""Do what is said: at the named value a plan is found, at the next tighter one it is not."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.optimize.reasons.relaxations import constraints, relaxations, sentences, tables
from tests.optimize.reasons.grounds import ground
from tests.optimize.samples import atoms, profile, question
from tests.repeated import few

PROFILES = [profile("fast"), profile("slow", speed=0.5, price=1.2)]
RATE = 300.0
INFEASIBLE = {
    "ttft below the floor": question(ttft=0.03),
    "tpot below the floor": question(slo=Slo(tpot=0.011)),
    "e2e below the floor": question(slo=Slo(ttft=2.0, e2e=4.0), headroom=0.1),
    "budget": question(ttft=0.8, budget=21.0),
    "power": question(ttft=0.8, max_power=4_000.0),
    "inventory": question(ttft=0.8, max_gpus=(("fast", 4), ("slow", 2))),
    "load": question(ttft=0.8, max_utilization=0.3, budget=70.0),
    "two at once": question(ttft=0.03, budget=1.0),
}


HELPS = {
    "ttft below the floor": {"TTFT"},
    "tpot below the floor": {"TPOT"},
    "e2e below the floor": {"E2E"},
    "budget": {"budget"},
    "power": {"power"},
    "inventory": {"inventory of fast", "inventory of slow"},
    "load": {"utilization", "budget"},
    "two at once": set(),
}
"""What alone would do, whatever else does."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(INFEASIBLE, 1, more=1))
def test_the_named_value_does_and_the_next_does_not(name: str) -> None:
    asked = INFEASIBLE[name]
    base = ground(asked, RATE, atoms(5), PROFILES)
    assert base.kept.answer is None
    found = relaxations(base)
    by_name = {one.name: one for one in constraints(asked)}
    assert [one.name for one in found] == list(by_name)
    helping = {one.name for one in found if one.least is not None}
    assert helping >= HELPS[name]
    assert bool(helping) == bool(HELPS[name])
    for one in found:
        constraint = by_name[one.name]
        if one.least is None:
            assert base.best(constraint.without(asked)) is None
            continue
        assert one.tighter is not None
        assert base.best(constraint.at(asked, one.least)) is not None
        assert base.best(constraint.at(asked, one.tighter)) is None
        assert one.tighter >= constraint.now - 1e-9 or one.tighter == pytest.approx(constraint.now, rel=0.01)
        fine = {"count": 1.0, "dollars per hour": 0.01, "share": 0.001}.get(one.unit, 0.0101 * one.least)
        assert one.least - one.tighter <= fine * (1.0 + 1e-9)


def test_the_budget_that_is_named_is_the_price_of_the_cheapest_fleet() -> None:
    base = ground(INFEASIBLE["budget"], RATE, atoms(5), PROFILES)
    free = ground(question(ttft=0.8), RATE, atoms(5), PROFILES).kept.answer
    assert free is not None
    budget = next(one for one in relaxations(base) if one.name == "budget")
    assert budget.least is not None
    assert 0 <= budget.least - free.cost_per_hour < 0.01 + 1e-9


def test_the_sentences_name_value_fleet_and_what_is_hopeless() -> None:
    base = ground(INFEASIBLE["budget"], RATE, atoms(5), PROFILES)
    said = sentences(relaxations(base))
    assert any(one.startswith("budget of $") and "instead of $21.00/h alone would do" in one for one in said)
    hopeless = sentences(relaxations(ground(INFEASIBLE["two at once"], RATE, atoms(5), PROFILES)))
    assert hopeless == ("no value of TTFT, TPOT, utilization or budget alone helps",)


@pytest.mark.evidence
def test_a_limit_a_tenth_looser_is_told_where_the_tightest_is_dear() -> None:
    asked = INFEASIBLE["ttft below the floor"]
    base = ground(asked, RATE, atoms(5), PROFILES)
    found = next(one for one in relaxations(base) if one.name == "TTFT")
    assert found.least is not None
    assert found.candidate is not None
    assert found.eased == base.best(question(ttft=found.least * 1.1))
    assert found.eased is not None
    assert found.eased.cost_per_hour < found.candidate.cost_per_hour
    assert f"${found.eased.cost_per_hour:.2f}/h" in sentences([found])[0]


def test_far_from_the_likely_value_the_search_doubles_its_stride() -> None:
    asked, plans = question(ttft=0.05), []

    def find(one: Question) -> Answer:
        plans.append(one)
        limit = one.slo.ttft
        return (
            Answer(verdict="infeasible", plan=free.plan, demand=free.demand, answer=None)
            if (limit is not None and limit < 5.17)
            else free
        )

    free = ground(question(ttft=0.8), 20.0, atoms(5), PROFILES).kept
    base = ground(asked, 20.0, atoms(5), PROFILES)
    found = next(one for one in relaxations(replace(base, find=find)) if one.name == "TTFT")
    assert found.least == pytest.approx(5.17, rel=0.01)
    assert len(plans) < 60


def test_a_value_that_no_number_reaches_is_told_so() -> None:
    """As where every set limit is refused, though without it there is a plan."""
    free = ground(question(ttft=0.8), 20.0, atoms(5), PROFILES).kept

    def find(one: Question) -> Answer:
        if one.slo.ttft not in (None, 0.05):
            raise InputError("refused")
        return free if one.slo.ttft is None else replace(free, answer=None)

    base = replace(ground(question(ttft=0.05), 20.0, atoms(5), PROFILES), find=find)
    assert next(one for one in relaxations(base) if one.name == "TTFT").least is None


@pytest.mark.evidence
def test_over_several_time_slices_it_is_found_too() -> None:
    asked = question(ttft=0.05)
    slices = [(9.0, atoms(3)), (6.0, atoms(8)), (1.0, atoms(90))]
    base = ground(asked, 0.0, atoms(5), PROFILES, slices=slices)
    found = next(one for one in relaxations(base) if one.name == "TTFT")
    assert found.least is not None
    assert found.tighter is not None
    assert base.best(question(ttft=found.least)) is not None
    assert base.best(question(ttft=found.tighter)) is None


def test_there_is_a_table_per_unit() -> None:
    found = relaxations(ground(INFEASIBLE["load"], RATE, atoms(5), PROFILES))
    made = tables(found)
    assert len({table.title for table in made}) == len(made)
    assert sum(len(table.rows) for table in made) == len(found)
