"""How an error crosses the pipe: to plain fields in the worker, back to the same class and text in the parent."""

from __future__ import annotations

import json
import traceback

from fleettui import errors
from fleettui.errors import FleettuiError, WorkerError
from fleettui.planning.protocol import Fields, TaskError

KNOWN: dict[str, type[FleettuiError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, FleettuiError)
}


def pack(number: int, error: Exception) -> TaskError:
    """Return `error`, raised by task `number`, as a message.

    A FleettuiError keeps its class (or the nearest one in `fleettui.errors`, since the parent imports no engine's),
    its text and its attributes. Anything else is a bug and becomes a WorkerError whose details are the traceback.
    """
    if isinstance(error, FleettuiError):
        kind = next(kind.__name__ for kind in type(error).__mro__ if KNOWN.get(kind.__name__) is kind)
        return TaskError(number=number, kind=kind, text=str(error), fields=_fields(error))
    text = f"{type(error).__name__}: {error}"
    details = "".join(traceback.format_exception(error))
    return TaskError(number=number, kind=WorkerError.__name__, text=text, fields={"details": details})


def unpack(message: TaskError) -> FleettuiError:
    """Return the error that `message` carries, ready to be raised."""
    kind = KNOWN.get(message.kind)
    if kind is None:
        return WorkerError(f"{message.kind}: {message.text}")
    error = kind.__new__(kind)
    Exception.__init__(error, message.text)  # not the class's own: its text is made already
    for name, value in message.fields.items():
        setattr(error, name, value)
    return error


def _fields(error: FleettuiError) -> Fields:
    """Return those attributes of `error` that JSON can carry; the others are in its text already."""
    return {name: value for name, value in vars(error).items() if _is_plain(value)}


def _is_plain(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
