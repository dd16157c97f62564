"""When to order how many GPUs, where the rate of a kept plan grows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.growing import DECIDING, MONTHS, MOST_ROUNDS, Growing
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import StudyType
from fleettui.planning.studies.whatif import WHATIF, shape_of, whole_number

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.domain.whatif import Growth, Orders, Stage
    from fleettui.planning.kept_joint import KeptJoint
    from fleettui.planning.studies.study_context import StudyContext

MOST_MONTHS = 600
LEAD_TIME, MOST_LEAD_DAYS = "12w", 36_500


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
        return await _together(desk, joint, growth)
    one = Growing(edges=shape_of(desk, plan), growth=growth)
    stages, lasts = await one.settled()
    return growth_study(replace(one.about, asked=f"{one.about.asked} {_options(growth)}"), stages, lasts, growth)


async def _together(desk: StudyContext, joint: KeptJoint, growth: Growth) -> Study:
    """Return when the workloads of a joint plan need which fleets, and what is ordered for all of them.

    Each goes through every fleet of its shape, as far beyond the growth's months as an order covers. What decides the
    next orders is simulated: how far the fleets reach with which all workloads come to their days.
    """
    from fleettui.domain.joint import Kind
    from fleettui.domain.joint_orders import horizon
    from fleettui.domain.whatif import ORDER_MONTHS
    from fleettui.reports.studies.joint_growth import joint_growth_study, orders_of

    joint.check_fleets("that could grow")
    steps = replace(growth, orders="each", months=growth.months + math.ceil(ORDER_MONTHS[growth.orders]))
    kinds = {
        one.gpu: Kind(name=one.gpu, price=one.price_per_hour, per_node=one.gpus_per_node)
        for kept in joint.members.values()
        for one in kept.profiles
    }
    growing = {
        name: Growing(edges=shape_of(desk.apart(), kept.id), growth=steps) for name, kept in joint.members.items()
    }
    found = {name: (one.about, (await one.stages())[0]) for name, one in growing.items()}
    for _ in range(MOST_ROUNDS):
        orders = orders_of(joint.study, found, [*kinds.values()], growth)[:DECIDING]
        for until in [one.stage.reached for one in orders] or [horizon(growth, growth.months)]:
            if moved := [name for name, (_, own) in found.items() if await growing[name].looked(_until(own, until))]:
                found |= {name: (growing[name].about, (await growing[name].stages())[0]) for name in moved}
                break
        else:
            break
    asked = f"whatif {joint.handle} {_options(growth)}"
    return joint_growth_study(joint.study, found, [*kinds.values()], growth, asked)


def _until(stages: Sequence[Stage], day: str) -> Stage:
    """Return the fleet that serves until an ISO date: how far it reaches decides who needs GPUs first then."""
    return [stages[0], *(one for one in stages[1:] if one.reached < day)][-1]


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
