"""How much traffic a fleet carries as a study: the greatest rates, and the rates at which it was simulated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.confidence import Confidence
from fleettui.domain.plan import Answer, Candidate, Estimate
from fleettui.domain.stock import Greatest, RateSeen
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.studies import subject as words
from fleettui.reports.studies.differences import HELD, NOT_PROVEN

NOMINAL = "nominal"


@dataclass(frozen=True, slots=True)
class _Row:
    speeds: str
    rate: float
    proof: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Surer:
    """The greatest `rate` in requests/s, 0 for none, that holds in the share `confidence` of the step times.

    None where the speeds were given, so that no error of them is known. `now` is how sure the plan's own rate is,
    as the plan tells it where it does.
    """

    rate: float | None
    confidence: float
    now: Confidence | None = None


def capacity_study(plan: Answer, best: Candidate, greatest: Greatest, surer: Surer, looks: Sequence[RateSeen]) -> Study:
    """Return the study of the fleet `best` of a plan; `looks` are the rates at which it was simulated."""
    share, sure = units.percent(surer.confidence), surer.rate
    simulated = [look for look in looks if look.evidence.method == "simulation"]
    busy = next((look for look in looks if look.evidence.method == "formula"), None)
    rows = [_Row(NOMINAL, greatest.rate or 0.0, words.proof(greatest.simulated))]
    rows += [] if sure is None else [_Row(f"{share} sure", sure, words.proof(False))]
    return Study.of(
        plan.plan,
        kind="capacity",
        title=f"{plan.plan.called}: how much traffic its fleet carries",
        question=f"capacity {plan.plan.handle} --confidence {share}",
        sentences=[
            *_sentences(plan, best, greatest, busy),
            *(_surer(plan, best, surer, share) if greatest.rate else ()),
        ],
        tables=(_rates(rows, plan, best), *([_seen(simulated)] if simulated else [])),
    )


def _sentences(plan: Answer, best: Candidate, greatest: Greatest, busy: RateSeen | None) -> Iterator[str]:
    """Yield the greatest rate; `busy` is one at which a pool would be busier than it may be."""
    fleet, now = f"{fleet_text.gpu_total(best.fleet)}{_spare(best)}", plan.demand.rate
    if not greatest.rate:
        yield f"{fleet} hold no rate within every limit"
        return
    known = "as simulated" if greatest.simulated else words.CORRECTED
    yield (
        f"{fleet} hold up to {words.rate(greatest.rate)} {known}, {words.signed_percent(greatest.rate / now - 1.0)} on "
        f"the {words.rate(now)} of plan {plan.plan.handle}"
    )
    if busy is not None:
        yield f"at {words.rate(busy.rate)} {busy.evidence.reason}"


def _spare(best: Candidate) -> str:
    """Return how many GPUs of a fleet stand by for failures, without which it is told; empty where none do."""
    idle = sum(pool.spares * pool.gpus_per_replica for pool in best.fleet.pools)
    return f", {units.count(idle)} of them down," if idle else ""


def _surer(plan: Answer, best: Candidate, surer: Surer, share: str) -> Iterator[str]:
    """Yield the rate that is surer, and how sure the plan's own is; nothing where the speeds were given."""
    if surer.rate is not None:
        told = f"up to {words.rate(surer.rate)}" if surer.rate else "no rate"
        yield f"{share} sure that they hold {told}, {words.CORRECTED}"
    if surer.now is not None:
        yield f"at the {words.rate(plan.demand.rate)} of the plan {confidence_text.told(surer.now, best)}"


def _rates(rows: Sequence[_Row], plan: Answer, best: Candidate) -> StudyTable:
    now = plan.demand.rate
    return table_of(
        "the greatest rate that it holds",
        rows,
        ("speeds", "text", lambda row: row.speeds),
        ("rate", "rate", lambda row: row.rate),
        ("against_now", "share", lambda row: row.rate / now - 1.0),
        ("per_gpu", "rate", lambda row: row.rate / best.gpus),
        ("proof", "text", lambda row: row.proof),
        note="of each model and length as they come now: the whole mix grows by one factor",
    )


def _seen(looks: Sequence[RateSeen]) -> StudyTable:
    return table_of(
        "rates at which it was simulated",
        sorted(looks, key=lambda look: look.rate),
        ("rate", "rate", lambda look: look.rate),
        ("verdict", "text", lambda look: HELD.get(look.evidence.verdict, NOT_PROVEN)),
        ("worst_ttft", "seconds", lambda look: _worst([pool.ttft for pool in look.evidence.pools])),
        ("worst_tpot", "seconds", lambda look: _worst([pool.tpot for pool in look.evidence.pools])),
        ("utilization", "share", lambda look: max(pool.utilization for pool in look.evidence.pools)),
        ("runs", "count", lambda look: look.evidence.replications),
    )


def _worst(pools: Sequence[Estimate]) -> float | None:
    return max((one.value for one in pools if one.value is not None), default=None)
