"""Growth of a joint plan as a study: all workloads' orders by their days, and when their stock runs out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.domain.whatif import Growth, Stage, Step
from fleettui.reports.fleet_text import counted
from fleettui.reports.studies import subject as words
from fleettui.reports.studies.steps import growth_in_words
from fleettui.reports.studies.subject import About

Grown = Mapping[str, tuple[About, Sequence[Stage]]]
"""By workload its plan, and its fleets on the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order for one workload, and the GPUs of each type that all workloads have once it is there."""

    name: str
    about: About
    stage: Stage
    total: Mapping[str, int]


def joint_growth_study(joint: Study, found: Grown, growth: Growth, asked: str) -> Study:
    """Return the study; every workload's rate grows alike, each in the shape that it has."""
    orders, limits = _orders(found), _stock(joint)
    late = [one for one in orders if one.stage.late]
    sentences = [growth_in_words(growth)]
    if orders:
        first = orders[0]
        sentences.append(
            f"the first order is {first.stage.ordered} GPUs for {first.name} by {first.stage.order_by}"
            f"{': already late' * first.stage.late}"
        )
        sentences.append(f"in the end {counted(sorted(orders[-1].total.items()))}, after {len(orders)} orders")
    else:
        sentences.append("no workload needs more GPUs in that time")
    if len(late) > 1:
        sentences.append(f"already late for {len(late)} orders, {sum(one.stage.ordered for one in late)} GPUs in all")
    for gpu, most in limits.items():
        over = next((one for one in orders if one.total.get(gpu, 0) > most), None)
        if over is not None:
            sentences.append(
                f"the stock of {gpu.upper()} ({most}) is used up with the order for {over.name} that is needed from "
                f"{over.stage.reached} on: {over.total[gpu]} then"
            )
    return Study(
        kind="growth",
        title=f"{joint.title}: when to order how many GPUs",
        question=asked,
        seed=joint.seed,
        sentences=(*sentences, "the shapes of the fleets are kept, and no workload gives GPUs to another"),
        tables=(_table(orders, growth),),
    )


def _orders(found: Grown) -> list[Order]:
    """Return all orders, the one that is needed first before the others, each with what all have by then."""
    steps = {name: stages[0].step for name, (_, stages) in found.items()}
    rows = [(stage, name) for name, (_, stages) in found.items() for stage in stages[1:]]
    orders = []
    for stage, name in sorted(rows, key=lambda row: (row[0].reached, row[1])):
        steps[name] = stage.step
        orders.append(Order(name=name, about=found[name][0], stage=stage, total=_total(found, steps)))
    return orders


def _total(found: Grown, steps: Mapping[str, Step]) -> dict[str, int]:
    """Return the GPUs of each type of all workloads on these steps, those of whole nodes that are idle with them."""
    total: Counter[str] = Counter()
    for name, (about, _) in found.items():
        pairs = zip(about.fleet.fleet.pools, steps[name].replicas, strict=True)
        taken = [(pool.gpu, (count + pool.spares) * pool.gpus_per_replica) for pool, count in pairs]
        for gpu, count in steps[name].there or taken:
            total[gpu] += count
    return total


def _stock(joint: Study) -> dict[str, int]:
    """Return the most GPUs of each type that a joint plan may have, as its table of shared limits says."""
    rows = [row for table in joint.tables for row in table.records() if "shared limit" in row]
    prefix, suffix = "stock of ", ", GPUs"
    return {
        label.removeprefix(prefix).removesuffix(suffix).lower(): int(row["limit"] or 0)
        for row in rows
        if (label := str(row["shared limit"])).startswith(prefix)
    }


def _table(orders: Sequence[Order], growth: Growth) -> StudyTable:
    return table_of(
        "orders of all workloads",
        orders,
        ("order_by", "date", lambda one: one.stage.order_by),
        ("needed_from", "date", lambda one: one.stage.reached),
        ("name", "text", lambda one: one.name),
        ("order", "count", lambda one: one.stage.ordered),
        ("then_all", "text", lambda one: counted(sorted(one.total.items()))),
        ("proof", "text", lambda one: words.proof(one.stage.simulated)),
        ("note", "text", lambda one: "already late" * one.stage.late),
        note=f"then all: the GPUs of all workloads together once it is there; late is against today, {growth.today}",
    )
