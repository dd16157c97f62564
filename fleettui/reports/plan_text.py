"""The printed plan: what to buy, what it costs, what limits it, how sure that is, and what else was near."""

from __future__ import annotations

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_words, units
from fleettui.reports.pools_table import pools_text
from fleettui.reports.proof_text import proof_text
from fleettui.reports.question.form import summary
from fleettui.reports.table import WIDTH, Column, Table, render, wrap

RUNNERS_UP = 4
HEAD = 8
"""Characters of the word that begins a line."""


def plan_text(answer: Answer, question: Question, width: int = WIDTH) -> str:
    """Return the whole printed plan as lines of at most `width` characters."""
    blocks = [
        _head(answer, question, width),
        _pools(answer, question, width),
        _reasons("why", _why(answer), width),
        candidates_text(answer, question, width),
        _warnings(answer.warnings, width),
        _next_steps(answer, width),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _head(answer: Answer, question: Question, width: int) -> list[str]:
    lines = [*wrap(summary(question), width), *_labelled("demand", answer.demand.arithmetic, width), ""]
    if answer.answer is None:
        word = fleet_words.VERDICT_WORDS[answer.verdict]
        what = "no fleet is proven to hold" if answer.verdict == "unproven" else "no fleet holds"
        return [*lines, *wrap(f"{what} every limit; the nearest are below", width, f"{word}   ")]
    best = answer.answer
    cost = f"{units.dollars_per_hour(best.cost_per_hour)}   {units.dollars_per_year(best.cost_per_hour)}"
    per_million = f"{units.dollars(best.cost_per_million_output_tokens)} per 1M output tokens at this rate"
    verdict = (
        f"{fleet_words.VERDICT_WORDS[answer.verdict]}   {fleet_words.gpu_total(best.fleet)}   {cost}   {per_million}"
    )
    proof, reason = proof_text(best, question)
    limits = "   ".join([*fleet_words.margins(best, question), f"draws {units.watts(best.power)}"])
    return [
        *lines,
        *wrap(verdict, width),
        *_labelled("limits", limits, width),
        *_labelled("proof", proof, width),
        *_labelled("", reason, width),
        *_labelled("model", _model_error(best, question), width),
    ]


def _model_error(candidate: Candidate, question: Question) -> str:
    """Return the error of the speeds themselves, as the range of GPU counts that it allows."""
    speeds = "the papers' own speeds" if question.preset == "paper" else "roofline, not calibrated"
    low, high = candidate.gpus_range
    if not candidate.model_error:
        return "the speeds are given: no error is known"
    if low is None and high is None:
        return f"{speeds}: +-{units.percent(candidate.model_error)}"
    least = "no fleet" if low is None else units.count(low)
    most = f"{units.count(high)} GPUs" if high is not None else "more than can be had"
    return f"{speeds}: +-{units.percent(candidate.model_error)}  ->  between {least} and {most}"


def _pools(answer: Answer, question: Question, width: int) -> list[str]:
    return [] if answer.answer is None else pools_text(answer.answer, question, width)


def candidates_text(answer: Answer, question: Question, width: int = WIDTH) -> list[str]:
    """Return the answer with the runners-up, cheapest first, as lines; none where there are no others."""
    if all(one == answer.answer for one in answer.candidates):
        return []
    table = candidates_table(answer, question)
    lines = render(table, width).splitlines()
    nearest = _one_per_fleet(list(answer.candidates))[:RUNNERS_UP] if answer.answer is None else []
    for candidate in nearest:
        found = candidate.evidence
        broken = found.reason if found is not None and found.reason else "; ".join(candidate.shortfalls)
        lines += _labelled(candidate.handle or "nearest", broken, width)
    return lines


def candidates_table(answer: Answer, question: Question, count: int = RUNNERS_UP) -> Table:
    """Return the answer, marked, and the next `count` candidates."""
    best = answer.answer
    shown = _one_per_fleet(([best] if best else []) + list(answer.candidates))[: count + (1 if best else 0)]
    rows = tuple(_candidate_row(candidate, question, marked=candidate is best) for candidate in shown)
    latency = tuple(Column(title=metric.upper(), align="right") for metric in ("ttft", "tpot"))
    columns = (
        Column(title="  name"),
        Column(title="fleet", wrap=True),
        Column(title="GPUs", align="right"),
        Column(title="$/h", align="right"),
        *latency,
        Column(title="left", align="right"),
        Column(title="proof"),
    )
    order = "cheapest first" if best else "nearest first"
    title = f"candidates {len(shown)} of {units.count(len(answer.candidates))}, {order}, the best split of each"
    return Table(title=title, columns=columns, rows=rows)


def _one_per_fleet(candidates: list[Candidate]) -> list[Candidate]:
    """Return the first candidate of each fleet, in order: what differs only in where the pools divide is one."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        first.setdefault(fleet_words.fleet(candidate.fleet), candidate)
    return list(first.values())


def _candidate_row(candidate: Candidate, question: Question, *, marked: bool) -> tuple[str, ...]:
    cost = candidate.cost_per_hour
    return (
        f"{'>' if marked else ' '} {candidate.handle}".rstrip(),
        fleet_words.fleet(candidate.fleet),
        units.count(candidate.gpus),
        f"{cost:,.2f}" if cost < 100 else f"{cost:,.0f}",
        _worst(candidate, "ttft"),
        _worst(candidate, "tpot"),
        fleet_words.tightest(candidate, question.slo),
        fleet_words.proof(candidate),
    )


def _worst(candidate: Candidate, metric: str) -> str:
    found = fleet_words.worst(candidate, metric)
    return units.seconds(None if found is None else found.value)


def _why(answer: Answer) -> tuple[str, ...]:
    """Return the reasons without the one that stands beside the proof."""
    evidence = None if answer.answer is None else answer.answer.evidence
    return tuple(reason for reason in answer.why if evidence is None or reason != evidence.reason)


def _reasons(word: str, reasons: tuple[str, ...], width: int) -> list[str]:
    """Return the reasons, one under the other, the word before the first."""
    lines = []
    for index, reason in enumerate(reasons):
        lines += _labelled(word if index == 0 else "", reason, width)
    return lines


def _warnings(warnings: tuple[str, ...], width: int) -> list[str]:
    return [line for warning in warnings for line in wrap(warning, width, "! ")]


def _labelled(word: str, text: str, width: int) -> list[str]:
    return wrap(text, width, word.ljust(HEAD)) if text else []


def _next_steps(answer: Answer, width: int) -> list[str]:
    handle = answer.plan.handle
    if not handle:
        return []
    name = f' "{answer.plan.name}"' if answer.plan.name else ""
    lines = wrap(f"plan {handle}{name}   again: fleettui show {handle}   as data: with --json", width)
    seen = None if answer.answer is None else fleet_words.simulation_of(answer.answer)
    if answer.answer is not None and seen is not None and seen.verdict == "unproven":
        lines += wrap(f"more proof: fleettui verify {answer.answer.handle or handle}", width)
    return lines
