"""Words of the header and of the status: which plan or question is shown, what runs, and for how much longer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fleettui.errors import FleettuiError
from fleettui.reports import units
from fleettui.reports.row_text import row_summary
from fleettui.tui.work_kinds import STUDY

if TYPE_CHECKING:
    from fleettui.domain.plan_row import PlanRow
    from fleettui.tui.state import AppState
    from fleettui.tui.task import Task


def badge(alive: Sequence[Task]) -> str:
    """Return what runs, for the header: `● 2 jobs 63%`, empty where nothing does.

    What begins anew with every fleet is no share of the whole: then the fleet's number stands there.
    """
    if not alive:
        return ""
    seen = [task.progress for task in alive]  # once: their thread writes meanwhile
    done, total = sum(progress.done for progress in seen), sum(progress.total for progress in seen)
    share = f" {done / total:.0%}" if total else ""
    if len(alive) == 1 and seen[0].fleet:
        whole = alive[0].share
        share = f"{'' if whole is None else f' {whole:.0%}'}, fleet {seen[0].fleet}"
    elif any(progress.fleet for progress in seen):
        share = ""
    elif not all(task.whole for task in alive):
        share = f", {fleet_number(alive[0])}" if len(alive) == 1 and fleet_number(alive[0]) else ""
    return f"● {len(alive)} job{'s' if len(alive) > 1 else ''}{share}"


def fleet_number(task: Task) -> str:
    """Return which fleet of a search is simulated, of how many at most where that is known; empty for a study."""
    progress = task.progress
    if progress.fleet:
        return f"fleet {progress.fleet}" + (f" of about {progress.fleets}" if progress.fleets else "")
    return f"fleet {task.parts}" if task.parts > 1 and task.kind != STUDY else ""


def doing(task: Task) -> str:
    """Return what a task is at, in one line: the work, how far it is, for how long it runs and for how much longer."""
    progress = task.progress
    share = f"  {progress.done}/{progress.total}" if progress.total else ""
    number = f"  {fleet_number(task)}" if fleet_number(task) else ""
    ends = left_words(task)
    return f"{progress.message}{share}{number}  {task.seconds():.0f} s{f', {ends}' if ends else ''}"


def doing_lines(task: Task, width: int, height: int) -> str:
    """Return what a task is at, and under it how the intervals narrow, as far as there is room on the screen."""
    from fleettui.reports.narrowing import narrowing_lines
    from fleettui.reports.table import NO_BREAK, wrap

    rows = narrowing_lines(task.narrowing, width, 3 if height >= 30 else 1) if height >= 20 else []
    return "\n".join([*wrap(f"{doing(task)}   x{NO_BREAK}stops{NO_BREAK}it", width), *rows])


def left_words(task: Task) -> str:
    """Return for how much longer a task is at work: 0:08 left, or 0:08 to 1:30; empty where that is not known."""
    if (found := task.left()) is None:
        return ""
    from fleettui.reports.durations import clock

    least, most = found
    if most is None:
        return f">{clock(least)} left" if round(least) else ""
    return f"{clock(least)} left" if round(most) <= round(least) else f"{clock(least)} to {clock(most)} left"


def plan_words(state: AppState) -> str:
    """Return what the header calls the plan: handle and name, edited or an example; a new question has none yet."""
    shown = state.shown
    if state.asking or state.superseded:
        return "new question" if state.asking else "searching"
    if shown is None:
        return ""
    handle, name = ("example", "") if shown.row is None else (shown.answer.plan.handle, shown.row.name)
    return " ".join(part for part in (handle, name, "*edited" if state.edited else "") if part)


def header_words(state: AppState, row: PlanRow | None) -> tuple[str, str]:
    """Return what the header calls the plan, and its question; `row` stands for a plan that is still being read."""
    if row is not None:
        return f"{row.handle} {row.name}".strip(), row_summary(row)
    if state.joint is not None:
        return plan_words(state), f"{state.joint.name} over one stock"
    from fleettui.tui import question_lines

    return plan_words(state), question_lines.in_one_line(state.draft)


SOME = 2
"""Changes that the status names."""


def status(state: AppState) -> str:
    """Return what the plan on screen is, where it is not simply one's own finished plan, and the next key."""
    shown, task = state.shown, state.following
    if task is not None and task.alive and state.superseded:
        return f"{doing(task)}   x stops it"
    if state.asking or shown is None:
        return "a new question, not planned   r plans it, e edits it" if state.asking else "reading the last plan"
    if state.edited:
        changed = state.draft.changed
        changes = ", ".join(f"{name} {state.draft.value(name) or 'unset'}" for name in changed[:SOME])
        more = f" and {len(changed) - SOME} more" if len(changed) > SOME else ""
        return f"edited: {changes}{more}   r plans it, u undoes"
    if shown.label:
        return f"{shown.label}   a asks your own question"
    return "" if shown.finished else _unfinished(state, shown.plan)


def _unfinished(state: AppState, plan: str) -> str:
    """Return what the work on an unfinished plan is at, or that it has ended, and the next key."""
    own = [task for task in state.thread.tasks if task.plan == plan]
    if at_work := next((task for task in own if task.alive), None):
        return f"{doing(at_work)}   x stops it"
    done = any(task.state == "done" and "verify" not in (task.kind, task.job and task.job.kind) for task in own)
    return "done; its answer is being read" if done else "not finished: its work was stopped   R goes on"


NOT_PLANNED = "NOT PLANNED YET   r plans this question, e edits it"
REFUSED = "NOT PLANNED   e edits the question\n\nx {error}"
SEARCHING = "SEARCHING   the first fleet comes in a second or two, and is then simulated"
TOGETHER = "SEARCHING   {name} over one stock, all at once; the answer comes as a page"
EDITED = "BEFORE THE EDIT"
"""What stands over the answer to the question as it was."""


def superseded_words(state: AppState) -> str:
    """Return what stands in the answer's place while the plan that was shown answers another question."""
    lead, shown = _lead(state), state.shown
    if shown is None:
        return lead
    from fleettui.reports.answer_head import known_verdict
    from fleettui.reports.fleet_text import gpu_total

    best, handle = shown.answer.answer, shown.answer.plan.handle
    plan = f"plan {handle}" if shown.row is not None else "the shipped example"
    size = "" if best is None else f", {gpu_total(best.fleet)}, {units.dollars_per_hour(best.cost_per_hour)}"
    word = known_verdict(best, shown.answer.verdict, shown.question, shown.answer.confidence)
    return f"{lead}\n\nbefore  {plan}, another question: {word}{size}"


def _lead(state: AppState) -> str:
    """Return what the question without an answer is at: searched, refused as it is, or not planned."""
    if state.joint is not None:
        return TOGETHER.format(name=state.joint.name)
    task = state.following
    if task is None or task.alive:
        return NOT_PLANNED if task is None else SEARCHING
    if not isinstance(task.error, FleettuiError) or state.moved_on:
        return NOT_PLANNED
    from fleettui.reports.in_app import refusal_in_app

    return REFUSED.format(error=refusal_in_app(task.error))


def ended(task: Task) -> str:
    """Return how a task ended, in one line; nothing of a study that is there."""
    if task.kind == STUDY and task.state == "done":
        return ""
    if task.answer is None or task.question is None:
        return f"{task.title}: stopped" + ("; what was finished is kept, R goes on" if task.job is not None else "")
    from fleettui.reports.answer_head import known_verdict
    from fleettui.reports.fleet_text import gpu_total

    best = task.answer.answer
    size = "" if best is None else f"  {gpu_total(best.fleet)}  {units.dollars_per_hour(best.cost_per_hour)}"
    word = known_verdict(best, task.answer.verdict, task.question, task.answer.confidence)
    return f"{task.title}: {word}{size}  {task.seconds():.0f} s"
