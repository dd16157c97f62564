"""What a plan says about power: its GPUs and the meter, and what caps would do once they have been simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.meter import feed
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports import fleet_text, slo_text, units
from fleettui.reports.candidate_chart import POWER, candidate_chart
from fleettui.reports.columns import figure
from fleettui.reports.meter_text import meter_text
from fleettui.reports.panes import Pane, pane, picture
from fleettui.reports.picture import Picture
from fleettui.reports.pools_table import BUSY, GPUS, MFU, RATE, by_formula, by_pool
from fleettui.reports.studies.power import HOLDS
from fleettui.reports.study_chart import study_chart
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import Table
from fleettui.reports.taken import Taken

CAPPABLE = (
    "{before}v caps {fleet} deeper and deeper and simulates the deepest cap that keeps {limits}; fleettui energy "
    "{plan} has tokens per joule against load."
)
CAPPED = "v caps it again; i takes a cap that holds into the question; fleettui energy {plan} has tokens per joule."
UNLIMITED = " No power limit is set, so none changes the answer (e, max-power for the GPUs, max-feed for the meter)."
SIMULATED = "simulated"
"""What is said of a cap that more than a formula shows to hold."""
PICTURES = (Picture(table=0, column="ttft"), Picture(table=0, column="power"))
"""What is drawn of a study against the cap."""


def power_panes(
    candidate: Candidate,
    question: Question,
    *,
    study: Study | None = None,
    others: Sequence[Candidate] = (),
    before: str = "",
    derived: DerivedDemand | None = None,
    plan: str = "PLAN",
) -> list[Pane]:
    """Return what the fleet draws, how far that is from limits, the meter's reading, and a study of caps.

    `study` is what is kept of them, None where nothing is; then `others`, the fleets that the plan holds, stand in a
    picture of power and latency. `before` is what comes before `v` can cap it; `derived` what the demand came to;
    `plan` is what a command calls the plan.
    """
    each = candidate.power / candidate.gpus
    sentence = f"The GPUs draw {units.watts(candidate.power)} at this load, {units.watts(each)} each on average."
    sentence += _limits(candidate, question)
    unsaid = [name for name in ("power-price", "carbon") if getattr(question, name.replace("-", "_")) is None]
    wished = f" Say {' and '.join(unsaid)} (e) for money and carbon." if unsaid else ""
    now, meter = pane("what each pool draws", [_pools(candidate)]), [meter_text(candidate, question, derived)]
    if study is None:
        limits = slo_text.limits(question.slo) or "every limit"
        offer = CAPPABLE.format(before=before, fleet=fleet_text.fleet(candidate.fleet), limits=limits, plan=plan)
        return [
            pane("", [sentence]),
            now,
            pane("at the meter", [meter[0] + wished], beside=True),
            pane("on less power: not capped yet", [offer], beside=True),
            *_among(candidate, question, others),
        ]
    caps = study.tables[0]
    return [
        pane("", study.sentences),
        pane(caps.title, [study_table(replace(caps, title=""))]),
        *(one for wanted in PICTURES for one in picture(study_chart(study, wanted))),
        pane(now.title, [sentence], [_pools(candidate)]),
        pane("at the meter", meter, [f"{CAPPED.format(plan=plan)}{wished}"], beside=True),
    ]


def _among(candidate: Candidate, question: Question, others: Sequence[Candidate]) -> list[Pane]:
    """Return a picture of a fleet among those that the plan holds, none where it holds no other."""
    own = candidate.candidate or candidate.handle
    return picture(candidate_chart(others, question, own, POWER)) if len(others) > 1 else []


def _pools(candidate: Candidate) -> Table:
    return by_pool(
        by_formula(candidate),
        GPUS,
        figure("power", lambda row: row.formula.power, units.watts),
        figure("per GPU", lambda row: row.formula.power / row.pool.gpus, units.watts),
        BUSY,
        MFU,
        RATE,
        figure(
            "GPU J/request",
            lambda row: row.formula.power / row.formula.arrival_rate if row.formula.arrival_rate else None,
            units.count,
        ),
    )


def caps_to_take(study: Study) -> tuple[Taken, ...]:
    """Return the caps of a study of power that hold, those simulated and the deepest first, as texts of a question."""
    found = [row for row in study.tables[0].records() if str(row["it"]).startswith(HOLDS) and row["cap"] != 1]
    caps = {float(row["each_gpu"]): row for row in found if isinstance(row["each_gpu"], int | float)}
    return tuple(
        Taken(
            words=f"{units.watts(watts)} each GPU  {units.watts(float(row['power'] or 0))} in all  {row['it']}",
            texts={"power-cap": f"{watts:g}W"},
        )
        for watts, row in sorted(caps.items(), key=lambda one: (SIMULATED not in str(one[1]["it"]), one[0]))
    )


def _limits(candidate: Candidate, question: Question) -> str:
    """Return how far a fleet is from what its GPUs, the feed and each GPU may draw."""
    drawn = feed(question, candidate.power, candidate.gpus)
    limits = (("the GPUs", candidate.power, question.max_power), ("the feed", drawn, question.max_feed))
    asked = [
        f" The limit on {name}, {units.watts(most)}, {_far(1 - drawn / most)}."
        for name, drawn, most in limits
        if most is not None
    ]
    watts = question.power_cap
    cap = "" if watts is None or isinstance(watts, str) else f" Each GPU is capped at {units.watts(watts)}."
    return "".join(asked or [UNLIMITED]) + cap


def _far(left: float) -> str:
    return f"leaves {units.percent(left)}" if left >= 0 else f"is exceeded by {units.percent(-left)}"
