"""What a fleet does by the papers' method, its slots held: `simulate` under preset `paper`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.studies.study_type import StudyType

if TYPE_CHECKING:
    from fleettui.domain.fleet import FleetSketch
    from fleettui.domain.scenario import Question
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


async def work(
    desk: StudyContext, sketch: FleetSketch, question: Question, *, trace_format: str | None = None
) -> Study:
    """Return what the fleet `sketch` does under a question of preset `paper`; raises InputError for what cannot be."""
    from fleettui.domain.paper_fleet import PaperFleet
    from fleettui.reports import units
    from fleettui.reports.studies.paper import given_study

    found, arithmetic = await desk.run(
        "paper_fleets-given", tuple[PaperFleet, str], sketch=sketch, question=question, format=trace_format
    )
    limit = question.slo.ttft
    assert limit is not None, "the papers size by TTFT, or it was refused"
    pools = " + ".join(f"{pool.replicas} {pool.gpu}" for pool in sketch.pools)
    asked = f"simulate {pools} {question.workload or 'percentiles'} --preset paper --slo-ttft {units.limit(limit)}"
    return given_study(found, asked, limit, question.seed, arithmetic)


STUDY = StudyType(kind="slots", work=work)
