"""What the terminal can show, from the environment and real pseudo-terminals."""

import io
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator
from typing import TextIO

import pytest
from textual.app import App

from fleettui.tui import terminal

XTERM = {"TERM": "xterm-256color"}
SSH = {"SSH_CONNECTION": "10.0.0.1 50000 10.0.0.2 22"}


@pytest.fixture
def tty() -> Iterator[TextIO]:
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 80))
    with os.fdopen(slave, "w") as stream:
        yield stream
    os.close(master)


def test_a_terminal_can_show_the_app(tty: TextIO) -> None:
    assert terminal.can_show(tty, tty, XTERM) == ""
    assert terminal.can_show(tty, tty, XTERM, stderr=tty) == ""
    assert terminal.can_show(tty, tty, {}) == ""


def test_a_pipe_cannot_and_the_reason_says_which_stream_it_is(tty: TextIO) -> None:
    pipe = io.StringIO()
    assert terminal.can_show(pipe, tty, XTERM) == "the input is not a terminal"
    assert terminal.can_show(tty, pipe, XTERM) == "the output is not a terminal"
    assert terminal.can_show(tty, tty, XTERM, stderr=pipe).startswith("the error stream")
    pipe.close()
    assert terminal.can_show(None, tty, XTERM) == terminal.can_show(pipe, tty, XTERM) == "the input is not a terminal"


@pytest.mark.parametrize("term", ["dumb", "DUMB", "unknown"])
def test_a_dumb_terminal_cannot(tty: TextIO, term: str) -> None:
    assert terminal.can_show(tty, tty, {"TERM": term}) == f"TERM={term} can show no full screen"


def test_a_terminal_without_a_size_cannot_unless_the_environment_gives_one(tty: TextIO) -> None:
    termios.tcsetwinsize(tty.fileno(), (0, 0))
    assert "0x0 (stty" in terminal.can_show(tty, tty, XTERM)
    assert terminal.can_show(tty, tty, {**XTERM, "COLUMNS": "80", "LINES": "24"}) == ""
    assert "0x0 (stty" in terminal.can_show(tty, tty, {**XTERM, "COLUMNS": "80", "LINES": "0"})


@pytest.mark.parametrize(
    ("environment", "encoding", "expected"),
    [
        (XTERM, "UTF-8", "braille"),
        ({"TERM": "linux"}, "utf-8", "half"),
        ({"TERM": "linux"}, "ISO-8859-1", "ascii"),
        (XTERM, "ANSI_X3.4-1968", "ascii"),
        ({**XTERM, "FLEETTUI_ASCII": "1"}, "UTF-8", "ascii"),
        ({**XTERM, "FLEETTUI_ASCII": "0"}, "UTF-8", "braille"),
        ({**XTERM, "LC_ALL": "de_DE.UTF-8"}, "ANSI_X3.4-1968", "braille"),
        ({**XTERM, "LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "ANSI_X3.4-1968", "ascii"),
    ],
)
def test_glyphs(environment: dict[str, str], encoding: str, expected: str) -> None:
    assert terminal.glyphs(environment, encoding) == expected


def test_the_locale_c_is_seen_though_python_reads_and_writes_utf_8_in_it() -> None:
    code = (
        "import locale, os; from fleettui.tui.terminal import glyphs; print(glyphs(os.environ, locale.getencoding()))"
    )
    found = subprocess.run(
        (sys.executable, "-c", code), env={"LC_ALL": "C"}, capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout == "ascii\n"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        (SSH, True),
        ({"FLEETTUI_QUIET": "1"}, True),
        ({"FLEETTUI_QUIET": "0", **SSH}, False),
        ({"FLEETTUI_QUIET": "", **SSH}, True),
    ],
)
def test_quiet(environment: dict[str, str], expected: bool) -> None:
    assert terminal.quiet(environment) is expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (XTERM, "textual-dark"),
        ({"TERM": "xterm"}, "ansi-dark"),
        ({"TERM": "screen"}, "ansi-dark"),
        ({}, "ansi-dark"),
        ({"TERM": "xterm-kitty"}, "textual-dark"),
        ({"TERM": "screen", "COLORTERM": "truecolor"}, "textual-dark"),
        ({**XTERM, "NO_COLOR": "1"}, "ansi-dark"),
        ({**XTERM, "TEXTUAL_COLOR_SYSTEM": "standard"}, "ansi-dark"),
        ({"TERM": "xterm", "TEXTUAL_COLOR_SYSTEM": "256"}, "textual-dark"),
        ({"TERM": "xterm", "TEXTUAL_THEME": "nord"}, "nord"),
    ],
)
def test_theme(environment: dict[str, str], expected: str) -> None:
    assert terminal.theme(environment) == expected
    assert expected in App().available_themes


def test_prepare_sets_what_textual_reads_and_leaves_what_the_user_set() -> None:
    environment = {**SSH, "TERM": "xterm", "TEXTUAL_COLOR_SYSTEM": "standard", "TEXTUAL_SMOOTH_SCROLL": "1"}
    terminal.prepare(environment)
    assert environment == {
        **SSH,
        "TERM": "xterm",
        "TEXTUAL_COLOR_SYSTEM": "standard",
        "TEXTUAL_SMOOTH_SCROLL": "1",
        "TEXTUAL_ANIMATIONS": "none",
        "TEXTUAL_THEME": "ansi-dark",
    }
    local = dict(XTERM)
    terminal.prepare(local)
    assert local == {**XTERM, "TEXTUAL_THEME": "textual-dark"}


def test_textual_takes_the_switches_when_it_is_imported_after_them() -> None:
    code = (
        "import os, sys; from fleettui.tui import terminal; assert 'textual' not in sys.modules;"
        "terminal.prepare(os.environ); from textual import constants as c;"
        "print(c.TEXTUAL_ANIMATIONS, c.SMOOTH_SCROLL, c.DEFAULT_THEME)"
    )
    environment = {**SSH, "TERM": "xterm"}
    found = subprocess.run(
        (sys.executable, "-c", code), env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout == "none False ansi-dark\n"


def test_reset_turns_off_all_that_textual_turns_on() -> None:
    for mode in (1000, 1003, 1006, 1015, 1016, 1004, 2004, 2048, 1049):
        assert f"\x1b[?{mode}l" in terminal.RESET
    for shown in ("\x1b[?25h", "\x1b[?7h", "\x1b[<u", "\x1b[0m"):
        assert shown in terminal.RESET
    assert terminal.RESET.index("\x1b[<u") < terminal.RESET.index("\x1b[?1049l")
