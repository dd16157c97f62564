"""Leaving well when told to by a signal, and the terminal restored when the app dies all the same."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

from fleettui.tui.terminal import RESET

if TYPE_CHECKING:
    from textual.app import App

SIGNALS = (signal.SIGTERM, signal.SIGHUP)
PATIENCE = 5.0
"""Seconds that leaving may take after a signal; then the process ends as it is."""
LOOK = 1.0
"""Seconds between two looks at whether the terminal is there: not every lost one sends a SIGHUP."""
INPUT = "textual-input"
"""What Textual calls its thread that reads the keys."""
GONE = (errno.EIO, errno.ENXIO)
"""What a terminal answers that was closed."""


def install(app: App[Any], checkpoint: Callable[[], object]) -> Callable[[], None]:
    """Let SIGTERM and SIGHUP save and leave: `checkpoint` is called, then `app` exits with 128 + the signal's number.

    To be called on the running loop. Returns what puts the handlers back that were there before: for when `app.run()`
    is over, since until then the terminal is not restored. A signal that is ignored, as under nohup, stays ignored.
    A terminal that is lost without a word counts as SIGHUP. Only the first signal counts; where leaving takes longer
    than `PATIENCE`, as when the lost terminal blocks the app, the process ends by itself.
    """
    loop = asyncio.get_running_loop()
    before = {one: signal.getsignal(one) or signal.SIG_DFL for one in SIGNALS}
    before = {one: handler for one, handler in before.items() if handler is not signal.SIG_IGN}
    watchdogs: list[threading.Timer] = []

    def leave(number: int) -> None:
        if watchdogs:
            return
        watchdogs.append(_watchdog(128 + number))
        try:
            checkpoint()
        finally:
            app.exit(return_code=128 + number)

    def arrived(number: int, _frame: FrameType | None) -> None:
        """Let go at once: the loop comes too late, for with SIGHUP there is a SIGCONT, upon which Textual writes."""
        _let_go_of_a_lost_terminal()
        if not loop.is_closed():
            loop.call_soon_threadsafe(leave, number)

    done = threading.Event()

    def restore() -> None:
        done.set()
        for watchdog in watchdogs:
            watchdog.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in before:
        signal.signal(number, arrived)
    before |= _resume_once(app, lambda: arrived(signal.SIGHUP, None))
    _watch_terminal(done, lambda: arrived(signal.SIGHUP, None))
    return restore


def end_with_the_program(code: int) -> None:
    """Let the process end though a thread of the terminal does not: what is left of the app must not run for ever.

    To be called when all else is closed; where no such thread is left nothing is done.
    """
    if INPUT in {one.name for one in threading.enumerate()}:
        _watchdog(code)


@contextmanager
def restored(stream: TextIO | None = sys.__stderr__) -> Iterator[None]:
    """Run what is inside; when an exception leaves it, make the terminal usable again before it goes on.

    Textual restores the terminal by itself after errors in its handlers; this is for all that gets past it, and stands
    around `app.run()` alone.
    """
    terminal = stream if stream is not None and not stream.closed and stream.isatty() else None
    modes = None if terminal is None else termios.tcgetattr(terminal.fileno())
    try:
        yield
    except BaseException:
        if terminal is not None and modes is not None:
            _reset(terminal.fileno(), modes)
        raise


def _reset(descriptor: int, modes: list[Any]) -> None:
    """Write RESET past whatever the stream still holds, and set the terminal's modes."""
    with suppress(OSError, termios.error):
        os.write(descriptor, RESET.encode())
        termios.tcsetattr(descriptor, termios.TCSANOW, modes)


def _sane(modes: list[Any]) -> list[Any]:
    """Return a terminal's modes with lines, echo and signals as a shell needs them; which were on before is unknown."""
    inputs, outputs, control, local, *rest = modes
    local |= termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG
    return [inputs | termios.ICRNL | termios.IXON, outputs, control, local, *rest]


def _watchdog(code: int) -> threading.Timer:
    """Return a running timer that ends the process: a blocked event loop has no timers of its own."""

    def end() -> None:
        with suppress(OSError, termios.error):
            if os.isatty(2):
                os.set_blocking(2, False)
                _reset(2, _sane(termios.tcgetattr(2)))
        with suppress(OSError):
            os.set_blocking(2, True)
        os._exit(code)

    timer = threading.Timer(PATIENCE, end)
    timer.daemon = True
    timer.start()
    return timer


def _resume_once(app: App[Any], lost: Callable[[], object]) -> dict[signal.Signals, Any]:
    """Let SIGCONT take the terminal again, and call `lost` where there is none; return what SIGCONT called before.

    Textual's own handler starts another thread of input beside the first where the app was not suspended by SIGTSTP, as
    after SIGSTOP and with every SIGHUP: two would share the keys, and the first would never end. The loop does it, as
    what a signal interrupts may hold the lock of what is written, for which its handler would wait for ever. All is
    drawn again, since the shell's lines stand there.
    """
    loop = asyncio.get_running_loop()
    begin = signal.getsignal(signal.SIGCONT)
    if not callable(begin):
        return {}

    def resume(number: int) -> None:
        if (driver := app._driver) is not None:
            if not getattr(driver, "_must_signal_resume", True):
                driver.suspend_application_mode()
            begin(number, None)
            app.refresh(layout=True)

    def continued(number: int, _frame: FrameType | None) -> None:
        if _is_lost(0):
            lost()
        elif not loop.is_closed():
            loop.call_soon_threadsafe(resume, number)

    signal.signal(signal.SIGCONT, continued)
    return {signal.SIGCONT: begin}


def _watch_terminal(done: threading.Event, lost: Callable[[], object]) -> None:
    """Call `lost` once when the terminal of the input is gone, unless it is `done` before; without one do nothing.

    It may be gone by now: then it is no terminal any more, and is told from a file by what it answers.
    """

    def watch() -> None:
        while not done.wait(LOOK):
            if _is_lost(0):
                lost()
                return

    if os.isatty(0) or _is_lost(0):
        threading.Thread(target=watch, name="terminal", daemon=True).start()


def _let_go_of_a_lost_terminal() -> None:
    """Point the standard streams away from a terminal that is closed, or the first write to it would fail."""
    lost = [descriptor for descriptor in (0, 1, 2) if _is_lost(descriptor)]
    if lost:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in lost:
            os.dup2(nowhere, descriptor)
        os.close(nowhere)


def _is_lost(descriptor: int) -> bool:
    try:
        termios.tcgetattr(descriptor)
    except termios.error as error:
        return error.args[0] in GONE
    return False
