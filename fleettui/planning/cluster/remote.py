"""What a worker of the cluster runs: one task of the worker protocol, a line in and a line out."""

from __future__ import annotations

import threading
from collections.abc import Callable

from distributed import Worker, get_worker
from distributed.core import Status

from fleettui.domain.progress import Progress
from fleettui.errors import InputError
from fleettui.planning.cluster.address import WHERE
from fleettui.planning.cluster.program import difference, program
from fleettui.planning.error_transfer import pack
from fleettui.planning.kept_memory import keep_memory
from fleettui.planning.protocol import Task, decode, encode
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import TaskFunction
from fleettui.planning.tasks import find as find_task
from fleettui.planning.worker_main import answer

_ALONE = threading.Lock()
"""A process runs one task at a time, however many threads it has: tasks share what they remember."""

ENDING = (Status.closing, Status.closed, Status.failed)
"""States of a worker whose tasks are given to others."""


def run(
    line: bytes, key: str, topic: str, asked_by: dict[str, str], find: Callable[[str], TaskFunction] = find_task
) -> bytes:
    """Return the answer to the task in `line`, which Dask knows by `key`; progress is told as events of `topic`.

    Refuses where this is not the program `asked_by` whom it is.
    """
    task, worker = decode(line), get_worker()
    assert isinstance(task, Task), f"only tasks are sent to a cluster, got {task}"
    if other := difference(program(), asked_by):
        return encode(pack(task.number, _another_program(worker.address, other)))

    def report(progress: Progress) -> None:
        worker.log_event(topic, [key, progress.message, progress.done, progress.total])

    keep_memory()
    with _ALONE:
        return answer(task, find, Context(report=report, cancelled=lambda: _is_cancelled(worker, key)))


def _is_cancelled(worker: Worker, key: str) -> bool:
    """Return whether nobody waits for the task here: it was cancelled, who asked for it is gone, or the worker ends."""
    known = worker.state.tasks.get(key)
    return known is None or known.state == "cancelled" or worker.status in ENDING


def _another_program(address: str, other: str) -> InputError:
    return InputError(
        f"the worker {address} runs another program: {other}",
        where=WHERE,
        accepted="workers with the same fleettui, Python, numpy, scipy and numba",
        remedy="install the same there, and start the worker again",
    )
