"""How much traffic a fleet carries: the greatest rate at which every limit holds, at nominal speed and surer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import Command, StudyType

if TYPE_CHECKING:
    from fleettui.domain.joint import JointAsked
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.reports.question.conversion import Texts

SURE = "90%"
"""The share of the cases in which a fleet is to hold, unless another is said: over its step times and typed ranges."""
NO_ANSWER = ("infeasible", "fail")
"""Verdicts of plans of which it is told what any fleet within their limits carries."""
MOST_SAID = 2
"""Sentences of a workload's capacity that those of a joint plan have room for."""


def read(given: Given) -> dict[str, Any]:
    """Return the fleet, what is given of the question, and the share of the cases that is wished."""
    from fleettui.reports.question import conversion
    from fleettui.reports.question.keys import BY_NAME

    question: Texts = given.get("question", {})
    conversion.check_together(question)
    return {
        "fleet": given["fleet"],
        "question": question,
        "trace_format": given.get("format"),
        "confidence": float(BY_NAME["confidence"].read(given.get("confidence", SURE), "--confidence")),
    }


async def work(
    desk: StudyContext,
    fleet: str,
    *,
    confidence: float,
    question: Texts | None = None,
    trace_format: str | None = None,
) -> Study:
    """Return the greatest rate that a kept plan's fleet, or a given one, holds; simulated where that is soon.

    With `confidence`, a share of the cases over its step times and typed ranges, it is by formula as the simulations
    correct it. How busy its pools may be is as for how sure the plan is. Of a joint plan it is that of each workload's
    fleet, and of a plan that found no fleet within its limits that of the best fleet within them; of a joint plan that
    found none it is the greatest share of all its rates. Raises InputError as
    `simulate` does, and where no rate can be told: without a limit, and for a closed loop.
    """
    from fleettui.planning.backtest import subject
    from fleettui.planning.fleet_files import is_given
    from fleettui.planning.kept_joint import joint_of
    from fleettui.reports.studies.members import of_members

    joint = None if question or is_given(fleet) else joint_of(desk.store, fleet)
    if joint is None:
        return await _of_plan(desk, await subject(desk, fleet, question or {}, trace_format=trace_format), confidence)
    if joint.study.verdict in NO_ANSWER and joint.study.joint is not None and joint.study.joint.may_grow:
        return await _of_shared_stock(desk, joint.study, joint.study.joint)
    joint.check_fleets("whose traffic could be told")
    found = {name: await _of_plan(desk.apart(), kept.id, confidence) for name, kept in joint.members.items()}
    asked = f"capacity {joint.handle} --confidence {confidence:.0%}"
    title = "how much traffic each fleet carries"
    return of_members(joint.study, found, kind="capacity", asked=asked, title=title, most=MOST_SAID)


async def _of_plan(desk: StudyContext, plan: str, confidence: float) -> Study:
    from fleettui.domain.remedy import has_constraints
    from fleettui.planning.fleet_limits import FleetLimits, can_be_told
    from fleettui.planning.surest_rate import how_sure, surest_rate
    from fleettui.reports.studies.capacity import Surer, capacity_study

    kept = desk.kept(plan)
    best = kept.answer.answer
    _check(kept)
    if kept.answer.verdict in NO_ANSWER and has_constraints(kept.question):
        return await _of_stock(desk, kept)
    if best is None or not can_be_told(kept.question):
        raise InputError(
            "no greatest rate can be told",
            where=f"plan {kept.handle}",
            accepted="a fleet with a limit on a latency, whose requests come at a rate of their own, not by clients",
        )
    source = kept.source(f"capacity {kept.id}", kept.profiles)
    limits = FleetLimits.of(
        desk.workers,
        source,
        kept.answer,
        best,
        desk.tell,
        looks=desk.own(kept.id),
        before=desk.known(kept.id),
        keep=desk.took,
    )
    greatest = await limits.greatest()
    now = kept.answer.confidence  # as the plan tells it, or else by what was simulated here
    now = await how_sure(limits) if now is None and best.model_error else now
    sure = await surest_rate(limits, confidence) if best.model_error else None
    looks = [look for look in limits.looks if look.sizes == limits.sizes]
    return capacity_study(kept.answer, best, greatest, Surer(rate=sure, confidence=confidence, now=now), looks)


async def _of_stock(desk: StudyContext, kept: KeptPlan) -> Study:
    """Return the greatest rate that some fleet within the limits of a plan carries which found none."""
    from fleettui.planning.stock_rate import StockRates
    from fleettui.reports.studies.stock_rate import stock_study

    desk.go_on({"stock": kept.id})
    return stock_study(kept.answer, kept.question, await StockRates(desk=desk, kept=kept).greatest())


async def _of_shared_stock(desk: StudyContext, joint: Study, asked: JointAsked) -> Study:
    """Return the greatest share of all rates that fleets within the limits of a joint plan carry which found none."""
    from fleettui.planning.stock_share import StockShares
    from fleettui.reports.studies.stock_share import shared_stock_study

    desk.go_on({"stock": joint.id})
    return shared_stock_study(joint, asked, await StockShares(desk=desk, asked=asked).greatest())


def _check(kept: KeptPlan) -> None:
    kept.check_no_paper("has no replicas to simulate at other rates")
    kept.check_finished()


STUDY = StudyType(
    kind="capacity",
    work=work,
    read=read,
    command=Command(
        help="how much traffic a fleet carries within its limits",
        about="Find the greatest rate at which a fleet keeps every limit, simulated, and the one that is surer.",
        examples="""\
\b
A fleet is one in words or a file, as for simulate, under a workload and
limits, or that of a kept plan. The rate is that of today's traffic, to
which it is compared. Of a plan that found no fleet within its budget,
power or GPUs it is the greatest rate that any fleet within them carries,
and of such a joint plan the share of all its rates.
\b
Examples:
  fleettui capacity last
  fleettui capacity "h100 tp8 x6" azure-2023-conv --rate 50/s --slo-ttft 500ms
  fleettui capacity 41a7 --confidence 95% --json
""",
        after="pareto",
        arguments=(
            Argument(
                name="fleet",
                form="word",
                example="FLEET",
                default="last",
                help="a fleet in words or its file, or a kept plan",
            ),
            Argument(name="confidence", example=SURE, default=SURE, help="also the rate that one is so sure of"),
        ),
        question=True,
    ),
)
