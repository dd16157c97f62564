"""Frozen values to plain JSON and back: the one way across pipes, files and the store."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Value = TypeVar("Value")


def to_plain(value: object) -> Any:
    """Return `value` as dicts, lists, strings, numbers and None; floats that are not finite become None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def from_plain(kind: type[Value], plain: object) -> Value:
    """Return `plain` as a value of `kind`; raises pydantic.ValidationError when the shape does not fit."""
    return cast(Value, _adapter(cast(Hashable, kind)).validate_python(plain))


def dumps(value: object) -> str:
    """Return the canonical JSON of `value`: sorted keys, no spaces, shortest numbers.

    Equal values give equal text, so a whole float is written as the integer it equals (as RFC 8785 does).

    >>> dumps({"b": 60.0, "a": 0.5}) == dumps({"a": 0.5, "b": 60})
    True
    """
    plain = _shortest(to_plain(value))
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _shortest(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {key: _shortest(item) for key, item in plain.items()}
    if isinstance(plain, list):
        return [_shortest(item) for item in plain]
    return int(plain) if isinstance(plain, float) and plain.is_integer() and abs(plain) < 2**53 else plain


def encode(kind: type[Value], value: Value) -> str:
    """Return compact JSON of `value`, fields in their written order; floats that are not finite become null.

    Some fifteen times faster than `dumps`, for text that no digest is taken of. A value that does not fit its
    declared type raises pydantic's PydanticSerializationError, so nothing is written that cannot be read.
    """
    return _adapter(cast(Hashable, kind)).dump_json(value, warnings="error").decode()


def decode(kind: type[Value], text: str) -> Value:
    """Return the value of `kind` that JSON `text` holds; raises pydantic.ValidationError when it does not fit."""
    return cast(Value, _adapter(cast(Hashable, kind)).validate_json(text))


@cache
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(cast(Any, kind))
