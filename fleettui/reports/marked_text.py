"""Marked plans side by side: a sentence on each, and the rows in which they differ from the first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fleettui.domain.plan import Answer, Candidate, Estimate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_words, units
from fleettui.reports.table import WIDTH, Column, Table, render, wrap

LABEL, PLAN = 10, 26
"""Characters of a row's label and, at least, of a plan's column."""
SAME = "="
METRICS = ("ttft", "tpot", "e2e")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A plan that is compared."""

    answer: Answer
    question: Question

    @property
    def handle(self) -> str:
        """What people type to get it."""
        return self.answer.plan.handle

    @property
    def fleet(self) -> Candidate | None:
        """The fleet that it came to."""
        return self.answer.answer


Cell = Callable[[Marked, Marked], str]
"""Writes a plan's cell beside the baseline's (second); the baseline itself is written beside itself."""


def marked_text(plans: Sequence[Marked], width: int = WIDTH) -> str:
    """Return the comparison of two plans or more: sentences, then as many tables as it takes to show all plans."""
    assert len(plans) > 1, "one plan is compared with nothing"
    base, others = plans[0], plans[1:]
    blocks = [[line for other in others for line in wrap(sentence(base, other), width)]]
    together = max(1, (width - LABEL - PLAN) // (PLAN + 2))
    for start in range(0, len(others), together):
        table = marked_table([base, *others[start : start + together]])
        blocks.append([line.rstrip() for line in render(table, width).splitlines()])
    blocks.append([line for words in warnings(plans) for line in wrap(words, width, "! ")])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def sentence(base: Marked, other: Marked) -> str:
    """Return whether `other` is dearer than `base`, slower, and of another verdict, in one sentence."""
    if base.fleet is None or other.fleet is None:
        none = other if other.fleet is None else base
        return f"{none.handle} has no fleet that holds every limit: there is nothing to compare with."
    parts = [_cost_words(base, other, other.fleet.cost_per_hour - base.fleet.cost_per_hour)]
    parts += [_latency_words(base, other, metric) for metric in _limited((base, other))[:1]]
    if base.answer.verdict != other.answer.verdict:
        words = [fleet_words.VERDICT_WORDS[one.answer.verdict] for one in (other, base)]
        parts.append(f"{words[0]} where {base.handle} is {words[1]}")
    return "; ".join(parts) + "."


def marked_table(plans: Sequence[Marked]) -> Table:
    """Return one column per plan, the first being what the others are compared with, and the rows that differ."""
    base = plans[0]
    rows, same = [], []
    for label, cell in _rows(plans):
        cells = [cell(plan, base) for plan in plans]
        if all(one == cells[0] for one in cells):
            same.append(label)
        else:
            rows.append((label, cells[0], *(SAME if one == cells[0] else one for one in cells[1:])))
    columns = (
        Column(title=""),
        Column(title=f"{_title(base)} baseline", wrap=True),
        *(Column(title=_title(plan), wrap=True) for plan in plans[1:]),
    )
    note = f"same in all: {', '.join(same)}" if same else ""
    return Table(columns=columns, rows=tuple(rows), note=note)


def warnings(plans: Sequence[Marked]) -> list[str]:
    """Return what makes the comparison less sure."""
    engines = sorted({plan.answer.plan.engine_version for plan in plans})
    found = [f"made by engines {' and '.join(map(str, engines))}: figures may differ for that alone"][
        : len(engines) - 1
    ]
    if any(plan.fleet is not None and fleet_words.simulation_of(plan.fleet) is None for plan in plans):
        found.append("~ is by formula, not simulated: v in 6 Plans proves it")
    return found


def _title(plan: Marked) -> str:
    return f"{plan.handle} {plan.answer.plan.name}".strip()


def _rows(plans: Sequence[Marked]) -> list[tuple[str, Cell]]:
    return [
        ("workload", lambda plan, _: plan.question.workload or "by percentile"),
        ("model", lambda plan, _: f"{plan.question.model} {plan.question.dtype}"),
        ("rate", _rate),
        ("SLO", lambda plan, _: _slo(plan.question)),
        ("GPUs", _gpus),
        ("fleet", lambda plan, _: fleet_words.fleet(plan.fleet.fleet) if plan.fleet else units.UNDEFINED),
        ("$/h", _cost),
        *((f"{_rank(plans)} {metric.upper()}", _latency(metric)) for metric in _limited(plans)),
        ("power", _power),
        ("verdict", lambda plan, _: fleet_words.VERDICT_WORDS[plan.answer.verdict]),
        ("proof", lambda plan, _: _proof(plan)),
    ]


def _limited(plans: Sequence[Marked]) -> tuple[str, ...]:
    """Return the metrics that some plan limits, TTFT and TPOT where none does."""
    limited = {name for plan in plans for name, _ in plan.question.slo.limits()}
    return tuple(metric for metric in METRICS if metric in limited) or METRICS[:2]


def _rank(plans: Sequence[Marked]) -> str:
    """Return the percentile that the latencies are at; where the plans have several, each says its own in its SLO."""
    ranks = {plan.question.slo.percentile for plan in plans}
    return f"P{units.write_percentile(ranks.pop())}" if len(ranks) == 1 else "SLO's"


def _slo(question: Question) -> str:
    limits = " ".join(f"{name.upper()}<{units.limit(value)}" for name, value in question.slo.limits())
    return f"P{units.write_percentile(question.slo.percentile)} {limits}" if limits else "none"


def _rate(plan: Marked, base: Marked) -> str:
    return _beside(f"{units.per_second(plan.answer.demand.rate)}/s", plan.answer.demand.rate, base.answer.demand.rate)


def _gpus(plan: Marked, base: Marked) -> str:
    if plan.fleet is None:
        return units.UNDEFINED
    more = plan.fleet.gpus - base.fleet.gpus if base.fleet is not None else 0
    return f"{fleet_words.gpu_total(plan.fleet.fleet)}{f'  {more:+,}' if more else ''}"


def _cost(plan: Marked, base: Marked) -> str:
    if plan.fleet is None:
        return units.UNDEFINED
    more = plan.fleet.cost_per_hour - base.fleet.cost_per_hour if base.fleet is not None else 0.0
    words = f"  {'+' if more > 0 else '-'}{units.dollars(abs(more))} {_judged(more)}" if abs(more) >= 0.005 else ""
    return f"{units.dollars(plan.fleet.cost_per_hour)}{words}"


def _power(plan: Marked, base: Marked) -> str:
    if plan.fleet is None:
        return units.UNDEFINED
    before = None if base.fleet is None else base.fleet.power
    return _beside(units.watts(plan.fleet.power), plan.fleet.power, before, judge=True)


def _latency(metric: str) -> Cell:
    def cell(plan: Marked, base: Marked) -> str:
        found, before = _worst(plan, metric), _worst(base, metric)
        if found is None or found.value is None:
            return units.UNDEFINED
        sign = "" if _is_simulated(plan) else "~"
        text = f"{sign}{units.seconds(found.value)} {fleet_words.interval(found)}".rstrip()
        if plan is base or before is None or before.value is None:
            return text
        return "  ".join(part for part in (text, _judged_latency(base, plan, before, found)) if part)

    return cell


def _proof(plan: Marked) -> str:
    seen = None if plan.fleet is None else fleet_words.simulation_of(plan.fleet)
    if seen is None:
        return "formula"
    return f"simulated, {units.count(seen.replications)} runs"


def _worst(plan: Marked, metric: str) -> Estimate | None:
    return None if plan.fleet is None else fleet_words.worst(plan.fleet, metric)


def _is_simulated(plan: Marked) -> bool:
    return plan.fleet is not None and fleet_words.simulation_of(plan.fleet) is not None


def _judged_latency(base: Marked, plan: Marked, before: Estimate, found: Estimate) -> str:
    """Return by how much a latency differs and how sure that is; empty where it does not."""
    assert before.value is not None, "only defined values are compared"
    assert found.value is not None, "only defined values are compared"
    change = _change(found.value, before.value)
    if not change:
        return ""
    if not (_is_simulated(base) and _is_simulated(plan)):
        return f"{change} formula"
    return "not proven" if _overlap(before, found) else f"{change} {_judged(found.value - before.value)}"


def _overlap(one: Estimate, other: Estimate) -> bool:
    """Return whether the intervals have a value in common; one without ends has no say, so it proves nothing."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return True
    return one.low <= other.high and other.low <= one.high


def _beside(text: str, value: float, before: float | None, *, judge: bool = False) -> str:
    change = "" if before is None else _change(value, before)
    return (
        f"{text}  {change}{f' {_judged(value - before)}' if judge and before is not None else ''}" if change else text
    )


def _change(value: float, before: float) -> str:
    """Return the change as a signed share; empty where there is none to speak of.

    >>> _change(48.86, 41.88), _change(1.0, 1.0)
    ('+17%', '')
    """
    share = value / before - 1 if before else math.inf
    return f"{share:+.1%}" if 0.0005 <= abs(share) < 0.01 else f"{share:+.0%}" if 0.0005 <= abs(share) < 1e6 else ""


def _judged(more: float) -> str:
    """Return whether more is worse, as of money, time and power."""
    return "worse" if more > 0 else "better"


def _cost_words(base: Marked, other: Marked, more: float) -> str:
    if abs(more) < 0.005:
        return f"{other.handle} costs what {base.handle} costs"
    share = f" ({more / base.fleet.cost_per_hour:+.1%})" if base.fleet is not None and base.fleet.cost_per_hour else ""
    direction = "more" if more > 0 else "less"
    return f"{other.handle} costs {units.dollars(abs(more))}/h {direction} than {base.handle}{share}"


def _latency_words(base: Marked, other: Marked, metric: str) -> str:
    name = f"P{units.write_percentile(other.question.slo.percentile)} {metric.upper()}"
    before, found = _worst(base, metric), _worst(other, metric)
    if before is None or found is None or not before.value or found.value is None:
        return f"its {name} is undefined beside the other's"
    if not (_is_simulated(base) and _is_simulated(other)):
        return f"its {name} is {_longer(found.value / before.value - 1)} by formula, not simulated"
    if _overlap(before, found):
        return f"that its {name} differs is not proven"
    return f"its {name} is {_longer(found.value / before.value - 1)}"


def _longer(share: float) -> str:
    if abs(share) < 0.0005:
        return "the same"
    return f"{units.percent(abs(share))} {'longer' if share > 0 else 'shorter'}"
