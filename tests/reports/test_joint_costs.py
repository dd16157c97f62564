"""What each workload of a joint plan pays."""

from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.unit_cost import UnitCost
from fleettui.hardware import catalog
from fleettui.reports.joint_costs import costs_tables
from fleettui.reports.joint_study import joint_study
from tests.reports.test_joint_study import plan


def test_each_pays_for_its_own_gpus_and_its_share_of_what_whole_nodes_add() -> None:
    made = plan()
    best = [one.plan.answer for one in made.planned if one.plan is not None]
    own = [one.cost_per_hour for one in best if one is not None]
    whole = replace(made, joint=replace(made.joint, cost=1.25 * sum(own)))
    rows = next(costs_tables(whole)).records()
    assert [(row["name"], row["class"]) for row in rows] == [("chat", "interactive"), ("nightly", "")]
    assert [row["cost"] for row in rows] == [pytest.approx(1.25 * one) for one in own]
    assert [row["share"] for row in rows] == [pytest.approx(one / sum(own)) for one in own]
    assert sum(float(row["cost"] or 0) for row in rows) == pytest.approx(whole.joint.cost)
    assert best[0] is not None
    unit = UnitCost.of(best[0], made.planned[0].entry.question)
    assert unit is not None
    assert rows[0]["requests_1k"] == pytest.approx(1250 * unit.cost_per_request, abs=1e-4)
    assert "user_month" not in rows[0], "a column in which no row has a figure"


def test_a_price_is_told_once_whatever_fleets_it_is_in() -> None:
    """Found: the footnote of three workloads had A100 and H100 twice each."""
    made = plan()
    chat, nightly = made.planned
    best = nightly.plan.answer if nightly.plan else None
    assert best is not None
    mixed = replace(
        best, fleet=replace(best.fleet, pools=(replace(best.fleet.pools[0], gpu="h100"), *best.fleet.pools[1:]))
    )
    cost = sum(
        pool.gpus * (price.per_hour if (price := catalog.gpu(pool.gpu).price) else 0.0) for pool in mixed.fleet.pools
    )
    mixed = replace(mixed, cost_per_hour=cost)
    both = tuple(replace(one, plan=replace(one.plan, answer=mixed)) for one in (chat, nightly) if one.plan)
    alone = replace(mixed, fleet=replace(mixed.fleet, pools=mixed.fleet.pools[:1]), pools=mixed.pools[:1])
    own = catalog.gpu("h100").price
    assert own is not None
    alone = replace(alone, cost_per_hour=alone.fleet.pools[0].gpus * own.per_hour)
    first = both[0].plan
    assert first is not None
    three = (*both, replace(both[0], plan=replace(first, answer=alone)))
    note = next(costs_tables(replace(made, planned=three))).note
    assert note.count("H100 $") == note.count("A100 $") == 1, note


def test_what_has_a_day_costs_so_much_over_it_as_its_own_page_says() -> None:
    """Found: a million tokens cost what they do at the peak, which lasts an hour."""
    made = plan()
    chat, nightly = made.planned
    daily = Demand(form="tokens", tokens=1e6, peak_hour=0.1)
    asked = replace(chat, entry=replace(chat.entry, question=replace(chat.entry.question, demand=daily)))
    at_peak, over_day = (next(costs_tables(replace(made, planned=(one, nightly)))) for one in (chat, asked))
    before, after = at_peak.records()[0]["output_1m"], over_day.records()[0]["output_1m"]
    assert isinstance(before, float)
    assert after == pytest.approx(2.4 * before, abs=1e-4)
    assert at_peak.records()[1] == over_day.records()[1]
    assert ["over the day of chat" in one.note for one in (at_peak, over_day)] == [False, True]


def test_what_a_user_costs_is_a_column_where_somebody_has_users() -> None:
    made = plan()
    users = Demand(form="users", users=100.0, requests_per_user=2.0 / 3600.0)
    chat = made.planned[0]
    asked = replace(chat, entry=replace(chat.entry, question=replace(chat.entry.question, demand=users)))
    rows = next(costs_tables(replace(made, planned=(asked, made.planned[1])))).records()
    assert rows[0]["user_month"] is not None
    assert rows[1]["user_month"] is None


def test_without_whole_nodes_it_is_what_its_gpus_cost() -> None:
    alone = replace(plan(), joint=replace(plan().joint, cost=0.0))
    rows, (table,) = (
        next(costs_tables(alone)).records(),
        [one for one in joint_study(alone).tables if one.title == "What each pays"],
    )
    assert table.records() == rows
    assert rows[0]["cost"] == pytest.approx(alone.planned[0].plan.answer.cost_per_hour)  # type: ignore[union-attr]


def test_a_class_or_a_model_pays_for_its_workloads_and_their_requests() -> None:
    made = plan()
    each, by_class, *by_model = costs_tables(made)
    rows = {row["class"]: row for row in by_class.records()}
    alone = {row["name"]: row for row in each.records()}
    assert set(rows) == {"interactive", "none said"}
    assert rows["interactive"]["cost"] == alone["chat"]["cost"]
    assert rows["interactive"]["requests_1k"] == alone["chat"]["requests_1k"]
    assert sum(float(row["share"] or 0.0) for row in rows.values()) == pytest.approx(1.0)
    assert [table.title for table in by_model] in ([], ["What each model pays"])
    alike = tuple(replace(one, entry=replace(one.entry, service_class="all")) for one in made.planned)
    assert "What each class of service pays" not in [one.title for one in costs_tables(replace(made, planned=alike))]
