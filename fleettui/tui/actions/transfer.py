"""Plans and stores that change hands, from the palette: a bundle taken in, the store copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.transfer import age_of, backup_target, new_file, pruned_text, take_in, taken_text
from fleettui.tui.actions.pages import ask
from fleettui.tui.prompt_values import needed

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


async def take_bundle(app: FleetApp) -> None:
    """Ask for a bundle's file and add its plans."""
    path = await ask(app, "import", "the file that fleettui export --bundle wrote", "", needed)
    if path is not None:
        merged = await app.state.thread.read(lambda store: take_in(store, path))
        app.notify(taken_text(merged), markup=False)
        app.state.changed()


async def publish(app: FleetApp) -> None:
    """Ask for a new file and write the store to it, for others to read."""
    path = await ask(app, "publish", "a new file; it can be read, not written", "", needed)
    if path is not None:
        target = new_file(path)
        await app.state.thread.read(lambda store: store.publish(target))
        app.notify(f"published: {target}", markup=False)


async def back_up(app: FleetApp) -> None:
    """Ask for a new file, beside the store where none is said, and copy the store to it."""
    path = await ask(app, "backup", "a new file; empty: beside the store", "", str.strip)
    if path is not None:
        target = await app.state.thread.read(lambda store: backup_target(store, path.strip()))
        await app.state.thread.read(lambda store: store.back_up(target))
        app.notify(f"copied: {target}", markup=False)


async def prune(app: FleetApp) -> None:
    """Ask for an age and tell what older runs and archived plans may go; the command line deletes them."""
    age = await ask(app, "prune", "older than, such as 90d; deleting: fleettui prune --yes", "90d", age_of)
    if age is not None:
        older = age_of(age)
        found = await app.state.thread.read(lambda store: store.prunable(older=older, archived=True))
        app.notify(pruned_text(found, done=False), markup=False)
