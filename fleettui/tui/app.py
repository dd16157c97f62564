"""The terminal app: a frame of three lines around the view that is seen, and what every key does."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Event
from textual.geometry import Size
from textual.screen import Screen
from textual.timer import Timer

from fleettui import garbage
from fleettui.domain.opening import Opening
from fleettui.errors import FleettuiError
from fleettui.tui import first_screen, keys, plain_signs, saved_place, screen_size, signals, tabs, turns
from fleettui.tui.progress_text import badge, ended, header_words
from fleettui.tui.state import AppState
from fleettui.tui.tabs.view import View
from fleettui.tui.turns import Turn
from fleettui.tui.type_ahead import OPENING, TypeAhead
from fleettui.tui.visible_lines import VisibleApp
from fleettui.tui.widgets import frame
from fleettui.tui.work_kinds import STUDY

if TYPE_CHECKING:
    from fleettui.domain.plan_row import PlanRow
    from fleettui.reports.canvas import Glyphs
    from fleettui.tui.task import Task
    from store import Store

TICK = 0.25
"""Seconds between two looks at the work that goes on; nothing is looked at while none does."""
LONG = 30.0
"""Seconds of work after which its end rings the bell."""


class FleetApp(VisibleApp):
    """fleettui on a terminal. `state` is what all views show, `glyphs` are what the terminal can draw.

    `folder` keeps where the person was.
    """

    CSS_PATH = "fleettui.tcss"
    TITLE = "fleettui"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings()
    HORIZONTAL_BREAKPOINTS = screen_size.COLUMNS
    VERTICAL_BREAKPOINTS = screen_size.LINES

    def __init__(
        self,
        state: AppState,
        *,
        opening: Opening,
        session: saved_place.Session,
        folder: Path,
        row: PlanRow | None = None,
        glyphs: Glyphs = "braille",
    ) -> None:
        super().__init__()
        self.state: AppState = state
        self.opening, self.session, self.folder, self.glyphs = opening, session, folder, glyphs
        self.row = row
        self.restore_signals: Callable[[], None] = lambda: None
        self._views: dict[str, View] = {}
        self.seen = self._wanted = first_screen.first_view(opening, session)
        self.store: Store | None = None
        self._ticking: Timer | None = None
        self._seeing, self.stepping = asyncio.Lock(), asyncio.Lock()
        self._asking = False
        self._typing = TypeAhead(self)
        self._given_theme = self.theme
        if session.theme in self.available_themes:
            self.theme = session.theme
        self._drawn_at = Size()

    def get_default_screen(self) -> Screen[object]:
        """Return the screen of the frame, whose classes are those of its size before it is first drawn."""
        return screen_size.classed(screen_size.FrameScreen(id="_default"), self.size)

    def compose(self) -> ComposeResult:
        """Lay out the frame around the first view; others come when they are first seen."""
        yield frame.Line(id="header")
        yield frame.Line(id="bar")
        yield self._views.setdefault(self.seen, tabs.make(self.seen))
        yield frame.Line(id="footer")

    async def on_mount(self) -> None:
        """Draw the first frame from what can be read at once, and open the store behind it, while keys wait."""
        opening = self._typing.begin(OPENING)
        self.state.listeners.append(self._state_changed)
        self.state.marks = frozenset(self.session.marks)
        plain_signs.choose_bars(self.glyphs)
        self._ticking = self.set_interval(TICK, self._tick, pause=True)
        if self.opening.kind == "workload":
            self.state.ask({"workload": self.opening.text})
        elif self.row is None and self.opening.kind != "plan":
            self.state.show_example()
        await self.see(self.seen)
        self.restore_signals = signals.install(self, self.checkpoint)
        self.call_after_refresh(lambda: self.do(self._start, opening))

    async def _start(self) -> None:
        """Open the store and what was asked for; where either is refused that is told, and the example is shown."""
        self.state.thread.start()
        try:
            self.store = await self.state.thread.store()
            self.draw()  # a view that a session was left in has had nothing to read until now
            if self.store.notice:
                self.notify(self.store.notice, severity="warning", timeout=10, markup=False)
            if self.opening.kind != "workload":
                await self.open_at(self.opening)
        finally:
            if self.state.shown is None and self.opening.kind != "workload":
                self.state.show_example()
            garbage.go_on()

    def on_unmount(self) -> None:
        """Keep where the person is, whichever way the app ends."""
        self._typing.close()
        self.checkpoint()

    async def on_event(self, event: Event) -> None:
        """Take an event; a key waits until the one before it has been answered."""
        if not self._typing.holds(event):
            await super().on_event(event)

    def checkpoint(self) -> None:
        """Keep where the person is, for the next start."""
        shown = self.state.shown
        plan = self.session.plan if shown is None or shown.row is None else shown.plan
        theme = self.session.theme if self.theme == self._given_theme else self.theme
        marks = tuple(sorted(self.state.marks))
        here = self.session._replace(plan=plan, view=self.seen, marks=marks, theme=theme)
        saved_place.save(self.folder / saved_place.FILE, here)

    async def open_at(self, opening: Opening) -> None:
        """Open a plan, a workload or a question."""
        await first_screen.open_at(self, opening)

    async def labelled(self) -> None:
        """Show a plan's new labels."""
        await self.state.reload()
        self.draw()

    async def copy_text(self, text: str) -> None:
        """Copy text by every way there is, and say which worked."""
        from fleettui.tui import clipboard

        copied = await clipboard.copy(text, self.copy_to_clipboard, os.environ, self.folder)
        self.notify(copied.words, timeout=6, markup=False)

    @property
    def view(self) -> View:
        """The view that is seen."""
        return self._views[self.seen]

    async def see(self, name: str) -> None:
        """Let a view be seen, made when it is first, and give it the focus; the one wished for last is seen."""
        self._wanted = name
        async with self._seeing:
            if name not in self._views:
                made = self._views[name] = tabs.make(name)
                made.display = False
                await self.base.mount(made, before="#footer")
            if name == self._wanted:
                if name != self.seen:
                    self._leave()
                self.seen = name
                self.view.display = True
                self.draw()
                self.base.set_focus(self.view.first_focus(), scroll_visible=False)

    def _leave(self) -> None:
        """Put away the view that is seen, and the large pane of it that would hide the next."""
        if self.base.maximized is not None:
            self.base.minimize()
        self.view.display = False

    async def push_screen_wait(self, screen: Any, *, mode: str | None = None) -> Any:
        """Return what a screen asks for; None, as after escape, where another stands already or is on its way."""
        if self._asking or self.screen is not self.base:
            return None
        self._asking = True
        try:
            answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self.push_screen(screen, answer.set_result, mode=mode)
            with turns.keys_go_on():
                return await answer
        finally:
            self._asking = False

    @property
    def drawn(self) -> bool:
        """Whether the frame stands with the view in it: not before the first, and not while the app closes."""
        view = self._views.get(self.seen)
        return self.is_running and bool(self.screen_stack) and view is not None and view.is_attached

    @property
    def base(self) -> Screen[object]:
        """The screen of the frame and the views, whatever stands above it."""
        return self.screen_stack[0]

    def draw(self) -> None:
        """Draw the frame and the view that is seen."""
        self.draw_frame()
        if self.drawn:
            self.view.show()

    def draw_frame(self) -> None:
        """Draw header, bar and footer."""
        if not self.drawn:
            return
        self._drawn_at = self.size
        width = self.size.width
        self.base.query_one("#header", frame.Line).show(
            self.skinned(
                frame.header(*header_words(self.state, self.row_before), badge(self.state.thread.alive), width)
            )
        )
        self.base.query_one("#bar", frame.Line).show(frame.bar(self.seen, width))
        footer = keys.footer_words(self.seen, width, self.view.impossible())
        self.base.query_one("#footer", frame.Line).show(frame.clickable(footer)[:width])

    @property
    def row_before(self) -> PlanRow | None:
        """The row of the plan that is being read, which stands for it until then."""
        return self.row if self.state.shown is None and not self.state.asking else None

    def skinned(self, content: Content) -> Content:
        """Return `content` in signs that the terminal has."""
        return plain_signs.skinned(content, self.glyphs)

    def on_resize(self) -> None:
        """Draw the frame and the view to the new size, where they were drawn at another."""
        if self.drawn:
            self.call_after_refresh(lambda: self.do(self.draw) if self._drawn_at != self.size else None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Say whether a key means something in the view that is seen."""
        if action != "do":
            return True
        verb = str(parameters[0])
        return any(key.verb == verb for key in (*keys.VIEW_KEYS, *keys.keys_of(self.seen)))

    def action_do(self, verb: str) -> None:
        """Do what a key means: the view's own `do_VERB`, else the app's."""
        if verb.startswith("view_"):
            self.do(lambda: self.see(verb.removeprefix("view_")))
            return
        self.do(getattr(self.view, f"do_{verb}", None) or partial(_act, self, verb))

    def do(self, handler: Callable[[], object], turn: Turn | None = None) -> None:
        """Call `handler`, in a worker if it must wait, in a `turn` if that has begun; what it raises is told."""
        try:
            found = handler()
        except Exception as error:  # noqa: BLE001 - told to the person; the app goes on
            self.tell_error(error)
            return
        if inspect.isawaitable(found):
            self.run_worker(self._told(found, turn or self._typing.begin()), exit_on_error=False, group="do")

    async def _told(self, work: Awaitable[object], turn: Turn) -> None:
        with self._typing.taken(turn):
            try:
                await work
            except Exception as error:  # noqa: BLE001 - told to the person; the app goes on
                self.tell_error(error)

    def tell_error(self, error: Exception) -> None:
        """Tell a refusal in its own words; a bug with the file that holds the evidence."""
        if isinstance(error, FleettuiError):
            from fleettui.reports.in_app import refusal_in_app

            self.notify(refusal_in_app(error), severity="error", timeout=10, markup=False)
            return
        from fleettui.planning.bug_report import write_report

        place = write_report(error, f"in view {self.seen}")
        where = f"the report: {place}" if place else "no report could be written"
        words = f"This is a bug: {type(error).__name__}: {error}\n{where}\nThe app goes on."
        self.notify(words, severity="error", timeout=20, markup=False)

    def _state_changed(self) -> None:
        if self._ticking is not None and any(not task.told for task in self.state.thread.tasks):
            self._ticking.resume()
        if self.drawn:
            self.do(self.draw)

    def _tick(self) -> None:
        """Look at the work; a bug in that is told once, and the next change begins it again."""
        try:
            with turns.background():
                self._look()
        except Exception as error:  # noqa: BLE001 - told to the person; the app goes on
            if self._ticking is not None:
                self._ticking.pause()
            self.tell_error(error)

    def _look(self) -> None:
        """Tell once what has begun or ended, and show how far it is."""
        if not self.drawn:
            return
        for task in self.state.thread.tasks:
            if task.plan and not task.shown and task.alive:
                task.shown = True
                if task.kind != "verify":
                    self.spawn(self.state.show_work(task))
            if not task.alive and not task.told:
                task.told = True
                self.spawn(self._ended(task))
        self.draw_frame()
        self.view.tick()
        if self._ticking is not None and all(task.told for task in self.state.thread.tasks):
            self._ticking.pause()

    async def _ended(self, task: Task) -> None:
        """Tell how a task ended, ring where it took long, and show what it came to."""
        if task.error is not None and task.kind != STUDY:  # that of a study is told by what waits for it
            self.tell_error(task.error)
        elif task.error is None and (words := ended(task)):
            self.notify(words, timeout=6, markup=False)
        if task.seconds() > LONG:
            self.bell()
        if task.plan:
            await self.state.show_work(task)
        else:
            self.draw()

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Do work that nobody waits for."""
        self.do(lambda: work)


def _act(app: FleetApp, verb: str) -> object:
    """Do what a verb means in every view; what that takes is loaded at the first key, not before the first frame."""
    from fleettui.tui.actions import ACTIONS

    return ACTIONS[verb](app)
