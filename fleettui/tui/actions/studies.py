"""Studies: what was asked beyond a plan, chosen from a list and read as text."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.studies import asked, commands, line_help, picture_of, prompted, read_line
from fleettui.planning.studies.study_type import Prompt
from fleettui.tui.actions.labels import selected
from fleettui.tui.actions.pages import ask, done, here, show
from fleettui.tui.modals.choose import Choose
from fleettui.tui.tabs import named
from fleettui.tui.widgets.choice_list import NONE

if TYPE_CHECKING:
    from fleettui.planning.studies.argument import Given
    from fleettui.planning.studies.study_type import Command, StudyType
    from fleettui.reports.studies_table import Listed
    from fleettui.tui.app import FleetApp
    from fleettui.tui.task import Leave, Tools

Found = TypeVar("Found")
SCROLLBAR = 1
TOLD = 5.0
"""Seconds for which the word of work that begins stays, unless it ends before."""
MONEY = "money"
MOST = 50
"""Studies that are offered of the plan, of no plan, and of all others."""


async def studies(app: FleetApp) -> None:
    """Let one of the kept studies be chosen, those of the plan first, and show it; one that is alone is shown."""
    from fleettui.planning.kept_studies import studies_around

    plan = app.view.selected_plan()
    found = await app.state.thread.read(lambda store: studies_around(store, plan, MOST))
    if not found:
        makers = ", ".join(commands())
        raise InputError("no study is kept yet", remedy=f"each of {makers} makes one; the key : finds them")
    by_handle = {one.handle: one for one, _ in found}
    chosen: str | None = found[0][0].handle
    if len(found) > 1:
        titles, lines = entries(found, app.size.width)
        chosen = await app.push_screen_wait(Choose("studies", lines, head=titles))
    if chosen is not None:
        show_study(app, by_handle[chosen])


async def make_study(app: FleetApp, command: Command, begun: str | None = None) -> None:
    """Ask what a command asks for in one line, of the plan that is shown or of none; work it out, show what is kept.

    The line has `begun` so, where that is said.
    """
    from fleettui.planning.studies.study_context import make
    from fleettui.planning.study_job import leave_study

    given = {command.arguments[0].name: selected(app)} if command.of_shown else {}

    def said(text: str) -> Given:
        return {**given, **read_line(command, text.strip())}

    def read(text: str) -> tuple[StudyType, dict[str, Any]]:
        return asked(command, said(text))

    async def made(line: str) -> Study:
        kind, values = read(line)
        return await worked_out(
            app,
            f"{command.name} {line}".rstrip(),
            lambda tools: make(kind.kind, tools.store, report=tools.task.report, pool=tools.pool, **values),
            leave=lambda store: leave_study(store, command, said(line), Path.cwd()),
        )

    if prompted(command):
        prompt = command.prompt or Prompt()
        value = begun or (here(app) or "last" if prompt.value is None else prompt.value)
        label, help = prompt.label or command.name, line_help(command)
        typed = await done(app, lambda value, refusal: ask(app, label, help, value, read, refusal=refusal), made, value)
        if typed is None:
            return
        _, study = typed
    else:
        study = await made("")
    if study.kind == MONEY:
        await app.state.reload()  # the answer says how its GPUs are paid for
    show_study(app, study)


async def worked_out(
    app: FleetApp, asked: str, work: Callable[[Tools], Coroutine[Any, Any, Found]], leave: Leave | None = None
) -> Found:
    """Do `work` as a task that is seen among the jobs and can be stopped, and return what it came to.

    `leave` makes a job of it when the app is left.
    """
    app.notify(f"{asked}: at work; {named('jobs').number} shows how far, x there stops it", timeout=TOLD, markup=False)
    finding = app.state.thread.work_out(asked, work, leave)
    app.call_later(app.state.changed)  # the task is there by then, and the clock of the header runs
    try:
        return await finding
    finally:
        app.clear_notifications()


def entries(found: Sequence[Listed], width: int) -> tuple[str, dict[str, str]]:
    """Return the columns' titles, and the lines of each study by its handle, as `list --studies` prints them."""
    from fleettui.reports.studies_table import studies_table
    from fleettui.reports.table import body, head

    table, room = studies_table(found), width - len(NONE) - SCROLLBAR
    lines = {
        study.handle: "\n".join(line.rstrip() for line in lines)
        for (study, _), lines in zip(found, body(table, room), strict=True)
    }
    return "".join(head(table, room)).rstrip(), lines


def show_study(app: FleetApp, study: Study) -> None:
    """Show a study as its command printed it, below the plots that its tables make."""
    from fleettui.reports.drawn_tables import study_charts
    from fleettui.reports.in_app import study_in_app
    from fleettui.reports.studies_table import kind_words
    from fleettui.reports.study_text import study_text

    charts, told = study_charts(study, picture_of(study.kind)), study_in_app(study)
    show(app, f"{kind_words(study)} {study.handle}", lambda width: study_text(told, width), charts)
