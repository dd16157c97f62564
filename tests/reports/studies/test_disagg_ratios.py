"""Cost by the ratio of prefill to decode: least at the fleet that holds, and told by the pools that were proven."""

from dataclasses import replace

import pytest

from fleettui.reports.disagg_text import disagg_panes
from fleettui.reports.panes import told
from fleettui.reports.studies.disagg_ratios import TITLE, ratios
from tests.cli.conftest import BEST
from tests.reports.studies.test_disagg import FLEET, FOUND, PROOF, ROW, study
from tests.reports.studies.test_sweep import ASKED


def test_cost_is_least_where_neither_pool_has_more_than_suffices() -> None:
    (table,) = ratios(FOUND)
    rows = table.records()
    assert [row["prefill_per_decode"] for row in rows] == pytest.approx(
        [0.833, 1.25, 1.667, 2.0, 2.5, 3.25, 3.75, 5.0, 7.5], abs=1e-3
    )
    costs = [float(row["cost_per_hour"] or 0) for row in rows]
    assert min(costs) == costs[4] == ROW.cost
    assert rows[4]["fleet"] == "H100 tp4 x10 > H100 tp4 x4"
    assert costs[-1] == pytest.approx(ROW.cost * 136 / 56)
    assert costs[:5] == sorted(costs[:5], reverse=True)
    assert costs[4:] == sorted(costs[4:])


def test_the_fleet_that_was_proven_is_the_one_to_start_from() -> None:
    (table,) = ratios(replace(FOUND, apart=PROOF, together=PROOF))
    cheapest = min(table.records(), key=lambda row: float(row["cost_per_hour"] or 0))
    assert (cheapest["fleet"], cheapest["cost_per_hour"]) == ("H100 tp4 x11 > H100 tp4 x4", PROOF.cost)


def test_unlike_gpus_have_no_such_table() -> None:
    unlike = replace(FLEET, decode=replace(FLEET.decode, gpu="a100"))
    assert not [*ratios(replace(FOUND, rows=(replace(ROW, fleet=unlike),)))]


def test_the_view_draws_it_and_studies_of_before_stand_without() -> None:
    assert f"\u2500 {TITLE}" in told(disagg_panes(BEST, ASKED, study=study()), 78, "braille")
    older = replace(study(), tables=study().tables[:3])
    assert TITLE not in told(disagg_panes(BEST, ASKED, study=older), 78, "braille")
