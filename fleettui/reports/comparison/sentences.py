"""What a comparison comes to in sentences, and what makes it less sure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from fleettui.domain.length_factors import Lengths
from fleettui.domain.wish import unmet
from fleettui.reports import confidence_text, units
from fleettui.reports.answer_head import known_verdict
from fleettui.reports.comparison import metrics, redundancy, sure
from fleettui.reports.comparison.metrics import Metric
from fleettui.reports.comparison.model import Compared
from fleettui.reports.price_text import price_text
from fleettui.reports.studies import subject

LEAST_PRECISION = 0.002
"""The narrowest half-width that is proposed, as a share of the value; nearer figures are as good as the same."""
SAME_COST = 0.005  # dollars an hour, as they are written


def sentences(plans: Sequence[Compared]) -> tuple[str, ...]:
    """Return one sentence for each plan beside the first, and of three or more which is cheapest and which fastest.

    Of two it says, too, who is surer and stands failures better, which of more stands in the rows. Among plans for
    different traffic there is no choice of three.
    """
    base, others = plans[0], plans[1:]
    found = [_sentence(base, other, alone=len(plans) == 2) for other in others]
    if len(plans) > 2 and len(set(map(_traffic, plans))) == 1:
        found += _choice(plans)
    return tuple(found)


def _sentence(base: Compared, other: Compared, *, alone: bool) -> str:
    """Return whether `other` is dearer than `base`, slower, of another verdict, and if `alone` who is surer."""
    if base.fleet is None or other.fleet is None:
        none = other if other.fleet is None else base
        return f"{none.handle} has no fleet that holds every limit: there is nothing to compare with."
    parts = [_cost(base, other, other.fleet.cost_per_hour - base.fleet.cost_per_hour)]
    parts += [_latency(base, other, metric) for metric in metrics.latencies((base, other))[:1]]
    if base.answer.verdict != other.answer.verdict:
        words = [word_of(one) for one in (other, base)]
        parts.append(f"it is {words[0]} where {base.handle} is {words[1]}")
    if alone:
        parts += filter(None, (sure.sentence(base, other), redundancy.sentence(base, other)))
    return "; ".join(parts) + "."


def word_of(plan: Compared) -> str:
    """Return the word of a plan's verdict with how it is known, and that it is not as sure as was wished."""
    known = known_verdict(plan.fleet, plan.answer.verdict, plan.question, plan.answer.confidence)
    return f"{known}{confidence_text.missed(plan.question.confidence, unmet(plan.answer.why))}"


def _cost(base: Compared, other: Compared, more: float) -> str:
    if abs(more) < SAME_COST:
        return f"{other.handle} costs what {base.handle} costs"
    assert base.fleet is not None, "only fleets have a cost"
    before = base.fleet.cost_per_hour
    share = f" ({more / before:+.1%})" if before else ""
    direction = "more" if more > 0 else "less"
    return f"{other.handle} costs {units.dollars(abs(more))}/h {direction} than {base.handle}{share}"


def _latency(base: Compared, other: Compared, metric: Metric) -> str:
    before, found = metric.of(base), metric.of(other)
    if before is None or found is None or not before.value or found.value is None:
        return f"its {metric.label} is undefined beside the other's"
    longer = _longer(found.value / before.value - 1)
    word = metrics.judged(metric, base, other, before, found)
    if word == "other percentile":
        return "their latencies are at other percentiles"
    if word == "other proof":
        simulated = other if other.answer.simulation else base
        return f"its {metric.label} is not held to the other's: only {simulated.handle} is simulated"
    if other.proof_of == base.handle or base.proof_of == other.handle:
        return f"its {metric.label} is the same, as its fleet and its load are"
    if word == "not proven":
        return f"that its {metric.label} differs is not proven"
    known = {"by formula": " by formula, not simulated", "better": ", which is proven", "worse": ", which is proven"}
    return f"its {metric.label} is {longer}{known.get(word, '')}"


def _longer(share: float) -> str:
    if abs(share) < 0.0005:
        return "the same"
    return f"{units.percent(abs(share))} {'longer' if share > 0 else 'shorter'}"


def _choice(plans: Sequence[Compared]) -> Iterator[str]:
    """Yield the cheapest and the fastest of the plans that pass, and the simulated ones that another is as good as."""
    passing = [plan for plan in plans if plan.answer.verdict == "pass" and plan.fleet is not None]
    if not passing:
        yield "None of them passes."
        return
    cheapest = min(passing, key=lambda plan: plan.fleet.cost_per_hour if plan.fleet else 0.0)
    first = metrics.latencies(plans)[0]
    proven = [plan for plan in passing if plan.answer.simulation]
    fastest = min(proven or passing, key=lambda plan: _value(plan, first))
    among = " of those simulated" if 0 < len(proven) < len(passing) else ""
    told = f"{_known(fastest)} has the shortest {first.label}{among}"
    yield f"Of those that pass, {_known(cheapest)} is cheapest and {told}."
    beaten = [plan.handle for plan in proven if any(_beats(other, plan, plans) for other in proven)]
    if beaten:
        told = f"{'redundancy, ' * any(map(_spared, proven))}cost and every latency, and better in one"
        yield f"Another that passes is no worse than {', '.join(beaten)} in {told}."


def _known(plan: Compared) -> str:
    return plan.handle if plan.answer.simulation else f"{plan.handle} (by formula)"


def _figures(plan: Compared, plans: Sequence[Compared]) -> tuple[float, ...]:
    assert plan.fleet is not None, "a plan that passes has a fleet"
    return (plan.fleet.cost_per_hour, *(_value(plan, metric) for metric in metrics.latencies(plans)))


def _beats(one: Compared, other: Compared, plans: Sequence[Compared]) -> bool:
    """Return whether a plan is no worse than another in all that counts, failures too, and better in a figure."""
    own, its = (_figures(plan, plans) for plan in (one, other))
    return all(a <= b for a, b in zip(own, its, strict=True)) and own != its and not redundancy.is_less(one, other)


def _spared(plan: Compared) -> bool:
    return plan.fleet is not None and any(pool.spares for pool in plan.fleet.fleet.pools)


def _value(plan: Compared, metric: Metric) -> float:
    found = metric.of(plan)
    return math.inf if found is None or found.value is None else found.value


def warnings(plans: Sequence[Compared]) -> tuple[str, ...]:
    """Return what keeps the plans from being fully comparable, and what would settle what is not proven."""
    return (*_made(plans), *_asked(plans), *_proof(plans), *_priced(plans))


def _priced(plans: Sequence[Compared]) -> Iterator[str]:
    """Yield what the dollars of each plan rest on: class and date of its GPUs' prices, once where all have the same."""
    told = {
        plan.handle: price_text(plan.fleet, plan.question, plan.answer.plan.created) for plan in plans if plan.fleet
    }
    known = {handle: text for handle, text in told.items() if text}
    if len(known) == len(plans) and len(set(known.values())) == 1:
        yield f"prices: {next(iter(known.values()))}"
    elif known:
        yield "prices: " + "; ".join(f"{handle} {text}" for handle, text in known.items())


def _made(plans: Sequence[Compared]) -> Iterator[str]:
    engines = sorted({plan.answer.plan.engine_version for plan in plans})
    if len(engines) > 1:
        yield (
            f"made by engines {' and '.join(map(str, engines))}: figures may differ for that alone; "
            "fleettui restate tells which"
        )
    sources: dict[tuple[str, Lengths], set[str]] = {}
    for plan in plans:
        if plan.question.workload:
            sources.setdefault((plan.question.workload, plan.question.lengths), set()).add(plan.workload)
    for (name, _), digests in sources.items():
        if len(digests) > 1:
            yield f"{name} has changed between them: it had other lengths or arrivals then"
    for gpu, prices in catalogue_prices(plans).items():
        if len(prices) > 1:
            yield f"the catalogue's price of {gpu.upper()} has changed between them"


def catalogue_prices(plans: Sequence[Compared]) -> dict[str, set[float]]:
    """Return the catalogue's prices by the GPUs that every plan searched and for which none had a price of its own."""
    known: dict[str, list[float]] = {}
    for gpu, price in (one for plan in plans for one in plan.prices):
        known.setdefault(gpu, []).append(price)
    typed = {gpu for plan in plans for gpu, _ in plan.question.prices}
    return {gpu: set(own) for gpu, own in known.items() if len(own) == len(plans) and gpu not in typed}


def _asked(plans: Sequence[Compared]) -> Iterator[str]:
    traffic = list(dict.fromkeys(map(_traffic, plans)))
    if len(traffic) > 1:
        yield f"their traffic differs ({', '.join(traffic)}): what costs less or is faster may have less to do"
    for gpu, prices in _typed_prices(plans).items():
        if len(prices) > 1:
            told = (" -> " if len(plans) == 2 else ", ").join(map(units.cents_per_hour, prices))
            yield f"{gpu.upper()} has other prices in them ({told}): a part of the cost is the price alone"
    if len({plan.question.slo for plan in plans}) > 1:
        yield "their SLOs differ: each verdict is on its own"
    if len({plan.question.preset for plan in plans}) > 1:
        yield "the preset paper has the papers' constants: its figures are not those of the recommended one"
    if len(laws := {plan.question.step_law for plan in plans}) > 1:
        yield f"their steps are timed by {' and '.join(sorted(laws))}: a part of what differs may be that alone"


def _traffic(plan: Compared) -> str:
    lengths = PurePath(plan.question.workload).name if plan.question.workload else "percentiles"
    return f"{lengths} at {subject.rate(plan.answer.demand.rate)}"


def _typed_prices(plans: Sequence[Compared]) -> dict[str, list[float]]:
    """Return the prices by the GPUs of some fleet that every plan knows and one has a price of its own for, each once.

    They are in the order of the plans, so that one sees which way a price went.
    """
    typed = {gpu for plan in plans for gpu, _ in plan.question.prices}
    used = {gpu for plan in plans if plan.fleet is not None for gpu in plan.fleet.fleet.gpus_by_type}
    known = [dict(plan.prices) for plan in plans]
    shared = [gpu for gpu in sorted(typed & used) if all(gpu in own for own in known)]
    return {gpu: [*dict.fromkeys(own[gpu] for own in known)] for gpu in shared}


def _proof(plans: Sequence[Compared]) -> Iterator[str]:
    formula = [plan for plan in plans if plan.fleet is not None and not plan.answer.simulation]
    if formula:
        kept = [plan.handle for plan in formula if not plan.file]
        way = f": fleettui verify {kept[0]} (v in the app) proves it" if kept else ""
        yield f"{metrics.ESTIMATE} is by formula, not simulated{way}"
    base = plans[0]
    for other in plans[1:]:
        for metric in metrics.latencies(plans):
            before, found = metric.of(base), metric.of(other)
            if before is None or found is None or not before.value or found.value is None:
                continue
            if math.isclose(before.value, found.value):
                continue
            if metrics.judged(metric, base, other, before, found) == "not proven":
                yield _settled(base, other, metric, abs(found.value / before.value - 1))
                break


def _settled(base: Compared, other: Compared, metric: Metric, share: float) -> str:
    """Return what would tell two latencies apart that differ by `share`: intervals of less than half of it."""
    if share / 2 < LEAST_PRECISION:
        return f"{metric.label} of {base.handle} and {other.handle} are as good as the same"
    width = units.percent(share / 2)
    if base.file or other.file:
        return f"not proven: intervals of {width} would tell their {metric.label} apart; a plan of a file has its own"
    return (
        f"not proven: fleettui verify {base.handle} --precision {width} and the same for {other.handle} (v in the app) "
        f"would tell their {metric.label} apart"
    )
