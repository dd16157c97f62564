"""Candidates: their columns, and the tables of them: the answer with its runners-up, and a page of all.

Each column is declared once, for the terminal, the app, the report's page and CSV: its `pages` say whether lists show
it, the report or both, its `name` that the data have it, `if_room` that a list too narrow for all leaves it out, the
rightmost of them first, as one of 80 columns does with two further limits. What gives way where a screen is narrow is
decided in `tui.widgets.table_lines.fitted`, on paper in `reports.table`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from fleettui.domain.limit import ALWAYS, TTFT, Latency
from fleettui.domain.meter import feed
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import largest_share
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import by_replica, worst
from fleettui.domain.unit_served import cost_per_million
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.columns import BOTH, LIST, REPORT, Column, Page, data, figure, table, words
from fleettui.reports.table import Table
from fleettui.reports.text_page import Item, fact

ESTIMATED = "~"
"""The sign on a figure that only the formula gives."""

SAME = 0.005
"""US dollars an hour, or watts, by which figures are the same."""
PROOF = "proof"
DRAWN = ("power", "energy")
"""Objectives that watts decide."""
RUNNERS_UP = 4
FIRST = {
    "cost": "cheapest",
    "gpus": "fewest GPUs",
    "power": "least power",
    "energy": "least energy",
    "ttft": "fastest by formula",
}
"""What stands first in a list, by what the plan has least of."""
WORTH: dict[str, Callable[[Candidate], float]] = {
    "gpus": lambda one: one.gpus,
    "power": lambda one: one.power,
    "ttft": lambda one: max(pool.ttft for pool in one.pools),
}
"""What a plan has least of, cost apart; the slowest pool's TTFT by formula, which is known of every candidate."""


def candidate_columns(
    question: Question, best: Candidate | None = None, mark: str = "*"
) -> tuple[Column[Candidate], ...]:
    """Return the columns in their order; `mark` stands before the name of the plan's answer, which is `best`.

    Data are in US dollars, watts and seconds, latencies those of the worst pool; `up_to` are the tokens at which the
    pools end.
    """
    shown = {one.name for one in fleet_text.latencies(question.slo)}
    shown |= {TTFT.name} if question.objective == TTFT.name else set()
    latencies = (*(metric.latency for metric in ALWAYS), *question.slo.own())
    return (
        words("  name", lambda one: f"{mark if is_same(one, best) else ' '} {one.handle}".rstrip()),
        data("candidate", lambda one: one.handle),
        data("answer", lambda one: int(is_same(one, best))),
        words("fleet", lambda one: fleet_text.fleet(one.fleet), wrap=True, name="fleet", pages=BOTH),
        words("name", lambda one: one.handle, pages=REPORT),
        data("pools", lambda one: len(one.fleet.pools)),
        data("up_to", lambda one: " ".join(str(pool.up_to) for pool in one.fleet.pools)),
        figure("GPUs", lambda one: one.gpus, units.count, name="gpus", pages=BOTH),
        figure("$/h", lambda one: one.cost_per_hour, units.hourly, name="cost_per_hour"),
        figure("cost", lambda one: one.cost_per_hour, units.dollars_per_hour, pages=REPORT),
        data("cost_per_million_output_tokens", cost_per_million),
        figure("draws", lambda one: one.power, units.watts, name="power", shown=question.objective in DRAWN),
        data("gpus_low", lambda one: one.gpus_range[0]),
        data("gpus_high", lambda one: one.gpus_range[1]),
        data("model_error", lambda one: one.model_error),
        words(PROOF, fleet_text.proof),
        data("method", lambda one: "simulation" if one.simulation else "formula"),
        data("verdict", lambda one: one.simulation.verdict if one.simulation else None),
        data("replications", lambda one: one.simulation.replications if one.simulation else 0),
        *(column for one in latencies for column in _latency(one, shown=one.name in shown)),
        _worst(TTFT.latency, fleet_text.ranked(TTFT.latency, question.slo), pages=REPORT),
        figure("left", lambda one: fleet_text.tightest(one, question.slo), sign=estimated),
        data("shortfalls", lambda one: "; ".join(one.shortfalls)),
        data("remark", lambda one: "" if best is None else _remark(one, best, question)),
    )


def is_same(one: Candidate, other: Candidate | None) -> bool:
    """Return whether two are one candidate: by its id where it is kept, as an undefined figure equals no other."""
    return other is not None and (one.candidate or one) == (other.candidate or other)


def _latency(of: Latency, *, shown: bool = True) -> Iterator[Column[Candidate]]:
    """Yield the value of a latency in the worst pool, then the ends of its interval, which are data alone."""
    yield _worst(of, of.label, name=of.column, shown=shown)
    yield data(f"{of.column}_low", lambda one: _end(one, of, "low"))
    yield data(f"{of.column}_high", lambda one: _end(one, of, "high"))


def _worst(
    of: Latency, title: str, *, name: str = "", shown: bool = True, pages: tuple[Page, ...] = LIST
) -> Column[Candidate]:
    return figure(
        title, lambda one: _end(one, of, "value"), units.seconds, name=name, sign=estimated, shown=shown, pages=pages
    )


def _end(candidate: Candidate, of: Latency, end: str) -> float | None:
    return getattr(fleet_text.worst(candidate, of), end, None)


def latency(candidate: Candidate, of: Latency) -> str:
    """Return a latency in the worst pool, with the sign of the formula where nothing else gives it."""
    return _worst(of, of.label).tell([candidate])[0]


def estimated(candidate: Candidate) -> str:
    """Return the sign before a figure that a simulation could give: empty where one did."""
    return ESTIMATED if candidate.simulation is None else ""


def candidates_block(answer: Answer, question: Question) -> list[Item]:
    """Return the answer with the runners-up, by the objective; nothing where there are no others."""
    if all(is_same(one, answer.answer) for one in answer.candidates):
        return []
    block: list[Item] = [candidates_table(answer, question)]
    nearest = _one_per_fleet(nearest_first(answer.candidates, question))[:RUNNERS_UP] if answer.answer is None else []
    for candidate in nearest:
        seen = candidate.evidence.reason if candidate.evidence is not None else ""
        block += fact(candidate.handle or "nearest", fleet_text.why_broken(candidate) or seen)
    return block


def candidates_table(answer: Answer, question: Question) -> Table:
    """Return the answer, marked, and the next candidates by the question's objective."""
    best = answer.answer
    others = (best_first if best else nearest_first)(answer.candidates, question)
    shown = _one_per_fleet(([best] if best else []) + others)[: RUNNERS_UP + (1 if best else 0)]
    order = f"the answer, then {FIRST[question.objective]}" if best else "nearest"
    title = f"candidates {len(shown)} of {units.count(len(answer.candidates))}: {order} first; best split of each"
    return table(candidate_columns(question, best, ">"), shown, title=title, note=_note(shown, answer, question))


def candidates_page(
    candidates: Iterable[Candidate],
    question: Question,
    answer: Candidate | None = None,
    splits: Mapping[str, int] | None = None,
) -> Table:
    """Return one row per candidate, in the order given; the plan's answer bears a `*`.

    With `splits` it is said where pools divide, or how many splits of a fleet, named by its text, the row stands for.
    Where the room is short their number goes first, then the proof: what is left by formula bears its sign.
    """
    columns = candidate_columns(question, answer)
    if splits is None:
        return table(columns, candidates)

    def split(one: Candidate) -> str:
        several = splits.get(fleet_text.fleet(one.fleet), 1)
        ends = " ".join(units.count(pool.up_to) for pool in one.fleet.pools[:-1])
        return f"{several} splits" if several > 1 else ends

    giving = (
        replace(one, head=replace(one.head, if_room=True)) if one.head and one.head.title == PROOF else one
        for one in columns
    )
    return table((*giving, words("split at", split, if_room=bool(splits))), candidates)


def best_first(candidates: Iterable[Candidate], question: Question) -> list[Candidate]:
    """Return candidates, which come cheapest first, by the question's objective; those that break a limit last."""
    worth = _metered(question) if question.objective == "energy" else WORTH.get(question.objective)
    if worth is None:
        return list(candidates)
    return sorted(candidates, key=lambda one: (bool(one.shortfalls), round(worth(one), 9)))


def nearest_first(candidates: Iterable[Candidate], question: Question) -> list[Candidate]:
    """Return candidates none of which holds, those first that were simulated and break any limit by least.

    What was not simulated stays in its order, as the formulas have it.
    """

    def over(one: Candidate) -> float:
        if one.simulation is None:
            return math.inf
        left = [1.0 if share is None else share for _, share in fleet_text.slo_margins(one, question.slo)]
        return max(-min(left, default=0.0), largest_share(one, question) - 1.0)

    return sorted(candidates, key=over)


def _metered(question: Question) -> Callable[[Candidate], float]:
    return lambda one: feed(question, one.power, one.gpus)


def is_cheaper(one: Candidate, best: Candidate) -> bool:
    """Return whether a fleet costs less than another."""
    return one.cost_per_hour < best.cost_per_hour - SAME


def seen_error(one: Candidate, answer: Answer, question: Question) -> str:
    """Return the limit that a fleet would break by most if the formula erred as on simulated fleets; empty for none.

    Pools whose replicas no simulation has seen count as the formula has them.
    """
    anchors = by_replica(answer.candidates, question, answer.demand.rate)
    values = [(worst(one, limit, anchors), limit) for limit in question.slo.limits()]
    over = [(value / limit.seconds, value, limit.label) for value, limit in values if value > limit.seconds]
    if not over:
        return ""
    _, value, label = max(over)
    return f"{label} is {ESTIMATED}{units.seconds(value)}"


def _note(shown: Iterable[Candidate], answer: Answer, question: Question) -> str:
    """Return how the figures of what is listed are known, and what of it is cheaper because less was wished of it."""
    rows, best = tuple(shown), answer.answer
    parts = (_guessed(rows, answer, question), "" if best is None else _unsure(rows, best, question))
    return "; ".join(filter(None, parts))


def _unsure(shown: Iterable[Candidate], best: Candidate, question: Question) -> str:
    """Return what a reader must know of what is cheaper than a fleet that is sized to be surer; empty for any other."""
    told = next(filter(None, (_remark(one, best, question) for one in shown)), "")
    return f"cheaper ones are {told}" if told else ""


def _remark(one: Candidate, best: Candidate, question: Question) -> str:
    """Return why a fleet that holds is not the answer though it is cheaper than one that is sized to be surer."""
    if question.confidence is None or not is_cheaper(one, best) or one.shortfalls:
        return ""
    return confidence_text.unsure(question.confidence)


def _guessed(shown: Iterable[Candidate], answer: Answer, question: Question) -> str:
    """Return what the sign of a formula's figure means, with what the formula said of the simulated answer.

    Of what is cheaper and holds by the formula it is told which limit the first would break by the error that was seen,
    or how well the first's speeds are known where that is another class of evidence than the answer's. Empty where
    nothing is by formula.
    """
    guessed, best = [one for one in shown if one.simulation is None], answer.answer
    if not guessed:
        return ""
    note = f"{ESTIMATED} by formula, not simulated"
    if best is None or best.simulation is None:
        return note
    formula = replace(best, evidence=None)
    limited: list[Latency] = list(question.slo.limits()) or [TTFT.latency]
    told = [f"{one.label} {latency(formula, one)}, simulated {latency(best, one)}" for one in limited]
    tempting = [one for one in guessed if is_cheaper(one, best) and fleet_text.tightest(one, question.slo) != "no"]
    against = [words for one in tempting if (words := _against(one, answer, question))]
    told += against[:1]
    return f"{note}: the answer itself had {'; '.join(told)}"


def _against(one: Candidate, answer: Answer, question: Question) -> str:
    """Return what speaks against a cheaper fleet that holds by the formula; empty where nothing is known to."""
    broken, best = seen_error(one, answer, question), answer.answer
    if broken:
        return f"{one.handle}, by the error seen on such replicas: {broken}"
    return f"{one.handle}: {one.speeds}" if best is not None and one.speeds not in ("", best.speeds) else ""


def _one_per_fleet(candidates: list[Candidate]) -> list[Candidate]:
    """Return the first candidate of each fleet, in order: what differs only in where the pools divide is one."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        first.setdefault(fleet_text.fleet(candidate.fleet), candidate)
    return list(first.values())
