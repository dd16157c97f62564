"""A worker with tasks that misbehave; run by the tests as a script, never imported by them."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

from fleettui.errors import InputError, UnknownNameError
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import TaskFunction
from fleettui.planning.worker_main import main

Plain = dict[str, Any]


class SpecialInputError(InputError):
    """A refusal that the parent does not know; it knows its base."""


def echo(context: Context, rows: list[Any] | None = None, turn: int = 0, text: str = "") -> Plain:
    return {"rows": rows, "turn": turn, "text": text, "pid": os.getpid()}


def stray_print(context: Context) -> Plain:
    print("a stray line")  # noqa: T201 - what is tested
    os.system("echo a stray line of a child")
    os.write(1, b'{"type":"result","number":1,"value":{"forged":true}}\n')
    return {"read": sys.stdin.read()}


def environment(context: Context) -> Plain:
    return {
        "threads": os.environ["OMP_NUM_THREADS"],
        "nice": os.nice(0),
        "leads_its_session": os.getsid(0) == os.getpid(),
    }


def count(context: Context, steps: int) -> Plain:
    for done in range(steps):
        context.progress(f"step {done}", done, steps)
    return {"counted": steps}


def obey(context: Context) -> Plain:
    context.progress("started")
    while True:
        context.check()
        time.sleep(0.01)


def ignore(context: Context) -> Plain:
    child = subprocess.Popen(["sleep", "60"])
    context.progress(f"{os.getpid()} {child.pid}")
    time.sleep(60)
    return {}


def meet(context: Context, mine: str, other: str) -> Plain:
    """Leave a file and wait for the other one's: only ever done when two workers run at the same time."""
    Path(mine).touch()
    while not Path(other).exists():
        context.check()
        time.sleep(0.01)
    return {}


def die(context: Context) -> Plain:
    os.write(2, b"last words\n")
    os._exit(7)


def refuse(context: Context) -> Plain:
    raise InputError("no such thing", where="--thing", value=3, accepted="1 or 2", remedy="take 2")


def refuse_name(context: Context) -> Plain:
    raise UnknownNameError("gpu", "h10", ("h100", "a100"))


def refuse_specially(context: Context) -> Plain:
    raise SpecialInputError("does not fit")


def fail(context: Context) -> Plain:
    raise AssertionError("utilization is 1.2")


def unsayable(context: Context) -> Plain:
    return {"value": object()}


def tell_log(context: Context) -> Plain:
    logging.getLogger("engine").warning("mind %s", "this")
    return {}


def find(name: str) -> TaskFunction:
    """Return the task called `name`, one of the functions here."""
    known = {key: task for key, task in globals().items() if getattr(task, "__module__", "") == __name__}
    if name not in known:
        raise UnknownNameError("task", name, known)
    return cast(TaskFunction, known[name])


if __name__ == "__main__":
    signal.alarm(120)  # one that a test has lost ends itself
    main(find)
