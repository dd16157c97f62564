"""Where the app begins, and how it gets to a plan, a workload or a question that is named."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from fleettui.domain.opening import Opening
from fleettui.errors import InputError
from fleettui.tui.saved_place import Session

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp
    from store import Store


def first_view(opening: Opening, session: Session) -> str:
    """Return the view that is seen first: the one last seen, unless something is named that belongs elsewhere."""
    return {"last": session.view, "plan": "fleet", "workload": "workload", "question": "fleet"}[opening.kind]


async def open_at(app: FleetApp, opening: Opening) -> None:
    """Open what is named; raises InputError where there is no such thing."""
    if opening.kind == "last":
        await open_last(app)
    elif opening.kind == "plan":
        await app.state.open_plan(opening.text)
        if app.seen != "fleet":  # where it is, it has just drawn the plan
            await app.see("fleet")
    elif opening.kind == "question":
        from fleettui.tui.actions.question import open_asked

        if app.state.shown is None:
            await open_last(app)
        await open_asked(app, opening.text)
    else:
        if app.state.draft.texts:
            await app.state.workload(opening.text)  # what cannot be read leaves the question as it is
        (app.state.edit if app.state.draft.texts else app.state.ask)({"workload": opening.text})
        await app.see("workload")


async def open_last(app: FleetApp) -> None:
    """Show the plan that was shown last, else the newest, one of a joint plan too, else the shipped example."""
    for find in (lambda _: app.session.plan, _newest):
        try:
            await app.state.open_plan(await app.state.thread.read(find))
        except InputError:
            continue
        return
    if app.state.shown is None:
        app.state.show_example()


def _newest(store: Store) -> str:
    """Return what names the newest plan, of a joint plan that of its last workload; raises InputError for none."""
    from fleettui.domain.study import plans_of

    for back in count():
        noun, identifier = store.kept(f"last~{back}")
        found = [identifier] if noun == "plan" else [*plans_of(store.study(identifier)).values()]
        if found:
            break
    return found[-1]
