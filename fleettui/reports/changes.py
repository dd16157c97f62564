"""What differs between a plan and the one it came from: inputs first, then results, each with what that means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fleettui.domain.plan import Answer, Candidate, Estimate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_words, units
from fleettui.reports.question.form import to_values
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.table import Column, Table

BETTER, WORSE, NOT_PROVEN, NO_WORD = "better", "worse", "not proven", "-"
ESTIMATE = "~"
"""Stands before what only the formula says."""
NOT_A_CHANGE = frozenset({"name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A result of which less is better: how it is found in a candidate, and how it and a difference are written.

    An `estimated` one is known by formula unless it has an interval; one that is not `judged` is only told.
    """

    title: str
    find: Callable[[Candidate], Estimate | None]
    write: Callable[[float], str]
    estimated: bool = False
    judged: bool = True


def changes(old: Answer, old_question: Question, new: Answer, new_question: Question) -> Table:
    """Return a row for each input, then for each result, in which `new` differs from `old`; a note counts the others.

    The last cell says what a difference means: better, worse, - where that is no question, and not proven where the
    95 % intervals of two simulations overlap. A latency that only the formula gives bears a ~.
    """
    inputs, same_inputs = _inputs(old_question, new_question)
    results, same_results = _results(old, new, new_question)
    notes = [f"{_counted(same_inputs, 'input')} and {_counted(same_results, 'result')} unchanged"]
    if _mixed(old, new):
        notes.append("one plan is simulated, the other is known by formula only")
    if old.plan.engine_version != new.plan.engine_version:
        notes.append("another engine made each: numbers may differ for that alone")
    columns = (
        Column(title=""),
        Column(title=old.plan.handle or "old", wrap=True),
        Column(title=new.plan.handle or "new", wrap=True),
        Column(title="difference", align="right"),
        Column(title=""),
    )
    return Table(columns=columns, rows=(*inputs, *results), note="; ".join(notes))


def sentence(old: Answer, new: Answer, question: Question) -> str:
    """Return in one line whether `new`, the answer to `question`, is better than `old`, and what that costs."""
    before, after = old.answer, new.answer
    name, other = new.plan.handle or "the new plan", old.plan.handle or "the old one"
    if before is None or after is None:
        held = [one for one, found in ((other, before), (name, after)) if found is not None]
        return (
            f"only {held[0]} has a fleet that may hold" if held else "neither plan has a fleet that holds every limit"
        )
    costs = after.cost_per_hour - before.cost_per_hour
    parts = ["costs the same"] if _close(before.cost_per_hour, after.cost_per_hour) else [_dearer(before, costs)]
    for metric in _latencies(question):
        word = _word(metric.find(before), metric.find(after))
        parts += [f"{metric.title} {word}"] if word != NO_WORD else []
    verdicts = [fleet_words.VERDICT_WORDS[one.verdict] for one in (old, new)]
    parts.append(f"stays {verdicts[1]}" if verdicts[0] == verdicts[1] else f"{verdicts[0]} -> {verdicts[1]}")
    return f"{name} against {other}: {', '.join(parts)}"


def _dearer(before: Candidate, costs: float) -> str:
    share = f" ({_signed(costs / before.cost_per_hour, units.percent)})" if before.cost_per_hour else ""
    return f"{_signed(costs, units.dollars_per_hour)}{share} {WORSE if costs > 0 else BETTER}"


def _inputs(old: Question, new: Question) -> tuple[list[tuple[str, ...]], int]:
    """Return a row per input that differs, and how many do not; an input that neither question sets is none."""
    texts = [
        {name: BY_NAME[name].form.write(value) for name, value in to_values(question).items()}
        for question in (old, new)
    ]
    names = [name for name in BY_NAME if name not in NOT_A_CHANGE and any(name in one for one in texts)]
    pairs = {name: tuple(one.get(name, units.UNDEFINED) for one in texts) for name in names}
    rows = [(name, *pair, "", NO_WORD) for name, pair in pairs.items() if pair[0] != pair[1]]
    return rows, len(pairs) - len(rows)


def _results(old: Answer, new: Answer, question: Question) -> tuple[list[tuple[str, ...]], int]:
    rows = [row for row in _told(old, new, question) if row[1] != row[2] or row[3]]
    return rows, sum(1 for _ in _told(old, new, question)) - len(rows)


def _told(old: Answer, new: Answer, question: Question) -> Iterator[tuple[str, ...]]:
    """Yield a row for every result, whether or not it differs."""
    before, after = old.answer, new.answer
    yield "fleet", _fleet(before), _fleet(after), "", NO_WORD
    for metric in (GPUS, COST):
        yield _row(metric, before, after)
    for metric in _latencies(question):
        yield _row(metric, before, after)
    yield _row(POWER, before, after)
    words = [fleet_words.VERDICT_WORDS[one.verdict] for one in (old, new)]
    grades = [_grade(one) for one in (old, new)]
    yield "verdict", *words, "", _compared(grades[0], grades[1])


def _row(metric: Metric, old: Candidate | None, new: Candidate | None) -> tuple[str, ...]:
    before, after = (None if one is None else metric.find(one) for one in (old, new))
    cells = [_cell(metric, one) for one in (before, after)]
    if before is None or after is None or before.value is None or after.value is None:
        return metric.title, *cells, "", NO_WORD
    if _close(before.value, after.value):
        return metric.title, *cells, "", NO_WORD
    difference = _signed(after.value - before.value, metric.write)
    return metric.title, *cells, difference, _word(before, after) if metric.judged else NO_WORD


def _cell(metric: Metric, found: Estimate | None) -> str:
    if found is None or found.value is None:
        return units.UNDEFINED
    width = fleet_words.interval(found)
    sign = ESTIMATE if metric.estimated and not width else ""
    return f"{sign}{metric.write(found.value)} {width}".rstrip()


def _word(old: Estimate | None, new: Estimate | None) -> str:
    """Return better, worse, or not proven where two intervals overlap; - where there is nothing to compare."""
    if old is None or new is None or old.value is None or new.value is None or _close(old.value, new.value):
        return NO_WORD
    ends = (old.low, old.high, new.low, new.high)
    if None not in ends and old.low <= new.high and new.low <= old.high:  # type: ignore[operator]
        return NOT_PROVEN
    return _compared(old.value, new.value)


def _compared(old: float, new: float) -> str:
    if old == new:
        return NO_WORD
    return BETTER if new < old else WORSE


def _latencies(question: Question) -> list[Metric]:
    """Return TTFT and TPOT, and what else the question limits, at its percentile in the worst pool."""
    rank = f"P{units.write_percentile(question.slo.percentile)}"
    names = dict.fromkeys(("ttft", "tpot", *(name for name, _ in question.slo.limits())))
    return [
        Metric(title=f"{rank} {name.upper()}", find=_worst(name), write=units.seconds, estimated=True) for name in names
    ]


def _worst(name: str) -> Callable[[Candidate], Estimate | None]:
    return lambda candidate: fleet_words.worst(candidate, name)


GPUS = Metric(title="GPUs", find=lambda one: Estimate(value=one.gpus), write=units.count, judged=False)
COST = Metric(title="cost", find=lambda one: Estimate(value=one.cost_per_hour), write=units.dollars_per_hour)
POWER = Metric(title="power", find=lambda one: Estimate(value=one.power), write=units.watts)


def _fleet(candidate: Candidate | None) -> str:
    return units.UNDEFINED if candidate is None else fleet_words.fleet(candidate.fleet)


def _grade(answer: Answer) -> float:
    return ("pass", "unproven", "fail", "infeasible").index(answer.verdict)


def _mixed(old: Answer, new: Answer) -> bool:
    both = [one.answer for one in (old, new) if one.answer is not None]
    return len({fleet_words.simulation_of(one) is None for one in both}) > 1


def _close(old: float, new: float) -> bool:
    return abs(old - new) <= 1e-9 * max(abs(old), abs(new))


def _signed(value: float, write: Callable[[float], str]) -> str:
    return ("+" if value > 0 else "-") + write(abs(value))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
