"""A file of measured runs taken apart: JSON objects, one or several or a list of them, or the rows of a CSV."""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fleettui.domain.checks import check_columns
from fleettui.errors import InputError
from fleettui.hardware.file_bytes import read_bytes
from fleettui.hardware.measured.base import Content, Object, Skipped

REMEDY = "give a file of measured runs"
SEPARATORS = (",", ";", "\t")
LARGEST = 1 << 26
"""Bytes of a file of runs; benches write one object, or a row, for each."""


def read_content(path: Path) -> Content:
    """Return the content of a file, without lines that are no text; raises InputError where it cannot be read.

    So is one refused whose first line is none, or as many lines as are.
    """
    held = read_bytes(path, remedy=REMEDY, largest=LARGEST)
    lines, unread = held.removeprefix(codecs.BOM_UTF8).split(b"\n"), []
    for place, line in enumerate(lines):
        try:
            line.decode()
        except UnicodeDecodeError:
            unread.append(Skipped(line=place + 1, why="is no text"))
            lines[place] = b""
    if unread and (unread[0].line == 1 or 2 * len(unread) >= len(lines)):
        raise InputError("is no text", where=str(path), accepted="JSON or CSV in UTF-8")
    found = parsed(b"\n".join(lines).decode(), str(path))
    return replace(found, skipped=(*unread, *found.skipped), digest=hashlib.sha256(held).hexdigest())


def parsed(text: str, where: str) -> Content:
    """Return the content of a text: JSON where it begins with a bracket, else a table.

    An object that does not parse is skipped with its line; raises InputError if no object or no row is left.
    """
    if text.lstrip()[:1] in ("{", "["):
        return _objects(text, where)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
        rows = tuple((reader.line_num, tuple(row)) for row in reader if any(cell.strip() for cell in row))
    except csv.Error as error:
        raise InputError("is no CSV text", where=where, accepted="JSON or CSV") from error
    if not rows:
        raise InputError("holds no measured point: it is empty", where=where, remedy=REMEDY)
    content = Content(rows=rows)
    check_columns(content.header, f"{where} line {rows[0][0]}")
    return content


def _separator(text: str) -> str:
    """Return what parts the cells of a table: what its first line has most of."""
    header = text.lstrip().partition("\n")[0]
    return max(SEPARATORS, key=header.count)


def _objects(text: str, where: str) -> Content:
    found: list[tuple[int, Object]] = []
    skipped: list[Skipped] = []
    for line, value in _values(text):
        if isinstance(value, Skipped):
            skipped.append(value)
        elif isinstance(value, list):
            found += [(place, one) for place, one in enumerate(value, start=1) if isinstance(one, dict)]
        elif isinstance(value, dict):
            found.append((line, value))
    if not found:
        why = f"line {skipped[0].line} {skipped[0].why}" if skipped else None
        remedy = "check that the file was copied whole" if skipped else REMEDY
        raise InputError("holds no JSON object", where=where, value=why, accepted="JSON or CSV", remedy=remedy)
    return Content(objects=tuple(found), skipped=tuple(skipped))


def _values(text: str) -> Iterator[tuple[int, object]]:
    """Yield the JSON values that follow each other with their lines; a broken one ends where a line begins with {."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        line = text.count("\n", 0, at) + 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield line, Skipped(line=line, why=f"is no JSON: {getattr(error, 'msg', 'too deep')}")
            following = text.find("\n{", at + 1)
            at = len(text) if following < 0 else following + 1
        else:
            yield line, value
