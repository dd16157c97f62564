"""What parent and worker say to each other: one JSON object a line, over pipes, with a version.

The worker speaks first: `hello`. The parent sends a `task` or a `cancel`; the worker answers a task with any number
of `progress` and `log` lines, then exactly one `result` or `error` that carries the task's number.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from fleettui.errors import WorkerError, shorten

PROTOCOL_VERSION = 1
LINE_LIMIT = 2**28
"""Bytes that one line may have; a compressed workload has about 10^5."""

Fields: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """The worker is ready; `version` is the protocol that it speaks."""

    version: int
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Run the task called `name` on `payload`; every answer to it carries `number`."""

    number: int
    name: str
    payload: Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Stop task `number` at its next check; it answers with an `Interrupted` error, or a result if it was done."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskProgress:
    """How far task `number` has come: `done` of `total` steps (total 0: unknown)."""

    number: int
    message: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Task `number` is finished with `value`."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One record for the parent's log, at a level of the standard library's `logging`."""

    level: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskError:
    """Task `number` failed with an error of class `kind` (a name in `fleettui.errors`) whose text is `text`.

    `fields` are the error's other attributes.
    """

    number: int
    kind: str
    text: str
    fields: Fields


Message: TypeAlias = Hello | Task | Cancel | TaskProgress | Result | Log | TaskError

KINDS: dict[str, type[Message]] = {
    "hello": Hello,
    "task": Task,
    "cancel": Cancel,
    "progress": TaskProgress,
    "result": Result,
    "log": Log,
    "error": TaskError,
}
NAMES: dict[type[Message], str] = {kind: name for name, kind in KINDS.items()}


def encode(message: Message) -> bytes:
    r"""Return `message` as one line of JSON, newline included; both ends are Python, so Infinity and NaN may pass.

    >>> encode(Cancel(number=3))
    b'{"type":"cancel","number":3}\n'
    """
    line = {field.name: getattr(message, field.name) for field in fields(message)}
    return json.dumps({"type": NAMES[type(message)], **line}, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Message:
    r"""Return the message that `line` holds; raises WorkerError when it holds none.

    >>> decode(b'{"type":"hello","version":1,"pid":7}\n')
    Hello(version=1, pid=7)
    """
    try:
        found = json.loads(line)
        kind = KINDS[found.pop("type")]
        return kind(**found)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WorkerError(f"a line that is no message of the worker protocol: {shorten(line)}", repr(error)) from error
