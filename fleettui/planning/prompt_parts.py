"""A file of prompts in parts that workers read: those in which a line begins, found without keeping a line."""

from __future__ import annotations

from pathlib import Path

from fleettui.domain.compression_procedure import LONGEST_LINE
from fleettui.errors import InputError

PROMPTS = "a file of prompts, or generated"
LINES = "lines of JSON with prompt, text or messages, and output_tokens or max_tokens"


def starts_of(prompts: str, step: int) -> tuple[str, tuple[int, ...]]:
    """Return the path of a file of prompts, and where those of its parts of `step` bytes start in which a line begins.

    Raises InputError for a file that cannot be read, is empty, or whose only line is longer than any that is read.
    """
    path = Path(prompts).expanduser().resolve()
    try:
        if path.exists() and not path.is_file():
            raise InputError("is no plain file", where=prompts, accepted=PROMPTS)
        size = path.stat().st_size
        if not size:
            raise InputError("the file is empty", where=prompts, accepted=LINES)
        starts, first = _starts(path, step, size)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=prompts, accepted=PROMPTS) from None
    if first > LONGEST_LINE and len(starts) == 1:
        raise InputError(
            f"its only line is longer than {LONGEST_LINE >> 20} MiB",
            where=prompts,
            value=f"{first} bytes",
            accepted=LINES,
        )
    return str(path), starts


def _starts(path: Path, step: int, size: int) -> tuple[tuple[int, ...], int]:
    """Return the starts of parts in which a line begins, and the bytes of the first line, its end left out.

    Behind the last byte of the file, of `size` bytes, no line begins.
    """
    starts, first = [0], None
    with path.open("rb") as file:
        # A line begins behind a line end: each piece is a part moved by the one byte that stands before it.
        before, piece = 0, file.read(step - 1)
        while piece:
            end = piece.find(b"\n")
            if end >= 0:
                first = before + end if first is None else first
                starts += [before + 1] if before and before + end + 1 < size else []
            before += len(piece)
            piece = file.read(step)
    return tuple(starts), before if first is None else first
