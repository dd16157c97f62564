"""The bytes of a file that a user names; one that cannot be read is refused in words."""

from __future__ import annotations

from pathlib import Path

from fleettui.errors import InputError


def read_bytes(path: Path, *, remedy: str, largest: int = 1 << 20) -> bytes:
    """Return the bytes of the file at `path`, of which there are at most `largest`.

    Raises InputError with `remedy` for a file that is missing, larger or cannot be read, and for what is no path.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            held = file.read(largest + 1)
    except FileNotFoundError as error:
        raise InputError("no such file", where=where, remedy=remedy) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=where, remedy=remedy) from error
    except ValueError as error:
        raise InputError(f"this is no path: {error}", where=where) from error
    if len(held) > largest:
        raise InputError(f"it is larger than {largest >> 20} MiB", where=where, remedy=remedy)
    return held
