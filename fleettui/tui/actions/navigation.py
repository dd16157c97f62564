"""Moving about: help, the palette, the plan before and after, one level back, out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.tui.modals.help import Help

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


def help(app: FleetApp) -> None:
    """Show the keys of this view, to be found and done, and what the words of the screen mean."""
    app.push_screen(Help(app.view.entry, app.action_do))


async def commands(app: FleetApp) -> None:
    """Find any command by its words, and do it."""
    from fleettui.tui.modals.command import Command
    from fleettui.tui.palette import entries

    act = await app.push_screen_wait(Command(tuple(entries(app))))
    if act is not None:
        act()


async def previous(app: FleetApp) -> None:
    """Show the plan that was made before this one."""
    await _step(app, 1)


async def next(app: FleetApp) -> None:
    """Show the plan that was made after this one."""
    await _step(app, -1)


async def _step(app: FleetApp, by: int) -> None:
    """Show the plan that was made so many before the one that is shown; the newest where none is."""
    async with app.stepping:  # the next step begins where this one leads
        newest = await app.state.thread.read(lambda store: [row.id for row in store.plans(limit=500)])
        shown = "" if app.state.shown is None else app.state.shown.plan
        place = newest.index(shown) + by if shown in newest else 0
        if not 0 <= place < len(newest):
            app.notify("no plan beyond this one", timeout=2)
            return
        await app.state.open_plan(newest[place])


async def show_plan(app: FleetApp, plan: str) -> None:
    """Show a plan in the views of one, beginning with its fleet."""
    await app.state.open_plan(plan)
    await app.see("fleet")


def back(app: FleetApp) -> None:
    """Go one level back where there is one."""
    if app.screen.maximized is not None:
        app.screen.minimize()


def zoom(app: FleetApp) -> None:
    """Make the pane with the focus large, and small again."""
    if app.screen.maximized is not None:
        app.screen.minimize()
    elif app.focused is not None:
        app.screen.maximize(app.focused)


async def theme(app: FleetApp) -> None:
    """Choose the theme from a list; it is kept for the next start."""
    from fleettui.tui.modals.choose import Choose

    known = {name: f"{name}  {'dark' if one.dark else 'light'}" for name, one in sorted(app.available_themes.items())}
    chosen = await app.push_screen_wait(Choose("theme", known, chosen=app.theme))
    if chosen is not None:
        app.theme = chosen


async def compare(app: FleetApp) -> None:
    """See the marked plans side by side."""
    await app.see("compare")


def leave(app: FleetApp) -> None:
    """Leave; what is being proven goes on in a process of its own."""
    app.exit(return_code=0)
