"""A kept plan's question at every point of a grid, each answered by formula unless a simulation answered it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.planning.studies.argument import Argument
from fleettui.planning.studies.study_type import StudyType
from fleettui.planning.studies.whatif import WHATIF, shape_of

if TYPE_CHECKING:
    from fleettui.domain.seen_fleets import SeenFleet
    from fleettui.domain.study import Study
    from fleettui.domain.whatif import Outcome, Point
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext


async def work(desk: StudyContext, plan: str, sweep: Sequence[str]) -> Study:
    """Return what `plan` would be at every point of the grid that the texts `sweep` say."""
    kept = desk.kept(plan)
    return await swept(desk, kept, sweep, kind="whatif", options=[f"--sweep {text}" for text in sweep])


async def swept(
    desk: StudyContext,
    kept: KeptPlan,
    sweep: Sequence[str],
    *,
    kind: str,
    title: str = "",
    options: Iterable[str] = (),
) -> Study:
    """Return the study of this kind that is a sweep around a kept plan, which was asked for with `options`.

    Without a `title` it says what is swept. Raises InputError for what does not read, before any work; a point that
    cannot be served says so in its row.
    """
    from fleettui.domain.length_factors import AS_RECORDED
    from fleettui.domain.whatif import Outcome, Point
    from fleettui.planning.anchors import anchors_by_replica, as_known, as_simulated
    from fleettui.planning.proven_points import Anchors, ProvenPoints
    from fleettui.reports.question.sweep import read
    from fleettui.reports.studies.sweep import sweep_study

    wanted = read(sweep, kept.question)

    surest = await _surest(desk, kept)
    own = anchors_by_replica(kept, desk.known(kept.id))

    async def answer(point: Point, anchors: Anchors = own) -> Outcome:
        if (known := as_known(kept, point)) is not None:
            return known
        found = await desk.run(
            "whatif-point",
            Outcome,
            question=point.question,
            workload=kept.workload,
            lengths=point.lengths,
            anchors=anchors,
            own=surest if _asks_more_or_less(point, kept) else None,
        )
        return as_simulated(kept, point, found, desk.known(kept.id))

    here = Point(values=(), question=kept.question, lengths=AS_RECORDED)
    base, *by_formula = await desk.each(map(answer, (here, *wanted.points)), "planning each point by formula")
    points = ProvenPoints(desk=desk, kept=kept, sweep=wanted, answer=answer, anchors=own)
    found = await points.proven(by_formula)
    asked = " ".join([f"{kind} {kept.handle}", *options])
    return sweep_study(kept.answer, asked, wanted, base, found, kind=kind, title=title)


async def _surest(desk: StudyContext, kept: KeptPlan) -> SeenFleet | None:
    """Return what was simulated of a plan's fleet where it is to be as sure as wished, as its steps know it.

    None where nothing was, or nothing is wished.
    """
    from fleettui.domain.seen_fleets import SeenFleet

    if None in (kept.question.confidence, kept.answer.answer) or kept.question.preset == "paper":
        return None
    edges = shape_of(desk, kept.id)
    await edges.looked(edges.about.sizes)
    return SeenFleet(fleet=edges.about.fleet.fleet, anchors=edges.seen)


def _asks_more_or_less(point: Point, kept: KeptPlan) -> bool:
    """Return whether a point differs from the plan in its demand and in how sure it is to be, and in nothing else."""
    from fleettui.domain.length_factors import AS_RECORDED

    own = kept.question
    same = replace(point.question, demand=own.demand, ranges=own.ranges, confidence=own.confidence) == own
    return same and point.lengths == AS_RECORDED


STUDY = StudyType(
    kind="whatif",
    command=WHATIF,
    work=work,
    arguments=(
        Argument(
            name="sweep",
            form="several",
            example="rate=50/s:400/s:8",
            help="key=low:high:points or key=a,b; several: a grid",
        ),
    ),
)
