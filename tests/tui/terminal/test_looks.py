"""The app on terminals of every kind and size: few signs, few colours, other names, and corners that are dragged."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repeated import few
from tests.tui.frames import rules
from tests.tui.terminal.conftest import Terminal
from tests.tui.terminal.tmux import Tmux, needed

pytestmark = needed
SIZES = ((120, 36), (60, 18), (200, 50), (80, 24))
ABOVE = {
    "?": "type to find a key or a word",
    "e": "the question",
    "a": "A new question",
    ":": "plan the question",
    "o": "enter takes it",
}
"""What opens above a view, by its key, and words that it shows."""
PLAIN = ({"FLEETTUI_ASCII": "1"}, {"LC_ALL": "C", "LANG": "C"})
"""How a user, or the terminal, says that there are no other signs than those of ASCII."""
COLOUR = re.compile(rb"\x1b\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[\d;]*)?m")


def opened(terminal: Terminal, **how: object) -> Tmux:
    """Return a terminal in which the app shows its first plan."""
    shell = terminal(**how)
    shell.order("fleettui")
    shell.until("shipped example")
    return shell


def left(shell: Tmux) -> None:
    """Leave the app, and see that it went well."""
    shell.press("q")
    assert shell.until_shell() == 0
    assert shell.modes() == ()


def screens(shell: Tmux) -> Iterator[tuple[str, str]]:
    """Yield every view, and everything that opens above one, by name."""
    for number in (1, 3, 4, 5, 6, 7, 8, 2):
        shell.press(str(number))
        yield f"view {number}", shell.until(f"[{number} ")
    for key, words in ABOVE.items():
        shell.press(key)
        yield f"key {key}", shell.until(words)
        shell.press("Escape")
        shell.until_gone(words)


@pytest.mark.evidence
@pytest.mark.parametrize("changes", few(PLAIN, 0, more=1, ids=("asked", "locale")))
def test_every_screen_is_ascii_where_the_terminal_knows_no_more(terminal: Terminal, changes: dict[str, str]) -> None:
    shell = opened(terminal, **changes)
    drawn = dict(screens(shell))
    left(shell)
    foreign = {name: "".join(sorted({one for one in text if not one.isascii()})) for name, text in drawn.items()}
    assert {name: signs for name, signs in foreign.items() if signs} == {}


@pytest.mark.evidence
@pytest.mark.parametrize("term", few(["vt100", "xterm", "xterm-256color", "screen"], 1))
def test_it_is_drawn_on_a_terminal_of_this_name(terminal: Terminal, term: str) -> None:
    shell = opened(terminal, term=term)
    screen = shell.until("[2 Fleet]")
    assert rules(screen.removesuffix("\n"), 80, 24) == []
    assert "q quit" in shell.lines[-1]
    left(shell)


@pytest.mark.thorough
def test_no_color_sends_no_colour(terminal: Terminal, tmp_path: Path) -> None:
    shell = terminal(NO_COLOR="1")
    sent = tmp_path / "sent"
    shell.tell("pipe-pane", "-O", f"cat > {sent}")
    shell.order("fleettui")
    shell.until("shipped example")
    assert "PASS" in shell.text
    left(shell)
    assert b"PASS" in sent.read_bytes()
    assert COLOUR.findall(sent.read_bytes()) == []


@pytest.mark.evidence
def test_bar_and_footer_stay_where_they_are_whatever_the_size(terminal: Terminal) -> None:
    shell = opened(terminal)
    for columns, lines in SIZES:
        shell.resize(columns, lines)

        def drawn(text: str, last: int = lines - 1) -> bool:
            rows = text.split("\n")
            keys = [number for number, row in enumerate(rows) if "q quit" in row]
            return rows[0].startswith("fleettui") and "2 Fleet]" in rows[1] and keys == [last]

        screen = shell.until(drawn).removesuffix("\n")
        assert rules(screen, columns, lines) == []
    left(shell)
