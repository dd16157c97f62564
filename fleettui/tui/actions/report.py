"""Handing a plan on: its page, read here or written to a file, and what other programs take of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.tui.actions.copy_and_write import file_of
from fleettui.tui.actions.labels import selected
from fleettui.tui.actions.pages import ask, show
from fleettui.tui.new_file import new, write_new
from fleettui.tui.prompt_values import needed
from fleettui.user_paths import path_of

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp

HELP = "a new file, which ends in {}; none is written over"


async def report(app: FleetApp) -> None:
    """Write the page on the plan that is chosen to a new file, and show it."""
    from fleettui.planning.report import SUFFIXES, report_plan, written

    plan = selected(app)
    handle, page = await app.state.thread.read(lambda store: (store.row(plan).handle, report_plan(store, plan)))
    path = await _path(app, "report: file", file_of(handle, "html"), SUFFIXES)
    if path is not None:
        write_new(app, path, written(page, SUFFIXES[path.suffix.lower()]))
        show(app, f"report {handle}", lambda width: written(page, "text", width))


async def export(app: FleetApp) -> None:
    """Write what the ending of a new file asks for of the plan that is chosen."""
    from fleettui.planning import export as use_case
    from fleettui.planning import settings

    plan, schema = selected(app), settings.schema(settings.settings())
    handle = (await app.state.thread.read(lambda store: store.row(plan))).handle
    path = await _path(app, "export: file", file_of(handle, "csv"), use_case.SUFFIXES)
    if path is not None:
        format = use_case.SUFFIXES[path.suffix.lower()]
        write_new(app, path, await app.state.thread.read(lambda store: use_case.export(store, plan, format, schema)))


async def handoff(app: FleetApp) -> None:
    """Write what deploys the plan that is chosen to a folder, and show it."""
    from fleettui.planning.handoff import FOLDER, formats_of, hand_over, write_folder, written
    from fleettui.reports.handoff import FORMATS

    plan = selected(app)
    row = await app.state.thread.read(lambda store: store.row(plan))
    known = ", ".join(FORMATS.names)
    wanted = await ask(app, "handoff: for", f"{known}; one or several", app.state.draft.value("engine"), formats_of)
    if wanted is None:
        return
    formats = formats_of(wanted)
    files = await app.state.thread.read(lambda store: hand_over(store, plan, formats))
    folder = await ask(app, "handoff: folder", "files go there; none is written over", f"deploy-{row.handle}", needed)
    if folder is not None:
        write_folder(files, path_of(folder, FOLDER), force=False)
        app.notify(f"written: {len(files)} files to {folder}", markup=False)
        show(app, f"handoff {row.handle}", lambda _width: written(files))


async def _path(app: FleetApp, label: str, value: str, suffixes: Mapping[str, str]) -> Path | None:
    """Return a new file whose ending is one of `suffixes`, None where none is typed after all."""
    from fleettui.planning.user_files import format_of

    def check(text: str) -> None:
        format_of(str(new(text)), None, suffixes)

    text = await ask(app, label, HELP.format(", ".join(suffixes)), value, check)
    return None if text is None else new(text)
