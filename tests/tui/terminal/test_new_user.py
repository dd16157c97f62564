"""A stranger with a trace, at 80x24, with keys alone: from the file to a proved answer, and back to it next day."""

import re
from functools import partial
from operator import ne
from pathlib import Path

import pytest

from fleettui.tui.tabs import named
from tests.tui.driving import KEY
from tests.tui.terminal.conftest import Terminal
from tests.tui.terminal.tmux import Tmux, needed

pytestmark = needed
VERDICTS = re.compile(r"^(PASS|FAIL|NOT PROVEN)  ", re.MULTILINE)


def go_to(terminal: Tmux, line: str) -> None:
    """Move the cursor of view 1 down to a line."""
    while f"> {line}" not in (screen := terminal.text):
        terminal.press("j")
        terminal.until(partial(ne, screen))


@pytest.mark.evidence
def test_from_a_trace_to_a_proved_plan_that_is_found_again(
    terminal: Terminal, stranger: Path, small: Path, tmp_path: Path
) -> None:
    shell = terminal()
    modes, before = shell.modes(), shell.answer("stty -g")
    shell.order(f"fleettui open {stranger.name}")
    shell.until("300 requests in 30 s")
    go_to(shell, "SLO")
    shell.press("Enter")
    shell.until("enter takes it")
    shell.type("TTFT 500ms")
    shell.press("Enter")
    shell.until("P99 TTFT 500ms")
    shell.press("r")
    shell.until(lambda text: VERDICTS.search(text) and "job" not in text.split("\n", maxsplit=1)[0])
    answer = shell.text
    handle = re.match(r"fleettui +([0-9a-f]{4,})", answer)
    assert handle is not None
    assert VERDICTS.findall(answer) == ["PASS"]
    assert "H100" in answer
    assert "runs" in answer
    shell.press("y")
    shell.until("copied to the tmux buffer")
    copied = (tmp_path / "state" / "fleettui" / "last-copy.txt").read_text()
    assert shell.tell("show-buffer") == copied
    assert "PASS" in copied
    assert "H100" in copied
    shell.press("q")
    assert shell.until_shell() == 0
    assert shell.modes() == modes
    assert shell.answer("stty -g") == before
    shell.order("fleettui")
    shell.until(handle[1])
    shell.press(KEY["plans"])
    shell.until(
        lambda text: f"[{named('plans').label}]" in text and f"> {handle[1]}" in re.sub(r"> +(\* +)?", "> ", text)
    )
    shell.press("Enter")
    screen = shell.until("[2 Fleet]")
    assert VERDICTS.findall(screen) == ["PASS"]
    shell.press("q")
    assert shell.until_shell() == 0
