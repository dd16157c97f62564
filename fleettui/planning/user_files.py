"""Files that the user names: small ones read whole or refused, new ones written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from fleettui.errors import NO_ROOM, FleettuiError, FullDiskError, InputError
from fleettui.visible import visible

PRINTED = "-"
"""The path that stands for printing."""
LARGEST = 1_000_000
"""Bytes that a file to read may have."""


def read_text(path: str, thing: str, accepted: str = "YAML in UTF-8") -> str:
    """Return the text of a file of at most LARGEST bytes; `thing` says what it should hold. Raises InputError."""
    try:
        with Path(path).open("rb") as file:
            held = file.read(LARGEST + 1)
        if len(held) > LARGEST:
            raise InputError(f"this is too long for a {thing}", where=path, accepted="up to 1 MB")
        return held.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is no text", where=path, accepted=accepted) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _unread(thing, reason, path) from None


def read_bytes(path: str, thing: str, largest: int) -> bytes:
    """Return the bytes of a plain file of at most `largest`; raises InputError for another, such as a pipe."""
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise InputError(f"this is no {thing}", where=path, accepted="a plain file")
        with Path(path).open("rb") as file:
            held = file.read(largest + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _unread(thing, reason, path) from None
    if len(held) > largest:
        raise InputError(f"this is too long for a {thing}", where=path, accepted=f"up to {largest // 10**6} MB")
    return held


def _unread(thing: str, reason: object, path: str) -> InputError:
    remedy = f"give the path of a {thing} that you may read"
    return InputError(f"the {thing} cannot be read: {reason}", where=path, remedy=remedy)


def check_free(path: Path, where: str, *, force: bool = False, remedy: str = "choose another name") -> None:
    """Raise InputError when `path` cannot take a new file, or holds one and `force` is not given; `where` asked."""
    try:
        if path.is_dir():
            raise InputError("this is a folder", where=where, value=str(path), accepted="the name of a file")
        if not path.parent.is_dir():
            raise InputError("the folder does not exist", where=where, value=str(path.parent), remedy="make it first")
        if path.exists() and not force:
            raise InputError("the file exists", where=where, value=str(path), remedy=remedy)
    except OSError as error:
        raise _unwritten(error, path, where) from None


def format_of(path: str | None, typed: str | None, suffixes: Mapping[str, str], default: str | None = None) -> str:
    """Return the format to write: the one that is typed, else what the path ends in, else the default.

    `suffixes` are the formats by the ends of a file's name. Raises InputError for another format or end, and where
    there is neither and no default.
    """
    accepted = ", ".join(dict.fromkeys(suffixes.values()))
    if typed is not None:
        wanted = typed.strip().lower()
        if wanted not in suffixes.values():
            raise InputError("there is no such format", where="--format", value=typed, accepted=accepted)
        return wanted
    if path in (None, PRINTED) and default is not None:
        return default
    found = suffixes.get(Path(path or "").suffix.lower())
    if found is None:
        raise InputError(
            "the format is not known",
            value=path,
            accepted=accepted,
            remedy=f"add --format {next(iter(suffixes.values()))}",
        )
    return found


def write_whole(path: Path, content: str | bytes, where: str, *, new: bool = False) -> None:
    """Write `content` to `path` through a file beside it, so that `path` never holds half; raises InputError, or
    FullDiskError where there is no room.

    Of a text, characters that a terminal would obey are written out. A `new` file takes the place of none, not even of
    one that has come since somebody looked. A symbolic link is replaced, not followed.
    """
    try:
        part = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
        try:
            with part.open("xb") as file:
                file.write(visible(content).encode() if isinstance(content, str) else content)
            if new:
                path.touch(exist_ok=False)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritten(error, path, where) from None


def _unwritten(error: OSError, path: Path, where: str) -> FleettuiError:
    if error.errno in NO_ROOM:
        return FullDiskError(
            f"{where}: {path} cannot be written: {error.strerror}\n  do: make room there, or write elsewhere"
        )
    return InputError(f"the file cannot be written: {error.strerror}", where=where, value=str(path))
