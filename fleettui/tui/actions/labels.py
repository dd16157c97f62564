"""Labels of a plan: its name, note and tags."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.tui.actions.pages import ask

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp
    from store import Store


def selected(app: FleetApp) -> str:
    """Return the id of the plan that the keys act on; raises InputError where none is kept."""
    plan = app.view.selected_plan()
    if not plan:
        raise InputError("there is no kept plan here", remedy="r plans the question first")
    return plan


async def name(app: FleetApp) -> None:
    """Name the plan, then write a note to it; both may be left as they are, and esc leaves."""
    plan = selected(app)
    row = await app.state.thread.read(lambda store: store.row(plan))
    text = await ask(app, f"name of {row.handle}", "what to find the plan by; empty: no name", row.name)
    if text is None:
        return
    if text != row.name:
        await app.state.thread.read(lambda store: store.set_name(plan, text))
    note = await ask(app, f"note to {row.handle}", "why it was decided, a ticket, a date", row.note)
    if note is not None and note != row.note:
        await app.state.thread.read(lambda store: store.set_note(plan, note))
    await app.labelled()


async def tag(app: FleetApp) -> None:
    """Tag the plan; a word with a minus before it is taken away."""
    plan = selected(app)
    row = await app.state.thread.read(lambda store: store.row(plan))
    known = f"now: {' '.join(row.tags)}" if row.tags else "no tag yet"
    words = await ask(app, "tags", f"one or more words, -word takes one away; {known}")
    try:
        for word in (words or "").split():
            await app.state.thread.read(partial(_tagged, plan, word))
    finally:
        await app.labelled()


def _tagged(plan: str, word: str, store: Store) -> None:
    if word.startswith("-"):
        store.remove_tag(plan, word[1:])
    else:
        store.add_tag(plan, word)
