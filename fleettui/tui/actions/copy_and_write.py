"""Handing over: copy what is shown, write it to a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.tui.actions.pages import ask
from fleettui.tui.modals.choose import Choose
from fleettui.tui.new_file import new, write_new
from fleettui.tui.tabs.delivery import Delivery

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


FORMS: Mapping[str, tuple[str, str]] = {
    "html": ("the report on {}, one page for whoever decides", "plan"),
    "md": ("the report on {}, as Markdown", "plan"),
    "csv": ("the candidates of {}, as a table", "candidates"),
    "json": ("all figures of {}, as data", "plan"),
    "yaml": ("the question of {}, to be asked again", "question"),
    "svg": ("cost against latency of {}, as a picture", "plan"),
}
"""What each form of a plan holds, and the first word of its file's name."""


def file_of(handle: str, form: str) -> str:
    """Return the name that a file has with a plan in a form, unless another is typed."""
    return f"{FORMS[form][1]}-{handle}.{form}"


async def copy(app: FleetApp) -> None:
    """Copy what the view shows, in words."""
    text = app.view.copied()
    if not text:
        raise InputError("there is nothing here to copy")
    await app.copy_text(text)


async def write(app: FleetApp) -> None:
    """Write the view, or the plan that it is about in one of many forms, to a file that is not there yet."""
    offered = {**app.view.deliveries(), **await of_plan(app)}
    if not offered:
        raise InputError("there is nothing here to write")
    chosen: str | None = next(iter(offered))
    if len(offered) > 1:
        width = max(map(len, offered))
        lines = {name: f"{name:<{width}}  {one.words}" for name, one in offered.items()}
        chosen = await app.push_screen_wait(Choose("write", lines))
    if chosen is not None:
        await deliver(app, offered[chosen])


async def of_plan(app: FleetApp) -> dict[str, Delivery]:
    """Return what can be written of the kept plan that the view is about; nothing where there is none."""
    plan = app.view.selected_plan()
    if not plan:
        return {}
    from fleettui.planning import export, report, settings

    handle = (await app.state.thread.read(lambda store: store.row(plan))).handle
    read, schema = app.state.thread.read, settings.schema(settings.settings())

    def written(form: str) -> Callable[[], Awaitable[str]]:
        if form == "html":
            return lambda: read(lambda store: report.written(report.report_plan(store, plan), form))
        return lambda: read(lambda store: export.export(store, plan, form, schema))

    return {
        form: Delivery(words.format(handle), file_of(handle, form), written(form)) for form, (words, _) in FORMS.items()
    }


async def deliver(app: FleetApp, wanted: Delivery) -> None:
    """Ask for a path that is free, and write there."""
    help = f"{wanted.words}, to a new file; none is written over"
    path = await ask(app, "write to", help, wanted.file, new)
    if path is not None:
        write_new(app, new(path), await wanted.text())
