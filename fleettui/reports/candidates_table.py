"""Candidates as tables: the answer with its runners-up, and a page of all of them."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_words, units
from fleettui.reports.answer_head import labelled
from fleettui.reports.table import WIDTH, Column, Table, render

RUNNERS_UP = 4


def candidates_text(answer: Answer, question: Question, width: int = WIDTH) -> list[str]:
    """Return the answer with the runners-up, cheapest first, as lines; none where there are no others."""
    if all(_same(one, answer.answer) for one in answer.candidates):
        return []
    table = candidates_table(answer, question)
    lines = render(table, width).splitlines()
    nearest = _one_per_fleet(list(answer.candidates))[:RUNNERS_UP] if answer.answer is None else []
    for candidate in nearest:
        found = candidate.evidence
        broken = found.reason if found is not None and found.reason else "; ".join(candidate.shortfalls)
        lines += labelled(candidate.handle or "nearest", broken, width)
    return lines


def _same(one: Candidate, best: Candidate | None) -> bool:
    """Return whether two are one candidate: by its id where it is kept, as an undefined figure equals no other."""
    return best is not None and (one.candidate or one) == (best.candidate or best)


def candidates_table(answer: Answer, question: Question, count: int = RUNNERS_UP) -> Table:
    """Return the answer, marked, and the next `count` candidates."""
    best = answer.answer
    shown = _one_per_fleet(([best] if best else []) + list(answer.candidates))[: count + (1 if best else 0)]
    rows = tuple((">" if one is best else " ", one) for one in shown)
    order = "cheapest first" if best else "nearest first"
    title = f"candidates {len(shown)} of {units.count(len(answer.candidates))}, {order}, the best split of each"
    return _table(rows, question, title)


def candidates_page(candidates: Iterable[Candidate], question: Question, answer: str = "") -> Table:
    """Return one row per candidate, in the order given; the one whose id is `answer` bears a `*`."""
    return _table(tuple(("*" if one.candidate == answer else " ", one) for one in candidates), question)


def _table(rows: Iterable[tuple[str, Candidate]], question: Question, title: str = "") -> Table:
    columns = (
        Column(title="  name"),
        Column(title="fleet", wrap=True),
        Column(title="GPUs", align="right"),
        Column(title="$/h", align="right"),
        *(Column(title=metric.upper(), align="right") for metric in fleet_words.metrics(question.slo)),
        Column(title="left", align="right"),
        Column(title="proof"),
    )
    return Table(title=title, columns=columns, rows=tuple(_row(sign, one, question) for sign, one in rows))


def _one_per_fleet(candidates: list[Candidate]) -> list[Candidate]:
    """Return the first candidate of each fleet, in order: what differs only in where the pools divide is one."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        first.setdefault(fleet_words.fleet(candidate.fleet), candidate)
    return list(first.values())


def _row(sign: str, candidate: Candidate, question: Question) -> tuple[str, ...]:
    cost = candidate.cost_per_hour
    return (
        f"{sign} {candidate.handle}".rstrip(),
        fleet_words.fleet(candidate.fleet),
        units.count(candidate.gpus),
        f"{cost:,.2f}" if cost < 100 else f"{cost:,.0f}",
        *(_worst(candidate, metric) for metric in fleet_words.metrics(question.slo)),
        fleet_words.tightest(candidate, question.slo),
        fleet_words.proof(candidate),
    )


def _worst(candidate: Candidate, metric: str) -> str:
    found = fleet_words.worst(candidate, metric)
    return units.seconds(None if found is None else found.value)
