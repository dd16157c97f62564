"""The step table and growth as studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from fleettui.domain.fleet import counted
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.domain.uncertain import WITHIN
from fleettui.domain.whatif import Growth, Orders, Stage, Step
from fleettui.reports import confidence_text, fleet_text, stock_text, units
from fleettui.reports.studies import subject as words
from fleettui.reports.studies.subject import About
from fleettui.reports.verdict_words import ABOUT

COVERS: dict[Orders, str] = {
    "quarter": ", each for a quarter's growth or more",
    "month": ", each for a month's growth or more",
    "each": "",
}
"""How orders are bundled."""
NOT_BEFORE = "simulated: a fleet holds to at least its rate, so that the next is needed not before that day"
CLOSE = 1e-5
"""Share by which two rates are the same: each is known to a millionth, and one is worked out of several such."""


def steps_study(about: About, found: Sequence[Step], lasts: float) -> Study:
    """Return the study of a step table; `lasts` is the rate in requests/s up to which the plan's own fleet holds."""
    first, last = found[0], found[-1]
    # What runs out there has as many replicas as the plan's, also where fewer do in the other pools.
    own = next((step for step in found if abs(step.up_to - lasts) <= CLOSE * lasts), None)
    sentences = [_lasting(about, lasts, simulated=own is not None and own.simulated)]
    after = next_after(found, lasts)
    if (
        after is not None and after is not first
    ):  # a table that begins beyond the plan's fleet may leave out what comes next
        sentences.append(
            f"beyond {words.up_to(lasts)} the next fleet is {words.fleet(about, after.replicas)}: {after.gpus} GPUs, "
            f"{units.dollars_per_hour(after.cost)}, up to {words.at_least(after.up_to, simulated=after.simulated)}"
        )
    sentences.append(
        f"{len(found)} fleets of this shape, {first.gpus} to {last.gpus} GPUs, up to "
        f"{words.at_least(last.up_to, simulated=last.simulated)}"
    )
    broken = next((step for step in found if step.shortfalls), None)
    if broken is not None:
        sentences.append(f"from {broken.gpus} GPUs on a constraint breaks: {broken.shortfalls[0]}")
    return Study.of(
        about.plan.plan,
        kind="steps",
        title=f"{about.plan.plan.called}: where each fleet of its shape runs out",
        question=about.asked,
        sentences=sentences,
        tables=(_steps(about, found),),
        warnings=_warnings(about, lasts),
    )


def next_after(found: Sequence[Step], lasts: float) -> Step | None:
    """Return the first fleet that holds more than the rate in requests/s that the plan's own does, None without one."""
    return next((step for step in found if step.up_to > lasts * (1.0 + CLOSE)), None)


def _lasting(about: About, lasts: float, *, simulated: bool) -> str:
    now, wished = about.plan.demand.rate, about.question.confidence
    fleet = f"the plan's {counted(about.gpus)}"
    known_by, least = ("as simulated", "at least ") if simulated else (about.known_by, "")
    held = f"hold{'s' * (about.gpus == 1)} up to {least}{words.up_to(lasts)}"
    said = f"{fleet} {held} {known_by}" if wished is None else f"{_sure(wished)} that {fleet} {held}, {known_by}"
    more = lasts / now - 1.0
    return f"{said}, {words.signed_percent(more if abs(more) > CLOSE else 0.0)} on its {words.rate(now)}"


def _sure(wished: float) -> str:
    return f"{units.percent(wished)} sure"


def _warnings(about: About, lasts: float) -> tuple[str, ...]:
    """Return where a simulation contradicted the formula that it corrects, or the plan's verdict."""
    seen, short = about.fleet.simulation, lasts < about.plan.demand.rate
    if seen is None or (seen.verdict == "pass" and not short):
        return ()
    if seen.verdict == "pass" and (busy := stock_text.busier(about.fleet, about.question.max_utilization)):
        return (f"{busy}: rates keep to that (--max-utilization)",)
    if seen.verdict == "pass":
        return ("simulated, fewer GPUs hold than the formula asks for: rates here are safe",)
    verdict = "fails" if seen.verdict in fleet_text.FAILED else "is not proven"
    if short:
        return (f"the plan {verdict} as simulated: it has fewer GPUs than its rate takes",)
    return (f"the plan {verdict} as simulated: the rates here may be too high",)


def _steps(about: About, found: Sequence[Step]) -> StudyTable:
    return table_of(
        words.pools(about),
        found,
        ("up_to", "rate", lambda step: words.held(step.up_to)),
        ("gpus", "count", lambda step: step.gpus),
        ("replicas", "text", lambda step: words.sizes(step.replicas)),
        ("cost_per_hour", "dollars per hour", lambda step: step.cost),
        ("worst_ttft", "seconds", lambda step: step.ttft),
        ("proof", "text", lambda step: words.proof(step.simulated)),
        ("runs_out", "text", lambda step: f"{' and '.join(step.runs_out)}: {step.limited_by}"),
        note="a fleet holds at the rate of its row; beyond it the next row's is the smallest that does"
        + _about(found)
        + _surely(about)
        + _with_spares(about),
    )


def _about(found: Sequence[Step]) -> str:
    """Return what a rate by formula is beside those that were simulated; nothing where none was."""
    mixed = len({step.simulated for step in found}) > 1
    return f"; {ABOUT} is by formula, as what was simulated corrects it: some percent off" * mixed


def _with_spares(about: About) -> str:
    """Return that GPUs are more than replicas take, where some stand by for failures."""
    spares = any(pool.spares for pool in about.fleet.fleet.pools)
    return "; GPUs are with the spare replicas, which carry nothing here" if spares else ""


def _surely(about: About) -> str:
    """Return what the rates of a plan rest on that is sized for longer steps; nothing for any other."""
    wished = about.question.confidence
    if wished is None:
        return ""
    return f"; {_sure(wished)} that it holds there, over what step times may be; times are at those predicted"


def growth_study(about: About, found: Sequence[Stage], lasts: float, growth: Growth) -> Study:
    """Return the study of a plan's growth.

    The first stage is what the formula asks for now, which may be more than the plan has.
    """
    now, orders = found[0], found[1:]
    late = [stage for stage in orders if stage.late]
    sentences = [f"{growth_in_words(growth)}, from {words.rate(now.rate)} on {now.reached}"]
    paid = sum(fleet_text.paid_for(about.fleet.fleet, about.question).values())
    missing = now.step.gpus - paid
    if missing > 0:
        sentences.append(
            f"at {words.rate(now.rate)} {now.step.gpus} GPUs are needed{'' if now.simulated else ' by formula'}, "
            f"{missing} more than the plan's {paid} and due already; the orders come on top of these"
        )
    sure = about.plan.confidence
    if sure is not None and not missing:
        sentences.append(f"at {words.rate(now.rate)} {confidence_text.told(sure, about.fleet)}")
    if paid > about.gpus and not missing:
        all_of_them = words.fleet(about, now.step.replicas)
        sentences.append(f"{paid} GPUs are paid for, in whole nodes, and all that they hold serves: {all_of_them}")
    if orders:
        sentences.append(_next_order(now, orders[0], growth, about))
        last, counted = orders[-1].step, f"{len(orders)} order{'s' * (len(orders) > 1)}"
        sentences.append(
            f"in the end {last.gpus} GPUs, {units.dollars_per_month(last.cost)}, after {counted}"
            f"{COVERS[growth.orders]}{_in_lots(last, growth, about)}"
        )
    else:
        least = "at least " * now.step.simulated
        sentences.append(f"{now.step.gpus} GPUs last through it: they hold up to {least}{words.up_to(now.step.up_to)}")
    if len(late) > 1:
        sentences.append(
            f"already late for the first {len(late)} orders: order {late[-1].step.gpus - now.step.gpus} GPUs at once"
        )
    sentences.append("the shape of the fleet is kept; at larger rates a plan of its own may cost less")
    return Study.of(
        about.plan.plan,
        kind="growth",
        title=f"{about.plan.plan.called}: when to order how many GPUs",
        question=about.asked,
        sentences=sentences,
        tables=(_growth(about, found, growth), *days_table(orders, growth, known=not about.fleet.model_error)),
        warnings=_warnings(about, lasts),
    )


def _in_lots(step: Step, growth: Growth, about: About) -> str:
    """Return which GPUs are ordered in whole nodes, or why none is where spares are for nodes that are not filled."""
    known, in_nodes = about.plan.redundancy, bundled(dict(step.lots))
    spread = known is not None and any(pool.is_spread for pool in known.pools)
    one_by_one = growth.orders != "each" and spread and not in_nodes
    return ", not in whole nodes: filled ones would take more spares" if one_by_one else in_nodes


def bundled(lots: Mapping[str, int]) -> str:
    """Return which GPUs are ordered in whole nodes, by how many of each type are ordered at a time; empty for none.

    >>> bundled({"h100": 8, "l40s": 8}), bundled({"h100": 8, "l40s": 1}), bundled({"l40s": 1})
    (', in whole nodes', ', H100 in whole nodes', '')
    """
    by_node = sorted(gpu.upper() for gpu, lot in lots.items() if lot > 1)
    which = f"{' and '.join(by_node)} " if len(by_node) < len(lots) else ""
    return f", {which}in whole nodes" if by_node else ""


def growth_in_words(growth: Growth) -> str:
    """Return growth, horizon and lead time in words."""
    ends = " to ".join(f"{100 * share:.3g}%" for share in growth.span or (growth.per_month,))
    return f"growth of {ends} a month for {growth.months} months, GPUs {growth.lead_days:g} days after the order"


def _next_order(now: Stage, following: Stage, growth: Growth, about: About) -> str:
    """Return how long the fleet lasts, what to order by when and why that is late, and between which days it may be."""
    wished = about.question.confidence
    least = "at least " * following.simulated
    lasts = f"{now.step.gpus} GPUs last {least}until {following.reached} ({words.up_to(following.rate)})"
    lasts += "" if wished is None else f", {_sure(wished)}"
    order = f"order {following.ordered} more by {following.order_by}"
    if following.late:
        full = ", and the fleet holds today's rate and hardly more" if following.reached <= growth.today else ""
        order = (
            f"order {following.ordered} more now, already late: GPUs take {growth.lead_days:g} days, so the order was "
            f"due by {following.order_by}{full}; {_short(now, following, growth)}"
        )
    return f"{lasts}; {order}{due_between(following, growth, known=not about.fleet.model_error)}"


def _short(now: Stage, following: Stage, growth: Growth) -> str:
    """Return for how long the fleet is short where a late order is made today, and of how much at last."""
    there = growth.from_today(growth.lead_days)
    days = (date.fromisoformat(there) - date.fromisoformat(following.reached)).days
    most, least = ("up to ", "at least ") if following.simulated else ("", "")
    return (
        f"ordered today they serve from {there}, {most}{counted(days, 'day')} too late, when {least}"
        f"{words.up_to(following.rate)} hold of {words.rate(growth.rate_on(now.rate, there))}"
    )


def due_between(order: Stage, growth: Growth, *, known: bool) -> str:
    """Return between which days an order is due, nothing where that is not known.

    Whether step times are `known` says if that is over the growth alone.
    """
    if not order.earliest:
        return ""
    sure = "over that growth" if known else _sure(WITHIN)
    first, last = order.earliest, order.latest
    if last and last < growth.today:
        return f"; {sure} it is due already"
    begins = "now" if first < growth.today and not order.late else first
    return f"; {sure} that is due between {begins} and {last or 'never'}"


def days_table(orders: Sequence[Stage], growth: Growth, *, known: bool) -> tuple[StudyTable, ...]:
    """Return between which days each order falls, nothing where that is not known; `known` as for `due_between`."""
    if not any(stage.earliest for stage in orders):
        return ()
    least, most = (f"{100 * share:.3g}%" for share in growth.span or (growth.per_month,) * 2)
    why = f"at a growth of {most} and of {least} a month"
    if not known:
        also = "" if growth.span is None else f"a growth of {least} to {most} a month, each as likely, and "
        why = f"{_sure(WITHIN)}, over {also}what step times may be"
    found = table_of(
        "between which days each order falls",
        orders,
        ("order", "count", lambda stage: stage.ordered),
        ("order_by", "date", lambda stage: stage.order_by),
        ("earliest", "date", lambda stage: stage.earliest),
        ("latest", "date", lambda stage: stage.latest or None),
        note=f"earliest and latest: {why}{_before_today(orders, growth, known=known)}",
    )
    return (found,)


def _before_today(orders: Sequence[Stage], growth: Growth, *, known: bool) -> str:
    """Return what an earliest day before today means, empty where there is none."""
    if all(stage.earliest >= growth.today for stage in orders if stage.earliest):
        return ""
    ways = (
        "with so much growth" * (growth.span is not None),
        "were steps as long as that" * (not known),
    )
    worst = " and ".join(filter(None, ways))
    return f"; a day before today, {growth.today}: {worst}, the order would be due already"


def _growth(about: About, found: Sequence[Stage], growth: Growth) -> StudyTable:
    return table_of(
        f"orders; {words.pools(about)}",
        found,
        ("order_by", "date", lambda stage: stage.order_by or None),
        ("needed_from", "date", lambda stage: stage.reached),
        ("at_rate", "rate", lambda stage: words.held(stage.rate) if stage.ordered else words.figures(stage.rate)),
        ("order", "count", lambda stage: stage.ordered or None),
        ("gpus", "count", lambda stage: stage.step.gpus),
        ("replicas", "text", lambda stage: words.sizes(stage.step.replicas)),
        ("dollars_month", "number", lambda stage: round(units.monthly(stage.step.cost), 2)),
        ("proof", "text", lambda stage: words.proof(stage.simulated)),
        ("note", "text", _noted),
        note=f"a month is a twelfth of 365 days; late is against today, {growth.today}{not_before(found)}"
        + _with_spares(about),
    )


def _noted(stage: Stage) -> str:
    """Return whether an order is late, which of its GPUs no replica is on, and a constraint that the fleet breaks."""
    idle = ", ".join(f"{count} {gpu.upper()}" for gpu, count in stage.step.idle)
    return "; ".join(
        ["already late"] * stage.late + [f"{idle} idle"] * bool(idle) + list(stage.step.shortfalls[:1]),
    )


def not_before(found: Sequence[Stage]) -> str:
    """Return that what was simulated holds to at least its rate; nothing where no order's day rests on that."""
    return f"; {NOT_BEFORE}" * any(stage.simulated for stage in found if stage.ordered)
