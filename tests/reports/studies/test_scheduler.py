"""Schedulers as a study: what its sentences and tables say of figures made up here."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.plan import Estimate
from fleettui.domain.schedulers import FIGURES, Scheduled
from fleettui.reports.studies.differences import change_words
from fleettui.reports.studies.scheduler import scheduler_study, words_of
from fleettui.reports.study_text import study_text
from tests.cli.conftest import PROVEN
from tests.reports.studies.test_routers import about
from tests.reports.studies.test_sweep import PLAN

NONE = Estimate(value=None)


def scheduled(name: str, ttft: float, change: float, *, sessions: bool = False) -> Scheduled:
    has = {"ttft_mean": about(ttft), "tpot_mean": about(0.04, 0.001), "throughput": about(900.0, 1.0)}
    changes = {"ttft_mean": about(change, 0.005), "tpot_mean": about(0.0, 0.001), "throughput": about(0.0, 1.0)}
    if sessions:
        has["session_ttft"], changes["session_ttft"] = about(2 * ttft), about(2 * change)
    return Scheduled(
        scheduler=name,
        values=tuple(has.get(one.name, NONE) for one in FIGURES),
        changes=tuple(changes.get(one.name, NONE) for one in FIGURES),
    )


def test_the_best_is_told_only_where_it_is_proven() -> None:
    rows = (scheduled("paged", 0.4, 0.0), scheduled("shortest", 0.3, -0.1), scheduled("mlfq", 0.7, 0.3))
    study = scheduler_study(PLAN, PROVEN, rows)
    assert study.sentences == (
        "shortest has the shortest mean TTFT, 0.30 s, 25% less than paged",
        "no scheduler is proven to have a shorter mean TPOT than paged",
        "every scheduler met the same requests: arrivals, lengths and seeds of 10 runs",
    )
    assert [table.columns[1].name for table in study.tables] == ["ttft_mean", "tpot_mean", "throughput"]
    assert [row[-1] for row in study.tables[0].rows] == ["the plan's", "better", "worse"]
    assert {row[-1] for row in study.tables[1].rows} == {"the plan's", "not proven"}
    assert max(map(len, study_text(study).splitlines())) <= 80


def test_sessions_have_a_table_of_their_own_and_missing_intervals_are_warned_of() -> None:
    rows = [scheduled(name, 0.4, 0.0, sessions=True) for name in ("paged", "h2q-br")]
    study = scheduler_study(PLAN, PROVEN, [rows[0], replace(rows[1], unstable="its queue has no end")])
    assert "aTTFT of sessions" in study.tables[1].title
    assert study.warnings == ("no intervals of h2q-br: its queue has no end",)


def test_more_is_better_only_of_throughput() -> None:
    more = Estimate(value=2.0, low=1.0, high=3.0)
    assert {one.name for one in FIGURES if change_words(more, *words_of(one)) == "better"} == {"throughput"}
