"""The next best fleets of another kind, and why none of them is the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence

from fleettui.domain.fleet import Fleet
from fleettui.domain.limit import TTFT
from fleettui.domain.plan import MAY_BE_CHEAPER, TOGETHER, Answer, Candidate, cheaper_gpus, compares_gpus
from fleettui.domain.scenario import Question
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.candidates_table import ESTIMATED, SAME, best_first, candidate_columns, is_cheaper, seen_error
from fleettui.reports.columns import REPORT, Column, table, words
from fleettui.reports.report.model import Kept, Section, sentence

MOST = 3
_ALONE = re.compile(r"(?<=, )[^,;:]+(?= alone )")
"""What of some types that may be cheaper is as good as sure by itself."""


def alternatives(kept: Kept) -> Section:
    """Return the section on what else was near."""
    question, answer = kept.scenario.question, kept.answer
    found = list(_others(answer.candidates, answer.answer, question))[:MOST]
    title = "Alternatives" if answer.answer is not None else "The nearest fleets, none of which holds"
    compared = tuple(map(sentence, _of_other_gpus(answer)))
    if not found:
        return Section(title=title, sentences=(*compared, "No other fleet is kept with this plan."))
    columns: tuple[Column[Candidate], ...] = (
        *candidate_columns(question, answer.answer),
        words("why not", lambda one: why_not(one, answer, question), wrap=True, pages=REPORT),
    )
    formula = any(one.simulation is None for one in found)
    note = f"{ESTIMATED} by formula, not simulated; TTFT of the slowest pool" if formula else "TTFT of the slowest pool"
    return Section(title=title, sentences=compared, tables=(table(columns, found, note=note, page="report"),))


def _of_other_gpus(answer: Answer) -> Iterator[str]:
    """Yield what there is beside the answer's GPU types, as its reasons say: what may be cheaper, or what is next.

    What was simulated of it need not be among the fleets that are kept.
    """
    for reason in answer.why:
        if not compares_gpus(reason):
            continue
        if not cheaper_gpus(reason):
            yield reason
        else:
            names, _, told = reason.partition(MAY_BE_CHEAPER)
            yield f"{_upper(names)}{MAY_BE_CHEAPER}{_ALONE.sub(lambda found: _upper(found[0]), told)}"


def _upper(names: str) -> str:
    """Return GPU types as they stand on a page for whoever decides."""
    return TOGETHER.join(map(str.upper, names.split(TOGETHER)))


def _others(candidates: Sequence[Candidate], best: Candidate | None, question: Question) -> Iterator[Candidate]:
    """Yield what holds before what does not: proven fleets, then those known as well as the best, then all others.

    Of each those of other GPU types go before those of other kinds, and these before other shapes.
    """
    ordered = list(candidates) if best is None else best_first(candidates, question)
    held = [one for one in ordered if fleet_text.tightest(one, question.slo) != "no"]
    broken = [one for one in ordered if one not in held]
    told: list[Candidate] = [] if best is None else [best]
    proven = [one for one in held if one.simulation is not None]
    known = [one for one in held if best is None or not question.sets_aside(one, best)]
    ways: tuple[tuple[list[Candidate], Callable[[Fleet], Hashable]], ...] = (
        (proven, _gpus),
        (proven, fleet_text.shape),
        (known, _gpus),
        (known, _kind),
        (held, _gpus),
        (held, _kind),
        (held, fleet_text.shape),
        (broken, _kind),
        (broken, fleet_text.shape),
        (ordered, fleet_text.fleet),
    )
    for group, way in ways:
        for one in group:
            if all(way(one.fleet) != way(other.fleet) for other in told):
                told.append(one)
                yield one


def _gpus(fleet: Fleet) -> Hashable:
    return frozenset(pool.gpu for pool in fleet.pools)


def _kind(fleet: Fleet) -> Hashable:
    return _gpus(fleet), len(fleet.pools)


def why_not(one: Candidate, answer: Answer, question: Question) -> str:
    """Return what speaks against a fleet beside the answer: a limit that it breaks, or what it takes more of.

    Of one that costs no more and was not simulated it is told what the formula comes to once it errs as it did where
    fleets of the same replicas were, and how one of the same pools, split elsewhere, came out.
    """
    best = answer.answer
    if broken := fleet_text.why_broken(one):
        return broken
    if best is None:
        return "breaks a limit"
    more = dict(_more(one, best))
    aim = "power" if question.objective == "energy" else question.objective
    told = [words for name, words in more.items() if name in {"cost", aim}]
    if told:
        return ", ".join(told)
    if is_cheaper(one, best):
        return _cheaper(one, answer, question)
    doubt = "" if one.simulation is not None else _doubt(one, answer, question)
    return ", ".join(["the same cost", *more.values(), *([f"but not simulated{doubt}"] if doubt else ())])


def _cheaper(one: Candidate, answer: Answer, question: Question) -> str:
    """Return why a cheaper fleet that is not known to fail is not the answer."""
    if question.confidence is not None:
        return f"cheaper, but {confidence_text.unsure(question.confidence)}"
    return f"cheaper by formula, but not simulated{_doubt(one, answer, question)}: fleettui verify {one.handle}"


def _doubt(one: Candidate, answer: Answer, question: Question) -> str:
    """Return what simulations of its like say of a fleet that was not simulated, empty where they say nothing."""
    broken = seen_error(one, answer, question)
    corrected = broken and f", and with the error seen on such replicas {broken}"
    return f"{corrected}{_twin(one, answer.candidates)}"


def _twin(one: Candidate, tried: Sequence[Candidate]) -> str:
    """Return how a simulated fleet of the same pools failed, empty where none has."""
    for other in tried:
        seen, same = other.simulation, fleet_text.fleet(other.fleet) == fleet_text.fleet(one.fleet)
        if same and seen is not None and seen.verdict != "pass":
            came_out = "fails" if seen.verdict == "fail" else "is not proven"
            return f", and {other.handle}, the same pools split elsewhere, {came_out}"
    return ""


def _more(one: Candidate, best: Candidate) -> Iterator[tuple[str, str]]:
    """Yield what a fleet takes more of, by what a plan can have least of."""
    cost = one.cost_per_hour - best.cost_per_hour
    if cost > SAME:
        yield "cost", f"{units.dollars(cost)}/h more ({units.percent(cost / best.cost_per_hour)})"
    if one.gpus > best.gpus:
        yield "gpus", f"{one.gpus - best.gpus} GPUs more"
    if one.power - best.power > SAME:
        yield "power", f"{units.watts(one.power - best.power)} more"
    if (one.simulation is None) != (best.simulation is None):
        return
    slower = [fleet_text.worst(candidate, TTFT.latency) for candidate in (one, best)]
    values = [0.0 if found is None or found.value is None else found.value for found in slower]
    if values[0] > values[1]:
        yield "ttft", f"TTFT {units.seconds(values[0] - values[1])} longer"
