"""The schedulers beside each other as a study: a table a figure, with the differences to the plan's scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.plan import LEAST_RUNS, Answer, Candidate
from fleettui.domain.schedulers import FIGURES, Figure, Scheduled
from fleettui.domain.study import Study, StudyTable
from fleettui.reports import fleet_text, units
from fleettui.reports.studies.differences import change_words, difference_table
from fleettui.reports.text_page import few_names

SHORTEST = ("ttft_mean", "ttft_p99", "session_ttft", "tpot_mean")
"""The figures whose best scheduler is told in a sentence."""


def scheduler_study(plan: Answer, best: Candidate, played: Sequence[Scheduled]) -> Study:
    """Return the study of schedulers on the fleet `best` of a plan."""
    story = _Story(best=best, played=played)
    return Study.of(
        plan.plan,
        sentences=story.sentences(),
        tables=tuple(story.table(place, figure) for place, figure in enumerate(FIGURES) if story.known(place)),
        warnings=story.warnings(),
    )


def words_of(figure: Figure) -> tuple[str, str]:
    """Return what more and less of a figure are."""
    return ("better", "worse") if figure.more_is_better else ("worse", "better")


def best_words(played: Sequence[Scheduled], own: str, place: int, figure: Figure) -> str:
    """Return which scheduler is proven to have the shortest of a duration, the `place`-th figure, beside `own`."""
    better = [row for row in played if change_words(row.changes[place], *words_of(figure)) == "better"]
    if not better:
        return f"no scheduler is proven to have a shorter {figure.label} than {own}"
    best = min(better, key=lambda row: row.changes[place].value or 0.0)
    plain = next(row for row in played if row.scheduler == own).values[place].value or 0.0
    value, change = best.values[place].value or 0.0, best.changes[place].value or 0.0
    share = f", {units.percent(-change / plain)} less" if plain > 0.0 else ""
    return f"{best.scheduler} has the shortest {figure.label}, {units.seconds(value)}{share} than {own}"


def figure_table(title: str, played: Sequence[Scheduled], own: str, place: int, figure: Figure) -> StudyTable:
    """Return the table of the `place`-th figure: of each scheduler the value and its difference to `own`."""
    return difference_table(
        title,
        [(row.scheduler, row.values[place], row.changes[place]) for row in played],
        of="scheduler",
        own=own,
        figure=(figure.name, figure.quantity),
        words=words_of(figure),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """Schedulers on the fleet of a plan, told in sentences and tables."""

    best: Candidate
    played: Sequence[Scheduled]

    @property
    def own(self) -> str:
        return self.best.fleet.admission

    def known(self, place: int) -> bool:
        """Return whether runs have a figure: only sessions have an aTTFT, for one."""
        return any(row.values[place].value is not None for row in self.played)

    def sentences(self) -> Iterator[str]:
        for place, figure in enumerate(FIGURES):
            if figure.name in SHORTEST and self.known(place):
                yield best_words(self.played, self.own, place, figure)
        yield f"every scheduler met the same requests: arrivals, lengths and seeds of {LEAST_RUNS} runs"

    def table(self, place: int, figure: Figure) -> StudyTable:
        """Return the table of a figure on the plan's fleet."""
        title = f"{figure.label} on the plan's fleet, {fleet_text.fleet(self.best.fleet)}"
        return figure_table(title, self.played, self.own, place, figure)

    def warnings(self) -> Iterator[str]:
        unstable = [row for row in self.played if row.unstable]
        if unstable:
            names = few_names(row.scheduler for row in unstable)
            yield f"no intervals of {names}: {unstable[0].unstable}"
        if self.best.fleet.pools[0].settings.alone:
            yield "the plan's engine runs prompts alone, so every scheduler here does"
