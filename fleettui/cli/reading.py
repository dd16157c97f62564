"""Small files that the user names, read whole or refused."""

from __future__ import annotations

from pathlib import Path

from fleettui.errors import InputError

LARGEST = 1_000_000
"""Bytes that such a file may have."""


def read_text(path: str, thing: str) -> str:
    """Return the text of a file of at most LARGEST bytes; `thing` says what it should hold. Raises InputError."""
    try:
        with Path(path).open("rb") as file:
            held = file.read(LARGEST + 1)
        if len(held) > LARGEST:
            raise InputError(f"this is too long for a {thing}", where=path, accepted="up to 1 MB")
        return held.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is no text", where=path, accepted="YAML in UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"the {thing} cannot be read: {reason}", where=path) from None
