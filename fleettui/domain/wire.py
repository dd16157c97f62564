"""Frozen values read back from what `to_wire` makes of them: between two processes of this program, at either end.

What is read was written by the same classes a moment ago, so that nothing is checked that a value does not check of
itself. A file of the user's and the store are read by `serialization`, which checks all, and takes a tenth of a second
to make ready. Of the libraries that were tried, msgspec takes no type that is one of two dataclasses, as what a step
costs is, and cattrs no number or word, and it writes code for each type when a process starts, as pydantic does.
"""

from __future__ import annotations

import collections.abc
import dataclasses
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from fleettui.domain.serialization import AS_THEY_ARE

Value = TypeVar("Value")
Reader: TypeAlias = Callable[[Any], Any]

ROWS = {tuple: tuple, list: list, collections.abc.Sequence: tuple}
"""Of what type a row is read whose type has that origin."""
TABLES = frozenset({dict, collections.abc.Mapping})
BARE = frozenset({Any, object, float, *AS_THEY_ARE})
"""Types whose values are as they are written, though a whole float may be written as an integer."""


def from_wire(kind: type[Value], plain: object) -> Value:
    """Return what `to_wire` made of a value of `kind` as that value again.

    >>> from_wire(tuple[float, ...], [1, 2.5]), from_wire(dict[str, int] | None, None)
    ((1.0, 2.5), None)
    """
    return cast(Value, _reader(cast(Hashable, kind))(plain))


def prepare(kind: type[Any]) -> None:
    """Make ready for reading values of `kind`, which takes some hundredths of a second for a large one."""
    _reader(cast(Hashable, kind))


def _as_it_is(plain: Any) -> Any:
    return plain


@cache
def _reader(kind: Any) -> Reader:
    """Return what reads a value of a type; a value that JSON has itself is returned as it is."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _reader(parts[0])
    if origin in (Union, UnionType):
        return _of_union(parts)
    if origin in ROWS:
        return _of_row(ROWS[origin], parts)
    if origin in TABLES:
        key, value = (_reader(one) for one in parts)
        return lambda plain: {key(name): value(one) for name, one in plain.items()}
    if _has_fields(kind):
        return _of_fields(kind)
    assert kind in BARE or origin is Literal, f"values of {kind} do not cross a pipe"
    return float if kind is float else _as_it_is


def _has_fields(kind: Any) -> bool:
    """Return whether values of a type are written as their fields: a dataclass, or a tuple with names."""
    return dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")


def _of_fields(kind: Any) -> Reader:
    """Return what reads a value that is written as its fields, without those that have their default."""
    readers = {name: _reader(hint) for name, hint in get_type_hints(kind, include_extras=True).items()}
    own = [(name, read) for name, read in readers.items() if read is not _as_it_is]
    return lambda plain: kind(**plain | {name: read(plain[name]) for name, read in own if name in plain})


def _of_row(kind: Callable[[Any], Any], parts: Sequence[Any]) -> Reader:
    """Return what reads a row, of any number of values of one type or of one value of each."""
    if kind is list or parts[-1] is Ellipsis or len(parts) == 1:
        each = _reader(parts[0])
        return kind if each is _as_it_is else lambda plain: kind(map(each, plain))
    own = tuple(map(_reader, parts))
    return lambda plain: tuple(read(one) for read, one in zip(own, plain, strict=True))


def _of_union(parts: Sequence[Any]) -> Reader:
    """Return what reads a value of one of several types, None where that is one and nothing is there.

    Where several are written as their fields, it is that which has all that are told.
    """
    kinds = [one for one in parts if one is not NoneType]
    if len(kinds) == 1:
        read = _reader(kinds[0])
        return read if read is _as_it_is else lambda plain: None if plain is None else read(plain)
    if not all(map(_has_fields, kinds)):
        return _of_words(kinds)
    readers = {frozenset(get_type_hints(one)): _reader(one) for one in kinds}
    return lambda plain: (
        None if plain is None else next(read for names, read in readers.items() if names.issuperset(plain))(plain)
    )


def _of_words(kinds: Sequence[Any]) -> Reader:
    """Return what reads a number or a word; numbers are floats where no whole ones may stand."""
    bare = {get_args(one)[0] if get_origin(one) is Annotated else one for one in kinds}
    assert not any(map(_has_fields, bare)), f"fields are not told from what else a value may be: {kinds}"
    if float not in bare or int in bare:
        return _as_it_is
    return lambda plain: float(plain) if type(plain) is int else plain
