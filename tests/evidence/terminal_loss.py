"""A hundred kinds of losing the terminal: ten ways, each in ten states of the app, at a moment drawn at random.

`python -m tests.evidence.terminal_loss --kinds 100 --seed 1` starts the program as often, each time on a terminal of
its own over a store of its own, brings it into a state, and takes the terminal or the process away. Within ten seconds
no process of it may be left but the runner of a job that was handed over, and no job may say that it runs where nobody
is at work on it. Fewer kinds are drawn at random from the hundred.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import random
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.evidence.left_behind import end, running, settled, wrong
from tests.evidence.random_keys import TRACE
from tests.tui.driving import KEY
from tests.tui.terminal.tmux import places

LINES, COLUMNS = 24, 80
DATABASE = "kept.db"
QUIET, PATIENCE = 0.6, 180.0
"""Seconds without output after which a screen is thought to stand, and after which it is waited for no longer."""
LATER = 1.0
"""Seconds within which a moment is drawn."""
ESCAPES = re.compile(rb"\x1b(?:\[[0-9;:?<>=]*[a-zA-Z]|\][^\x07]*\x07|[=>()][0-9A-B]?|P[^\x1b]*\x1b\\)")
QUESTION = "workload: trace.csv\nrate: 20/s\nslo-ttft: 300ms\ngpu: h100\ntp: 8\npools: 1\nprecision: 0.4%\n"
"""Its proof takes longer than a test waits."""


@dataclass(slots=True)
class Terminal:
    """A pseudo terminal with `sh` as its session's leader; `words` are what was written, without escape sequences."""

    shell: int
    master: int
    said: bytearray = field(default_factory=bytearray)
    reading: bool = True
    last: float = field(default_factory=time.monotonic)

    @property
    def words(self) -> str:
        """What was written so far."""
        return ESCAPES.sub(b"", bytes(self.said)).decode("utf-8", "replace")

    def type(self, text: str) -> None:
        """Type `text`."""
        os.write(self.master, text.encode())

    def until(self, word: str) -> None:
        """Wait until a word was written, and until nothing more is."""
        deadline = time.monotonic() + PATIENCE
        while word not in self.words or time.monotonic() - self.last < QUIET:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{word} never came: {self.words[-500:]}")
            time.sleep(0.05)

    def close(self) -> None:
        """Take the terminal away."""
        self.reading = False
        with contextlib.suppress(OSError):
            os.close(self.master)

    def listen(self) -> None:
        """Take in what is written, until the terminal is gone or is no longer read."""
        while self.reading:
            try:
                if not select.select([self.master], [], [], 0.1)[0]:
                    continue
                found = os.read(self.master, 65536)
            except (OSError, ValueError):
                return
            self.said += found
            self.last = time.monotonic()


def begun(folder: Path, command: str) -> Terminal:
    """Return a terminal in which `sh` runs a command."""
    shell, master = os.forkpty()
    if shell == 0:
        os.chdir(folder)
        environment = places(folder) | {"TERM": "xterm-256color", "FLEETTUI_DB": str(folder / DATABASE)}
        os.execve("/bin/sh", ["sh", "-c", command], environment)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    found = Terminal(shell, master)
    threading.Thread(target=found.listen, daemon=True).start()
    return found


def program(folder: Path) -> int:
    """Return the process of the app itself."""
    return int((folder / "pid").read_text())


def kill(folder: Path, number: signal.Signals) -> None:
    """Send the app a signal."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(program(folder), number)


PLAIN = "echo $$ > pid; exec fleettui open question.yaml"
DEAF = f"trap '' HUP; {PLAIN}"
BENEATH = "sh -c 'echo $$ > pid; exec fleettui open question.yaml'; true"


def closed(_: Path, terminal: Terminal) -> None:
    """Close the window."""
    terminal.close()


def sent(number: signal.Signals) -> Callable[[Path, Terminal], None]:
    """Send the app a signal, and close the window."""

    def lose(folder: Path, terminal: Terminal) -> None:
        kill(folder, number)
        time.sleep(0.05)
        terminal.close()

    return lose


def stopped(folder: Path, terminal: Terminal) -> None:
    """Stop the app, close the window, and let the app go on."""
    kill(folder, signal.SIGSTOP)
    terminal.close()
    time.sleep(0.3)
    kill(folder, signal.SIGCONT)


def unread(folder: Path, terminal: Terminal) -> None:
    """Read the terminal no longer while keys go on, then close it."""
    terminal.reading = False
    with contextlib.suppress(OSError):
        os.set_blocking(terminal.master, False)
        for _ in range(20):
            terminal.type("2345678" * 10)
            time.sleep(0.02)
    terminal.close()


def orphaned(_: Path, terminal: Terminal) -> None:
    """Kill the shell above the app, then close the window."""
    os.kill(terminal.shell, signal.SIGKILL)
    time.sleep(0.2)
    terminal.close()


def twice(folder: Path, terminal: Terminal) -> None:
    """Send two signals that ask to leave, one upon the other, and close the window."""
    kill(folder, signal.SIGHUP)
    kill(folder, signal.SIGTERM)
    terminal.close()


WAYS: dict[str, tuple[str, Callable[[Path, Terminal], None]]] = {
    "the window is closed": (PLAIN, closed),
    "closed, SIGHUP ignored": (DEAF, closed),
    "SIGHUP": (PLAIN, sent(signal.SIGHUP)),
    "SIGTERM": (PLAIN, sent(signal.SIGTERM)),
    "SIGINT": (PLAIN, sent(signal.SIGINT)),
    "SIGKILL": (PLAIN, sent(signal.SIGKILL)),
    "closed while stopped": (PLAIN, stopped),
    "not read, then closed": (PLAIN, unread),
    "the shell is killed": (BENEATH, orphaned),
    "SIGHUP and SIGTERM": (PLAIN, twice),
}


def first(_folder: Path, _terminal: Terminal) -> None:
    """The program has just been started."""


def idle(_: Path, terminal: Terminal) -> None:
    """The first frame stands."""
    terminal.until("quit")


def typing(then: str) -> Callable[[Path, Terminal], None]:
    """Keys were pressed, and are answered."""

    def bring(folder: Path, terminal: Terminal) -> None:
        idle(folder, terminal)
        terminal.type(then)
        time.sleep(0.5)

    return bring


def burst(folder: Path, terminal: Terminal) -> None:
    """Many keys were pressed, and are not answered yet."""
    idle(folder, terminal)
    terminal.type("".join(random.Random(1).choices("12345678jkpts", k=200)))


def proving(folder: Path, terminal: Terminal) -> None:
    """A plan is simulated."""
    typing("r")(folder, terminal)
    deadline = time.monotonic() + PATIENCE
    while not running(folder / DATABASE):
        if time.monotonic() > deadline:
            raise TimeoutError("nothing is proven")
        time.sleep(0.1)


def leaving(folder: Path, terminal: Terminal) -> None:
    """What is proven is being handed over."""
    proving(folder, terminal)
    terminal.type("q")


STATES: dict[str, Callable[[Path, Terminal], None]] = {
    "just started": first,
    "idle": idle,
    "in a form": typing("aazure-2023-code\r"),
    "in the palette": typing(":why"),
    "in a prompt": typing(f"{KEY['plans']}/cost"),
    "in the list of jobs": typing(KEY["jobs"]),
    "many keys at once": burst,
    "searching": typing("r"),
    "proving": proving,
    "leaving": leaving,
}


def lose(way: str, state: str, later: float) -> str:
    """Lose the terminal in a way, so much later than a state is there; return what was wrong, empty where nothing."""
    command, take = WAYS[way]
    with tempfile.TemporaryDirectory() as name, terminal(Path(name), command) as one:
        folder = Path(name)
        STATES[state](folder, one)
        time.sleep(later)
        take(folder, one)
        return settled(lambda: wrong(folder, folder / DATABASE)) or end(folder, folder / DATABASE)


@contextmanager
def terminal(folder: Path, command: str) -> Iterator[Terminal]:
    """Return a terminal over a folder of its own; all that ran in it is gone at the end."""
    (folder / "trace.csv").write_text(TRACE)
    (folder / "question.yaml").write_text(QUESTION)
    one = begun(folder, command)
    try:
        yield one
    finally:
        one.close()
        for number in (one.shell, *pids(folder)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        os.waitpid(one.shell, 0)


def pids(folder: Path) -> Iterator[int]:
    """Yield the processes whose home is a folder."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"HOME={folder}\0".encode() in (process / "environ").read_bytes():
                yield int(process.name)


def main() -> int:
    """Lose terminals and print what was left; exit 1 where anything was."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--kinds", type=int, default=len(WAYS) * len(STATES))
    reader.add_argument("--seed", type=int, default=1)
    given = reader.parse_args()
    chance = random.Random(given.seed)
    kinds = chance.sample([(way, state) for way in WAYS for state in STATES], given.kinds)
    found = 0
    for way, state in kinds:
        left = lose(way, state, chance.uniform(0.0, LATER))
        found += bool(left)
        sys.stdout.write(f"{'LEFT' if left else 'gone'}  {state}: {way}{f': {left}' if left else ''}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(kinds)} kinds of seed {given.seed}: {found} left something\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
