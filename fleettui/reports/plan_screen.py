"""A fleet on the screen: its head, one line per pool, the reasons and warnings; shorter than the printed plan."""

from __future__ import annotations

from textwrap import shorten

from fleettui.domain.plan import Answer, Candidate, PlanRow, Verdict
from fleettui.domain.scenario import Question
from fleettui.reports import units
from fleettui.reports.answer_head import answer_head, fleet_head
from fleettui.reports.fleet_text import METHOD_WORDS, VERDICT_WORDS, broken, simulation_of
from fleettui.reports.plan_text import reasons_text, warnings_text
from fleettui.reports.pools_table import known_table, pools_text
from fleettui.reports.table import WIDTH, render


def plan_screen(
    answer: Answer,
    question: Question,
    width: int = WIDTH,
    chosen: Candidate | None = None,
    *,
    whole: bool = False,
    finished: bool = True,
) -> str:
    """Return the answer, or a `chosen` candidate, as lines; `whole` sets formula and simulation beside each other.

    A plan that is not `finished` says that it is not proven yet.
    """
    candidate, brief = chosen or answer.answer, not whole
    if chosen is None:
        blocks = [answer_head(answer, question, width, brief=brief, finished=finished)]
    else:
        blocks = [fleet_head(chosen, verdict_of(chosen), question, width, brief=brief)]
    if candidate is not None:
        table = render(known_table(candidate, question), width).splitlines()
        blocks.append(pools_text(candidate, question, width) if whole else table)
    if chosen is None:
        if answer.warnings and brief:
            blocks[0].append(_first_of(answer.warnings, width))
        blocks += [reasons_text(answer, width), warnings_text(answer, width)]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _first_of(warnings: tuple[str, ...], width: int) -> str:
    """Return one line with the beginning of the last warning, which is about the question, and the way to all."""
    way = f"   (tab, then j: all {len(warnings)})" if len(warnings) > 1 else "   (tab, then j)"
    return f"! {shorten(warnings[-1], width - len(way) - 2, placeholder=' ...')}{way}"


def row_screen(row: PlanRow) -> str:
    """Return what one line of the list says of a plan, for the moment before the plan itself is read."""
    verdict = VERDICT_WORDS[row.verdict]
    if row.cost_per_hour is None:
        return verdict
    cost = f"{units.dollars_per_hour(row.cost_per_hour)}   {units.dollars_per_year(row.cost_per_hour)}"
    latency = f"TTFT {units.seconds(row.ttft)}   TPOT {units.seconds(row.tpot)}   in the worst pool"
    return f"{verdict}   {row.fleet}   {cost}\n{METHOD_WORDS.get(row.method, row.method)}   {latency}"


def verdict_of(candidate: Candidate) -> Verdict:
    """Return what is known of a candidate: a broken constraint fails, else the simulation decides, else the formula."""
    seen = simulation_of(candidate)
    if broken(candidate):
        return "fail"
    return "pass" if seen is None else seen.verdict
