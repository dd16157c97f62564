"""Sessions of agents as a study: what its sentences and tables say of figures made up here."""

from __future__ import annotations

from fleettui.domain.agents import FIGURES, Agents
from fleettui.domain.plan import Estimate
from fleettui.domain.schedulers import Scheduled
from fleettui.reports.studies.sessions import sessions_study
from fleettui.reports.study_text import study_text
from tests.cli.conftest import PROVEN
from tests.reports.studies.test_routers import about
from tests.reports.studies.test_sweep import PLAN

NONE = Estimate(value=None)


def scheduled(name: str, wait: float, change: float, *, heavy: bool = True) -> Scheduled:
    has = {"attft_p95": about(wait), "attft": about(wait / 2), "short_p95": about(wait), "hidden": about(50.0)}
    changes = {"attft_p95": about(change, 0.01), "short_p95": about(change, 2.0), "hidden": about(0.5, 0.1)}
    if heavy:
        has["heavy_p95"], changes["heavy_p95"] = about(3 * wait), about(-change, 0.01)
    return Scheduled(
        scheduler=name,
        values=tuple(has.get(one.name, NONE) for one in FIGURES),
        changes=tuple(changes.get(one.name, NONE) for one in FIGURES),
    )


def test_the_best_of_each_kind_of_session_is_told_where_it_is_proven() -> None:
    rows = (scheduled("paged", 4.0, 0.0), scheduled("mlfq", 3.0, -1.0))
    study = sessions_study(PLAN, PROVEN, rows, agents=Agents(share=0.2), rate=2.0)
    assert study.sentences[:3] == (
        "mlfq has the shortest P95 aTTFT, 3.0 s, 25% less than paged",
        "no scheduler is proven to have a shorter P95 aTTFT of short sessions than paged",
        "no scheduler is proven to have a shorter P95 aTTFT of heavy sessions than paged",
    )
    assert study.sentences[3].startswith("2.00 sessions a second come, 20% of them heavy")
    assert [table.columns[1].name for table in study.tables] == [
        "attft_p95",
        "attft",
        "short_p95",
        "heavy_p95",
        "hidden",
    ]
    assert study.tables[-1].records()[1]["it_is"] == "better"
    assert not study.warnings
    assert max(map(len, study_text(study).splitlines())) <= 80


def test_a_run_that_is_too_short_to_be_steady_is_warned_of_and_no_heavy_ones_have_no_table() -> None:
    rows = [scheduled(name, 90.0, 0.0, heavy=False) for name in ("paged", "mlfq")]
    study = sessions_study(PLAN, PROVEN, rows, agents=Agents(share=0.0), rate=4.0)
    assert "more --sessions" in study.warnings[0]
    assert not any("heavy sessions" in table.title for table in study.tables)
