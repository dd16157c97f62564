"""What the terminal can show, told from the environment and the streams before Textual is imported."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from fleettui.reports.canvas import Glyphs

DUMB = ("dumb", "unknown")
PLAIN_THEME = "ansi-dark"
"""Uses the terminal's own 16 colours and its own background."""
THEME = "textual-dark"

RESET = (
    "\x1b[?2026l"  # end a synchronised update
    "\x1b[<u"  # pop the kitty keyboard protocol, while on the screen that it was pushed on
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # every way of the mouse
    "\x1b[?1004l"  # focus reports
    "\x1b[?2004l"  # bracketed paste
    "\x1b[?2048l"  # reports of the size
    "\x1b[?7h"  # wrap long lines again
    "\x1b[?1049l"  # leave the alternate screen
    "\x1b[?25h"  # show the cursor
    "\x1b[0m"  # no style
)
"""What makes a terminal usable again after a program that died in it."""


BROWSER = "textual.drivers.web_driver:WebDriver"
"""What Textual draws with where `fleettui serve` shows the app."""


def can_show(
    stdin: TextIO | None, stdout: TextIO | None, environment: Mapping[str, str], *, stderr: TextIO | None = None
) -> str:
    """Return why the app cannot be shown, empty when it can.

    Textual draws on the error stream, so that is looked at too where it is given.
    """
    if environment.get("TEXTUAL_DRIVER") == BROWSER:
        return ""
    streams = {"input": stdin, "output": stdout, "error stream, on which the app is drawn,": stderr or stdout}
    for name, stream in streams.items():
        if not _is_terminal(stream):
            return f"the {name} is not a terminal"
    if environment.get("TERM", "").lower() in DUMB:
        return f"TERM={environment['TERM']} can show no full screen"
    columns, lines = _size(stdout, environment)
    if columns <= 0 or lines <= 0:
        return f"the terminal says that its size is {columns}x{lines} (stty cols 80 rows 24 sets it)"
    return ""


def glyphs(environment: Mapping[str, str], encoding: str) -> Glyphs:
    """Return the characters that plots and borders may be drawn with.

    `encoding` is the locale's own, `locale.getencoding()`: other ways to ask answer UTF-8 even where LC_ALL=C. A locale
    whose name says UTF-8 is believed though this machine has not got it: it came from the terminal, over SSH.

    >>> glyphs({"LC_ALL": "C"}, "ANSI_X3.4-1968"), glyphs({"TERM": "linux"}, "UTF-8"), glyphs({}, "UTF-8")
    ('ascii', 'half', 'braille')
    """
    named = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    unicode = any("utf8" in name.lower().replace("-", "") for name in (encoding, named))
    if _switched_on(environment, "FLEETTUI_ASCII") or not unicode:
        return "ascii"
    return "half" if environment.get("TERM") == "linux" else "braille"


def quiet(environment: Mapping[str, str]) -> bool:
    """Return whether few bytes should be sent: over SSH, or as FLEETTUI_QUIET says (0: not even over SSH).

    >>> quiet({"SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22"}), quiet({}), quiet({"FLEETTUI_QUIET": "1"})
    (True, False, True)
    """
    if environment.get("FLEETTUI_QUIET"):
        return _switched_on(environment, "FLEETTUI_QUIET")
    return bool(environment.get("SSH_CONNECTION"))


def theme(environment: Mapping[str, str]) -> str:
    """Return the theme for this terminal: the user's, else the plain one where colours are few or not wanted.

    >>> theme({"TERM": "xterm"}), theme({"TERM": "xterm-256color"})
    ('ansi-dark', 'textual-dark')
    """
    if environment.get("TEXTUAL_THEME"):
        return environment["TEXTUAL_THEME"]
    return PLAIN_THEME if "NO_COLOR" in environment or _has_few_colours(environment) else THEME


def prepare(environment: MutableMapping[str, str]) -> None:
    """Set the switches that Textual reads when it is imported; what the user has set stays."""
    environment["TEXTUAL_THEME"] = theme(environment)
    if quiet(environment):
        environment.setdefault("TEXTUAL_ANIMATIONS", "none")
        environment.setdefault("TEXTUAL_SMOOTH_SCROLL", "0")


def _has_few_colours(environment: Mapping[str, str]) -> bool:
    """Return whether 16 colours are all: the terms on which Textual's library for colours decides."""
    system = environment.get("TEXTUAL_COLOR_SYSTEM", "auto").lower()
    if system != "auto":
        return system == "standard"
    if environment.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return False
    return environment.get("TERM", "").lower().rpartition("-")[2] not in ("256color", "kitty")


def _switched_on(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").strip().lower() not in ("", "0", "no", "false", "off")


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def _size(stdout: TextIO | None, environment: Mapping[str, str]) -> tuple[int, int]:
    """Return columns and lines: COLUMNS and LINES where they are set, as Textual takes them, else the terminal's."""
    given = [environment.get(name, "") for name in ("COLUMNS", "LINES")]
    if all(text.isdigit() and int(text) for text in given) or stdout is None:
        return int(given[0]), int(given[1])
    try:
        return os.get_terminal_size(stdout.fileno())
    except (OSError, ValueError):
        return 0, 0
