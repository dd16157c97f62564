"""Architectures as a study: what its sentences and tables say of points made up here."""

from __future__ import annotations

from dataclasses import replace

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.frontier import FrontierFound, FrontierProof
from fleettui.domain.plan import Estimate
from fleettui.domain.study import Study
from fleettui.reports.studies.frontier import frontier_study, layout
from fleettui.reports.study_text import study_text
from tests.cli.conftest import BEST
from tests.domain.test_frontier import BASE, found
from tests.reports.studies.test_disagg import FLEET
from tests.reports.studies.test_sweep import PLAN

APART = replace(BASE, apart=FLEET, tokens=3000.0, rate=30.0, ttft=1.0)
TOGETHER = replace(BASE, architecture="together", together=BEST.fleet, tokens=2000.0, rate=20.0)
AFD = replace(APART, architecture="afd", layout="tp2dp4/ep8", tokens=1500.0, rate=15.0, ttft=0.5)


def study(value: FrontierFound) -> Study:
    return frontier_study(PLAN, value)


def test_the_best_of_each_bound_is_told_and_that_the_tighter_one_turns_it() -> None:
    shown = study(found(APART, TOGETHER, AFD))
    assert shown.title == "architectures within 16 GPUs"
    assert shown.sentences == (
        "under TTFT 2s and TPOT 50ms (20 tokens/s for each user) prefill/decode serves most: 3.00K tokens/s with "
        "H100 tp4 x10 > H100 tp4 x4; co-located 67% of that; attention/FFN 50% of that (by formula)",
        "under TTFT 600ms and TPOT 50ms (20 tokens/s for each user) co-located serves most: 2.00K tokens/s with "
        f"{layout(TOGETHER)}; attention/FFN 75% of that (by formula)",
        "the tighter bound turns it: co-located instead of prefill/decode",
        "3 fleets were scored over 2 rates up to 20.0 requests/s",
    )
    best, loose, tight = (table.records() for table in shown.tables)
    assert [row["architecture"] for row in best] == [
        *("prefill/decode", "co-located", "attention/FFN"),
        *("co-located", "attention/FFN"),
    ]
    assert best[2]["fleet"] == "H100 tp4 x10 > A/F tp2dp4/ep8 x4"
    assert (len(loose), len(tight)) == (1, 1)
    assert shown.warnings == (ARCHITECTURES.named("afd").caution,)
    assert max(map(len, study_text(shown).splitlines())) <= 80


def test_what_simulations_refute_does_not_count() -> None:
    seen = Estimate(value=1.9, low=1.8, high=2.0)
    proof = FrontierProof(bound=2.0, point=APART, ttft=seen, tpot=Estimate(value=0.06), holds=False, runs=5, tried=6)
    shown = study(replace(found(APART, TOGETHER), proofs=(proof, replace(proof, point=TOGETHER, holds=True, tried=1))))
    assert "co-located serves most" in shown.sentences[0]
    assert shown.sentences[0].endswith("(as simulated)")
    assert [row["holds"] for row in shown.tables[-1].records()] == ["no", "yes"]
    assert shown.warnings == ("by simulation none of the rates that were tried holds of prefill/decode at 2s",)
    assert max(map(len, study_text(shown).splitlines())) <= 80


def test_a_tighter_bound_that_turns_nothing_says_what_it_takes() -> None:
    slower = replace(APART, rate=10.0, tokens=1000.0, ttft=0.5)
    assert (
        "the tighter bound turns nothing, but takes tokens/s: prefill/decode to 33%"
        in study(found(APART, slower)).sentences
    )


def test_where_nothing_holds_that_is_said() -> None:
    shown = study(found(replace(APART, tpot=0.2)))
    assert shown.sentences[0].startswith("under TTFT 2s and TPOT 50ms (20 tokens/s for each user) no architecture")
    assert shown.tables[0].rows == ()
    assert study_text(shown)
