"""The results that plans are compared by: how each is found, written, and judged against the baseline's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fleettui.domain.limit import ALWAYS, TPOT, TTFT, Latency
from fleettui.domain.plan import Candidate, Estimate
from fleettui.domain.unit_cost import per_million_at_mean
from fleettui.reports import fleet_text, units
from fleettui.reports.comparison.model import Cell, Compared, Standing, Word

ESTIMATE = "~"
"""Stands before a latency that only the formula gives."""
NEAR = 0.05
"""Share of a limit below which what is left of it is little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A figure of a fleet: how it is found and written.

    `fine` writes it where unlike ones would be written alike.
    `latency` is what it is where it is one, which only a simulation proves; one that is not `judged` is told without a
    word.
    """

    label: str
    find: Callable[[Candidate, Compared], Estimate | None]
    write: Callable[[float], str]
    latency: Latency | None = None
    judged: bool = True
    fine: Callable[[float], str] | None = None

    def of(self, plan: Compared) -> Estimate | None:
        """Return the figure of a plan's fleet, None where it has none."""
        return None if plan.fleet is None else self.find(plan.fleet, plan)


GPUS = Metric(label="GPUs", find=lambda one, _: Estimate(value=one.gpus), write=units.count, judged=False)
FIGURES = (
    Metric(
        label="cost",
        find=lambda one, _: Estimate(value=one.cost_per_hour),
        write=units.dollars_per_hour,
        fine=lambda value: f"${value:,.2f}/h",
    ),
    Metric(
        label="$/1M output",
        find=lambda one, plan: Estimate(value=per_million_at_mean(one, plan.question, plan.answer.demand)),
        write=units.dollars,
    ),
)
POWER = Metric(label="power", find=lambda one, _: Estimate(value=one.power), write=units.watts)


def _worst(fleet: Candidate, _: Compared, latency: Latency) -> Estimate | None:
    return fleet_text.worst(fleet, latency)


def latencies(plans: Sequence[Compared]) -> tuple[Metric, ...]:
    """Return the latencies that some plan limits, TTFT and TPOT where none does, each in a plan's worst pool."""
    limited = {one.name: one for plan in plans for one in plan.question.slo.limits()}
    shared = [metric.latency for metric in ALWAYS if metric.name in limited]
    found = [*shared, *(one for one in limited.values() if one.is_further)]
    return tuple(
        Metric(label=_label(one, plans), find=partial(_worst, latency=one), write=units.seconds, latency=one)
        for one in found or [TTFT.latency, TPOT.latency]
    )


def _label(latency: Latency, plans: Sequence[Compared]) -> str:
    return f"{rank(plans)} {latency.label}" if latency.percentile is None else latency.label


def rank(plans: Sequence[Compared]) -> str:
    """Return the percentile that latencies are at; where the plans have several, each says its own among the inputs."""
    ranks = {plan.question.slo.percentile for plan in plans}
    return f"P{units.write_percentile(ranks.pop())}" if len(ranks) == 1 else "SLO's"


def limit(metric: Metric, plan: Compared) -> float | None:
    """Return the plan's own limit on a latency in seconds, None where it has none."""
    return None if metric.latency is None else plan.question.slo.limit_on(metric.latency)


def cell(metric: Metric, plan: Compared, base: Compared) -> Cell:
    """Return a plan's figure beside the baseline's; the baseline's own has no difference."""
    found, before = metric.of(plan), metric.of(base)
    if found is None or found.value is None:
        return Cell(text=units.UNDEFINED)
    simulated = plan.answer.simulation is not None if metric.latency else None
    width = fleet_text.interval(found) if simulated else ""
    own = Cell(
        text=f"{ESTIMATE if simulated is False else ''}{metric.write(found.value)} {width}".rstrip(),
        value=found.value,
        low=found.low,
        high=found.high,
        simulated=simulated,
        standing=_standing(metric, plan, found),
    )
    if plan is base or before is None or before.value is None or math.isclose(before.value, found.value):
        return own
    word = judged(metric, base, plan, before, found)
    if word == "other proof":
        return replace(own, word=word)
    more = found.value - before.value
    return replace(
        own,
        difference=more,
        share=more / before.value if before.value else None,
        changed=("+" if more > 0 else "-") + metric.write(abs(more)),
        word=word,
    )


def told_apart(metric: Metric, plans: Sequence[Compared]) -> Metric:
    """Return a metric that writes unlike figures of plans unlike, where it can."""
    values = [found.value for plan in plans if (found := metric.of(plan)) is not None and found.value is not None]
    alike = len({*map(metric.write, values)}) < len({f"{value:.9g}" for value in values})
    return replace(metric, write=metric.fine) if metric.fine is not None and alike else metric


def judged(metric: Metric, base: Compared, plan: Compared, before: Estimate, found: Estimate) -> Word:
    """Return what a difference means: of two simulated latencies it is only proven where the intervals lie apart.

    A simulated latency and a formula's are proofs of another kind, whose difference is that of the proofs, too.
    """
    assert before.value is not None, "only defined figures are judged"
    assert found.value is not None, "only defined figures are judged"
    if not metric.judged:
        return ""
    if metric.latency and (base.answer.simulation is None) != (plan.answer.simulation is None):
        return "other proof"
    if metric.latency and len({one.question.slo.share(metric.latency) for one in (base, plan)}) > 1:
        return "other percentile"
    if metric.latency and base.answer.simulation is None:
        return "by formula"
    if metric.latency and overlap(before, found):
        return "not proven"
    return "worse" if found.value > before.value else "better"


def least_proven(plans: Sequence[Compared]) -> Compared:
    """Return the plan whose latencies are known least: by formula, or else with the widest interval."""

    def width(plan: Compared) -> float:
        found = [metric.of(plan) for metric in latencies(plans)]
        return max((_half_width(one) for one in found if one is not None), default=-1.0)

    return max(plans, key=width)


def _half_width(found: Estimate) -> float:
    """Return half an interval as a share of its value, without end where there is none."""
    if not found.value or found.low is None or found.high is None:
        return math.inf
    return (found.high - found.low) / 2 / found.value


def overlap(one: Estimate, other: Estimate) -> bool:
    """Return whether two 95 % intervals have a value in common; one without ends proves nothing, so it has."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return True
    return one.low <= other.high and other.low <= one.high


def _standing(metric: Metric, plan: Compared, found: Estimate) -> Standing:
    """Return how a latency stands to the plan's own limit; of a simulated one the high end counts."""
    most, high = limit(metric, plan), fleet_text.high_end(found)
    if most is None or high is None:
        return ""
    if high > most:
        return "breaks SLO"
    return "near limit" if high > most * (1 - NEAR) else ""
