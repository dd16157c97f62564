"""Kept plans that come out otherwise today, as a study: a row per plan that changes, and how many do not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fleettui.domain.engine_changes import changes_since
from fleettui.domain.plan import ENGINE_VERSION, PlanIdentity
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.domain.whatif import Outcome
from fleettui.reports.input_changes import Change
from fleettui.reports.studies.cause_steps import Step, step_of, with_rest
from fleettui.reports.verdict_words import VERDICT_WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """What the formulas said of a plan `then` and say `now`.

    Where that differs: the `engines` then and now, what today's says of the plan's own inputs (`anew`), and of these
    with each input that is another `alone` as it is today.
    """

    plan: PlanIdentity
    then: Outcome
    now: Outcome
    engines: tuple[int, int] = (ENGINE_VERSION, ENGINE_VERSION)
    anew: Outcome | None = None
    alone: tuple[tuple[Change, Outcome], ...] = ()

    @property
    def changed(self) -> bool:
        """Whether count, cost or verdict are others."""
        return differs(self.then, self.now)

    @property
    def engine_moved(self) -> bool:
        """Whether another engine says something else of the plan's own inputs."""
        return self.anew is not None and differs(self.then, self.anew)

    @property
    def why(self) -> tuple[tuple[str, Outcome, Outcome], ...]:
        """Each cause in words, with what the plan is before and after it alone; inputs that move nothing are left out.

        All are told where only together they move something.
        """
        anew = self.anew or self.then
        inputs = [(change.text, anew, one) for change, one in self.alone]
        moving = [one for one in inputs if differs(*one[1:])]
        old, new = map(str, self.engines)
        engine = Change(kind="engine", name="engine", before=old, after=new)
        told = moving or (inputs if differs(anew, self.now) else [])
        return (*([(engine.text, self.then, anew)] if self.engine_moved else []), *told)


def differs(one: Outcome, other: Outcome) -> bool:
    """Return whether two outcomes have another count, cost or verdict."""
    return (one.verdict, one.gpus) != (other.verdict, other.gpus) or not _close(one.cost, other.cost)


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other)


def restate_study(
    query: str, found: Sequence[Restated], unfinished: int = 0, unread: Mapping[str, str] | None = None
) -> Study:
    """Return the study of all plans that were looked at; those that change stand in its table, newest first.

    `unread` says of which plans, by handle, why they do not read: then the study is unproven.
    """
    changed = [one for one in found if one.changed]
    return Study(
        kind="restate",
        title="kept plans by formula, then and with today's engine and catalogue",
        question=f"restate {query}".rstrip(),
        sentences=tuple(_sentences(found, changed)),
        tables=(_table(changed), _causes(changed)) if changed else (),
        warnings=tuple(_warnings(changed, unfinished, unread or {})),
        verdict="unproven" if unread else None,
    )


def _sentences(found: Sequence[Restated], changed: Sequence[Restated]) -> Iterator[str]:
    if not found:
        yield "no finished plan is found"
        return
    verb = "changes" if len(changed) == 1 else "change"
    yield f"{len(changed)} of {_plans(len(found))} {verb}; {len(found) - len(changed)} unchanged"
    causes = Counter(text for one in changed for text, *_ in one.why)
    for text, times in causes.most_common():
        yield f"{text}: {_plans(times)}"


def _plans(number: int) -> str:
    return f"{number:,} plan{'' if number == 1 else 's'}"


def _table(changed: Sequence[Restated]) -> StudyTable:
    return table_of(
        "plans that change",
        changed,
        ("plan", "text", lambda one: one.plan.handle),
        ("name", "text", lambda one: one.plan.name),
        ("gpus", "count", lambda one: one.then.gpus),
        ("gpus_now", "count", lambda one: one.now.gpus),
        ("cost", "dollars per hour", lambda one: one.then.cost),
        ("cost_now", "dollars per hour", lambda one: one.now.cost),
        ("verdict", "text", lambda one: _verdict(one.then, one.now)),
        ("why", "text", _why),
        note="by formula, then and now: what a simulation moved is in neither",
    )


def _why(one: Restated) -> str:
    why = "; ".join(text for text, *_ in one.why)
    refused = f" ({one.now.limited_by})" if one.now.verdict == "infeasible" and one.now.limited_by else ""
    return f"{why}{refused}"


def _verdict(then: Outcome, now: Outcome) -> str:
    before, after = (VERDICT_WORDS[each.verdict] for each in (then, now))
    return after if before == after else f"{before} -> {after}"


def _causes(changed: Sequence[Restated]) -> StudyTable:
    return table_of(
        "what each cause alone adds",
        [row for one in changed for row in _cause_rows(one)],
        ("plan", "text", lambda row: row[0]),
        ("cause", "text", lambda row: row[1].change),
        ("gpus", "count", lambda row: None if row[1].gpus is None else round(row[1].gpus)),
        ("cost", "dollars per hour", lambda row: row[1].cost),
        ("verdict", "text", lambda row: row[2]),
        note="the engine's on the inputs as they were, each input's with today's engine; they add up to the change",
    )


def _cause_rows(one: Restated) -> Iterator[tuple[str, Step, str]]:
    """Yield the plan, what each cause adds, and what the inputs add together beyond that, and the verdict."""
    for text, before, after in one.why:
        yield one.plan.handle, step_of("", text, before, after), _verdict(before, after)
    anew = one.anew or one.then
    inputs = [step_of("", change.text, anew, outcome) for change, outcome in one.alone]
    for step in with_rest(inputs, anew, one.now)[len(inputs) :]:
        now = one.now.cost or 0.0
        if step.gpus or step.cost is None or not _close(now - step.cost, now):
            yield one.plan.handle, step, ""


def _warnings(changed: Sequence[Restated], unfinished: int, unread: Mapping[str, str]) -> Iterator[str]:
    for handle, reason in unread.items():
        yield f"plan {handle} is left out: {reason}"
    same = [one.plan.handle for one in changed if one.engine_moved and one.engines[0] == one.engines[1]]
    if same:
        yield (
            f"engine {ENGINE_VERSION} says something else of {', '.join(same)} than it said: "
            "numbers changed without a new version"
        )
    earlier = [one.engines[0] for one in changed if one.engine_moved and one.engines[0] != one.engines[1]]
    if earlier:
        yield f"what engines changed since {min(earlier)}: {'; '.join(changes_since(min(earlier)))}"
    if unfinished:
        yield f"{_plans(unfinished)} not finished and left out"
