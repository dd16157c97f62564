"""The subprocess that does the work, `python -m fleettui.planning.worker_main`: tasks in, results out, as JSON lines.

It runs one task at a time in its main thread, while a second thread reads the pipe: so a cancel is heard during a
task, and the process ends at once when the pipe closes, which is how it learns that its parent is gone.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable
from typing import BinaryIO

from fleettui import garbage
from fleettui.domain.progress import Progress
from fleettui.planning.error_transfer import pack
from fleettui.planning.kept_memory import keep_memory
from fleettui.planning.protocol import (
    PROTOCOL_VERSION,
    Cancel,
    Hello,
    Log,
    Message,
    Result,
    Task,
    TaskProgress,
    decode,
    encode,
)
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import TaskFunction, call, find

NICENESS = 10


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the protocol's two ends and put harmless ones in their place.

    Whatever is printed from here on, by Python or by compiled code, goes to the error stream, and whatever reads
    the standard input finds it empty: neither can break the protocol.
    """
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing


class Forwarder(logging.Handler):
    """Sends log records to the parent."""

    def __init__(self, worker: Worker) -> None:
        super().__init__()
        self._worker = worker

    def emit(self, record: logging.LogRecord) -> None:
        """Send `record` with its traceback, if it has one."""
        self._worker.send(encode(Log(level=record.levelno, text=self.format(record))))


class Worker:
    """One conversation with the parent over two pipes."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO, find: Callable[[str], TaskFunction]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._find = find
        self._writing = threading.Lock()
        self._waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._cancelled: set[int] = set()

    def serve(self) -> None:
        """Run tasks as they come; ends with the process, when the pipe closes."""
        self.send(encode(Hello(version=PROTOCOL_VERSION, pid=os.getpid())))
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            self.send(self._answer(self._waiting.get()))

    def send(self, line: bytes) -> None:
        """Write one encoded message; any thread may call this."""
        try:
            with self._writing:
                self._outgoing.write(line)
                self._outgoing.flush()
        except BrokenPipeError:
            os._exit(0)

    def _listen(self) -> None:
        try:
            for line in self._incoming:
                self._take(decode(line))
        finally:  # the parent is gone, or mad: no task is worth finishing, and no clean-up may delay the end
            os._exit(0)

    def _take(self, message: Message) -> None:
        if isinstance(message, Task):
            self._waiting.put(message)
        elif isinstance(message, Cancel):
            self._cancelled.add(message.number)

    def _answer(self, task: Task) -> bytes:
        def report(progress: Progress) -> None:
            number, message = task.number, progress.message
            self.send(encode(TaskProgress(number=number, message=message, done=progress.done, total=progress.total)))

        context = Context(report=report, cancelled=lambda: task.number in self._cancelled)
        return answer(task, self._find, context)


def answer(task: Task, find: Callable[[str], TaskFunction], context: Context) -> bytes:
    """Return what a task comes to, its result or its error, as a line of the protocol."""
    try:
        value = call(find(task.name), task.payload, context)
        return encode(Result(number=task.number, value=value))
    except Exception as error:  # noqa: BLE001 - a task ends here; the parent raises the error again
        return encode(pack(task.number, error))


def main(find: Callable[[str], TaskFunction] = find) -> None:
    """Serve the tasks on the process's standard pipes; libraries get one thread, and other programs go first."""
    incoming, outgoing = take_pipes()
    os.environ["OMP_NUM_THREADS"] = "1"
    os.nice(NICENESS)
    garbage.look_seldom()
    keep_memory()
    worker = Worker(incoming, outgoing, find)
    logging.getLogger().addHandler(Forwarder(worker))
    worker.serve()


if __name__ == "__main__":
    main()
