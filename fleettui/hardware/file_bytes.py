"""The bytes and the text of a file that a user names; one that cannot be read is refused in words."""

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


def read_text(path: str, *, name: str, accepted: str, unread: str, example: str, largest: int = 100_000_000) -> str:
    """Return the text of a file with what is called `name`, of at most `largest` bytes.

    Raises InputError for what is longer or no text, and that it is `unread` and no file, with an `example`, for what
    cannot be read. Never more is read, whatever a device says of its size.
    """
    try:
        with Path(path).open("rb") as file:
            held = file.read(largest + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        what = f"{unread}, and no file that can be read: {reason}"
        raise InputError(what, where=path, accepted=example) from None
    if len(held) > largest:
        raise InputError(f"this is too long for {name}", where=path, accepted=f"up to {largest // 10**6} MB")
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is no text", where=path, accepted=accepted) from None
