"""Leaving by key, signal, error and lost terminal: real processes on pseudo-terminals, all started at once.

They are forks of one that has loaded Textual, which takes longer than all that they do.
"""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAM = """
import fcntl, os, signal, sys, termios, time
from fleettui.tui import signals, terminal
folder, *ways = sys.argv[1:]
if ways[0].startswith("PLAIN"):
    os.environ["NO_COLOR"] = "1"
terminal.prepare(os.environ)
from textual.app import App
from textual.widgets import Static

def begin():  # returns in each program; this one tells their numbers, and how each ended
    started = {}
    for one in ways:
        way, stream = one.split("=")
        pid = os.fork()
        if pid == 0:
            return way, int(stream)
        started[pid] = way
        print(pid, flush=True)
    while started:
        pid, status = os.wait()
        file = os.path.join(folder, started.pop(pid) + ".code")
        with open(file + ".part", "w") as part:
            part.write(str(os.waitstatus_to_exitcode(status)))
        os.rename(file + ".part", file)
    sys.exit()

way, stream = begin()
saved = os.path.join(folder, way)
os.setsid()
for own in (0, 1, 2):
    os.dup2(stream, own)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it, as nohup does
if way == "SLOW":
    signals.PATIENCE = 0.2
if way == "SILENT":
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signals.LOOK = 0.1
if way == "STUCK":
    signals.PATIENCE = 0.2

def note(word):
    with open(saved, "a") as file:
        file.write(word + " ")

def checkpoint():
    note("saved")
    if way == "BROKEN":
        raise RuntimeError("the checkpoint fails")

class Tiny(App):
    BINDINGS = [("q", "quit", "quit"), ("b", "bug", "bug"), ("s", "sleep", "sleep")]
    def compose(self):
        yield Static("here I am")
    def on_mount(self):
        self.restore = signals.install(self, checkpoint)
    def on_ready(self):
        self.set_timer(0.01, lambda: self._driver.write("\\x1b]0;READY\\x07"))
    def exit(self, *args, **kwargs):
        if way == "SLOW":
            time.sleep(60)
        for _ in range(100):
            self._driver.write(" ")
        super().exit(*args, **kwargs)
    def action_bug(self):
        raise ValueError("a bug")

app = Tiny()
with signals.restored():
    app.run()
app.restore()
print("left", flush=True)
note("left")
if way == "STUCK":
    import threading
    threading.Thread(target=time.sleep, args=(600,), name=signals.INPUT).start()
    signals.end_with_the_program(app.return_code)
sys.exit(app.return_code)
"""
DEADLINE = 90.0
WAYS = {"q": 0, "SIGTERM": 143, "SIGHUP": 129, "BUG": 1, "LOST": 129, "SLOW": 143, "BROKEN": 143, "PLAIN": 0}
WAYS |= {"SILENT": 129, "STUCK": 0, "CONTINUED": 0}
"""The exit code of each way to leave."""
CLOSED = ("LOST", "SILENT")
"""Ways in which the terminal is closed, with SIGHUP and without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A fork; the file has its exit code once it has ended."""

    pid: int
    code: Path

    @property
    def returncode(self) -> int | None:
        return int(self.code.read_text()) if self.code.exists() else None

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self.returncode is None:
            assert time.monotonic() < end, f"{self.code.stem} goes on"
            time.sleep(0.01)

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


@dataclass(slots=True, kw_only=True)
class Run:
    """A program on a terminal of its own: what it wrote until it ended, and the terminal's modes before and after."""

    way: str
    saved: Path
    process: Program
    master: int
    slave: int
    before: list
    after: list
    written: bytes = b""

    @property
    def text(self) -> str:
        return self.written.decode(errors="replace")

    def is_ready(self) -> bool:
        return b"READY" in self.written

    def is_drawn_again(self) -> bool:
        first, _, again = self.written.rpartition(b"\x1b[?1049h")
        return b"\x1b[?1049h" in first and b"here I am" in again

    def read_until(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            if select.select((self.master,), (), (), 0.02)[0]:
                self.written += os.read(self.master, 65536)
            elif done():
                return
        raise AssertionError(f"{self.way}: waited too long; written: {self.text[-500:]}")

    def leave(self) -> None:
        """Do what is to make the program end."""
        keys = {"q": b"q", "BUG": b"b", "PLAIN": b"q", "STUCK": b"q", "CONTINUED": b"q"}
        if self.way == "CONTINUED":
            self.process.send_signal(signal.SIGSTOP)
            self.process.send_signal(signal.SIGCONT)
            self.read_until(self.is_drawn_again)
        if self.way in keys:
            os.write(self.master, keys[self.way])
        elif self.way in CLOSED:
            os.close(self.master)
        else:
            self.process.send_signal(signal.SIGHUP if self.way == "SIGHUP" else signal.SIGTERM)

    def end(self) -> None:
        if self.way not in CLOSED:
            self.read_until(lambda: self.process.returncode is not None)
            self.after = termios.tcgetattr(self.slave)
        self.process.wait(DEADLINE)

    def close(self) -> None:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(DEADLINE)
        os.close(self.slave)
        if self.way not in CLOSED:
            os.close(self.master)


def terminal_of(way: str) -> tuple[str, int, int, list]:
    """Return a way's terminal, both of its ends, and its modes."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 80))
    return way, master, slave, termios.tcgetattr(slave)


def started(ways: Iterable[str], folder: Path) -> tuple[subprocess.Popen[str], list[Run]]:
    """Start a program for each way, all of them forks of one process."""
    terminals = [terminal_of(way) for way in ways]
    source = subprocess.Popen(
        (sys.executable, "-c", PROGRAM, str(folder), *(f"{way}={slave}" for way, _, slave, _ in terminals)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=[slave for _, _, slave, _ in terminals],
        start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    assert source.stdout is not None
    found = []
    for way, master, slave, before in terminals:
        process = Program(pid=int(source.stdout.readline()), code=folder / f"{way}.code")
        saved = folder / way
        found.append(Run(way=way, saved=saved, process=process, master=master, slave=slave, before=before, after=[]))
    return source, found


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    folder = tmp_path_factory.mktemp("signals")
    sources, found = [], list[Run]()
    try:
        for ways in (("PLAIN",), [way for way in WAYS if way != "PLAIN"]):
            source, programs = started(ways, folder)
            sources.append(source)
            found += programs
        for run in found:
            run.read_until(run.is_ready)
            run.leave()
        for run in found:
            run.end()
        yield {run.way: run for run in found}
    finally:
        for run in found:
            run.close()
        for source in sources:
            source.communicate(timeout=DEADLINE)


@pytest.mark.parametrize(("way", "code"), WAYS.items())
def test_how_it_ends_and_what_is_saved(runs: dict[str, Run], way: str, code: int) -> None:
    run = runs[way]
    assert run.process.returncode == code, run.text[-2000:]
    notes = ["saved"] * (code > 128) + ["left"] * (way != "SLOW")
    assert run.saved.read_text().split() == notes


@pytest.mark.parametrize("way", [way for way in WAYS if way not in CLOSED])
def test_the_terminal_is_as_it_was(runs: dict[str, Run], way: str) -> None:
    run = runs[way]
    for off in ("\x1b[?1049l", "\x1b[?1000l", "\x1b[?1003l", "\x1b[?1006l", "\x1b[?2004l"):
        assert run.text.rfind(off) > run.text.rfind(off[:-1] + "h") >= 0, off
    assert run.text.rfind("\x1b[?25h") > run.text.rfind("\x1b[?25l") > 0
    assert run.text.rfind("\x1b[<u") > run.text.rfind("\x1b[>") > 0
    assert run.after == run.before


def test_a_bug_is_shown_after_the_alternate_screen(runs: dict[str, Run]) -> None:
    assert "a bug" in runs["BUG"].text.rpartition("\x1b[?1049l")[2]


def test_no_color_means_no_colour_at_all(runs: dict[str, Run]) -> None:
    def colours(text: str) -> list[str]:
        return re.findall(r"\x1b\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[\d;]*)?m", text)

    assert colours(runs["q"].text)
    assert "here I am" in runs["PLAIN"].text
    assert colours(runs["PLAIN"].text) == []
