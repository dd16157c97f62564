"""Energy as a study: tokens for a joule of fleets made up here, at the GPUs and at the meter."""

from dataclasses import replace

import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.power_levels import EnergyPoint
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports.studies.energy import energy_study
from fleettui.reports.study_text import study_text
from tests.cli.conftest import PROVEN
from tests.reports.studies.test_sweep import ASKED, PLAN

OTHER = replace(PROVEN.fleet, pools=tuple(replace(pool, gpu="a100") for pool in PROVEN.fleet.pools))


def point(share: float, fleet: Fleet = PROVEN.fleet, watts: float = 10_000.0) -> EnergyPoint:
    return EnergyPoint(
        fleet=fleet,
        share=share,
        rate=100.0 * share,
        watts=watts,
        output_rate=20_000.0 * share,
        utilization=0.8 * share,
        cost=70.0,
    )


def study(question: Question = ASKED, other: float = 30_000.0) -> Study:
    return energy_study(PLAN, question, [point(0.5), point(1.0), point(1.0, OTHER, other)])


def test_tokens_for_a_joule_are_those_of_the_gpus_and_of_the_meter() -> None:
    found = study()
    site = (10_000.0 + 630.0 * PROVEN.gpus) * 1.3
    own, others = (table.records() for table in found.tables)
    assert own[1]["of_gpus"] == 2.0
    assert own[1]["at_meter"] == pytest.approx(20_000.0 / site)
    assert own[1]["joules"] == pytest.approx(site / 100.0)
    assert found.sentences[1].startswith("at 50% of the rate a token takes 2 times the energy")
    assert found.sentences[2] == "of the fleets that the plan kept, none gives more for a joule at the meter"
    assert "H100" in str(others[0]["fleet"])
    assert max(map(len, study_text(found).splitlines())) <= 80


def test_a_fleet_that_gives_more_is_told_with_its_price() -> None:
    assert "more for a joule at the meter, at $70/h instead of $70/h" in study(other=1_000.0).sentences[2]


def test_beside_a_plan_that_is_to_be_sure_the_others_are_told_to_be_at_nominal_speed() -> None:
    found, nominal = (
        study(replace(ASKED, confidence=0.9), 1_000.0),
        ", at nominal speed, where the plan is to be 90% sure",
    )
    assert found.sentences[2].endswith(f"instead of $70/h{nominal}")
    assert [nominal in table.note for table in found.tables] == [False, True]
    assert not any("nominal" in table.note for table in study().tables)


def test_carbon_and_price_have_columns_of_their_own() -> None:
    assert study().warnings
    found = study(replace(ASKED, carbon=300.0, power_price=0.1))
    assert found.warnings == ()
    row = found.tables[0].records()[1]
    kwh = 1e6 / float(row["at_meter"] or 0) / 3.6e6
    assert (row["grams"], row["dollars"]) == (pytest.approx(300.0 * kwh), pytest.approx(0.1 * kwh))
