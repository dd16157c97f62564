"""Words of the frame: what runs, and for how much longer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from fleettui.reports import units
from fleettui.reports.fleet_text import VERDICT_WORDS, gpu_total
from fleettui.reports.jobs_text import clock
from fleettui.reports.question.keys import BY_NAME, LIMITS
from fleettui.tui.question_draft import Draft
from fleettui.tui.state import AppState
from fleettui.tui.use_case_thread import STUDY, Task


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


def left_words(task: Task) -> str:
    """Return for how much longer a task is at work: 0:08 left, or 0:08 to 1:30; empty where that is not known."""
    if (found := task.left()) is None:
        return ""
    least, most = found
    if most is None:
        return f">{clock(least)} left"
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


def unfinished_words(draft: Draft) -> str:
    """Return a question that still lacks something, for the header."""
    if not draft.texts:
        return "no question yet"
    lengths = PurePath(draft.value("workload")).name or "lengths by percentile"
    limits = [name for name in LIMITS if draft.value(name)]
    return f"{lengths}  {draft.value('model')} {draft.value('dtype')}  {'' if limits else 'no SLO yet'}".rstrip()


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
SEARCHING = "SEARCHING   the first fleet comes in a second or two, and is then simulated"
TOGETHER = "SEARCHING   {name} over one stock, all at once; the answer comes as a page"
EDITED = "BEFORE THE EDIT"
"""What stands over the answer to the question as it was."""


def superseded_words(state: AppState) -> str:
    """Return what stands in the answer's place while the plan that was shown answers another question."""
    lead = SEARCHING if state.following is not None and state.following.alive else NOT_PLANNED
    lead = TOGETHER.format(name=state.joint) if state.joint else lead
    shown = state.shown
    if shown is None:
        return lead
    best, handle = shown.answer.answer, shown.answer.plan.handle
    plan = f"plan {handle}" if shown.row is not None else "the shipped example"
    size = "" if best is None else f", {gpu_total(best.fleet)}, {units.dollars_per_hour(best.cost_per_hour)}"
    return f"{lead}\n\nbefore  {plan}, another question: {VERDICT_WORDS[shown.answer.verdict]}{size}"


DEMAND = ("rate", "users", "requests-per-user", "peak-factor", "tokens", "peak-hour", "concurrency", "think")
DRAWN = ("max-power", "max-feed", "power-cap")
QUESTION = (
    ("workload", "prompt", "output", *DEMAND, "batch-share", "model", "dtype"),
    ("gpu", "tp", "pp", *LIMITS, "max-utilization", "pools", "budget", "max-gpus", *DRAWN, "router", "admission"),
)
"""The keys of the question that the foot of the fleet's view shows, by line; what is not usual goes first."""
ALWAYS, SELDOM = ("gpu", "tp"), ("pp",)
"""Those that are shown even where nothing is said, and those that are not where they are usual."""
HEAD = "question  "


def question_lines(draft: Draft, width: int) -> str:
    """Return the question in two lines; what differs from the plan on screen bears a `*`."""
    lines = []
    for names in QUESTION:
        parts = []
        for name in sorted(names, key=lambda name: draft.value(name) == BY_NAME[name].default):
            text = PurePath(draft.value(name)).name if name == "workload" else draft.value(name)
            is_usual = name in SELDOM and text == BY_NAME[name].default
            if (text and not is_usual) or name in ALWAYS:
                parts.append(f"{name} {text or 'any'}{mark(draft, name)}")
        while len("  ".join(parts)) > width - len(HEAD):
            parts.pop()
        lines.append("  ".join(parts))
    return HEAD + ("\n" + " " * len(HEAD)).join(lines)


def mark(draft: Draft, name: str) -> str:
    """Return `*` for a key that differs from the plan the draft began with."""
    return "*" if draft.base and name in draft.changed else ""


def ended(task: Task) -> str:
    """Return how a task ended, in one line; nothing of a study that is there."""
    if task.kind == STUDY and task.state == "done":
        return ""
    if task.answer is None:
        return f"{task.title}: stopped" + ("; what was finished is kept, R goes on" if task.job is not None else "")
    best = task.answer.answer
    size = "" if best is None else f"  {gpu_total(best.fleet)}  {units.dollars_per_hour(best.cost_per_hour)}"
    return f"{task.title}: {VERDICT_WORDS[task.answer.verdict]}{size}  {task.seconds():.0f} s"
