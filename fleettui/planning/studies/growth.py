"""When to order how many GPUs, where the rate of a kept plan grows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import StudyType
from fleettui.planning.studies.whatif import WHATIF, shape_of, whole_number

if TYPE_CHECKING:
    from fleettui.domain.anchor import Anchor
    from fleettui.domain.study import Study
    from fleettui.domain.whatif import Growth, Orders, Stage
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.reports.studies.subject import About

MONTHS, MOST_MONTHS = 24, 600
LEAD_TIME, MOST_LEAD_DAYS = "12w", 36_500
DECIDING = 2
"""Orders whose dates are simulated: the next ones."""


def read(given: Given) -> dict[str, Any]:
    """Return growth a month, lead time in days, months and the day on which it starts, today unless given."""
    from fleettui.domain.whatif import ORDERS
    from fleettui.reports.question import time_spans

    per_month, span = time_spans.read_growth_range(given["growth"], "--growth")
    orders = given.get("orders", ORDERS[0])
    if orders not in ORDERS:
        raise InputError("this is no way to order", where="--orders", value=orders, accepted=", ".join(ORDERS))
    return {
        "plan": given["plan"],
        "per_month": per_month,
        "span": span,
        "orders": orders,
        "lead_days": time_spans.LEAD_TIME.parse(given.get("lead-time", LEAD_TIME), "--lead-time"),
        "months": whole_number(given, "months", MONTHS),
        "start": time_spans.read_day(given["start"], "--start") if "start" in given else _today(),
    }


def _today() -> date:
    return datetime.now().astimezone().date()


async def work(
    desk: StudyContext,
    plan: str,
    *,
    per_month: float,
    lead_days: float,
    start: date,
    months: int = MONTHS,
    span: tuple[float, float] | None = None,
    orders: Orders = "quarter",
    today: date | None = None,
) -> Study:
    """Return when the rate of `plan`, growing by the share `per_month` from `start` on, needs which fleet.

    GPUs are there `lead_days` after they are ordered; an order is late whose day is before `today`, the clock's unless
    given. `span` are the least and the most growth. Of a joint plan all workloads grow alike, each with the shape that
    it has. Raises InputError for months beyond 600 and the like.
    """
    from fleettui.domain.whatif import Growth
    from fleettui.planning.kept_joint import joint_of
    from fleettui.reports.studies.joint_growth import joint_growth_study
    from fleettui.reports.studies.steps import growth_study

    if not 1 <= months <= MOST_MONTHS:
        raise InputError("this is no horizon", where="--months", value=months, accepted=f"1 to {MOST_MONTHS}")
    if not 0 <= lead_days <= MOST_LEAD_DAYS:
        raise InputError("this is no lead time", where="--lead-time", value=f"{lead_days:g} days", accepted="12w, 90d")
    if not per_month > 0:
        raise InputError("demand that does not grow needs no order", where="--growth", value=per_month)
    growth = Growth(
        per_month=per_month,
        span=span,
        start=start.isoformat(),
        today=(today or _today()).isoformat(),
        lead_days=lead_days,
        months=months,
        orders=orders,
    )
    if (joint := joint_of(desk.store, plan)) is not None:
        each = {name: await _grown(desk, kept.id, growth) for name, kept in joint.members.items()}
        found = {name: (about, stages) for name, (about, stages, _) in each.items()}
        return joint_growth_study(joint.study, found, growth, f"whatif {joint.handle} {_options(growth)}")
    about, stages, lasts = await _grown(desk, plan, growth)
    return growth_study(replace(about, asked=f"{about.asked} {_options(growth)}"), stages, lasts, growth)


async def _grown(desk: StudyContext, plan: str, growth: Growth) -> tuple[About, tuple[Stage, ...], float]:
    """Return a plan that grows, its fleets on the way, and the rate in requests/s that the first of them lasts."""
    from fleettui.domain.whatif import Stage
    from fleettui.planning.edges import Edges

    about, source, anchors = shape_of(desk, plan)
    edges, fleet = Edges(desk=desk, about=about, source=source), about.fleet.fleet

    async def grown(anchors: tuple[Anchor, ...]) -> tuple[tuple[Stage, ...], float]:
        return await desk.run(
            "whatif-grow",
            tuple[tuple[Stage, ...], float],
            source=source,
            fleet=fleet,
            anchors=anchors,
            growth=growth,
        )

    stages, lasts = await grown(anchors)
    for place in range(DECIDING):
        if place + 1 < len(stages):
            anchors = await edges.seen(anchors, stages[place].step.replicas)
            stages, lasts = await grown(anchors)
    return about, stages, lasts


def _options(growth: Growth) -> str:
    """Return the options that ask for the same."""
    from fleettui.domain.whatif import ORDERS

    ends = growth.span or (growth.per_month,)
    grows = ":".join(f"{100 * share:.6g}%" for share in ends)
    others = "" if growth.orders == ORDERS[0] else f" --orders {growth.orders}"
    lead = f"--lead-time {growth.lead_days:g}d --months {growth.months} --start {growth.start}"
    return f"--growth {grows}/month {lead}{others}"


STUDY = StudyType(
    kind="growth",
    command=WHATIF,
    work=work,
    read=read,
    line="growth 8%/month lead 12w   (also: months 24 start 2026-12-01 orders each)",
    arguments=(
        Argument(name="growth", example="8%/month", help="when to order how many GPUs; a range: 5%:10%/month"),
        Argument(name="lead-time", example="12w", also="lead", help="growth: from order to GPUs (default 12w)"),
        Argument(name="months", example="24", help="growth: how far to look (default 24)"),
        Argument(name="start", example="2026-12-01", help="growth: the rate's day (default today)"),
        Argument(name="orders", example="quarter", help="growth: one a quarter (default), a month, or each"),
    ),
)
