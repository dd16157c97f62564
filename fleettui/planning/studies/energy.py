"""Tokens for a joule: a kept plan's fleet against its load, beside the cheapest fleets of other GPUs and pools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.studies.fleets_beside import fleets_beside
from fleettui.planning.studies.power import drawing
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Of the plan's rate."""


async def work(desk: StudyContext, plan: str) -> Study:
    """Return what fleets give for a joule against their load; raises InputError as `power` does."""
    from fleettui.domain.power_levels import EnergyPoint
    from fleettui.reports.studies.energy import energy_study

    kept = desk.kept(plan)
    best = drawing(kept)
    points = await desk.run(
        "power-energy",
        tuple[EnergyPoint, ...],
        source=kept.source(f"energy {kept.id}", kept.profiles),
        fleets=fleets_beside(best, kept.answer.candidates),
        shares=SHARES,
    )
    return energy_study(kept.answer, kept.question, points)


STUDY = StudyType(
    kind="energy",
    work=work,
    title="tokens for a joule",
    picture=Picture(table=0, column="of_gpus"),
    command=Command(
        help="tokens per joule against load, by GPUs and pools",
        about="Show what a kept plan's fleet gives for a joule at parts of its rate, beside other GPUs and pools.",
        view="power",
        after="power",
    ),
)
