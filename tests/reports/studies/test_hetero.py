"""Cheaper GPUs role by role as a study: what its sentences and tables say of allocations made up here."""

from __future__ import annotations

from dataclasses import replace

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.hetero import Allocation
from fleettui.domain.plan import Estimate
from fleettui.domain.study import Study
from fleettui.reports.studies.hetero import hetero_study
from fleettui.reports.study_text import study_text
from tests.domain.test_frontier import found
from tests.domain.test_hetero import PLAIN, SWAPPED
from tests.reports.studies.test_frontier import AFD
from tests.reports.studies.test_sweep import PLAN

BASE = replace(PLAIN, base=AFD)
ATTENTION = replace(SWAPPED, base=AFD)
FEED_FORWARD = replace(ATTENTION, roles=("feed-forward",), slower=(("feed-forward", 2.5),))


def study(*rows: Allocation) -> Study:
    return hetero_study(PLAN, found(AFD), rows, cheaper="h20")


def test_what_passes_is_told_first_and_each_refusal_with_its_gate() -> None:
    few, none = replace(ATTENTION, roles=("prefill",), tokens=700.0), replace(ATTENTION, roles=("prefill",), tokens=0.0)
    large = replace(ATTENTION, roles=("attention", "feed-forward"), slower=(), why="the weights do not fit")
    shown = study(BASE, FEED_FORWARD, ATTENTION, few, none, large)
    assert shown.title == "h20 for some roles"
    assert shown.sentences == (
        "attention of attention/FFN on h20 passes: $30/h instead of $40/h, 90% of the tokens, 1.20 times as many "
        "for a dollar",
        "feed-forward of attention/FFN on h20 is refused: feed-forward would take 2.50 times as long by arithmetic "
        "alone",
        "prefill of attention/FFN on h20 is refused: a dollar buys 0.93 times as many tokens, 1.08 are asked for",
        "prefill of attention/FFN on h20 is refused: no rate keeps the limits",
        "attention and feed-forward of attention/FFN on h20 are refused: the weights do not fit",
    )
    allocations, roles = (table.records() for table in shown.tables)
    assert [row["it_is"] for row in allocations[:3]] == ["the base", "gate 1: compute-bound", "accepted"]
    assert allocations[-1]["it_is"] == "does not fit"
    assert {row["bound"] for row in roles} == {"arithmetic", "memory or links"}
    assert shown.warnings[-1] == ARCHITECTURES.named("afd").caution
    assert max(map(len, study_text(shown).splitlines())) <= 80


def test_what_was_simulated_decides_and_is_told_with_its_interval() -> None:
    below = replace(ATTENTION, gain=Estimate(value=1.04, low=1.0, high=1.08))
    shown = study(BASE, FEED_FORWARD, below)
    assert shown.sentences[-1] == (
        "attention of attention/FFN on h20 is refused: a dollar buys 1.04 [1.00, 1.08] times as many tokens, 1.08 are "
        "asked for"
    )
    base, feed_forward, attention = shown.tables[0].records()
    assert [attention[name] for name in ("efficiency", "simulated", "low", "high")] == [1.2, 1.04, 1.0, 1.08]
    assert (attention["it_is"], base["simulated"], feed_forward["low"]) == ("gate 3: too few tokens", None, None)
    assert shown.warnings[0] == "attention of attention/FFN: the interval of its tokens for a dollar holds 1.08"
    assert "simulated" not in study(BASE, ATTENTION).tables[0].records()[0]
    assert max(map(len, study_text(shown).splitlines())) <= 80


def test_where_none_passes_that_is_said_first() -> None:
    assert study(BASE, FEED_FORWARD).sentences[0] == "no role passes the gates with h20"
