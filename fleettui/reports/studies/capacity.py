"""How much traffic a fleet carries as a study: the greatest rates, and the rates at which it was simulated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.confidence import Confidence
from fleettui.domain.plan import Answer, Candidate, Estimate
from fleettui.domain.stock import Greatest, RateSeen
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.studies import subject as words
from fleettui.reports.studies.differences import HELD, NOT_PROVEN

NOMINAL = "nominal"
NO_RATE = "no rate, as at step times that long some limit breaks even with hardly any load"
DIGITS = 4
"""Those that a rate is printed with."""
NEARLY = 1e-4
"""Share of a rate by which how sure a fleet is at it is known."""


@dataclass(frozen=True, slots=True)
class _Row:
    speeds: str
    rate: float
    proof: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Surer:
    """The greatest `rate` in requests/s, 0 for none, that holds in the share `confidence` of the cases.

    None where the speeds were given, so that no error of them is known. `now` is how sure the plan's own rate is,
    as the plan tells it where it does.
    """

    rate: float | None
    confidence: float
    now: Confidence | None = None


def capacity_study(plan: Answer, best: Candidate, greatest: Greatest, surer: Surer, looks: Sequence[RateSeen]) -> Study:
    """Return the study of the fleet `best` of a plan; `looks` are the rates at which it was simulated."""
    share = units.percent(surer.confidence)
    sure = None if surer.rate is None else _as_told(surer.rate, plan.demand.rate)
    surer = replace(surer, rate=sure)
    simulated = [look for look in looks if look.evidence.method == "simulation"]
    busy = next((look for look in looks if look.evidence.method == "formula"), None)
    rows = [_Row(NOMINAL, greatest.rate or 0.0, words.proof(greatest.simulated))]
    rows += [] if sure is None else [_Row(f"{share} sure", sure, words.proof(False))]
    return Study.of(
        plan.plan,
        kind="capacity",
        title=f"{plan.plan.called}: how much traffic its fleet carries",
        question=f"capacity {plan.plan.handle} --confidence {share}",
        sentences=_sentences(plan, best, greatest, surer, simulated=simulated, busy=busy),
        tables=(_rates(rows, plan, best), *([_seen(simulated)] if simulated else [])),
    )


def _as_told(rate: float, now: float) -> float:
    """Return a rate as it is printed, no greater than it is: a fleet is to be as sure at what is read as at what it is.

    One that reaches the plan's, `now`, is not told to be below it.

    >>> _as_told(50.1689, 40.0), _as_told(50.1689, 60.0), _as_told(150.04, 150.03), _as_told(0.0, 1.0)
    (50.16, 50.16, 150.03, 0.0)
    """
    if not rate:
        return rate
    unit = 10.0 ** (math.floor(math.log10(rate)) + 1 - DIGITS)
    down = float(f"{math.floor(rate * (1.0 - NEARLY) / unit) * unit:.{DIGITS}g}")
    return max(down, now) if now <= rate else down


def _sentences(
    plan: Answer,
    best: Candidate,
    greatest: Greatest,
    surer: Surer,
    *,
    simulated: Sequence[RateSeen],
    busy: RateSeen | None,
) -> Iterator[str]:
    """Yield the greatest rate of those `simulated`, the one that is `surer`, and what there is between and beyond.

    `busy` is a rate at which a pool would be busier than it may be. Of a joint plan's workloads the first two are told.
    """
    fleet, now = f"{fleet_text.gpu_total(best.fleet)}{_spare(best)}", plan.demand.rate
    if not greatest.rate:
        yield f"{fleet} hold no rate within every limit"
        return
    least, known = ("at least ", "as simulated") if greatest.simulated else ("", words.CORRECTED)
    yield (
        f"{fleet} hold up to {least}{words.up_to(greatest.rate)} {known}{_next(greatest, simulated)}, "
        f"{words.signed_percent(greatest.rate / now - 1.0)} on the {words.rate(now)} of plan {plan.plan.handle}"
    )
    yield from _surer(surer)
    if greatest.fails_from is not None:
        yield (
            f"from {words.up_to(greatest.rate)} to {words.rate(greatest.fails_from)}, where they fail, it is not "
            "proven: latency hardly moves with the rate, so that one rate holds and the next does not"
        )
    if busy is not None:
        yield f"at {words.rate(busy.rate)} {busy.evidence.reason}"
    if surer.now is not None:
        yield f"at the {words.rate(now)} of the plan {confidence_text.told(surer.now, best)}"


def _next(greatest: Greatest, simulated: Sequence[RateSeen]) -> str:
    """Return the next rate above the greatest that was simulated and what it showed, nothing where a sentence does."""
    if not greatest.simulated or greatest.rate is None or greatest.fails_from is not None:
        return ""
    above = (one for one in simulated if one.rate > greatest.rate and one.evidence.verdict != "pass")
    first = min(above, key=lambda one: one.rate, default=None)
    if first is None:
        return ""
    return f" ({words.up_to(first.rate)} {HELD.get(first.evidence.verdict, f'is {NOT_PROVEN}')})"


def _spare(best: Candidate) -> str:
    """Return how many GPUs of a fleet stand by for failures, without which it is told; empty where none do."""
    idle = sum(pool.spares * pool.gpus_per_replica for pool in best.fleet.pools)
    return f", {units.count(idle)} of them down," if idle else ""


def _surer(surer: Surer) -> Iterator[str]:
    """Yield the rate that is surer; nothing where the speeds were given."""
    if surer.rate is not None:
        told = f"up to {words.rate(surer.rate)}" if surer.rate else NO_RATE
        over = f", {confidence_text.over_all(surer.now)}" if surer.now is not None and surer.now.ranges else ""
        yield f"{units.percent(surer.confidence)} sure that they hold {told}, {words.CORRECTED}{over}"


def _rates(rows: Sequence[_Row], plan: Answer, best: Candidate) -> StudyTable:
    now = plan.demand.rate
    return table_of(
        "the greatest rate that it holds",
        rows,
        ("speeds", "text", lambda row: row.speeds),
        ("rate", "rate", lambda row: words.held(row.rate) if row.speeds == NOMINAL else row.rate),
        ("against_now", "share", lambda row: row.rate / now - 1.0),
        ("per_gpu", "rate", lambda row: row.rate / best.gpus),
        ("proof", "text", lambda row: row.proof),
        note="of each model and length as they come now: the whole mix grows by one factor",
    )


def _seen(looks: Sequence[RateSeen]) -> StudyTable:
    """Return the table of the looks, one of each rate as it is printed."""
    by_rate = {words.held(look.rate): look for look in sorted(looks, key=lambda look: -look.rate)}
    return table_of(
        "rates at which it was simulated",
        [by_rate[rate] for rate in sorted(by_rate)],
        ("rate", "rate", lambda look: words.held(look.rate)),
        ("verdict", "text", lambda look: HELD.get(look.evidence.verdict, NOT_PROVEN)),
        ("worst_ttft", "seconds", lambda look: _worst([pool.ttft for pool in look.evidence.pools])),
        ("worst_tpot", "seconds", lambda look: _worst([pool.tpot for pool in look.evidence.pools])),
        ("utilization", "share", lambda look: max(pool.utilization for pool in look.evidence.pools)),
        ("runs", "count", lambda look: look.evidence.replications),
        note="verdicts are on latencies; how busy a pool may be is held to by formula, about which runs scatter",
    )


def _worst(pools: Sequence[Estimate]) -> float | None:
    return max((one.value for one in pools if one.value is not None), default=None)
