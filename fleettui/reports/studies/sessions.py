"""Sessions of agents under each scheduler as a study: when answers come, and how fast hidden planning goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fleettui.domain.agents import FIGURES, Agents, longest
from fleettui.domain.plan import LEAST_RUNS, Answer, Candidate
from fleettui.domain.schedulers import Scheduled
from fleettui.domain.study import Study, StudyTable
from fleettui.reports import fleet_text, units
from fleettui.reports.studies.scheduler import best_words, figure_table

TOLD = ("attft_p95", "short_p95", "heavy_p95")
"""The figures whose best scheduler is told in a sentence."""


def sessions_study(plan: Answer, best: Candidate, played: Sequence[Scheduled], *, agents: Agents, rate: float) -> Study:
    """Return the study of sessions that come at `rate` per second to the fleet `best` of a plan, by scheduler."""
    return Study.of(
        plan.plan,
        sentences=_sentences(played, best, agents, rate),
        tables=tuple(_tables(played, best)),
        warnings=_warnings(played, best, agents, rate),
    )


def _known(played: Sequence[Scheduled], place: int) -> bool:
    """Return whether runs have a figure: without heavy sessions there is none of theirs."""
    return any(row.values[place].value is not None for row in played)


def _sentences(played: Sequence[Scheduled], best: Candidate, agents: Agents, rate: float) -> Iterator[str]:
    own = best.fleet.admission
    for place, figure in enumerate(FIGURES):
        if figure.name in TOLD and _known(played, place):
            yield best_words(played, own, place, figure)
    yield (
        f"{units.per_second(rate)} sessions a second come, {units.percent(agents.share)} of them heavy: the last round "
        f"of a short one holds {units.count(longest(agents.short))} tokens, of a heavy one "
        f"{units.count(longest(agents.heavy))}; rounds go back to their replica"
    )
    yield (
        f"every scheduler met the same {units.count(agents.sessions)} sessions in each of {LEAST_RUNS} runs; hidden "
        "tokens are as many under each, so their rate changes only with the time that a whole run takes"
    )


def _tables(played: Sequence[Scheduled], best: Candidate) -> Iterator[StudyTable]:
    for place, figure in enumerate(FIGURES):
        if _known(played, place):
            title = f"{figure.label}, sessions of agents on {fleet_text.fleet(best.fleet)}"
            yield figure_table(title, played, best.fleet.admission, place, figure)


def _warnings(played: Sequence[Scheduled], best: Candidate, agents: Agents, rate: float) -> Iterator[str]:
    own = next(row for row in played if row.scheduler == best.fleet.admission)
    mean, span = own.values[1].value or 0.0, agents.sessions / rate
    if mean > span / 4.0:
        came = f"answers take {units.seconds(mean)}, all sessions come in {units.seconds(span)}"
        yield f"{came}: more --sessions"
