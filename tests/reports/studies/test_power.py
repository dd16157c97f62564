"""Caps as a study: what its sentences and tables say of levels made up here."""

from dataclasses import replace

from fleettui.domain.power_levels import CapKind, PowerLevel, ProvenLevel
from fleettui.domain.study import Study
from fleettui.planning.studies import STUDIES
from fleettui.reports.studies.power import power_study
from fleettui.reports.study_text import study_text
from tests.cli.conftest import PROVEN
from tests.reports.studies.test_sweep import ASKED, PLAN

GPUS = PROVEN.gpus
NOT_SIMULATED = ProvenLevel(share=None, ttft=None, tpot=None, tried=(), runs=0)


def level(share: float, kind: CapKind = "clock") -> PowerLevel:
    """Return a fleet of GPUs of 700 W that draw 560 W each, or the cap; slower the less they may draw."""
    drawn = 560.0 if kind == "batch" else min(560.0, 700.0 * share)
    return PowerLevel(
        kind=kind,
        share=share,
        sequences=None if kind == "clock" else int(256 * share),
        watts=drawn * GPUS,
        nominal=700.0 * GPUS,
        ttft=0.3 / share,
        tpot=0.03 / share,
        latencies=(0.3 / share,),
        utilization=0.6 / share,
        output_rate=1000.0,
        extrapolated=share < 0.5,
    )


CLOCKS = tuple(level(percent / 100) for percent in range(100, 19, -1))
BATCHES = tuple(level(0.5 ** (step / 4), "batch") for step in range(20))


def study(keeps: float = 0.8, proven: ProvenLevel = NOT_SIMULATED) -> Study:
    """Return the study of a fleet that keeps its limits down to a share of the GPUs' limits, 0: not even at all."""
    least = keeps or 2.0
    held = [one for one in CLOCKS if one.share >= least]
    batches = [one for one in BATCHES if one.share >= least]
    found = power_study(
        PLAN,
        ASKED,
        PROVEN,
        clocks=CLOCKS,
        batches=BATCHES,
        keeps=lambda one: one.share >= least,
        deepest=(held[-1] if held else None, batches[-1] if batches else None),
        proven=proven,
    )
    return STUDIES.named("power").named(found, PLAN.plan.handle, PLAN.plan.name, {})


def test_the_deepest_cap_that_holds_comes_first_against_drawn_and_nominal() -> None:
    found = study(0.7)
    total, cut = 0.56 * GPUS, 0.49 * GPUS
    assert found.sentences[0].startswith(
        f"holds with each GPU at 70% of its limit, by formula: {cut:.1f} kW instead of {total:.1f} kW, 13% below what "
        "it draws, 30% below nominal; "
    )
    assert "save no power" in found.sentences[1]
    clocks, batches = found.tables
    assert [row["it"] for row in clocks.records()] == ["holds"] * 4 + ["fails"] * 5
    assert [row["each_gpu"] for row in clocks.records()][:2] == [700.0, 630.0]
    assert batches.records()[0]["sequences"] == 256
    assert max(map(len, study_text(found).splitlines())) <= 80


def test_what_was_simulated_decides() -> None:
    held = ProvenLevel(share=0.8, ttft=0.4, tpot=0.04, tried=(0.7, 0.8), runs=10)
    found = study(0.7, held)
    assert found.sentences[0].startswith("holds with each GPU at 80% of its limit, 10 runs: ")
    assert found.sentences[1] == "not shown to hold by simulation at 70% of the limit"
    by_cap = {row["cap"]: row["it"] for row in found.tables[0].records()}
    assert (by_cap[0.8], by_cap[0.7], by_cap[0.9]) == ("holds, simulated", "fails, simulated", "holds")
    deeper = study(0.7, replace(held, share=0.7, tried=(0.8, 0.7, 0.6)))
    assert deeper.sentences[1] == "not shown to hold by simulation at 60% of the limit"
    by_cap = {row["cap"]: row["it"] for row in deeper.tables[0].records()}
    assert [by_cap[one] for one in (0.8, 0.7, 0.6)] == ["holds, simulated", "holds, simulated", "fails, simulated"]
    none = study(0.7, replace(held, share=None, tried=(0.7,)))
    assert none.sentences[0].startswith("no cap on the clocks keeps the limits")


def test_a_fleet_that_does_not_hold_has_nothing_to_give_up_and_deep_caps_are_extrapolated() -> None:
    assert study(0).sentences == (
        "the plan's fleet does not keep its limits even without a cap, so there is no power to give up",
    )
    assert any("extrapolated" in one for one in study(0.4).warnings)
    assert not any("extrapolated" in one for one in study(0.6).warnings)
    told = study(0.6, replace(NOT_SIMULATED, reason="its queue has no end")).warnings
    assert "not simulated: its queue has no end" in told
