"""Files of prompts: a JSON object a line, read part by part, nothing of a text kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from fleettui.compression.compressor import Part, Prompt
from fleettui.domain.compression_procedure import LONGEST_LINE
from fleettui.errors import InputError

Skipped = Literal["not JSON", "no prompt text", "no output length", "longer than 8 MiB", "not UTF-8"]
FIXED_ROLES = frozenset({"system", "developer", "tool", "function"})
OUTPUTS = ("output_tokens", "max_completion_tokens", "max_tokens", "max_new_tokens")
TEXTS = ("prompt", "text", "input", "messages")
MOST_OUTPUT = 10**9


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt and the output tokens that go with it."""

    prompt: Prompt
    output: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line's bytes; None where it is longer than is read."""

    data: bytes | None


def lines_of(path: Path, start: int, end: int) -> Iterator[Line]:
    """Yield the lines of `path` that begin in the bytes from `start` up to `end`, without blank ones.

    Raises InputError where the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            if start:
                file.seek(start - 1)
                _rest_of_line(file, end)
            while file.tell() < end and (data := file.readline(LONGEST_LINE + 1)):
                if len(data) > LONGEST_LINE and not data.endswith(b"\n"):
                    _rest_of_line(file, end)
                    yield Line(None)
                elif data.strip():
                    yield Line(data)
    except OSError as error:
        raise InputError("cannot be read", where=str(path), value=error.strerror, accepted="a file of text") from None


def _rest_of_line(file: BinaryIO, end: int) -> None:
    """Pass over what is left of a line; what goes beyond `end` is passed over by those who begin there."""
    while file.tell() < end and (piece := file.readline(LONGEST_LINE)) and not piece.endswith(b"\n"):
        pass


def asked_of(line: Line, output: int | None) -> Asked | Skipped:
    """Return the prompt of a line, with `output` tokens where the line says none; or why there is none.

    A line is an object with `prompt`, `text` or `input`, a text; or `messages` of `role` and `content`, of which
    those of system and tools are fixed; or a request of OpenAI's batches, which has these in its `body`.
    """
    if line.data is None:
        return "longer than 8 MiB"
    try:
        found = json.loads(line.data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "not UTF-8"
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(found, dict):
        return "no prompt text"
    body = found["body"] if isinstance(found.get("body"), dict) else found
    prompt = _prompt(body)
    if not "".join(part.text for part in prompt).strip():
        return "no prompt text"
    said = next((_count(body[name]) for name in OUTPUTS if _count(body.get(name)) is not None), output)
    return "no output length" if said is None else Asked(prompt, said)


def _prompt(body: dict[str, Any]) -> Prompt:
    value = next((body[name] for name in TEXTS if body.get(name)), None)
    if isinstance(value, str):
        return (Part(value),)
    if not isinstance(value, list):
        return ()
    return tuple(
        Part(_text(one.get("content")), str(one.get("role")) in FIXED_ROLES) for one in value if isinstance(one, dict)
    )


def _text(content: object) -> str:
    """Return the text of a message, which may consist of parts, each with a line feed behind it."""
    if isinstance(content, str):
        return content + "\n"
    parts = content if isinstance(content, list) else []
    return "".join(f"{one['text']}\n" for one in parts if isinstance(one, dict) and isinstance(one.get("text"), str))


def _count(value: object) -> int | None:
    """Return a number of output tokens, 1 or more; None for what is none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and isinstance(value, int) and 1 <= value <= MOST_OUTPUT else None
