"""Leaving: by key, by signal, by a bug; where there is no terminal, and where nothing can be written."""

import os
import re
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.tui.tabs import named
from store import Store
from tests.repeated import few
from tests.store import samples
from tests.tui.driving import KEY
from tests.tui.terminal.conftest import Terminal
from tests.tui.terminal.tmux import Tmux, needed

pytestmark = needed
BROKEN = """
import sys
from pathlib import Path

import fleettui.tui.app as module
from fleettui.__main__ import main


class Broken(module.FleetApp):
    CSS_PATH = Path(module.__file__).with_name("fleettui.tcss")

    def on_ready(self):
        self.set_interval(0.05, self.look)

    def look(self):
        if Path("break").exists():
            raise ValueError("a bug that nobody tells")


module.FleetApp = Broken
sys.exit(main())
"""
"""The program with a bug in a timer, which gets past all that tells bugs."""
QUESTION = """\
workload: {}
rate: 20/s
slo-ttft: 300ms
gpu: h100
tp: 8
pools: 1
max-num-seqs: 256
token-budget: 2048
precision: 0.5%
"""
"""A question whose proof takes some seconds."""
ANSWERED_BY_FORMULA = """\
workload: azure-2023-conv
rate: 100/s
slo-ttft: 500ms
gpu: h100
tp: 8
verify: false
"""


def press_q(shell: Tmux, folder: Path) -> None:
    shell.press("q")


def sends(number: signal.Signals) -> Callable[[Tmux, Path], None]:
    def send(shell: Tmux, folder: Path) -> None:
        os.kill(int((folder / "pid").read_text()), number)

    return send


def breaks(shell: Tmux, folder: Path) -> None:
    (folder / "break").touch()


WAYS: dict[str, tuple[Callable[[Tmux, Path], None], int]] = {
    "q": (press_q, 0),
    "SIGTERM": (sends(signal.SIGTERM), 143),
    "SIGHUP": (sends(signal.SIGHUP), 129),
    "bug": (breaks, 1),
}
"""How the app is made to leave, and its exit code."""


def order(shell: Tmux, folder: Path, *words: str) -> None:
    """Start the program, bug and all, its process id in a file."""
    (folder / "broken.py").write_text(BROKEN)
    program = shlex.join((sys.executable, "-P", "broken.py", *words))
    shell.order(f"sh -c 'echo $$ > pid; exec {program}'")


def begin_proof(shell: Tmux, folder: Path, trace: Path) -> None:
    """Plan the stranger's trace, up to the moment when its fleets are simulated."""
    (folder / "question.yaml").write_text(QUESTION.format(trace.name))
    order(shell, folder, "open", "question.yaml")
    shell.until("a new question")
    shell.press("r")
    shell.until(re.compile(r"simulating .*[1-9]\d*/\d").search)


@pytest.mark.evidence
@pytest.mark.parametrize("way", few(WAYS, 1))
def test_the_terminal_is_as_it_was_and_the_work_can_be_resumed(
    terminal: Terminal, stranger: Path, tmp_path: Path, way: str
) -> None:
    leave, code = WAYS[way]
    shell = terminal()
    before = shell.answer("stty -g")
    begin_proof(shell, tmp_path, stranger)
    leave(shell, tmp_path)
    assert shell.until_shell() == code
    said = shell.text
    assert shell.modes() == ()
    assert shell.answer("stty -g") == before
    assert ("a bug that nobody tells" in said) == (way == "bug")
    goes_on = way != "SIGTERM"
    assert f"jobs {'follow' if goes_on else 'resume'}" in said
    jobs = shell.answer("fleettui jobs list")
    assert re.search(r"\brunning\b" if goes_on else r"\b(stopped|cancelled)\b", jobs), jobs
    shell.answer(f"fleettui jobs {'follow' if goes_on else 'resume'} last > resumed.txt")
    assert re.search(r"^(PASS|FAIL|NOT PROVEN)\b", (tmp_path / "resumed.txt").read_text(), re.MULTILINE)
    assert "done" in shell.answer("fleettui jobs list")


@pytest.mark.evidence  # in every run: the same by its key, and by a signal in tests/cli/test_detached.py
def test_work_whose_terminal_is_closed_goes_on_without_it(terminal: Terminal, stranger: Path, tmp_path: Path) -> None:
    shell = terminal()
    begin_proof(shell, tmp_path, stranger)
    shell.tell("respawn-pane", "-k", "-c", str(tmp_path), "env", "sh")
    shell.until_shell()
    shell.answer("until fleettui jobs list | grep -qwE 'running|done'; do sleep .1; done")
    shell.answer("fleettui jobs follow last > followed.txt")
    assert re.search(r"^(PASS|FAIL|NOT PROVEN)\b", (tmp_path / "followed.txt").read_text(), re.MULTILINE)


@pytest.mark.evidence
def test_without_a_terminal_the_last_plan_is_printed(terminal: Terminal, tmp_path: Path) -> None:
    with Store.open(tmp_path / "kept.db") as store:
        handle = samples.prove(store).plan.handle
    shell = terminal(size=(80, 60), FLEETTUI_DB=str(tmp_path / "kept.db"))
    said = shell.answer("{ fleettui; echo code $?; } | cat")
    assert handle in said
    assert re.search(r"^PASS\b", said, re.MULTILINE)
    assert said.endswith("code 0")
    assert shell.answer("fleettui </dev/null; echo code $?").endswith("code 0")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("limit", "database", "words"),
    few(
        [("", "/proc/nowhere/fleettui.db", "cannot be made"), ("ulimit -f 8; ", "kept.db", "the space left on it")],
        1,
        ids=("place", "room"),
    ),
)
def test_where_no_store_can_be_opened_it_says_so_shows_the_example_and_leaves(
    terminal: Terminal, limit: str, database: str, words: str
) -> None:
    shell = terminal(FLEETTUI_DB=database)
    shell.order(f"{limit}fleettui")
    screen = shell.until(lambda text: "shipped example" in text and words in text)
    assert "This is a bug" not in screen
    assert Path(database).name in "".join(screen.replace("|", "").split()), "a notice wraps within its border"
    assert_leaves(shell)


@pytest.mark.evidence
def test_a_disk_that_fills_up_is_told_in_words_and_the_app_goes_on(terminal: Terminal, tmp_path: Path) -> None:
    with Store.open(tmp_path / "kept.db") as store:
        handle = samples.add(store).plan.handle
    shell = terminal(FLEETTUI_DB=str(tmp_path / "kept.db"))
    (tmp_path / "question.yaml").write_text(ANSWERED_BY_FORMULA)
    shell.order("ulimit -f 64; fleettui open question.yaml")
    shell.until("a new question")
    shell.press("r")
    screen = shell.until("the space left on it")
    assert "This is a bug" not in screen
    shell.press(KEY["plans"])
    shell.until(lambda text: f"[{named('plans').label}]" in text and handle in text)
    assert_leaves(shell)


def assert_leaves(shell: Tmux) -> None:
    """Press q, and see that the terminal is as it was."""
    shell.press("q")
    assert shell.until_shell() == 0
    assert shell.modes() == ()
