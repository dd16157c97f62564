"""Fields of decoded JSON as typed values; each failure names the field and shows what stood there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from fleettui.errors import InputError

MOST_TOKENS = 2**24
"""No distribution reaches beyond this many tokens; it bounds the tables made from one."""
MOST = 10**15
"""No distribution counts more requests, nor a trace more of anything: each is a number of its own as a float, too."""

Choice = TypeVar("Choice", bound=str)


def located(error: InputError, where: str) -> InputError:
    """Return `error` with `where` put before the place that it names."""
    return error.at(f"{where}: {error.where}" if error.where else where)


def _refused(key: str, value: object, accepted: str) -> InputError:
    what = f"{key} is missing" if value is None else f"{key} is not acceptable"
    return InputError(what, value=value, accepted=accepted)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _too_large(key: str, accepted: str) -> InputError:
    return InputError(f"{key} holds a number too large for a float", accepted=accepted)


def number(plain: dict[str, Any], key: str) -> float:
    """Return the number under `key`; it must be there."""
    value = plain.get(key)
    if not _is_number(value):
        raise _refused(key, value, "a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise _too_large(key, "a number") from None


def optional_number(plain: dict[str, Any], key: str) -> float | None:
    """Return the number under `key`, or None where it is null or absent."""
    return None if plain.get(key) is None else number(plain, key)


def count(plain: dict[str, Any], key: str) -> int:
    """Return the whole number from 0 to MOST under `key`; absent is 0."""
    value = plain.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
        raise _refused(key, value, f"a whole number from 0 to {MOST}")
    return value


def text(plain: dict[str, Any], key: str) -> str:
    """Return the text under `key`; absent is empty."""
    value = plain.get(key, "")
    if not isinstance(value, str):
        raise _refused(key, value, "text")
    return value


def texts(plain: dict[str, Any], key: str) -> tuple[str, ...]:
    """Return the list of texts under `key`; absent is empty."""
    value = plain.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _refused(key, value, "a list of texts")
    return tuple(value)


def choice(plain: dict[str, Any], key: str, known: Sequence[Choice]) -> Choice:
    """Return the text under `key`, which must be among `known`."""
    for option in known:
        if plain.get(key) == option:
            return option
    raise _refused(key, plain.get(key), ", ".join(known))


def mapping(plain: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object under `key`; absent is empty."""
    value = plain.get(key, {})
    if not isinstance(value, dict):
        raise _refused(key, value, "an object")
    return value


def mappings(plain: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the list of objects under `key`."""
    value = plain.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _refused(key, value, "a list of objects")
    return value


def rows(plain: dict[str, Any], key: str, width: int) -> list[list[float]]:
    """Return the list of rows of `width` numbers under `key`; absent is empty."""
    value = plain.get(key, [])
    accepted = f"a list of rows of {width} numbers"
    if not isinstance(value, list):
        raise _refused(key, value, accepted)
    for index, row in enumerate(value):
        if not isinstance(row, list) or len(row) != width or not all(map(_is_number, row)):
            raise InputError(
                f"{key}[{index}] is not a row of {width} numbers",
                value=row,
                accepted=accepted,
                remedy="correct the row",
            )
    try:
        return [[float(cell) for cell in row] for row in value]
    except OverflowError:
        raise _too_large(key, accepted) from None


def windows(plain: dict[str, Any], key: str) -> tuple[tuple[float, float | None], ...]:
    """Return the object under `key`, from window in seconds to a number or null, as pairs."""
    found = mapping(plain, key)
    try:
        return tuple((float(window), optional_number(found, window)) for window in found)
    except ValueError:
        raise _refused(key, found, "windows in seconds as keys") from None
