"""A plan in words: printed whole, on the screen, and in a few lines beside a list."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten

from fleettui.domain.meter import meter_asked
from fleettui.domain.plan import Answer, Candidate, Verdict, saves
from fleettui.domain.plan_row import PlanRow
from fleettui.domain.provenance import Provenance
from fleettui.domain.remedy import INSTEAD
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports import moments, units
from fleettui.reports.answer_head import answer_head, fleet_head
from fleettui.reports.candidates_table import candidates_block
from fleettui.reports.fleet_text import broken
from fleettui.reports.in_app import in_app, items_in_app
from fleettui.reports.meter_text import meter_text
from fleettui.reports.money_lines import money_lines
from fleettui.reports.pools_table import known_table, pools_block
from fleettui.reports.proof_text import undecided
from fleettui.reports.question.conversion import summary
from fleettui.reports.redundancy_text import cautions, key, redundancy_table
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import Item, Line, fact, text_page, warned


def plan_text(answer: Answer, question: Question, width: int = WIDTH) -> str:
    """Return the whole printed plan as lines of at most `width` characters."""
    blocks: tuple[list[Item], ...] = (
        [summary(question), *fact("demand", answer.demand.arithmetic), "", *answer_head(answer, question)],
        [] if answer.answer is None else pools_block(answer.answer, question, answer.candidates),
        _spares(answer, question),
        [*_reasons(answer)],
        _metered(answer, question),
        candidates_block(answer, question),
        [*warned(cautions(answer, question))],
        [*_next_steps(answer, question)],
    )
    return text_page(blocks, width)


def _metered(answer: Answer, question: Question) -> list[Item]:
    """Return what the meter shows, where the question says something of it."""
    if answer.answer is None or meter_asked(answer.answer, question) is None:
        return []
    return [*fact("meter", meter_text(answer.answer, question, answer.demand))]


def _spares(answer: Answer, question: Question) -> list[Item]:
    """Return what fewer and more spare replicas give, where the question says how often hardware fails."""
    return (
        []
        if answer.redundancy is None
        else [redundancy_table(answer.redundancy, question.slo, simulated=answer.simulation is not None)]
    )


def _reasons(answer: Answer) -> list[Line]:
    """Return the reasons, without the one that stands beside the proof and what would do instead, told there, too."""
    evidence = None if answer.answer is None else answer.answer.evidence
    why = [reason for reason in answer.why if not reason.startswith(INSTEAD)]
    found = [reason for reason in why if evidence is None or reason != evidence.reason]
    return [line for index, reason in enumerate(found) for line in fact("why" if index == 0 else "", reason)]


def _next_steps(answer: Answer, question: Question) -> list[str]:
    handle = answer.plan.handle
    if not handle:
        return []
    name = f' "{answer.plan.name}"' if answer.plan.name else ""
    steps = [
        f"plan {handle}{name}   again: fleettui show {handle}   as data: with --json",
        f"each number's reason: fleettui why {handle}   what if: fleettui whatif {handle} --help",
    ]
    seen = answer.simulation
    if answer.answer is not None and seen is not None and seen.verdict == "unproven":
        more = f"more proof: fleettui verify {answer.answer.handle or handle}"
        steps.append(undecided(seen, question) or more)
    return steps


def plan_screen(
    answer: Answer,
    question: Question,
    width: int = WIDTH,
    chosen: Candidate | None = None,
    *,
    whole: bool = False,
    finished: bool = True,
    money: Study | None = None,
) -> str:
    """Return the answer, or a `chosen` candidate, as lines; `whole` sets formula and simulation beside each other.

    A plan that is not `finished` says that it is not proven yet. `money` is the newest study of how its GPUs are paid
    for, None where there is none.
    """
    candidate, brief = chosen or answer.answer, not whole
    head: list[Item] = [
        *(
            answer_head(answer, question, brief=brief, finished=finished)
            if chosen is None
            else fleet_head(
                chosen,
                verdict_of(chosen),
                question,
                derived=answer.demand,
                brief=brief,
                made=answer.plan.created,
            )
        )
    ]
    head += [] if chosen or money is None else money_lines(money)
    if chosen is None and brief and (found := cautions(answer, question)):
        head.append(_first_of(tuple(map(in_app, found)), width))
    pools: list[Item] = []
    if candidate is not None:
        tried = answer.candidates
        pools = pools_block(candidate, question, tried) if whole else [known_table(candidate, question, tried)]
    told = [] if chosen else [_reasons(answer), warned(cautions(answer, question))]
    blocks: list[Sequence[Item]] = [head, pools, [] if chosen else _spares(answer, question), *told]
    return text_page((items_in_app(block) for block in blocks), width)


def _first_of(warnings: tuple[str, ...], width: int) -> str:
    """Return one line with the last warning, which is about the question, and the way to all where there is more.

    A risk goes before what would cost less. A warning that is whole is worth more than the words of the way.
    """
    risks = [one for one in warnings if not saves(one)]
    last, more = f"! {(risks or warnings)[-1]}", len(warnings) - 1
    way = f"   +{more}: tab, j" if more else "   (tab, j)"
    ends = (way, f"  +{more}") if more else ("",)
    whole = next((last + end for end in ends if len(last + end) <= width), None)
    return whole or f"{shorten(last, width - len(way), placeholder=' ...')}{way}"


def verdict_of(candidate: Candidate) -> Verdict:
    """Return what is known of a candidate: a broken constraint fails, else the simulation decides, else the formula."""
    seen = candidate.simulation
    if broken(candidate):
        return "fail"
    return "pass" if seen is None else seen.verdict


def preview_text(
    row: PlanRow,
    answer: Answer,
    question: Question,
    provenance: Provenance,
    *,
    studies: int = 0,
    newest: str = "",
    width: int = WIDTH,
) -> str:
    """Return the question, the head of the answer, the labels, who made it, and the command that shows it again.

    `studies` is how many are kept of it, `newest` the title of the newest.
    """
    block = (
        *fact("asked", f"{units.per_second(answer.demand.rate)}/s   {summary(question)}"),
        *answer_head(answer, question, brief=True, finished=row.finished),
        *fact("", "" if answer.answer is None else key(answer.answer.fleet.pools)),
        *fact("note", row.note),
        *fact("tags", " ".join(row.tags)),
        *fact("made", _made(row, answer, provenance)),
        *fact("studies", _studies(studies, newest.removeprefix(f"{row.name or row.handle}: "))),
        *fact("again", f"fleettui show {row.handle}"),
    )
    return text_page([block], width)


def _studies(count: int, newest: str) -> str:
    """Return how many studies are kept, and what the newest is of.

    >>> _studies(4, "its fleet with replicas down"), _studies(1, "how much traffic its fleet carries"), _studies(0, "")
    ('4, newest: its fleet with replicas down', '1: how much traffic its fleet carries', '')
    """
    return "" if not count else f"{units.count(count)}{', newest' * (count > 1)}: {newest}"


def _made(row: PlanRow, answer: Answer, provenance: Provenance) -> str:
    program = f"by fleettui {provenance.program_version}, engine {answer.plan.engine_version}"
    return f"{moments.minute(row.created)} UTC {program}   seed {answer.plan.seed}"
