"""What a plan says about prefill and decode in its replicas, and what pools of their own for each would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.limit import TPOT
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports import fleet_text, units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.panes import Pane, pane, told
from fleettui.reports.plan_aspects import NO_FLEET
from fleettui.reports.pools_table import NAME, PoolRow, known_best, latency
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import WIDTH, Table
from fleettui.reports.text_page import Item

SEARCHABLE = (
    "v searches pools of their own for prefill and for decode at {rate}/s within {limits}, beside fleets like {fleet} "
    "({cost}) whose replicas do both, and says which is cheaper, why, and where that changes."
)
UNSEARCHED = "Whether pools of their own for prefill and decode change the answer was not searched yet: v does."
SEARCHED = "v searches again; fleettui disagg PLAN --link 25GB/s takes other links."


def disagg_text(
    candidate: Candidate | None, question: Question, width: int = WIDTH, *, study: Study | None = None
) -> str:
    """Return the parts of `disagg_panes`, one below the other."""
    return told(disagg_panes(candidate, question, study=study), width)


def disagg_panes(candidate: Candidate | None, question: Question, *, study: Study | None = None) -> list[Pane]:
    """Return what prefill and decode do to each other in the plan's replicas, and both ways as a study has them.

    `study` is what is kept of them, None where nothing is.
    """
    if candidate is None:
        return [pane("", [NO_FLEET])]
    sentence = _sentence(candidate, question)
    now: list[Sequence[Item]] = [[_pools(candidate, question)]]
    if study is None:
        return [
            pane("", [UNSEARCHED], [sentence]),
            pane("prefill and decode in one step", *now),
            pane("pools of their own: not searched yet", [_offer(candidate, question)], beside=True),
        ]
    fleets, _, parts, *proofs = study.tables
    lead, rest = study.sentences[:1], study.sentences[1:]
    return [
        pane("", lead),
        pane("both ways", [study_table(replace(fleets, title=""))]),
        *(pane(one.title, [study_table(replace(one, title=""))]) for one in proofs),
        *([pane("why, and when it changes", rest, beside=True)] if rest else []),
        pane("prefill and decode in one step", [sentence], *now),
        pane(parts.title, [study_table(replace(parts, title=""))]),
        pane("next", [SEARCHED], beside=True),
    ]


def _offer(candidate: Candidate, question: Question) -> str:
    return SEARCHABLE.format(
        rate=units.per_second(sum(pool.arrival_rate for pool in candidate.pools)),
        limits=fleet_text.limits(question.slo) or "no limit",
        fleet=fleet_text.fleet(candidate.fleet),
        cost=units.dollars_per_hour(candidate.cost_per_hour),
    )


def _sentence(candidate: Candidate, question: Question) -> str:
    """Return what prefill and decode do to each other where replicas do both."""
    longest = max(pool.longest_step for pool in candidate.pools)
    worst = fleet_text.worst(candidate, TPOT.latency)
    tpot = units.seconds(None if worst is None else worst.value)
    return (
        f"Every replica does both: prefill and decode share its steps. {_rank(question)} TPOT is {tpot} in the worst "
        f"pool, and the longest gap between two tokens, a step with a full prompt chunk, is {units.seconds(longest)}. "
        "Steps and prefill are by formula."
    )


def _pools(candidate: Candidate, question: Question) -> Table:
    columns: tuple[Column[PoolRow], ...] = (
        NAME,
        figure("tokens a step", lambda row: row.pool.token_budget, units.count),
        figure("longest step", lambda row: row.formula.longest_step, units.seconds),
        figure(f"{_rank(question)} prefill", lambda row: row.formula.prefill, units.seconds),
        latency(TPOT.latency, question.slo),
        words("limited by", lambda row: row.formula.limited_by),
    )
    return table(columns, known_best(candidate))


def _rank(question: Question) -> str:
    return f"P{units.write_percentile(question.slo.percentile)}"
