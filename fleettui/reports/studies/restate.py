"""Kept plans that come out otherwise today, as a study: a row per plan that changes, and how many do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.plan import ENGINE_VERSION, PlanIdentity
from fleettui.domain.study import Cell, Study, StudyColumn, StudyTable
from fleettui.domain.whatif import Outcome
from fleettui.reports import fleet_words
from fleettui.reports.changes import Change

ROUNDING = 1e-9
"""Share of a cost that is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """What the formulas said of a plan `then` and say `now`; `why` they differ, empty where they do not."""

    plan: PlanIdentity
    then: Outcome
    now: Outcome
    why: tuple[Change, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether count, cost or verdict are others."""
        return differs(self.then, self.now)


def differs(one: Outcome, other: Outcome) -> bool:
    """Return whether two outcomes have another count, cost or verdict."""
    return (one.verdict, one.gpus) != (other.verdict, other.gpus) or not _close(one.cost, other.cost)


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= ROUNDING * max(abs(one), abs(other))


def restate_study(query: str, found: Sequence[Restated], unfinished: int = 0) -> Study:
    """Return the study of all plans that were looked at; those that change stand in its table, newest first."""
    changed = [one for one in found if one.changed]
    return Study(
        kind="restate",
        title="kept plans by formula, then and with today's engine and catalogue",
        question=f"restate {query}".rstrip(),
        sentences=tuple(_sentences(found, changed)),
        tables=(_table(changed),) if changed else (),
        warnings=tuple(_warnings(changed, unfinished)),
    )


def _sentences(found: Sequence[Restated], changed: Sequence[Restated]) -> Iterator[str]:
    if not found:
        yield "no finished plan is found"
        return
    verb = "changes" if len(changed) == 1 else "change"
    yield f"{len(changed)} of {_plans(len(found))} {verb}; {len(found) - len(changed)} unchanged"
    causes = Counter(change.text for one in changed for change in one.why)
    for text, times in causes.most_common():
        yield f"{text}: {_plans(times)}"


def _plans(number: int) -> str:
    return f"{number:,} plan{'' if number == 1 else 's'}"


def _table(changed: Sequence[Restated]) -> StudyTable:
    columns = (
        StudyColumn(name="plan"),
        StudyColumn(name="name"),
        StudyColumn(name="gpus", quantity="count"),
        StudyColumn(name="gpus_now", quantity="count"),
        StudyColumn(name="cost", quantity="dollars per hour"),
        StudyColumn(name="cost_now", quantity="dollars per hour"),
        StudyColumn(name="verdict"),
        StudyColumn(name="why"),
    )
    return StudyTable(
        title="plans that change",
        columns=columns,
        rows=tuple(_row(one) for one in changed),
        note="by formula, then and now: what a simulation moved is in neither",
    )


def _row(one: Restated) -> tuple[Cell, ...]:
    why = "; ".join(change.text for change in one.why)
    refused = f" ({one.now.limited_by})" if one.now.verdict == "infeasible" and one.now.limited_by else ""
    return (
        one.plan.handle,
        one.plan.name,
        one.then.gpus,
        one.now.gpus,
        one.then.cost,
        one.now.cost,
        _verdict(one),
        f"{why}{refused}",
    )


def _verdict(one: Restated) -> str:
    before, after = (fleet_words.VERDICT_WORDS[each.verdict] for each in (one.then, one.now))
    return after if before == after else f"{before} -> {after}"


def _warnings(changed: Sequence[Restated], unfinished: int) -> Iterator[str]:
    same = [one.plan.handle for one in changed for why in one.why if why.kind == "engine" and why.before == why.after]
    if same:
        yield (
            f"engine {ENGINE_VERSION} says something else of {', '.join(same)} than it said: "
            "numbers changed without a new version"
        )
    if unfinished:
        yield f"{_plans(unfinished)} not finished and left out"
