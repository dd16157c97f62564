"""A terminal as a person has it: tmux with a server of its own and a plain shell, pressed, read and waited for."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.tui.conftest import CACHE

needed = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
"""For tests that drive a terminal."""
PROMPT = "ready$"
"""What the shell says when it waits for a command, after the exit code of the one before."""
PATIENCE = 90.0
"""Seconds after which what was waited for is thought never to come, on a machine that does much else."""
LOOK = 0.03
"""Seconds between two looks."""
MODES = ("alternate_on", "mouse_any_flag", "mouse_sgr_flag", "mouse_all_flag", "mouse_button_flag", "keypad_flag")
"""What a program must have switched off when it has left; tmux says of each whether it is on."""


def places(folder: Path) -> dict[str, str]:
    """Return the environment of a user who has never started the program; only compiled code is shared."""
    return {
        "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "FLEETTUI_CACHE": CACHE,
        "FLEETTUI_WORKERS": "1",
        "PS1": f"$? {PROMPT} ",
    }


class Tmux:
    """One window of a tmux server that nobody else has, in which a shell runs with nothing but `environment`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._command = ("tmux", "-u", "-L", f"fleettui-{uuid.uuid4().hex}", "-f", os.devnull)
        self._environment = dict(environment)

    def start(self, folder: Path, size: tuple[int, int], term: str) -> None:
        """Open the window in `folder` and wait for the shell."""
        columns, lines = (str(number) for number in size)
        began = ("new-session", "-d", "-x", columns, "-y", lines, "-c", str(folder), "env", "sh")
        options = (("status", "off"), ("default-terminal", term), ("history-limit", "0"))
        settings = (word for name, value in options for word in ("set-option", "-g", name, value, ";"))
        self.tell("start-server", ";", *settings, *began)
        self.until(PROMPT)

    def tell(self, *words: str) -> str:
        """Give tmux a command and return what it answers."""
        told = subprocess.run(
            (*self._command, *words),
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert told.returncode == 0, f"tmux {shlex.join(words)}: {told.stderr}"
        return told.stdout

    def close(self) -> None:
        """End the server with all that runs in it, and leave no socket."""
        try:
            socket = Path(self.says("socket_path"))
        finally:
            self.tell("kill-server")
        socket.unlink(missing_ok=True)

    def press(self, *keys: str) -> None:
        """Press keys by the names that tmux has for them, such as `Enter`; others are typed."""
        for key in keys:
            self.tell("send-keys", key)

    def type(self, text: str) -> None:
        """Type text as it is."""
        self.tell("send-keys", "-l", text)

    def order(self, command: str) -> None:
        """Type a command into the shell, and enter."""
        self.type(command)
        self.press("Enter")

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return self.tell("capture-pane", "-p")

    @property
    def lines(self) -> list[str]:
        """What stands on the screen, line by line, the last one included that is empty."""
        return self.text.removesuffix("\n").split("\n")

    def says(self, name: str) -> str:
        """Return the value of one of tmux's variables, such as `pane_pid`."""
        return self.tell("display-message", "-p", f"#{{{name}}}").strip()

    def modes(self) -> tuple[str, ...]:
        """Return which of `MODES` are on, and `cursor hidden` where it is."""
        said = self.tell("display-message", "-p", ",".join(f"#{{{name}}}" for name in ("cursor_flag", *MODES)))
        cursor, *others = said.strip().split(",")
        on = tuple(name for name, value in zip(MODES, others, strict=True) if value == "1")
        return on if cursor == "1" else (*on, "cursor hidden")

    def resize(self, columns: int, lines: int) -> None:
        """Give the window another size, as a person does who drags its corner."""
        self.tell("resize-window", "-x", str(columns), "-y", str(lines))

    def until(self, what: str | Callable[[str], object], patience: float = PATIENCE) -> str:
        """Wait until the screen holds a text, or meets a condition, and return the screen."""
        meets = (lambda text: what in text) if isinstance(what, str) else what
        deadline = time.monotonic() + patience
        while not meets(screen := self.text):
            assert time.monotonic() < deadline, f"waited in vain for {what!r}; on the screen:\n{screen}"
            time.sleep(LOOK)
        return screen

    def until_gone(self, words: str) -> str:
        """Wait until the screen no longer holds a text, and return the screen."""
        return self.until(lambda text: words not in text)

    def until_shell(self, patience: float = PATIENCE) -> int:
        """Wait until the shell asks for the next command, and return the exit code of the last one."""
        screen = self.until(lambda text: text.rstrip().endswith(PROMPT), patience)
        return int(screen.rstrip().split("\n")[-1].split()[0])

    def answer(self, command: str) -> str:
        """Return what a command prints, at most a screen, on a screen that was empty before."""
        self.order("clear")
        self.until(lambda text: re.fullmatch(rf"0 {re.escape(PROMPT)}", text.strip()))
        self.order(command)
        screen = self.until(lambda text: text.count(PROMPT) > 1 and text.rstrip().endswith(PROMPT))
        return "\n".join(screen.rstrip().split("\n")[1:-1]).strip()
