"""What a plan says about prefill and decode in its replicas, and what pools of their own for each would change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fleettui.domain.limit import TPOT, TTFT
from fleettui.domain.limiting import limited_by
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Cell, Study
from fleettui.reports import fleet_text, slo_text, units
from fleettui.reports.candidate_chart import candidate_chart
from fleettui.reports.columns import figure, words
from fleettui.reports.panes import Pane, pane, picture
from fleettui.reports.picture import Picture
from fleettui.reports.pools_table import by_pool, known_best, latency
from fleettui.reports.studies.disagg_ratios import TITLE
from fleettui.reports.studies.disagg_rows import TOGETHER
from fleettui.reports.study_chart import study_chart
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import Table
from fleettui.reports.taken import Taken
from fleettui.reports.text_page import Item

SEARCHABLE = (
    "{before}v searches pools of their own for prefill and for decode at {rate}/s within {limits}, beside fleets like "
    "{fleet} ({cost}) whose replicas do both, and says which is cheaper, why, and where that changes."
)
UNSEARCHED = "Whether pools of their own for prefill and decode change the answer was not searched yet: {before}v does."
SEARCHED = (
    "i takes a row's GPUs into the question; v searches again; fleettui disagg {plan} --link 25GB/s takes other links."
)
APART_TAKEN = "a plan's replicas do both: r plans such on these GPUs, v then searches both ways on them alone"
_DIVISION = re.compile(r"\b(?P<way>tp|dp)(?P<tp>\d+)(?:pp(?P<pp>\d+))?\b")
_GPU = re.compile(r"(?:^|[+>] )(?P<gpu>[A-Z][\w.-]*)(?= (?:tp|dp)\d)")


def disagg_panes(
    candidate: Candidate,
    question: Question,
    *,
    study: Study | None = None,
    others: Sequence[Candidate] = (),
    before: str = "",
    plan: str = "PLAN",
) -> list[Pane]:
    """Return what prefill and decode do to each other in the plan's replicas, and both ways as a study has them.

    `study` is what is kept of them, None where nothing is; then `others`, the fleets that the plan holds, stand in
    pictures of what a faster prefill and a faster decode cost where replicas do both. `before` is what
    comes before `v` can search; `plan` is what a command calls the plan.
    """
    sentence = _sentence(candidate, question)
    now: list[Sequence[Item]] = [[_pools(candidate, question)]]
    if study is None:
        return [
            pane("", [UNSEARCHED.format(before=before)], [sentence]),
            pane("prefill and decode in one step", *now),
            pane("own pools: not searched yet", [_offer(candidate, question, before)], beside=True),
            *_among(candidate, question, others),
        ]
    fleets, _, parts, *more = study.tables
    proofs, ratios = ([one for one in more if (one.title == TITLE) == is_ratio] for is_ratio in (False, True))
    lead, rest = study.sentences[:1], study.sentences[1:]
    return [
        pane("", lead),
        pane("both ways", [study_table(replace(fleets, title=""))]),
        *(pane(one.title, [study_table(replace(one, title=""))]) for one in proofs),
        *([pane("why, and when it changes", rest, beside=True)] if rest else []),
        *(
            part
            for one in ratios
            for part in picture(study_chart(study, Picture(table=study.tables.index(one), titled=True)))
        ),
        pane("prefill and decode in one step", [sentence], *now),
        pane(parts.title, [study_table(replace(parts, title=""))]),
        *(pane(one.title, [study_table(replace(one, title=""))]) for one in ratios),
        pane("next", [SEARCHED.format(plan=plan)], beside=True),
    ]


def _offer(candidate: Candidate, question: Question, before: str) -> str:
    return SEARCHABLE.format(
        before=before,
        rate=units.per_second(sum(pool.arrival_rate for pool in candidate.pools)),
        limits=slo_text.limits(question.slo) or "no limit",
        fleet=fleet_text.fleet(candidate.fleet),
        cost=units.dollars_per_hour(candidate.cost_per_hour),
    )


def _among(candidate: Candidate, question: Question, others: Sequence[Candidate]) -> list[Pane]:
    """Return what TTFT and TPOT of the fleets that a plan holds cost, nothing where it holds no other."""
    if len(others) < 2:
        return []
    own = candidate.candidate or candidate.handle
    return [one for of in (TPOT, TTFT) for one in picture(candidate_chart(others, question, own, of=of.latency))]


def ways_to_take(study: Study) -> tuple[Taken, ...]:
    """Return the fleets of a study of both ways as what they are in a question: their GPUs, and how these divide."""
    return tuple(_taken(row) for row in study.tables[0].records() if "fleet" in row)  # earlier studies had two columns


def _taken(row: Mapping[str, Cell]) -> Taken:
    """Return a row of both ways: the question of a fleet that is apart is that of replicas that do both on its GPUs."""
    fleet, tokens = str(row["fleet"]), str(row["tokens_a_step"]).replace(",", "")  # a text in earlier studies
    divisions, together = [*_DIVISION.finditer(fleet)], row["way"] == TOGETHER
    texts = {
        "gpu": ",".join(sorted({found["gpu"].lower() for found in _GPU.finditer(fleet)})),
        "tp": _counts(found["tp"] for found in divisions),
        "pp": _counts(found["pp"] or "1" for found in divisions),
    }
    own = {"attention-dp": "true"} if divisions and all(found["way"] == "dp" for found in divisions) else {}
    budget = {"token-budget": tokens if tokens.isdecimal() else "auto"} if together else {}
    cost = units.dollars_per_hour(float(row["cost_per_hour"] or 0))
    return Taken(
        words=f"{row['way']}  {fleet}  {cost}", texts=texts | own | budget, told="" if together else APART_TAKEN
    )


def _counts(found: Iterable[str]) -> str:
    """Return whole numbers as a question has them: each once, the least first."""
    return ",".join(map(str, sorted({int(one) for one in found})))


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
    return by_pool(
        known_best(candidate, limited_by(candidate, question)),
        figure("tokens a step", lambda row: row.pool.token_budget, units.count),
        figure("longest step", lambda row: row.formula.longest_step, units.seconds),
        figure(f"{_rank(question)} prefill", lambda row: row.formula.prefill, units.seconds),
        latency(TPOT.latency, question.slo),
        words("limited by", lambda row: row.limited_by),
    )


def _rank(question: Question) -> str:
    return f"P{units.write_percentile(question.slo.percentile)}"
