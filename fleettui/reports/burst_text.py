"""Bursts and failures in words: what a burst is asked with, and what their studies say, with pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from fleettui.domain.scenario import Question
from fleettui.domain.stretch import Burst
from fleettui.domain.study import Study
from fleettui.reports import units
from fleettui.reports.chart import Chart, Mark
from fleettui.reports.panes import Pane, pane, picture
from fleettui.reports.picture import Picture
from fleettui.reports.study_chart import study_chart
from fleettui.reports.study_tables import study_table

FACTOR = units.FACTOR._replace(prefix="x", accepted="a factor above 0: x2, x1.5, 0.5")
SECONDS = units.DURATION._replace(aliases={"m": Fraction(60)}, accepted="a number with a unit: 30s, 5min, 1h")

TITLES = {"rate": "requests per second", "waiting": "requests that wait at once, at most", "ttft": "TTFT of what comes"}
"""What the pictures show, by their columns, in their order."""


def write_burst(burst: Burst) -> str:
    """Return the options that ask for a window.

    >>> write_burst(Burst(factor=2.0, seconds=300.0, start=300.0, end=1800.0))
    '--burst x2 --for 300s --at 300s --over 0.5h'
    """
    named: Mapping[str, float] = {"for": burst.seconds, "at": burst.start, "over": burst.end}
    words = [f"--burst x{burst.factor:g}", *(f"--{name} {SECONDS.write(value)}" for name, value in named.items())]
    others = {"prompts": burst.prompts, "outputs": burst.outputs}
    words += [f"--down {burst.down}"] if burst.down else []
    words += [f"--{name} x{factor:g}" for name, factor in others.items() if factor != 1.0]
    words += [f"--batch {burst.batch}"] if burst.batch is not None else []
    words += [f"--slow {units.SHARE.write(burst.slow)}"] if burst.slow is not None else []
    return " ".join(words)


def burst_panes(study: Study, question: Question) -> list[Pane]:
    """Return what a study of a burst says, its phases, and its pictures: rate, queue, TTFT."""
    table = pane(f"a burst: {study.question}", study.sentences[3:-1], [study_table(study.tables[0])])
    return [table, *(one for chart in burst_charts(study, question) for one in picture(chart))]


def failures_pane(study: Study) -> Pane:
    """Return what a study of failures says, and what holds with replicas down."""
    return pane(f"failures: {study.question}", study.sentences[:-1], [study_table(study.tables[0])])


def burst_charts(study: Study, question: Question) -> tuple[Chart, ...]:
    """Return the rate against time, what waits and the TTFT, each with the window's ends, the last with its limit."""
    starts = _window(study)
    told = dict(zip(TITLES, (study.sentences[0], study.sentences[2], study.sentences[1]), strict=True))
    found = []
    for column, words in told.items():
        chart = study_chart(study, Picture(table=2, column=column, between="before", titled=True))
        if chart is not None:
            limit = question.slo.ttft if column == "ttft" else None
            levels = () if limit is None else (Mark(value=limit, label=f"SLO {units.limit(limit)}"),)
            series = chart.series[:1]
            found.append(
                replace(chart, title=TITLES[column], series=series, stops=starts, levels=levels, summary=words)
            )
    return tuple(found)


def _window(study: Study) -> tuple[Mark, ...]:
    """Return where the window begins and ends, in minutes."""
    minutes = [row["minutes"] for row in study.tables[0].records()][:2]
    before, inside = (float(one) if isinstance(one, int | float) else 0.0 for one in minutes)
    return Mark(value=before, label="begins"), Mark(value=before + inside, label="ends")
