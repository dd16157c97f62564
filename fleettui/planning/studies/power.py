"""A kept plan's fleet on less power: caps on its GPUs' clocks and on its batches, and the deepest that it bears."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.plan import Candidate
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext


async def work(desk: StudyContext, plan: str) -> Study:
    """Return what the fleet of `plan` does under caps, and the deepest at which it was simulated to keep its limits.

    Raises InputError for a plan of the papers' preset, one that is not finished, without a fleet, of a closed loop, or
    whose GPUs are capped already.
    """
    from fleettui.planning.power_trials import PowerTrials
    from fleettui.reports.studies.power import power_study

    kept = desk.kept(plan)
    best = drawing(kept)
    trials = PowerTrials(desk=desk, kept=kept, best=best)
    by_formula, batches = await trials.levels()
    clocks, proven = await trials.proven(by_formula)
    batches = trials.corrected(batches, by_formula[0], best.simulation)
    deepest = trials.deepest(clocks), trials.deepest(batches)
    return power_study(
        kept.answer,
        kept.question,
        best,
        clocks=clocks,
        batches=batches,
        keeps=trials.keeps,
        deepest=deepest,
        proven=proven,
    )


def drawing(kept: KeptPlan) -> Candidate:
    """Return the plan's fleet; raises InputError for one that cannot be asked what it draws otherwise."""
    kept.check_no_paper("draws by the batch alone, as the papers have it")
    kept.check_finished()
    best = kept.fleet_for("that draws power")
    kept.check_open_loop("a slower fleet is asked for less")
    if kept.question.power_cap is not None:
        raise InputError(
            "its GPUs are capped already", where=f"plan {kept.handle}: power-cap", remedy="plan without --power-cap"
        )
    return best


STUDY = StudyType(
    kind="power",
    work=work,
    picture=Picture(table=0, column="ttft"),
    command=Command(
        name="power",
        help="a plan's fleet on less power: how deep it holds",
        about="Cap a kept plan's fleet deeper and deeper, by clock and by batch, and simulate the deepest that holds.",
        view="power",
        after="disagg",
    ),
)
