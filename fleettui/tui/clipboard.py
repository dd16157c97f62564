"""Copies by every way there is at once, for no terminal says whether it took one, and tells which worked."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fleettui.tui.saved_place import write_private

FILE = "last-copy.txt"
PATIENCE = 1.0
"""Seconds that tmux has."""
TMUX_COMMANDS = (("tmux", "load-buffer", "-w", "-"), ("tmux", "load-buffer", "-"))
"""The first hands the text on to the terminal as well; tmux before 3.2 only knows the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What became of a copy. `words` says it in a sentence; `sure` whether a way worked that answers."""

    words: str
    sure: bool


async def copy(text: str, app_write: Callable[[str], object], environment: Mapping[str, str], folder: Path) -> Copied:
    """Copy `text` to the terminal (OSC 52), to tmux where it runs, and to a file in `folder`.

    `app_write` asks the terminal: Textual's `App.copy_to_clipboard`.
    """
    app_write(text)
    file = folder / FILE
    unwritten, refused = await asyncio.gather(
        asyncio.to_thread(write_private, file, text), _tmux_refuses(text, environment)
    )
    ways = [] if refused or not environment.get("TMUX") else ["the tmux buffer"]
    ways += [] if unwritten else [_short(file)]
    sentence = (
        f"copied to {' and '.join(ways)}; the terminal may also have it (OSC 52)"
        if ways
        else "copied to the terminal, if it takes that (OSC 52)"
    )
    failures = [f"tmux did not take it: {refused}"] if refused else []
    failures += [f"{_short(file)} was not written: {unwritten}"] if unwritten else []
    return Copied(words="; ".join([sentence, *failures]), sure=bool(ways))


async def _tmux_refuses(text: str, environment: Mapping[str, str]) -> str:
    """Give the text to tmux; return why it did not take it, empty when it did or does not run."""
    if not environment.get("TMUX"):
        return ""
    said = ""
    for command in TMUX_COMMANDS:
        said = await _fed(command, text, environment)
        if not said:
            break
    return said


async def _fed(command: tuple[str, ...], text: str, environment: Mapping[str, str]) -> str:
    """Run a command on `text`; return what it complained about, empty when it did what it should."""
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=pipe,
            env=dict(environment),
            process_group=0,
        )
    except OSError as error:
        return error.strerror or str(error)
    try:
        _, complaint = await asyncio.wait_for(process.communicate(text.encode(errors="replace")), PATIENCE)
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # with all that it started, whose pipe would be waited for
        await process.wait()
        return f"no answer within {PATIENCE:g} s"
    if process.returncode == 0:
        return ""
    lines = complaint.decode(errors="replace").split("\n")
    return lines[0].strip() or f"exit code {process.returncode}"


def _short(file: Path) -> str:
    """Return a path as short as it can be typed."""
    home = Path.home()
    return f"~/{file.relative_to(home)}" if file.is_relative_to(home) else str(file)
