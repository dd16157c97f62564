"""What leaves a terminal as it was, and which signals are heard, in the process of the tests itself."""

import asyncio
import os
import pty
import select
import signal
import termios
from pathlib import Path

import pytest
from textual.app import App

from fleettui.tui.signals import install, restored
from fleettui.tui.terminal import RESET


def test_what_gets_past_textual_leaves_a_terminal_that_works() -> None:
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    with os.fdopen(slave, "w") as stream:

        def die() -> None:
            raw = termios.tcgetattr(slave)
            raw[3] &= ~termios.ECHO
            termios.tcsetattr(slave, termios.TCSANOW, raw)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), restored(stream):
            die()
        assert select.select((master,), (), (), 1)[0]
        assert os.read(master, 1000).decode() == RESET
        assert termios.tcgetattr(slave) == before
    os.close(master)


def test_a_pipe_gets_no_escape_sequences(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as stream, pytest.raises(ValueError, match="a bug"), restored(stream):
        raise ValueError("a bug")
    assert (tmp_path / "log").read_text() == ""


def test_where_all_goes_well_nothing_is_written() -> None:
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as stream:
        with restored(stream):
            pass
        assert select.select((master,), (), (), 0)[0] == []
    os.close(master)


async def test_handlers_are_put_back_and_what_is_ignored_stays_ignored() -> None:
    mine = signal.getsignal(signal.SIGTERM)
    hangup = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        restore = install(App[None](), list)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is not mine
        restore()
        assert signal.getsignal(signal.SIGTERM) is mine
    finally:
        signal.signal(signal.SIGHUP, hangup)


async def test_a_terminal_that_was_lost_while_the_program_started_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen: closed before the first frame, with SIGHUP ignored, it was no terminal any more, and the app ran on."""
    monkeypatch.setattr("fleettui.tui.signals.LOOK", 0.01)
    own, (master, slave) = os.dup(0), pty.openpty()
    os.dup2(slave, 0)
    os.close(slave)
    os.close(master)
    app = App[None]()
    try:
        restore = install(app, list)
        async with asyncio.timeout(5):
            while app.return_code is None:
                await asyncio.sleep(0.001)
        restore()
    finally:
        os.dup2(own, 0)
        os.close(own)
    assert app.return_code == 128 + signal.SIGHUP


async def test_only_the_first_signal_counts() -> None:
    saves: list[int] = []
    app = App[None]()
    restore = install(app, lambda: saves.append(1))
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGHUP)
        async with asyncio.timeout(5):
            while app.return_code is None:
                await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)
    finally:
        restore()
    assert len(saves) == 1
    assert app.return_code in (143, 129)
