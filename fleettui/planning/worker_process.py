"""One worker subprocess, as its parent sees it: start it, let it run a task, end it and everything it started."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from asyncio import StreamReader, StreamWriter, SubprocessTransport
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from fleettui.domain.progress import Progress
from fleettui.errors import WorkerError
from fleettui.planning.error_transfer import unpack
from fleettui.planning.protocol import (
    LINE_LIMIT,
    PROTOCOL_VERSION,
    Cancel,
    Hello,
    Log,
    Message,
    Result,
    Task,
    TaskError,
    TaskProgress,
    decode,
    encode,
)

COMMAND = (sys.executable, "-P", "-m", "fleettui.planning.worker_main")
"""`-P`: a file in the user's folder that is called like a module must not be imported instead of it."""
START_TIME = 120.0
"""Seconds that a worker has to say hello, on a machine that does much else."""
PATIENCE = 0.7
"""Seconds that a task has, after a cancel, to stop by itself: a second after it nothing works any more."""
DRAIN_TIME = 0.5
"""Seconds to read a dead worker's pipes to their end, in case something outside its group still holds them."""
LOOK = 0.005
"""Seconds between two looks at whether a killed worker is gone."""
LAST_WORDS = 8192
"""Bytes of the worker's error stream that are kept for the report when it dies."""

Report = Callable[[Progress], None]

log = logging.getLogger("fleettui.worker")


class WorkerProcess:
    """A running worker. It runs one task at a time; when it is no longer `ready` it can only be ended."""

    def __init__(self, process: Process, transport: SubprocessTransport) -> None:
        self._process, self._transport = process, transport
        self._stdin, self._stdout, self._stderr = _pipes(process)
        self._number = 0
        self._busy = False
        self._last_words = b""
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._pumps = {asyncio.create_task(self._pump_lines()), asyncio.create_task(self._pump_last_words())}
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, command: tuple[str, ...] = COMMAND) -> WorkerProcess:
        """Start a worker in a session of its own and wait for its hello; raises WorkerError."""
        worker = await cls.create(command)
        await worker.greet()
        return worker

    @classmethod
    async def create(cls, command: tuple[str, ...] = COMMAND) -> WorkerProcess:
        """Start a worker in a session of its own, which is yet to be greeted; raises WorkerError."""
        creating = asyncio.create_task(_create(command))
        try:
            return cls(*await asyncio.shield(creating))
        except asyncio.CancelledError:  # but not in the middle: asyncio never returns from a creation cancelled there
            await cls(*await creating).end()
            raise

    async def greet(self) -> None:
        """Wait for the worker's hello; raises WorkerError where another thing comes, or nothing, and ends it then."""
        try:
            async with asyncio.timeout(START_TIME):
                hello = await self._receive()
            if not (isinstance(hello, Hello) and hello.version == PROTOCOL_VERSION):
                raise WorkerError(f"the worker does not speak version {PROTOCOL_VERSION} of the protocol", repr(hello))
        except BaseException as error:
            await self.end()
            if isinstance(error, TimeoutError):
                raise WorkerError(f"the worker did not start within {START_TIME:.0f} s") from None
            raise

    @property
    def pid(self) -> int:
        """Process id, which is also that of its group."""
        return self._process.pid

    @property
    def ready(self) -> bool:
        """Whether the worker lives and has answered all that it was asked."""
        return not self._busy and self._ending is None and self._process.returncode is None

    async def run(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Return what the task called `name` makes of `payload`, calling `report` whenever it tells how far it is.

        Raises what the task raised, or WorkerError when the process ends or speaks nonsense. When the caller is
        cancelled, the task is asked to stop; after PATIENCE seconds the process and its children are killed.
        """
        self._number += 1
        task = Task(number=self._number, name=name, payload=payload)
        conversation = asyncio.create_task(self._converse(task, report))
        try:
            return await asyncio.shield(conversation)
        except asyncio.CancelledError:
            await self._stop(conversation)
            raise

    async def end(self) -> None:
        """Kill the process and its children and reap it; returns when nothing of it is left."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        self._kill()
        while self._process.returncode is None:  # Python 3.11's `wait` waits for the pipes too
            await asyncio.sleep(LOOK)
        await asyncio.wait(self._pumps, timeout=DRAIN_TIME)
        self._transport.close()
        with suppress(OSError):
            await self._stdin.wait_closed()
        await asyncio.wait(self._pumps)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    async def _converse(self, task: Task, report: Report | None) -> Any:
        self._busy = True
        await self._send(task)
        while True:
            match await self._receive():
                case Log(level=level, text=text):
                    log.log(level, "%s", text)
                case TaskProgress(number=task.number) as step:
                    if report:
                        report(Progress(message=step.message, done=step.done, total=step.total))
                case Result(number=task.number, value=value):
                    self._busy = False
                    return value
                case TaskError(number=task.number) as error:
                    self._busy = False
                    raise unpack(error)
                case message:
                    raise WorkerError("a message from the worker that nobody waits for", repr(message))

    async def _stop(self, conversation: asyncio.Task[Any]) -> None:
        done: set[asyncio.Task[Any]] = set()
        with suppress(WorkerError, asyncio.CancelledError):  # dead already, or cancelled again: no more patience
            await self._send(Cancel(number=self._number))
            done, _ = await asyncio.wait({conversation}, timeout=PATIENCE)
        if not done:
            await self.end()
        await asyncio.wait({conversation})
        conversation.exception()  # seen, not told: whoever asked has gone

    async def _send(self, message: Message) -> None:
        try:
            self._stdin.write(encode(message))
            await self._stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            await self._raise_death()

    async def _receive(self) -> Message:
        line = await self._lines.get()
        if not line.endswith(b"\n"):
            await self._raise_death()
        return decode(line)

    async def _raise_death(self) -> NoReturn:
        """Reap the process and raise WorkerError with how it ended and its last words."""
        await self.end()
        cause = _cause(self._process.returncode)
        raise WorkerError(f"the worker process {cause}", self._last_words.decode(errors="replace"))

    async def _pump_lines(self) -> None:
        """Queue what the worker says, line by line; the last line, empty or torn, has no end of line."""
        try:
            while (line := await self._stdout.readline()).endswith(b"\n"):
                self._lines.put_nowait(line)
        except ValueError:
            self._last_words += f"a line is longer than {LINE_LIMIT} bytes".encode()
            self._kill()
        finally:
            self._lines.put_nowait(b"")

    async def _pump_last_words(self) -> None:
        """Keep the end of the worker's error stream, where its prints go too."""
        while chunk := await self._stderr.read(LAST_WORDS):
            self._last_words = (self._last_words + chunk)[-LAST_WORDS:]


async def _create(command: tuple[str, ...]) -> tuple[Process, SubprocessTransport]:
    """Do what `asyncio.create_subprocess_exec` does, which keeps to itself the transport that closes the pipes."""
    loop = asyncio.get_running_loop()
    try:
        transport, protocol = await loop.subprocess_exec(
            lambda: SubprocessStreamProtocol(limit=LINE_LIMIT, loop=loop),
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise WorkerError(f"a worker process cannot be started: {error}") from error
    return Process(transport, protocol, loop), transport


def _pipes(process: Process) -> tuple[StreamWriter, StreamReader, StreamReader]:
    """Return the parent's ends of stdin, stdout and stderr."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise AssertionError(f"process {process.pid} was started without its three pipes")
    return process.stdin, process.stdout, process.stderr


def _cause(returncode: int | None) -> str:
    """Say how a process ended.

    >>> _cause(-9), _cause(3)
    ('was killed by SIGKILL (out of memory?)', 'ended with status 3')
    """
    if returncode is None or returncode >= 0:
        return f"ended with status {returncode}"
    name = signal.Signals(-returncode).name
    return f"was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
