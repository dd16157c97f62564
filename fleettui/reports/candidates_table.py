"""Candidates as tables: the answer with its runners-up, and a page of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from fleettui.domain.limit import TTFT, Latency
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.reports.candidate_columns import ESTIMATED, candidate_columns, is_same, latency
from fleettui.reports.columns import table
from fleettui.reports.table import Table
from fleettui.reports.text_page import Item, fact

RUNNERS_UP = 4
FIRST = {"cost": "cheapest", "gpus": "fewest GPUs", "power": "least power", "ttft": "fastest by formula"}
"""What stands first in a list, by what the plan has least of."""
WORTH: dict[str, Callable[[Candidate], float]] = {
    "gpus": lambda one: one.gpus,
    "power": lambda one: one.power,
    "ttft": lambda one: max(pool.ttft for pool in one.pools),
}
"""What a plan has least of, cost apart; the slowest pool's TTFT by formula, which is known of every candidate."""


def candidates_block(answer: Answer, question: Question) -> list[Item]:
    """Return the answer with the runners-up, by the objective; nothing where there are no others."""
    if all(is_same(one, answer.answer) for one in answer.candidates):
        return []
    block: list[Item] = [candidates_table(answer, question)]
    nearest = _one_per_fleet(list(answer.candidates))[:RUNNERS_UP] if answer.answer is None else []
    for candidate in nearest:
        found = candidate.evidence
        broken = found.reason if found is not None and found.reason else "; ".join(candidate.shortfalls)
        block += fact(candidate.handle or "nearest", broken)
    return block


def candidates_table(answer: Answer, question: Question) -> Table:
    """Return the answer, marked, and the next candidates by the question's objective."""
    best = answer.answer
    others = best_first(answer.candidates, question) if best else list(answer.candidates)
    shown = _one_per_fleet(([best] if best else []) + others)[: RUNNERS_UP + (1 if best else 0)]
    order = FIRST[question.objective] if best else "nearest"
    title = f"candidates {len(shown)} of {units.count(len(answer.candidates))}, {order} first, the best split of each"
    return table(candidate_columns(question, best, ">"), shown, title=title, note=_note(shown, best, question))


def candidates_page(candidates: Iterable[Candidate], question: Question, answer: Candidate | None = None) -> Table:
    """Return one row per candidate, in the order given; the plan's answer bears a `*`."""
    return table(candidate_columns(question, answer), candidates)


def best_first(candidates: Iterable[Candidate], question: Question) -> list[Candidate]:
    """Return candidates, which come cheapest first, by the question's objective; those that break a limit last."""
    worth = WORTH.get(question.objective)
    if worth is None:
        return list(candidates)
    return sorted(candidates, key=lambda one: (bool(one.shortfalls), round(worth(one), 9)))


def _note(shown: Iterable[Candidate], best: Candidate | None, question: Question) -> str:
    """Return what the sign of a formula's figure means, with what the formula said of the simulated answer."""
    if all(one.simulation is not None for one in shown):
        return ""
    note = f"{ESTIMATED} by formula, not simulated"
    if best is None or best.simulation is None:
        return note
    formula = replace(best, evidence=None)
    limited: list[Latency] = list(question.slo.limits()) or [TTFT.latency]
    told = [f"{one.label} {latency(formula, one)}, simulated {latency(best, one)}" for one in limited]
    return f"{note}: the answer itself had {'; '.join(told)}"


def _one_per_fleet(candidates: list[Candidate]) -> list[Candidate]:
    """Return the first candidate of each fleet, in order: what differs only in where the pools divide is one."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        first.setdefault(fleet_text.fleet(candidate.fleet), candidate)
    return list(first.values())
