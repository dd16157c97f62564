"""All that a trace says of each request, by the names of its columns, whatever else its format is read for."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fleettui.errors import InputError
from fleettui.workloads.formats.line_blocks import opened

SHOWN = 16
"""Bytes that are told of those that are no text."""


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a trace, whose format was found right before: objects of JSON lines, or texts of a CSV by the
    names of its columns in small letters.

    Raises InputError where a column that the format does not look at is no text.
    """
    try:
        yield from _rows_of(path)
    except UnicodeDecodeError as error:
        raise InputError(
            "is not text",
            where=str(path),
            value=error.object[error.start : error.start + SHOWN],
            accepted="CSV or JSON in UTF-8, plain or gzipped",
            remedy="convert the file to one of these",
        ) from None


def _rows_of(path: Path) -> Iterator[dict[str, Any]]:
    with opened(path) as file:
        in_json = _is_object(next((line for line in file if line.strip()), b""))
        file.seek(0)
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="\n" if in_json else "")
        if in_json:
            yield from (json.loads(line) for line in text if line.strip())
        else:
            first = text.readline()
            yield from csv.DictReader(text, fieldnames=[name.strip().lower() for name in next(csv.reader([first]))])


def _is_object(line: bytes) -> bool:
    """Return whether a line, the first with anything on it, is an object, as it is in the formats of JSON lines."""
    try:
        return isinstance(json.loads(line.removeprefix(codecs.BOM_UTF8)), dict)
    except (ValueError, RecursionError):
        return False
