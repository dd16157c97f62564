"""Dollars in a kept study say what a GPU costs, by class and date."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.study import Study, table_of
from fleettui.hardware import catalog
from fleettui.planning.priced_study import with_prices
from store import Store
from tests.store import samples


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "plans.db", clock=samples.clock()) as opened:
        yield opened


def test_the_first_table_with_dollars_tells_the_plans_prices(store: Store) -> None:
    offer = catalog.gpu("a100").price
    assert offer is not None
    best = replace(samples.candidate(), cost_per_hour=12 * 2.10 + 4 * offer.per_hour)  # H100 at the typed 2.10
    plan = samples.add(store, replace(samples.answer(), answer=best, candidates=(best,))).plan
    told = f"prices of the plan: H100 $2.10/h as typed, A100 ${offer.per_hour:.2f}/h middle of a range; {offer.date}"
    plain = table_of("counts", [1], ("gpus", "count", int))
    cost = table_of("costs", [1.0], ("cost", "dollars per hour", float), note="means")
    found = Study.of(plan, kind="sweep", title="t", question="q", sentences=(), tables=(plain, cost, cost))
    first, second, third = with_prices(found, store).tables
    assert (first, third) == (plain, cost)
    assert second == replace(cost, note=f"means; {told}")
    own = (replace(found, kind=kind) for kind in ("money", "causes"))
    for same in (*own, replace(found, plan=""), replace(found, tables=(plain,))):
        assert with_prices(same, store) == same


def test_a_plan_on_prices_that_are_not_known_says_nothing(store: Store) -> None:
    cost = table_of("costs", [1.0], ("cost", "dollars per hour", float))
    for answer in (samples.answer(), samples.infeasible("none")):
        plan = samples.add(store, answer).plan
        found = Study.of(plan, kind="sweep", title="t", question="q", sentences=(), tables=(cost,))
        assert with_prices(found, store) == found
