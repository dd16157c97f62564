"""Autoscaling policies on one day as a study: the answer in words, and what a reader must know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fleettui.domain.autoscale import PolicyFigures, PoolSite, Tuned
from fleettui.domain.day import Day
from fleettui.domain.fleet import counted
from fleettui.domain.study import Study
from fleettui.reports import confidence_text, units
from fleettui.reports.autoscale_text import write_delay, write_event
from fleettui.reports.studies.day_case import HOUR, Asked, DayCase, cost, front, met
from fleettui.reports.studies.day_tables import DayTables, setting
from fleettui.reports.studies.subject import signed_percent

CHANGES = (600.0, HOUR, 6.0 * HOUR)
"""Seconds between two changes of a perfect autoscaler, which knows all rates beforehand."""


def autoscale_study(
    asked: Asked, pools: Sequence[PoolSite], figures: Sequence[PolicyFigures], tuned: Sequence[Tuned] = ()
) -> Study:
    """Return the study of policies on the pools of a plan's fleet; `figures` have one for each policy."""
    case = DayCase(asked=asked, pools=pools, figures=figures, tuned=tuned)
    return Study.of(
        asked.plan.plan,
        kind="autoscale",
        title=f"{asked.plan.plan.called}: capacity over {_span(asked.day.end)} of {asked.day.name}",
        question=asked.line,
        sentences=_sentences(case),
        tables=DayTables(case=case).all(),
        warnings=_warnings(case),
    )


def _sentences(case: DayCase) -> Iterator[str]:
    best, other = case.best, case.held_to
    if best is None:
        yield _nearest(case)
    else:
        proven = best.met.low is not None and best.met.low >= case.share
        saved = cost(best) / cost(other) - 1.0
        than = f", {signed_percent(saved)} against {other.policy}" if best.policy != other.policy else ""
        runs = "" if proven else " in these runs"
        yield (
            f"{best.policy} is the cheapest that keeps the SLO{runs}: {units.dollars_per_hour(cost(best))} on "
            f"average{than}; {_percent(met(best))} of the requests within every limit"
            + ("" if proven else f", not proven to be {units.percent(case.share)} or more")
            + ("" if best.worst.value is None else f"; in the worst 5 minutes {_percent(best.worst.value)}")
        )
    yield from _beside(case)
    yield _front(case)
    yield _perfect(case)
    yield _prize(case.asked.day)
    delays = " and ".join(dict.fromkeys(_seconds(one.site.delay) for one in case.pools))
    delay = case.asked.delay
    typed = "as typed" if delay.typed is not None else write_delay(delay)
    delays += f" on average, with a coefficient of variation of {delay.cv:g}," if delay.cv else ""
    if case.asked.question.prefix_cache:
        yield "a replica that joins has no prefix in its cache, and one that goes loses those that it held"
    yield f"a replica serves {delays} after its launch ({typed}) and is paid for from then until it has drained"
    if case.tuned:
        yield _tuned(case)
    for one in case.commitments():
        if case.best is not None and one.policy == case.best.policy:
            yield (
                f"committing to {counted(one.gpus)} at {units.percent(case.asked.reserved or 0.0)} of the price brings "
                f"{one.policy} from {units.dollars_per_hour(one.on_demand)} to {units.dollars_per_hour(one.cost)}"
            )
    if case.asked.events:
        told = "; ".join(map(write_event, case.asked.events))
        quick = min(case.real or case.figures, key=lambda one: one.recovered.value or 0.0)
        yield f"not foreseen: {told}; {quick.policy} came through it best, {_recovered(quick)}"
    if case.asked.rules.retries:
        worst = max(case.figures, key=lambda one: one.attempts.value or 0.0)
        yield (
            f"who is turned away comes again up to {case.asked.rules.retries} times: under {worst.policy} each request "
            f"came {worst.attempts.value or 1.0:.3g} times, the most"
        )
    timeout = case.asked.question.bounds.timeout
    if timeout is not None:
        worst = max(case.figures, key=lambda one: one.left.value or 0.0)
        yield (
            f"a client without a first token leaves after {timeout:.3g} s, as in the plan: under {worst.policy} "
            f"{_percent(worst.left.value or 0.0)} of the requests left for good, the most"
        )
    yield (
        f"every policy met the same requests in each of {case.asked.runs} runs, token by token in the engine that "
        "proves plans"
    )


def _nearest(case: DayCase) -> str:
    """Return which policy is nearest where none keeps the SLO, beside one that does as it knows the day beforehand."""
    most = max(case.real or case.figures, key=met)
    told = next((one for one in case.figures if case.keeps(one)), None)
    beside = "" if told is None else f"; {told.policy}, which knows the day beforehand, keeps {_percent(met(told))}"
    return (
        f"no policy keeps the SLO for {units.percent(case.share)} of the day's requests: "
        f"{most.policy} is nearest, {_percent(met(most))}{beside}"
    )


def _beside(case: DayCase) -> Iterator[str]:
    """Yield what the plan's spare replicas add to every policy, which scales the others and leaves these as they are.

    A plan of the papers' preset, or without a fleet, has none.
    """
    gpus, dollars = case.spare_gpus, case.spare_cost
    if not gpus:
        return
    first, held_to = case.best or case.held_to, case.held_to
    told = [f"with them {first.policy} costs {units.dollars_per_hour(cost(first) + dollars)}"]
    if first.policy != held_to.policy:
        whole = cost(held_to) + dollars
        saved = signed_percent((cost(first) + dollars) / whole - 1.0)
        told.append(f"{saved} against {held_to.policy} with them, {units.dollars_per_hour(whole)}")
    spares = f"the plan's {counted(gpus, 'spare GPU')}, {units.dollars_per_hour(dollars)}"
    yield f"no policy here counts {spares}, which stand beside each: {', '.join(told)}"


def _front(case: DayCase) -> str:
    kept = front(case.figures)
    told = "; ".join(f"{one.policy} {_percent(met(one))} at {units.dollars_per_hour(cost(one))}" for one in kept)
    if len(kept) == 1:
        known = "" if len(case.real) == len(case.figures) else " that does not know the day beforehand"
        return f"no other policy{known} costs less or keeps more: {told}"
    return f"none dominates; from cheapest to safest, with the share within every limit: {told}"


def _perfect(case: DayCase) -> str:
    """Return what the policy that matters pays for beside what no autoscaler could go below."""
    one = case.best or case.held_to
    return (
        f"no autoscaler serves what {one.policy} served within every limit with fewer than "
        f"{one.least.value or 0.0:,.4g} GPU-hours, whatever it knows; {one.policy} pays for "
        f"{one.gpu_hours.value or 0.0:,.4g}, and with the most that each replica holds at every moment the traffic "
        f"fills {case.ideal:,.4g}"
    )


def _prize(day: Day) -> str:
    """Return what changing with the rate is worth at most on a day, by how often the fleet may change."""
    told = [f"{units.percent(day.perfect_share(every))} if it changes every {_span(every)}" for every in CHANGES]
    return f"of a static fleet for the rate of 99.9% of the time a perfect autoscaler pays {', '.join(told)}"


def _tuned(case: DayCase) -> str:
    """Return the cheapest of the tuned policies that keeps the SLO on the half that it was not tuned on."""
    kept = [one for one in case.tuned if case.keeps(one.judged)]
    if not kept:
        return "tuned on the first half of the day, no policy keeps the SLO on the second"
    best = min(kept, key=lambda one: cost(one.judged))
    found = (
        f"tuned on the first half of the day, {best.judged.policy} with {setting(best.chosen)} is the "
        f"cheapest of the tuned that keeps the SLO on the second: {_percent(met(best.judged))} at "
        f"{units.dollars_per_hour(cost(best.judged))}"
    )
    if best.chosen == best.given:
        return f"{found}; that is what was given"
    plain = f"{_percent(met(best.as_given))} at {units.dollars_per_hour(cost(best.as_given))}"
    return f"{found}; as given, {setting(best.given)}, {plain}"


def _recovered(one: PolicyFigures) -> str:
    seconds = one.recovered.value or 0.0
    return f"within the SLO again after {_span(seconds)}" if seconds else "without 5 minutes short of the SLO"


def _warnings(case: DayCase) -> Iterator[str]:
    asked = case.asked
    if asked.day_caution:
        yield asked.day_caution
    if asked.delay.typed is None:
        yield "the stages of a start are assumed, but for its weights: --delay gives yours"
    elif asked.delay.typed == 0.0:
        yield "a delay of 0 s was typed: no replica of any provider starts at once"
    if asked.question.arrivals == "poisson":
        yield "requests come as Poisson within a window; real ones burst: plan bursty"
    if asked.question.confidence is not None:
        share = units.percent(asked.question.confidence)
        yield f"at nominal speed: the plan is {share} sure, how much a replica holds here is not"
    elif told := confidence_text.sized(asked.plan.confidence):
        yield told
    peak, planned = asked.day.peak, asked.plan.demand.rate
    if abs(peak / planned - 1.0) > 0.01:
        yield f"the day's peak is {peak:.4g}/s, the plan's {planned:.4g}/s: plan --rate {peak:.4g}/s sizes for it"
    below = [one.policy for one in case.figures if (one.gpu_hours.value or 0.0) < case.ideal]
    if below:
        who = below[0] if len(below) == 1 else f"{len(below)} policies"
        yield f"{who} paid less than the traffic fills: fewer requests within limits"


def _span(seconds: float) -> str:
    """Return a stretch of time in words.

    >>> _span(86_400.0), _span(5400.0), _span(300.0)
    ('24 h', '1.5 h', '5 min')
    """
    return f"{seconds / HOUR:.4g} h" if seconds >= HOUR else f"{seconds / 60.0:.4g} min"


def _percent(share: float) -> str:
    """Return a share of requests, finely, as those that break a limit are few.

    >>> _percent(0.99873), _percent(1.0)
    ('99.87%', '100.00%')
    """
    return f"{100.0 * share:.2f}%"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} s"
