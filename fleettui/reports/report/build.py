"""A kept plan becomes a page: what was asked, what to buy, how sure that is, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fleettui.domain.limit import BATCH, INTERACTIVE, METRICS, Latency
from fleettui.domain.meter import feed
from fleettui.domain.path_or_name import GPU_FILE, is_path
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import EVERY_GPU, Question
from fleettui.domain.slo import Slo
from fleettui.domain.unit_cost import mean_over_peak, per_million_at_mean
from fleettui.domain.wish import unmet
from fleettui.reports import confidence_text, fleet_text, redundancy_text, stock_text, units
from fleettui.reports.answer_head import known_verdict
from fleettui.reports.columns import Column, table, words
from fleettui.reports.pools_table import RATE, by_pool, known_best, latency
from fleettui.reports.price_text import price_text
from fleettui.reports.replica_bars import fleet_bars
from fleettui.reports.report.alternatives import alternatives
from fleettui.reports.report.apart_and_power import apart_and_power
from fleettui.reports.report.assumptions import assumptions, origin
from fleettui.reports.report.bursts import bursts
from fleettui.reports.report.commitments import commitments
from fleettui.reports.report.constraints import constraints
from fleettui.reports.report.model import Kept, Report, Section, sentence
from fleettui.reports.report.outlook import changes, growth, steps
from fleettui.reports.report.over_the_day import over_the_day
from fleettui.reports.report.risk import risk
from fleettui.reports.report.then_and_now import then_and_now
from fleettui.reports.table import Table
from fleettui.reports.unit_cost_text import unit_cost_text
from fleettui.reports.verdict_words import NOMINAL

TP = "tp: GPUs that hold one copy of the model, a replica, together"
PP = "pp: so many groups of such GPUs, each with a part of the model's layers"
"""What a reader who never saw the program must be told once, beside the latencies."""
LEAST = {
    "cost": "at the least cost",
    "gpus": "at least",
    "power": "with the least power",
    "energy": "with the least energy",
    "ttft": "to answer soonest",
}
"""How the question says what it wants least of."""
NO_FLEET = "No fleet of what may be had holds every limit."


def report(kept: Kept) -> Report:
    """Return the page on a kept plan."""
    answer = kept.answer
    name = f": {answer.plan.name}" if answer.plan.name else ""
    return Report(
        title=f"Capacity plan {kept.handle}{name}",
        verdict=answer.verdict,
        word=known_verdict(answer.answer, answer.verdict, kept.scenario.question, answer.confidence),
        answer=_answer(kept),
        sections=(
            Section(title="Question", sentences=(asked(kept),)),
            *(() if answer.answer is None else (_bought(answer.answer, kept),)),
            *then_and_now(kept),
            Section(title="How sure this is", sentences=risk(kept)),
            *_failures(kept),
            Section(title="What to do next", sentences=steps(kept)),
            alternatives(kept),
            growth(kept),
            *apart_and_power(kept),
            *over_the_day(kept),
            *commitments(kept),
            *bursts(kept),
            changes(kept),
            Section(title="Assumptions by origin", tables=(assumptions(kept),)),
            *_replicas(kept),
        ),
        foot=origin(kept),
    )


def _replicas(kept: Kept) -> tuple[Section, ...]:
    """Return the pictures of the answer's replicas, nothing where there are none."""
    best = kept.answer.answer
    found = () if best is None else fleet_bars(best.fleet, kept.scenario.question, kept.profiles)
    return (Section(title="One replica", pictures=found),) if found else ()


def _failures(kept: Kept) -> tuple[Section, ...]:
    """Return the section on what spare replicas give, nothing where the question says nothing of failures."""
    known = kept.answer.redundancy
    if known is None:
        return ()
    told = sentence(redundancy_text.reached(known))
    slo, simulated = kept.scenario.question.slo, kept.answer.simulation is not None
    table = redundancy_text.redundancy_table(known, slo, simulated=simulated)
    return (Section(title="Failures", sentences=(told,), tables=(table,)),)


def asked(kept: Kept) -> str:
    """Return the question in one sentence."""
    question, best = kept.scenario.question, kept.answer.answer
    bounds = "" if kept.given else constraints(question)
    what = f"to answer {_demand(kept)}{_limits(question)}{f', {bounds}' if bounds else ''}?"
    if best is not None and kept.given:
        return f"Do {fleet_text.gpu_total(best.fleet)} of {question.model} suffice {what}"
    kinds = f" ({', '.join(map(_kind, question.gpus))})" if question.gpus else ""
    dtype = "the best number format" if question.dtype == "auto" else question.dtype
    wanted = f"does {question.model} in {dtype} need, {LEAST[question.objective]},"
    return f"How many of which GPU{kinds} {wanted} {what}"


def _kind(gpu: str) -> str:
    """Return a GPU's name in capitals, and what stands for a file or for all of them as it was typed."""
    return gpu if gpu == EVERY_GPU or is_path(gpu, GPU_FILE) else gpu.upper()


def _demand(kept: Kept) -> str:
    """Return how much arrives, and how that was worked out where it was not typed."""
    question, demand = kept.scenario.question, kept.answer.demand
    lengths = f" of {kept.workload.name}" if question.workload else " of typed lengths"
    how = "" if question.demand.form == "rate" else f" ({demand.arithmetic})"
    return f"{units.per_second(demand.rate)} requests/s{lengths}{how}"


def _limits(question: Question) -> str:
    slo, groups = question.slo, dict[tuple[bool, float], list[str]]()
    for one in slo.limits():
        promise = METRICS.named(one.metric).promise.format(units.limit(one.seconds))
        groups.setdefault((one.batch, slo.share(one)), []).append(promise)
    if not groups:
        return ""
    parts, last = list[str](), None
    for (batch, rank), promises in groups.items():
        own = "" if question.batch_share is None else f"{BATCH if batch else INTERACTIVE} "
        whose = "" if batch == last else f" of the {own}requests{'' if parts else ' of every pool get'}"
        parts.append(f"{units.write_percentile(rank)}%{whose} {' and '.join(promises)}")
        last = batch
    each = ", each limit by itself" if len(slo.limits()) > 1 else ""
    return f" so that {', and '.join(parts)}{each}"


def _answer(kept: Kept) -> str:
    """Return the answer in a sentence: what to rent for how much, and whether that is enough."""
    best, wish = kept.answer.answer, unmet(kept.answer.why)
    if best is None:
        return sentence(wish) if wish else NO_FLEET
    fleet = f"{fleet_text.gpu_total(best.fleet)} for {units.dollars_per_hour(best.cost_per_hour)}"
    if not kept.finished:
        found = kept.answer.so_far
        guess = f"{fleet}, as far as this is worked out: the plan is not finished."
        return f"Not finished, so far: {found}." if found else guess
    stock = stock_text.told(kept.answer)
    return f"{_whether_enough(fleet, best, kept, wish)}{f' {sentence(stock)}' if stock else ''}"


def _whether_enough(fleet: str, best: Candidate, kept: Kept, wish: str) -> str:
    """Return whether a fleet is enough; `wish` says that none is as sure as was wished, where that is so."""
    if wish:
        return f"{fleet} hold {NOMINAL} only: {wish}."
    if kept.answer.verdict == "fail":
        return f"{fleet} are not enough."
    if kept.answer.verdict != "pass":
        return f"{fleet} may be enough; that is not proven."
    known = "" if best.simulation else " by formula, not yet simulated"
    if kept.scenario.question.preset == "paper":
        known = " with the papers' constants, which no real GPU has"
    sure = kept.answer.confidence
    if confidence_text.caveat(sure, best, kept.scenario.question):
        seen = f"{known and f'{known},'} {NOMINAL}"
        return f"{fleet} hold{seen} only: {confidence_text.caveat(sure, best, kept.scenario.question)}."
    surely = f", {confidence_text.surely(sure.holds)} sure" if kept.given and sure is not None else ""
    return f"{fleet} are enough{known}{surely}."


def _bought(best: Candidate, kept: Kept) -> Section:
    """Return the figures of the answer: GPUs, money and power, and which pools the GPUs form."""
    question, derived = kept.scenario.question, kept.answer.demand
    over = "over the day" if mean_over_peak(question.demand, derived) < 1 else "at the rate that is planned for"
    figures: tuple[Column[Candidate], ...] = (
        words("GPUs", lambda one: fleet_text.gpu_total(one.fleet)),
        words("per hour", lambda one: units.dollars_per_hour(one.cost_per_hour).removesuffix("/h")),
        words("per month", lambda one: units.dollars_per_month(one.cost_per_hour).removesuffix("/month")),
        words("per year", lambda one: units.dollars_per_year(one.cost_per_hour).removesuffix("/yr")),
        words("power of GPUs", lambda one: units.watts(one.power)),
        words("at the meter", lambda one: units.watts(feed(question, one.power, one.gpus))),
        words("per 1M output", lambda one: units.dollars(per_million_at_mean(one, question, derived))),
    )
    note = (
        "US dollars; a year of 8,760 hours; the meter's power with "
        f"{units.watts(question.host_power)} of server and network for each GPU, x {question.pue:g} (PUE); the last "
        f"per million output tokens, {over}"
    )
    money = unit_cost_text(best, question, derived), price_text(best, question, kept.answer.plan.created)
    tables = table(figures, [best], note=note), _pools(best, question)
    return Section(title="Answer", sentences=tuple(map(sentence, filter(None, money))), tables=tables)


def _pools(best: Candidate, question: Question) -> Table:
    """Return one row per pool: its requests by length, its GPUs and how they form replicas, and its latency."""
    slo, latencies = question.slo, fleet_text.latencies(question.slo)
    known = (*filter(None, [redundancy_text.key(best.fleet.pools)]),)
    known += () if best.simulation else ("latencies by formula, not simulated",)
    stages = (PP,) if any(pool.pp > 1 for pool in best.fleet.pools) else ()
    return by_pool(
        known_best(best),
        words("tokens a request", lambda row: f"{units.count(row.pool.above)} to {units.count(row.pool.up_to)}"),
        RATE,
        words("GPUs, tp x replicas", lambda row: fleet_text.gpus(row.pool)),
        *(latency(one, slo) for one in latencies),
        note="; ".join((*known, *_spelt(slo, latencies), TP, *stages)),
    )


def _spelt(slo: Slo, latencies: Sequence[Latency]) -> Iterator[str]:
    """Yield what the columns of the pools mean, for somebody who never saw them."""
    for share in dict.fromkeys(map(slo.share, latencies)):
        rank = units.write_percentile(share)
        yield f"P{rank}: {rank}% of the requests are as fast or faster"
    for metric in dict.fromkeys(METRICS.named(one.metric) for one in latencies):
        yield f"{metric.label}: {metric.help}"
