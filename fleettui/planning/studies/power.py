"""A kept plan's fleet on less power: caps on its GPUs' clocks and on its batches, and the deepest that it bears."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.studies.argument import PLAN, Argument
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.plan import Candidate
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext


RUNS = 5
"""Runs of a window."""
LEVELS = 12
"""Levels that are played for a window, some of them by clock and some by batch."""


async def work(desk: StudyContext, plan: str, *, seconds: float | None = None) -> Study:
    """Return what the fleet of `plan` does under caps, and the deepest at which it was simulated to keep its limits.

    With `seconds`, also the deepest that it bears for so long. Raises InputError for a plan of the papers' preset, one
    that is not finished, without a fleet, of a closed loop, or whose GPUs are capped already.
    """
    from fleettui.planning.power_trials import PowerTrials
    from fleettui.planning.power_window import WindowTrials
    from fleettui.reports.studies.power import power_study

    kept = desk.kept(plan)
    best = drawing(kept) if seconds is None else for_a_while(kept, seconds)
    trials = PowerTrials(desk=desk, kept=kept, best=best)
    by_formula, batches = await trials.levels()
    clocks, proven = await trials.proven(by_formula)
    batches = trials.corrected(batches, (by_formula[0], best.simulation))
    deepest = trials.deepest(clocks), trials.deepest(batches)
    window = None
    if seconds is not None:
        windows = WindowTrials(desk=desk, kept=kept, best=best, seconds=seconds, runs=RUNS)
        window = await windows.window(by_formula, batches)
    return power_study(
        kept.answer,
        kept.question,
        best,
        clocks=clocks,
        batches=batches,
        keeps=trials.keeps,
        deepest=deepest,
        proven=proven,
        window=window,
    )


def drawing(kept: KeptPlan) -> Candidate:
    """Return the plan's fleet; raises InputError for one that cannot be asked what it draws otherwise."""
    best = kept.finished_fleet("that draws power", paper="draws by the batch alone, as the papers have it")
    kept.check_open_loop("a slower fleet is asked for less")
    if kept.question.power_cap is not None:
        raise InputError(
            "its GPUs are capped already", where=f"plan {kept.handle}: power-cap", remedy="plan without --power-cap"
        )
    return best


def for_a_while(kept: KeptPlan, seconds: float) -> Candidate:
    """Return the plan's fleet; raises InputError for one that cannot be played for so long either."""
    from fleettui.planning.studies.burst import check_size

    for pool in drawing(kept).fleet.pools:
        if not pool.profile.by_kernels:
            raise InputError(
                "steps by the roofline, or written down, cannot slow down within a run",
                where=f"plan {kept.handle}: pool {pool.name}",
                remedy="plan with --step-law kernels, or leave out --for",
            )
    check_size(kept.answer.demand.rate * seconds * RUNS * LEVELS, "a shorter --for")
    return kept.fleet_to_play(
        "to cap for a while",
        paper="draws by the batch alone, as the papers have it",
        closed="a slower fleet is asked for less",
        bounded=("a window is played without them",),
        apart="in a window each is played by itself",
        times="times, which a run from empty does not have",
    )


STUDY = StudyType(
    kind="power",
    work=work,
    title="its fleet on less power",
    picture=Picture(table=0, column="ttft"),
    command=Command(
        help="a plan's fleet on less power: how deep it holds",
        about="Cap a kept plan's fleet deeper and deeper, by clock and by batch, and simulate the deepest that holds.",
        examples="""\
\b
Examples:
  fleettui power last
  fleettui power 41a7 --for 10min
""",
        arguments=(
            PLAN,
            Argument(
                name="for",
                reads="span",
                fills="seconds",
                example="75s",
                help="also the deepest that it bears for so long",
            ),
        ),
        view="power",
        after="disagg",
    ),
)
