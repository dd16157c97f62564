"""What a plan says about power: its GPUs and the meter, and what caps would do once they have been simulated."""

from __future__ import annotations

from fleettui.domain.meter import feed
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports import units
from fleettui.reports.chart_text import chart_text
from fleettui.reports.columns import Column, figure, table
from fleettui.reports.meter_text import meter_text
from fleettui.reports.picture import Picture
from fleettui.reports.plan_aspects import NO_FLEET
from fleettui.reports.pools_table import BUSY, GPUS, MFU, NAME, RATE, PoolRow, by_formula
from fleettui.reports.studies.power import HOLDS
from fleettui.reports.study_chart import study_chart
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import Item, text_page

CAPPABLE = (
    "v caps the fleet deeper and deeper and simulates the deepest cap that keeps every limit; fleettui energy PLAN has "
    "tokens per joule against load."
)
CAPPED = (
    "v caps it again; i takes the deepest cap that holds into the question; fleettui energy PLAN has tokens per joule."
)
HEIGHT = 12
"""Lines of a plot."""
PICTURES = (Picture(table=0, column="ttft"), Picture(table=0, column="power"))
"""What is drawn of a study against the cap."""


def power_text(
    candidate: Candidate | None, question: Question, width: int = WIDTH, *, study: Study | None = None
) -> str:
    """Return what the fleet draws, how far that is from limits, the meter's reading, and a study of caps.

    `study` is what is kept of them, None where nothing is.
    """
    if candidate is None:
        return text_page([[NO_FLEET]], width)
    each = candidate.power / candidate.gpus
    sentence = f"The GPUs draw {units.watts(candidate.power)} at this load, {units.watts(each)} each on average."
    sentence += f"{_limits(candidate, question)} {meter_text(candidate, question)}"
    unsaid = [name for name in ("power-price", "carbon") if getattr(question, name.replace("-", "_")) is None]
    wished = f" Say {' and '.join(unsaid)} (e) for money and carbon." if unsaid else ""
    columns: tuple[Column[PoolRow], ...] = (
        NAME,
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
    pools: list[Item] = [table(columns, by_formula(candidate))]
    if study is None:
        return text_page([[sentence], pools, [f"{CAPPABLE}{wished}"]], width)
    page = text_page([study.sentences, [study_table(study.tables[0])]], width)
    charts = [chart_text(chart, width, HEIGHT) for one in PICTURES if (chart := study_chart(study, one)) is not None]
    rest = text_page([[sentence], pools, [f"{CAPPED}{wished}"]], width)
    return "\n\n".join((page, *charts, rest))


def deepest_cap(study: Study) -> float | None:
    """Return the watts of each GPU at the deepest cap of a study of power that holds, None where none does."""
    found = [
        row["each_gpu"] for row in study.tables[0].records() if str(row["it"]).startswith(HOLDS) and row["cap"] != 1
    ]
    return min((float(one) for one in found if isinstance(one, int | float)), default=None)


def _limits(candidate: Candidate, question: Question) -> str:
    """Return how far a fleet is from what its GPUs, the feed and each GPU may draw."""
    drawn = feed(question, candidate.power, candidate.gpus)
    limits = (("the GPUs", candidate.power, question.max_power), ("the feed", drawn, question.max_feed))
    told = [
        f" The limit on {name}, {units.watts(most)}, {_far(1 - drawn / most)}."
        for name, drawn, most in limits
        if most is not None
    ]
    watts = question.power_cap
    cap = "" if watts is None or isinstance(watts, str) else f" Each GPU is capped at {units.watts(watts)}."
    return "".join(told or [" No power limit is set (e, max-power for the GPUs, max-feed for the meter)."]) + cap


def _far(left: float) -> str:
    return f"leaves {units.percent(left)}" if left >= 0 else f"is exceeded by {units.percent(-left)}"
