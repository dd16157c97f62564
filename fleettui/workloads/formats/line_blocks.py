"""Files as blocks of whole lines, gzipped or not; every way in which a file cannot be read is a refusal."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from fleettui.errors import InputError

BLOCK_BYTES = 1 << 22
HEAD_BYTES = 1 << 16
LONGEST_LINE = 1 << 26
_GZIP_MAGIC = b"\x1f\x8b"


class Block(NamedTuple):
    """Whole lines, each ending in a line feed, and the number of the first of them in the file."""

    first_line: int
    data: bytes


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open `path`, through gzip where it starts with gzip's magic bytes; raise InputError where it cannot be read."""
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == _GZIP_MAGIC
            raw.seek(0)
            yield cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if zipped else raw
    except FileNotFoundError:
        raise InputError(
            "there is no such file",
            where=str(path),
            accepted="a file, or a shipped name",
            remedy="check the path, or see fleettui workload list",
        ) from None
    except IsADirectoryError:
        raise InputError(
            "is a directory", where=str(path), accepted="a file", remedy="name one file inside it"
        ) from None
    except PermissionError:
        raise InputError(
            "may not be read", where=str(path), accepted="a readable file", remedy="change its permissions"
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            "the gzip data is broken or cut off",
            where=str(path),
            value=str(error),
            accepted="a complete gzip file",
            remedy="fetch the file again, or check it with gzip -t",
        ) from None
    except OSError as error:
        raise InputError("cannot be read", where=str(path), value=error.strerror, accepted="a regular file") from None


def head(path: Path) -> bytes:
    """Return the first bytes of the text in `path`; raise InputError if it is empty or is not text."""
    with opened(path) as file:
        start = _without_mark(file.read(HEAD_BYTES))
    if not start.strip():
        raise InputError("the file is empty", where=str(path), accepted="at least one request", remedy="check the file")
    try:
        if b"\0" in start:
            raise ValueError
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except ValueError:
        raise InputError(
            "is not text",
            where=str(path),
            value=start[:16],
            accepted="CSV or JSON in UTF-8, plain or gzipped",
            remedy="convert the file to one of these",
        ) from None
    return start


def blocks(path: Path, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """Yield the lines of `path` in blocks of about `size` bytes, with CR LF turned into LF."""
    first_line, rest = 1, b""
    with opened(path) as file:
        while piece := file.read(size):
            piece = rest + piece if rest else _without_mark(piece) if first_line == 1 else piece
            cut = piece.rfind(b"\n") + 1
            whole, rest = piece[:cut], piece[cut:]
            if len(rest) > LONGEST_LINE:
                raise InputError(
                    "the line does not end", where=f"{path}: line {first_line}", accepted="lines of text below 64 MiB"
                )
            if whole:
                yield Block(first_line, whole.replace(b"\r\n", b"\n"))
                first_line += whole.count(b"\n")
    if rest:
        yield Block(first_line, rest.rstrip(b"\r") + b"\n")


def lines_of(block: Block, path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number, text) for each line of `block` that is not blank; raise InputError where it is not UTF-8."""
    for number, line in enumerate(block.data.split(b"\n")[:-1], block.first_line):
        if not line.strip():
            continue
        try:
            yield number, line.decode()
        except UnicodeDecodeError:
            raise InputError(
                "is not text", where=f"{path}: line {number}", value=line[:16], accepted="UTF-8 text"
            ) from None


def _without_mark(start: bytes) -> bytes:
    return start.removeprefix(codecs.BOM_UTF8)
