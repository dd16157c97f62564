"""Growth of a joint plan as a study: the orders of all workloads together by their days, and when their stock ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fleettui.domain.fleet import counted as number
from fleettui.domain.joint import Kind, SharedLimits
from fleettui.domain.joint_orders import JointOrder, horizon, in_the_end, in_use, joint_orders
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.domain.whatif import Growth, Stage, at_a_time
from fleettui.reports import joint_sure, units
from fleettui.reports.fleet_text import counted
from fleettui.reports.shared_amounts import Broken, amount, beyond, broken, resource
from fleettui.reports.studies import subject as words
from fleettui.reports.studies.steps import COVERS, bundled, days_table, due_between, growth_in_words, not_before
from fleettui.reports.studies.subject import About
from fleettui.reports.whole_nodes import in_nodes, is_in_nodes

Grown = Mapping[str, tuple[About, Sequence[Stage]]]
"""By workload its plan, and its fleets on the way, each the next larger one."""


def joint_growth_study(joint: Study, found: Grown, kinds: Sequence[Kind], growth: Growth, asked: str) -> Study:
    """Return the study; every workload's rate grows alike, each in the shape that it has.

    `kinds` are the GPU types of all. The fleets reach as far beyond the growth's months as an order covers.
    """
    used, paid, stock = _in_use(found), _paid(joint, found, kinds), _stock(joint)
    orders = orders_of(joint, found, kinds, growth)
    sentences = [growth_in_words(growth), *_missing(found), *_sure(found)]
    days, known = [_in_all(one) for one in orders], not any(about.fleet.model_error for about, _ in found.values())
    late = [one for one in orders if one.stage.late]
    if orders:
        first, last = orders[0], orders[-1].total
        already = ": already late" * first.stage.late
        over = _broken(joint, first, kinds).values()
        broken_by = f", {beyond(over)}{_left(stock, first)}" if over else ""
        sentences.append(
            f"the first order is {_gpus(first.ordered)} by {first.stage.order_by}, for {first.name}{already}"
            f"{broken_by}{due_between(days[0], growth, known=known)}"
        )
        if first.stage.simulated:
            sentences.append(
                f"{first.name} holds to at least {words.up_to(first.stage.rate)} as simulated: it needs more not "
                f"before {first.stage.reached}"
            )
        lots = _lots(joint, found, kinds, growth)
        sentences.append(
            f"in the end {_gpus(last)}, {units.dollars_per_month(_cost(last, kinds))}, "
            f"after {number(len(orders), 'order')}{COVERS[growth.orders]}{bundled(lots)}"
        )
        if growth.orders != "each" and not is_in_nodes(joint):
            sentences.extend(_unneeded(found, last, lots, growth))
    else:
        sentences.append(f"no order is needed in that time: {_gpus(paid)} last through it")
    sentences.extend(_idle(paid, used))
    if stock and orders:
        sentences.append(
            f"there are the {_gpus(paid)} that the plan takes, and all others are ordered: the stock says how many may "
            "be had"
        )
    if len(late) > 1:
        at_once = sum((Counter(one.ordered) for one in late), Counter[str]())
        sentences.append(f"already late for {len(late)} orders, {_gpus(at_once)} in all")
    sentences.extend(_used_up(joint, orders, kinds))
    return Study(
        kind="growth",
        title=f"{joint.title}: when to order how many GPUs",
        question=asked,
        seed=joint.seed,
        sentences=(
            *sentences,
            "the shapes of the fleets are kept, and others may last longer; idle GPUs serve the workload that needs "
            "them first, and none gives up GPUs",
        ),
        tables=(
            *_orders(orders, kinds, stock, growth),
            *days_table(days, growth, known=known),
            _ends(found, growth),
        ),
    )


def orders_of(joint: Study, found: Grown, kinds: Sequence[Kind], growth: Growth) -> list[JointOrder]:
    """Return what is ordered for all workloads of a joint plan, in time."""
    fleets = {name: stages for name, (_, stages) in found.items()}
    return list(joint_orders(fleets, _paid(joint, found, kinds), _lots(joint, found, kinds, growth), growth))


def _used_up(joint: Study, orders: Sequence[JointOrder], kinds: Sequence[Kind]) -> Iterator[str]:
    """Yield which order after the first goes beyond a shared limit that those before it keep."""
    before = {*_broken(joint, orders[0], kinds)} if orders else set[str]()
    for one in orders[1:]:
        for name, (_, most, now) in _broken(joint, one, kinds).items():
            if name not in before:
                yield (
                    f"the {resource(name)} ({amount(name, most)}) is used up with the order for {one.name} that is "
                    f"needed from {one.stage.reached} on: {amount(name, now)} then{_left(_stock(joint), one)}"
                )
                before.add(name)


def _broken(joint: Study, order: JointOrder, kinds: Sequence[Kind]) -> dict[str, Broken]:
    """Return by name the shared limits that all GPUs break once an order is there."""
    limits = SharedLimits(
        max_gpus=tuple(_stock(joint).items()),
        max_total_gpus=None if (most := _limit(joint, "gpus")) is None else int(most),
        budget=_limit(joint, "cost"),
    )
    return {one[0]: one for one in broken(limits.limits(), order.total, _cost(order.total, kinds))}


def _left(stock: Mapping[str, int], order: JointOrder) -> str:
    """Return what an order that is beyond a limit leaves of the stock, which fleets of other shapes may take."""
    left = Counter(dict(stock)) - Counter(dict(order.total))
    return f", with {_gpus(left)} of the stock left" if left else ""


def _limit(joint: Study, name: str) -> float | None:
    """Return a shared limit as a joint plan's table says it, None where it has none."""
    rows = (row for table in joint.tables for row in table.records() if "shared limit" in row)
    found = (row["limit"] for row in rows if str(row["shared limit"]).split(", ")[0] == resource(name))
    return next((float(most) for most in found if most is not None), None)


def _lots(joint: Study, found: Grown, kinds: Sequence[Kind], growth: Growth) -> dict[str, int]:
    """Return how many GPUs of each type in use are ordered at a time."""
    sizes, whole = {kind.name: kind.per_node for kind in kinds}, is_in_nodes(joint)
    paid = _paid(joint, found, kinds)
    return {gpu: at_a_time(own, sizes[gpu], growth.orders, whole_nodes=whole) for gpu, own in paid.items()}


def _in_use(found: Grown) -> Counter[str]:
    return in_use({name: stages for name, (_, stages) in found.items()})


def _paid(joint: Study, found: Grown, kinds: Sequence[Kind]) -> dict[str, int]:
    """Return the GPUs by type that are there when growth begins, idle ones of whole nodes too."""
    used = _in_use(found)
    return in_nodes(used, kinds) if is_in_nodes(joint) else dict(used)


def _missing(found: Grown) -> Iterator[str]:
    """Yield the workloads for which the formula asks for more than their plans have."""
    for name, (about, (now, *_)) in found.items():
        if now.step.gpus > about.gpus:
            yield (
                f"{name} at {words.rate(now.rate)}: {now.step.gpus} GPUs are needed by formula, "
                f"{now.step.gpus - about.gpus} more than its plan's and due already; they count as there"
            )


def _sure(found: Grown) -> Iterator[str]:
    """Yield how sure it is that today's fleets suffice, of the workload of which that is least."""
    known = [(name, about.fleet, about.plan.confidence) for name, (about, _) in found.items()]
    if rows := [(name, best, sure) for name, best, sure in known if sure is not None]:
        yield f"at today's rates {joint_sure.least_sure(rows)}"


def _in_all(order: JointOrder) -> Stage:
    """Return the fleet that an order is for, with the GPUs of the order and the ends of its day."""
    ordered = sum(order.ordered.values())
    return replace(order.stage, ordered=ordered, earliest=order.earliest, latest=order.latest)


def _unneeded(found: Grown, last: Mapping[str, int], lots: Mapping[str, int], growth: Growth) -> Iterator[str]:
    """Yield what serves in the end of all that is there then, where orders by the node come to more."""
    needed = in_the_end({name: stages for name, (_, stages) in found.items()}, growth)
    by_node = sorted(gpu for gpu, count in last.items() if lots[gpu] > 1 and count > needed[gpu])
    if by_node:
        which = " and ".join(gpu.upper() for gpu in by_node) if len(by_node) < len(last) else "each type"
        yield f"of these {_gpus(needed)} serve, as {which} comes in whole nodes; --orders each orders single GPUs"


def _idle(paid: Mapping[str, int], used: Mapping[str, int]) -> Iterator[str]:
    """Yield what is idle of the GPUs that are paid for, nothing where all serve."""
    if idle := Counter(dict(paid)) - Counter(dict(used)):
        yield f"of {_gpus(paid)}, paid for in whole nodes, {_gpus(idle)} are idle now and serve before any order"


def _gpus(counts: Mapping[str, int]) -> str:
    return counted(sorted(counts.items()))


def _types(counts: Mapping[str, int]) -> str:
    """Return the type of ordered GPUs, of several types how many of each."""
    return _gpus(counts) if len(counts) > 1 else "".join(counts).upper()


def _cost(counts: Mapping[str, int], kinds: Sequence[Kind]) -> float:
    """Return what GPUs by type cost in US dollars an hour."""
    return sum(kind.price * counts.get(kind.name, 0) for kind in kinds)


def _stock(joint: Study) -> dict[str, int]:
    """Return the most GPUs of each type that a joint plan may have, as its table of shared limits says."""
    rows = [row for table in joint.tables for row in table.records() if "shared limit" in row]
    prefix, suffix = "stock of ", ", GPUs"
    return {
        label.removeprefix(prefix).removesuffix(suffix).lower(): int(row["limit"] or 0)
        for row in rows
        if (label := str(row["shared limit"])).startswith(prefix)
    }


def _orders(
    orders: Sequence[JointOrder], kinds: Sequence[Kind], stock: Mapping[str, int], growth: Growth
) -> Iterator[StudyTable]:
    """Yield a row per order, nothing where none is needed."""

    def note(one: JointOrder) -> str:
        over = [f"{gpu.upper()} above {stock[gpu]}" for gpu in one.ordered if one.total[gpu] > stock.get(gpu, 10**9)]
        return "; ".join(["already late"] * one.stage.late + over)

    if not orders:
        return
    yield table_of(
        "orders of all workloads",
        orders,
        ("order_by", "date", lambda one: one.stage.order_by),
        ("needed_from", "date", lambda one: one.stage.reached),
        ("name", "text", lambda one: one.name),
        ("order", "count", lambda one: sum(one.ordered.values())),
        ("of", "text", lambda one: _types(one.ordered)),
        ("then_all", "text", lambda one: _gpus(one.total)),
        ("dollars_month", "number", lambda one: round(units.monthly(_cost(one.total, kinds)), 2)),
        ("proof", "text", lambda one: words.proof(one.stage.simulated)),
        ("note", "text", note),
        note=f"name: which needs them first; then all: the GPUs of all workloads together once they are there, idle "
        f"ones too; a month is a twelfth of 365 days; late is against today, {growth.today}"
        + not_before([one.stage for one in orders]),
    )


def _ends(found: Grown, growth: Growth) -> StudyTable:
    """Return a row per workload: its fleet now and in the end."""
    end = horizon(growth, growth.months)
    rows = [
        (name, about, stages[0], [one for one in stages if one.reached <= end][-1])
        for name, (about, stages) in found.items()
    ]
    return table_of(
        "what each grows to",
        rows,
        ("name", "text", lambda row: row[0]),
        ("gpus_now", "count", lambda row: row[2].step.gpus),
        ("gpus_in_the_end", "count", lambda row: row[3].step.gpus),
        ("fleet", "text", lambda row: words.fleet(row[1], row[3].step.replicas)),
        ("up_to", "rate", lambda row: words.held(row[3].step.up_to)),
        ("proof", "text", lambda row: words.proof(row[3].step.simulated)),
        note="GPUs in use; each takes the next larger fleet of its shape on the day that it needs it",
    )
