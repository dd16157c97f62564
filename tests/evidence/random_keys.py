"""Keys at random, at random speed, on a real terminal with work running and the machine loaded.

`python -m tests.evidence.random_keys --keys 20000 --seed 1 --load 1` starts the app in tmux over a store of its own and
types bursts of 1 to 40 keys, words and commands with pauses of 0 to 0.3 s, resizes the window meanwhile, and begins and
cancels plans. After every 40 bursts it types a word of its own, which must come to stand on the screen, goes back to
the views with escape and asks for one, which must come, too. It counts tracebacks, bugs that the app told, and screens
that no longer answer, each with the keys before it. After q a process may be left for a job that was handed over alone;
once those jobs are cancelled, none. `q` is typed at the end alone; an app left by the palette is started again.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fleettui.tui.tabs import named
from store.file_place import FILE_NAME
from tests.evidence.left_behind import LEFT, end, settled, wrong
from tests.tui.driving import KEY
from tests.tui.terminal.tmux import PROMPT, Tmux, places

LETTERS = "abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789[]/?=:-_.,<>%*"
OTHERS = ("Enter", "Tab", "Escape", "Up", "Down", "Left", "Right", "Home", "End", "PPage", "NPage", "BSpace", "Space")
CONTROLS = ("C-d", "C-u", "C-p", "C-c", "BTab", "F2", "C-l")
SAID = (
    ":why",
    ":gpu list",
    ":profile show",
    ":workload list",
    ":whatif",
    ":pareto",
    ":doctor",
    ":config show",
    ":open",
    "otrace.csv",
    "/azure cost<150",
    "e",
    "aazure-2023-code",
    "20/s",
    "TTFT 500ms P99",
)
"""What a person would type, after which comes enter, once or twice."""
WORK = ("r", "R", "v", "x", "x", "x")
"""Keys that begin work and end it."""
SIZES = ((80, 24), (120, 36), (50, 15), (200, 60), (60, 15))
BURST, PAUSE = 40, 0.3
RESIZED, CALLED = 0.02, 40
"""The share of bursts before which the window is resized, and after how many the app must answer."""
ANSWER = 300.0
"""Seconds within which a view must come that is asked for: keys are answered in their order, and random ones come
faster than a loaded machine draws what they open. The slowest answer is printed."""
KEPT = 120
"""Keys that are told with a finding."""
TRACE = "\n".join(
    ["arrival_s,input_tokens,output_tokens", *(f"{at / 10},{300 + at % 900},{4 + at % 12}" for at in range(300)), ""]
)
SETTINGS = 'gpu = ["h100"]\ntp = 8\nprecision = "10%"\n'


@dataclass(slots=True)
class Found:
    """What the keys came to: how many of each kind, the keys before each, and those before the app was left.

    `slowest` is how many seconds the app took at most until a view came that was asked for, earlier keys answered.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    slowest: float = 0.0
    left: list[str] = field(default_factory=list)

    def add(self, kind: str, keys: list[str], screen: str) -> None:
        """Take note of a finding, and tell the first ten."""
        self.kinds[kind] += 1
        if len(self.told) < 10:
            self.told.append(f"--- {kind} after {' '.join(keys[-KEPT:])}\n{screen.rstrip()}")


def burst(chance: random.Random) -> list[str]:
    """Return the keys of a burst, by tmux's names."""
    kind = chance.random()
    if kind < 0.15:
        return [*chance.choice(SAID), *["Enter"] * chance.randint(1, 2)]
    if kind < 0.25:
        return [chance.choice(WORK)]
    keys = [*LETTERS, *OTHERS * 3, *CONTROLS]
    return chance.choices(keys, k=chance.randint(1, BURST))


def send(shell: Tmux, keys: list[str]) -> None:
    """Type keys with nothing between them."""
    shell.tell("send-keys", *("Space" if key == " " else key for key in keys))


@contextmanager
def loaded(count: int) -> Iterator[None]:
    """Keep `count` processors busy."""
    busy = [subprocess.Popen((sys.executable, "-c", "while True: pass")) for _ in range(count)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait(LEFT)


def has_left(shell: Tmux) -> bool:
    """Return whether the shell has the terminal again, whatever was typed into it since."""
    return shell.says("pane_current_command") == "sh"


def exit_code(shell: Tmux) -> int:
    """Return the exit code that the shell told first."""
    told = re.search(rf"(\d+) {re.escape(PROMPT)}", shell.text)
    return int(told[1]) if told else -1


def start(shell: Tmux) -> None:
    """Start the app, and wait for its frame."""
    while not shell.text.rstrip().endswith(PROMPT):  # what was typed when the app had left is taken away
        shell.press("C-c")
        time.sleep(0.5)
    shell.order("clear; fleettui")
    shell.until("q quit")
    time.sleep(1.0)


def answers(shell: Tmux, word: str) -> bool:
    """Return whether the app has worked off all keys, and then shows a view that it is asked for.

    Keys are answered in their order: a `word` that was not typed before stands on the screen once those before it are.
    """
    shell.resize(80, 24)
    deadline = time.monotonic() + ANSWER
    close(shell)
    shell.type(f":{word}")
    while word not in shell.text:
        if has_left(shell):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    while time.monotonic() < deadline:
        close(shell)
        for name in ("plans", "fleet"):
            shell.press(KEY[name])
            time.sleep(0.5)
            if f"[{named(name).label}]" in shell.text:
                return True
        if has_left(shell):
            return True
    return False


def close(shell: Tmux) -> None:
    """Close all that is open."""
    for _ in range(4):
        shell.press("Escape")
        time.sleep(0.15)


def look(shell: Tmux, found: Found, pressed: list[str]) -> None:
    """Take note of what is wrong on the screen; begin again where the app was left."""
    if not has_left(shell):
        return
    screen, code = shell.text, exit_code(shell)
    if code or "Traceback" in screen or "Error" in screen:
        found.add(f"ended with code {code}", pressed, screen)
    else:
        found.kinds["left by a command"] += 1
        found.left.append(f"--- left after {' '.join(pressed[-KEPT:])}")
    start(shell)


def run(folder: Path, keys: int, seed: int) -> Found:
    """Type `keys` keys and return what was found."""
    chance, found, pressed, bursts = random.Random(seed), Found(), list[str](), 0
    (folder / "trace.csv").write_text(TRACE)
    (folder / "config" / "fleettui").mkdir(parents=True)
    (folder / "config" / "fleettui" / "config.toml").write_text(SETTINGS)
    shell = Tmux(places(folder))
    shell.start(folder, SIZES[0], "tmux-256color")
    try:
        start(shell)
        count = 0
        while count < keys:
            if chance.random() < RESIZED:
                shell.resize(*chance.choice(SIZES))
            now = burst(chance)
            send(shell, now)
            pressed, count, bursts = [*pressed[-KEPT:], *now], count + len(now), bursts + 1
            time.sleep(chance.uniform(0, PAUSE))
            look(shell, found, pressed)
            if bursts % CALLED == 0:
                asked = time.monotonic()
                if not answers(shell, f"zzx{bursts}"):
                    found.add("no answer", pressed, shell.text)
                found.slowest = max(found.slowest, time.monotonic() - asked)
                sys.stderr.write(f"{count} keys, {dict(found.kinds)}\n")
        if not answers(shell, "zzx-last"):
            found.add("no answer", pressed, shell.text)
        shell.press("q")
        shell.until_shell(ANSWER)
        database = folder / "data" / "fleettui" / FILE_NAME
        if rows := settled(lambda: wrong(folder, database)) or end(folder, database):
            found.add("a process is left", pressed, rows)
    finally:
        shell.close()
    for report in sorted(folder.rglob("bug-*.txt")):
        found.add("a bug was told", [report.name], report.read_text()[-3000:])
    return found


def main() -> int:
    """Type the keys and print what they showed; exit 1 where anything was wrong."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--keys", type=int, default=20_000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--load", type=int, default=1, help="processes that do nothing but keep a processor busy")
    given = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder, loaded(given.load):
        found = run(Path(folder), given.keys, given.seed)
    sys.stdout.writelines(f"{one}\n" for one in (*found.left, *found.told))
    what = dict(found.kinds) or "nothing found"
    sys.stdout.write(f"{given.keys} keys of seed {given.seed}: {what}; slowest answer {found.slowest:.0f} s\n")
    return 1 if found.told else 0


if __name__ == "__main__":
    sys.exit(main())
