"""Every split with every factor: the best of each is what a search of that split alone finds."""

from dataclasses import replace

import pytest

from fleettui.optimize.reasons.gamma_of_split import gamma_of_split, sentences, table
from tests.optimize.reasons.grounds import GRID, answer_of, ground
from tests.optimize.samples import atoms, profile, question

FAST = profile("fast", blocks=3000)


@pytest.mark.parametrize("admission", ["paged", "reserved"])
def test_the_best_of_all_splits_is_the_plans_own(admission: str) -> None:
    asked = question(ttft=2.0, pools=(2,), gamma=(1.0, 2.0), admission=admission)
    base = ground(asked, 60.0, atoms(5), [FAST])
    fleet = answer_of(base).fleet
    found = gamma_of_split(base, fleet)
    assert {one.split for one in found} <= set(GRID)
    assert len(found) >= 3
    costs = {one.split: one.best.cost_per_hour for one in found if one.best is not None}
    assert min(costs.values()) == costs[fleet.pools[0].up_to] == answer_of(base).cost_per_hour
    assert all((one.saved or 0.0) >= 0.0 for one in found)
    (told,) = sentences(found)
    assert told.startswith(f"of {len(costs)} splits tried with every gamma ")
    assert [row["split"] for row in table(found).records()] == [one.split for one in found]


def test_where_no_fleet_holds_the_row_is_empty() -> None:
    base = ground(question(ttft=2.0, pools=(2,), gamma=(1.0, 1.5)), 60.0, atoms(5), [FAST])
    hopeless = replace(base, question=replace(base.question, slo=replace(base.question.slo, ttft=1e-6)))
    found = gamma_of_split(hopeless, answer_of(base).fleet)
    assert all(one.best is None and one.saved is None for one in found)
    assert list(sentences(found)) == []


def test_three_pools_have_no_one_split() -> None:
    base = ground(question(ttft=2.0, pools=(3,), gamma=(1.0, 1.5)), 60.0, atoms(5), [FAST])
    assert gamma_of_split(base, answer_of(base).fleet) == ()
