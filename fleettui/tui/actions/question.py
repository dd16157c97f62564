"""Asking: a new question, an edit, a what-if, a file that holds a question or its workload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.opening import Opening
from fleettui.domain.path_or_name import QUESTION_FILES
from fleettui.errors import Gathered
from fleettui.planning.asked_together import asked_together
from fleettui.planning.user_files import read_text
from fleettui.reports import fleet_file
from fleettui.reports.question import joint_file, question_file
from fleettui.tui.actions import pages
from fleettui.tui.actions.run import simulate_file
from fleettui.tui.actions.studies import show_study, worked_out
from fleettui.tui.completion import words_of
from fleettui.tui.modals.ask import Ask, Together
from fleettui.tui.modals.question import PLAN, Grid
from fleettui.tui.prompt_values import check_known
from fleettui.user_paths import path_of

if TYPE_CHECKING:
    from fleettui.domain.joint import JointQuestion
    from fleettui.domain.study import Study
    from fleettui.tui.app import FleetApp
    from fleettui.tui.task import Tools

OF_THE_EXAMPLE = ("tp", "gpu", "slo-tpot")
"""Keys of the shipped example that would narrow a first question of one's own without being noticed."""


async def ask(app: FleetApp) -> None:
    """Ask a new question in six lines; r plans it."""
    shown = app.state.shown
    own = shown is None or shown.row is not None
    kept = {name: text for name, text in app.state.draft.texts.items() if own or name not in OF_THE_EXAMPLE}
    asked = await app.push_screen_wait(Ask(kept, app.state.together, also=app.state.beside))
    if isinstance(asked, Together):
        app.state.together = asked.lines
        await plan_together(app, asked.question)
    elif asked is not None:
        app.state.together = {}
        app.state.ask(asked)
        await app.see("fleet")


async def edit(app: FleetApp) -> None:
    """Edit the question, key by key; r plans it from there."""
    if await app.push_screen_wait(Grid(app.state, app.view.first_key)) == PLAN:
        app.action_do("plan")


async def fork(app: FleetApp) -> None:
    """Change one thing of the plan that is shown, and plan it beside: the plan itself stays as it is."""
    before, shown = app.state.draft, app.state.shown
    app.state.edit({"name": ""})
    unnamed = app.state.draft
    of = shown.answer.plan.handle if shown is not None and shown.row is not None else "the example"
    title = f"what-if on {of}: change what differs, ctrl+r plans it beside"
    if await app.push_screen_wait(Grid(app.state, "rate", title)) == PLAN:
        app.action_do("plan")
    elif before is not unnamed is app.state.draft:
        app.state.undo()


def undo(app: FleetApp) -> None:
    """Take the last edit of the question back."""
    if not app.state.undo():
        app.notify("nothing to undo", timeout=2)


async def open_file(app: FleetApp) -> None:
    """Open a trace, a length distribution, a shipped workload, or a file of questions or of a fleet."""
    help = (
        "a shipped workload (azure-2023-conv), a trace or length distribution,\n"
        "or question.yaml: one question, several workloads, or a fleet to simulate"
    )
    text = await pages.ask(app, "open", help, check=_opens, words=words_of("workload"))
    if text:
        await app.open_at(Opening(kind="question" if text.endswith(QUESTION_FILES) else "workload", text=text))


def _opens(text: str) -> None:
    """Raise InputError for what is neither a file nor a shipped workload; nothing at all opens nothing."""
    if not text.strip().endswith(QUESTION_FILES):
        check_known({"workload": text})


async def open_asked(app: FleetApp, path: str) -> None:
    """Open a file by what it holds: one question, several workloads to be planned together, or a fleet to simulate."""
    text = read_text(str(path_of(path)), "question")
    if joint_file.has_entries(text, path):
        errors = Gathered()
        await plan_together(app, asked_together(joint_file.read(text, path, errors), errors))
    elif fleet_file.is_fleet(text, path):
        await simulate_file(app, path)
    else:
        app.state.ask(question_texts(path))
        await app.see("fleet")


async def plan_together(app: FleetApp, question: JointQuestion) -> None:
    """Plan several workloads over one stock, and show what that comes to; the plan of each is kept too."""
    from fleettui.planning.studies.study_context import make

    async def work(tools: Tools) -> Study:
        return await make("joint", tools.store, report=tools.task.report, pool=tools.pool, question=question)

    app.state.joint = question
    try:
        study = await worked_out(app, f"plan {question.name} together", work)
    finally:
        app.state.joint = None
        app.state.changed()
    show_study(app, study)


def question_texts(path: str) -> dict[str, str]:
    """Return the texts of a question file; raises InputError."""
    text = read_text(str(path_of(path)), "question")
    return {name: given.text for name, given in question_file.read(text, path).items()}
