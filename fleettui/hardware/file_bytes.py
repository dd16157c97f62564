"""The bytes of a file that a user names; one that cannot be read is refused in words."""

from __future__ import annotations

from pathlib import Path

from fleettui.errors import InputError


def read_bytes(path: Path, *, remedy: str, most: int = -1) -> bytes:
    """Return the first `most` bytes of the file at `path`, all of them unless said.

    Raises InputError with `remedy` for a file that is missing or cannot be read, and for what is no path.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            return file.read(most)
    except FileNotFoundError as error:
        raise InputError("no such file", where=where, remedy=remedy) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=where, remedy=remedy) from error
    except ValueError as error:
        raise InputError(f"this is no path: {error}", where=where) from error
