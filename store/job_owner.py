"""Who is at a job: a process, named so that other programs can tell whether it still runs."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

PROCESSES = Path("/proc")
"""Where Linux shows its processes; elsewhere there is no such folder, and a process has no known start."""

ENDED = "ZX"
"""States of a process that has ended and is still listed."""

_OWNER = re.compile(r"(.*):([1-9]\d*):(\d+)")


def present() -> str:
    """Return this process as "host:pid:start", the start in clock ticks since the machine's (0: not known)."""
    return f"{platform.node()}:{os.getpid()}:{_start(os.getpid()) or 0}"


def runs(owner: str) -> bool | None:
    """Tell whether the process of an owner still runs; None when it is not one of this machine's.

    A process id is given anew after a while, so a process of another start is another one.
    """
    match = _OWNER.fullmatch(owner)
    if not match or match[1] != platform.node():
        return None
    pid = int(match[2])
    return _start(pid) == match[3] if (PROCESSES / "self" / "stat").exists() else _is_there(pid)


def _start(pid: int) -> str | None:
    """Return when a process started, None when there is none or Linux is not there to tell."""
    try:
        text = (PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field is the program's name in brackets, which may hold spaces and brackets itself.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in ENDED else fields[19]


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
