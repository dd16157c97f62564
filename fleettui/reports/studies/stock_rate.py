"""How much traffic a stock carries as a study: the greatest rate, the fleet for it, and the rates that were tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fleettui.domain.carried import Carried
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.report.constraints import within
from fleettui.reports.studies import subject as words

HOLDS, NONE_HOLDS = "a fleet holds", "none was shown to hold"


def stock_study(plan: Answer, question: Question, seen: Sequence[Carried]) -> Study:
    """Return the study of the GPUs that a plan's question allows; `seen` are the rates at which fleets were searched.

    They come least first.
    """
    best = max((one for one in seen if one.fleet is not None), key=lambda one: one.rate, default=None)
    fails = next((one.rate for one in seen if best is not None and one.rate > best.rate), plan.demand.rate)
    return Study.of(
        plan.plan,
        kind="capacity",
        title=f"{plan.plan.called}: how much traffic its limits let a fleet carry",
        question=f"capacity {plan.plan.handle}",
        sentences=[*_sentences(plan, question, best, fails)],
        tables=([_greatest(best, plan)] if best is not None else []) + ([_seen(seen)] if seen else []),
    )


def _sentences(plan: Answer, question: Question, best: Carried | None, fails: float) -> Iterator[str]:
    """Yield the greatest rate that was found, and the next at which none `fails` to be found."""
    allowed = within(question)
    if best is None or best.fleet is None:
        yield f"{allowed} no fleet holds every limit at any rate that was tried, as simulated"
        return
    now = plan.demand.rate
    more = words.signed_percent(best.rate / now - 1.0)
    yield (
        f"{allowed} a fleet carries up to {words.up_to(best.rate)} as simulated, {more} "
        f"on the {words.rate(now)} of plan {plan.plan.handle}: {fleet_text.fleet(best.fleet.fleet)}, "
        f"{units.dollars_per_hour(best.fleet.cost_per_hour)}"
    )
    yield f"at {words.rate(fails)} none {allowed} was shown to hold, as simulated"
    if best.confidence is not None:
        yield f"at {words.rate(best.rate)} {confidence_text.told(best.confidence, best.fleet)}"


def _greatest(best: Carried, plan: Answer) -> StudyTable:
    now = plan.demand.rate
    return table_of(
        "the greatest rate that the limits let a fleet carry",
        [best],
        ("rate", "rate", lambda one: one.rate),
        ("against_now", "share", lambda one: one.rate / now - 1.0),
        ("fleet", "text", fleet),
        ("gpus", "count", lambda one: None if one.fleet is None else one.fleet.gpus),
        ("cost", "dollars per hour", lambda one: None if one.fleet is None else one.fleet.cost_per_hour),
        note="of each model and length as they come now: the whole mix grows by one factor",
    )


def _seen(seen: Sequence[Carried]) -> StudyTable:
    return table_of(
        "rates at which fleets within the limits were searched for, and simulated",
        seen,
        ("rate", "rate", lambda one: one.rate),
        ("verdict", "text", lambda one: NONE_HOLDS if one.fleet is None else HOLDS),
        ("fleet", "text", fleet),
        ("gpus", "count", lambda one: None if one.fleet is None else one.fleet.gpus),
        ("cost", "dollars per hour", lambda one: None if one.fleet is None else one.fleet.cost_per_hour),
    )


def fleet(one: Carried) -> str | None:
    """Return the fleet that carries a rate in words, None where none does."""
    return None if one.fleet is None else fleet_text.fleet(one.fleet.fleet)
