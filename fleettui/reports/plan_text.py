"""The printed plan: what to buy, what it costs, what limits it, how sure that is, and what else was near."""

from __future__ import annotations

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text
from fleettui.reports.answer_head import answer_head, labelled
from fleettui.reports.candidates_table import candidates_text
from fleettui.reports.pools_table import pools_text
from fleettui.reports.proof_text import UNDECIDED, no_more_runs
from fleettui.reports.question.conversion import summary
from fleettui.reports.table import WIDTH, wrap


def plan_text(answer: Answer, question: Question, width: int = WIDTH) -> str:
    """Return the whole printed plan as lines of at most `width` characters."""
    blocks = [
        _head(answer, question, width),
        _pools(answer, question, width),
        reasons_text(answer, width),
        candidates_text(answer, question, width),
        warnings_text(answer, width),
        _next_steps(answer, width),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _head(answer: Answer, question: Question, width: int) -> list[str]:
    asked = [*wrap(summary(question), width), *labelled("demand", answer.demand.arithmetic, width), ""]
    return [*asked, *answer_head(answer, question, width)]


def _pools(answer: Answer, question: Question, width: int) -> list[str]:
    return [] if answer.answer is None else pools_text(answer.answer, question, width)


def reasons_text(answer: Answer, width: int = WIDTH) -> list[str]:
    """Return the reasons as lines, the one that stands beside the proof left out."""
    evidence = None if answer.answer is None else answer.answer.evidence
    found = [reason for reason in answer.why if evidence is None or reason != evidence.reason]
    return [line for index, reason in enumerate(found) for line in labelled("why" if index == 0 else "", reason, width)]


def warnings_text(answer: Answer, width: int = WIDTH) -> list[str]:
    """Return the warnings as lines, each with a `!` before it."""
    return [line for warning in answer.warnings for line in wrap(warning, width, "! ")]


def _next_steps(answer: Answer, width: int) -> list[str]:
    handle = answer.plan.handle
    if not handle:
        return []
    name = f' "{answer.plan.name}"' if answer.plan.name else ""
    lines = wrap(f"plan {handle}{name}   again: fleettui show {handle}   as data: with --json", width)
    lines += wrap(f"each number's reason: fleettui why {handle}   what if: fleettui whatif {handle} --help", width)
    seen = None if answer.answer is None else fleet_text.simulation_of(answer.answer)
    if answer.answer is not None and seen is not None and seen.verdict == "unproven":
        more = f"more proof: fleettui verify {answer.answer.handle or handle}"
        lines += wrap(UNDECIDED if no_more_runs(seen) else more, width)
    return lines
