"""What a plan says about prefill and decode in its replicas, and what pools of their own for each would change."""

from __future__ import annotations

from fleettui.domain.limit import TPOT
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports import fleet_text, units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.plan_aspects import NO_FLEET
from fleettui.reports.pools_table import NAME, PoolRow, known_best, latency
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import Item, text_page

SEARCHABLE = (
    "v searches pools of their own for prefill and for decode, beside fleets whose replicas do both, and says which is "
    "cheaper, why, and where that changes. A TPOT limit is also held by smaller chunks (e, token-budget)."
)
SEARCHED = "v searches again; fleettui disagg PLAN --link 25GB/s takes other links."


def disagg_text(
    candidate: Candidate | None, question: Question, width: int = WIDTH, *, study: Study | None = None
) -> str:
    """Return what prefill and decode do to each other in the plan's replicas, and both ways as a study has them.

    `study` is what is kept of them, None where nothing is.
    """
    if candidate is None:
        return text_page([[NO_FLEET]], width)
    rank = f"P{units.write_percentile(question.slo.percentile)}"
    longest = max(pool.longest_step for pool in candidate.pools)
    worst = fleet_text.worst(candidate, TPOT.latency)
    tpot = units.seconds(None if worst is None else worst.value)
    sentence = (
        f"Every replica does both: prefill and decode share its steps. {rank} TPOT is {tpot} in the worst pool, and "
        f"the longest gap between two tokens, a step with a full prompt chunk, is {units.seconds(longest)}. "
        "Steps and prefill are by formula."
    )
    columns: tuple[Column[PoolRow], ...] = (
        NAME,
        figure("tokens a step", lambda row: row.pool.token_budget, units.count),
        figure("longest step", lambda row: row.formula.longest_step, units.seconds),
        figure(f"{rank} prefill", lambda row: row.formula.prefill, units.seconds),
        latency(TPOT.latency, question.slo),
        words("limited by", lambda row: row.formula.limited_by),
    )
    pools: list[Item] = [table(columns, known_best(candidate))]
    if study is None:
        return text_page([[sentence], pools, [SEARCHABLE]], width)
    fleets, *_ = study.tables
    return text_page([study.sentences, [study_table(fleets)], [sentence], pools, [SEARCHED]], width)
