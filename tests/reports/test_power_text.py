"""What is said of power: the fleet's own figures, and a study of caps with its plots."""

import dataclasses

import pytest

from fleettui.domain.plan import Candidate
from fleettui.domain.power_levels import ProvenLevel
from fleettui.domain.scenario import Question
from fleettui.reports.power_text import caps_to_take
from tests.reports.conftest import power_text
from tests.reports.studies.test_power import study
from tests.reports.test_routing_text import joined, row


def test_power_is_told_with_what_is_left_of_its_limit(best: Candidate, question: Question) -> None:
    text = power_text(best, question)
    assert "draw 14.0 kW at this load, 583 W each on average. The limit on the GPUs, 40.0 kW, leaves 65%." in joined(
        text
    )
    assert row(text, "short") == [
        *("short", "16", "H100", "tp4", "x4", "7.0", "kW", "438", "W", ".81", ".44", "91.7", "76"),
    ]
    free = dataclasses.replace(question, max_power=None)
    assert "No power limit is set, so none changes the answer (e, max-power for the GPUs" in joined(
        power_text(best, free)
    )
    fed = joined(power_text(best, dataclasses.replace(question, max_feed=30e3, power_cap=500.0)))
    assert "The limit on the feed, 30.0 kW, is exceeded by 26%. Each GPU is capped at 500 W." in fed


def test_a_limit_that_is_not_kept_is_told_as_over(best: Candidate, question: Question) -> None:
    tight = dataclasses.replace(question, max_power=10_000.0)
    assert "leaves -" not in joined(power_text(best, tight))


@pytest.mark.parametrize("width", [78, 120])
def test_a_study_of_caps_stands_first_with_latency_and_power_against_the_cap(
    best: Candidate, question: Question, width: int
) -> None:
    assert "v caps H100 tp4 x4 + tp4 x2 deeper" in joined(power_text(best, question, width))
    text = power_text(best, question, width, study=study())
    assert joined(text).startswith("holds with each GPU at 80% of its limit")
    assert "TTFT at each cap" in text
    assert "power at each cap" in text
    assert "The GPUs draw 14.0 kW" in text
    assert max(map(len, text.splitlines())) <= width


def test_caps_that_hold_are_taken_in_watts_the_deepest_first() -> None:
    found = caps_to_take(study())
    assert found[0].texts == {"power-cap": "560W"}
    assert found[0].words.startswith("560 W each GPU")
    watts = [float(one.texts["power-cap"].removesuffix("W")) for one in found]
    assert watts == sorted(watts)
    assert caps_to_take(study(keeps=0)) == ()
    simulated = ProvenLevel(share=0.9, ttft=0.4, tpot=0.04, tried=(0.9,), runs=10)
    assert caps_to_take(study(0.7, simulated))[0].words.endswith("holds, simulated")
