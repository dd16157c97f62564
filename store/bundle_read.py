"""A bundle read: unpacked piece by piece within limits, every digest held to what it is of."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator
from typing import Any

from sqlalchemy import BLOB, INTEGER, REAL, TEXT, Table

from fleettui.errors import InputError
from store.bundle_format import (
    LARGEST_FILE,
    LARGEST_TEXT,
    LONGEST_LINE,
    MARK,
    MOST_ROWS,
    PARTS,
    SINCE,
    VERSION,
    columns,
    parsed,
    refuse,
)
from store.old_candidates import OLD_CANDIDATE
from store.schema import SCHEMA
from store.tables import CANDIDATE, CANDIDATE_BLOCK, PLAN, PROFILE, PROVENANCE, SCENARIO, WORKLOAD

PIECE = 1 << 20
"""Bytes that are unpacked at a time."""
SLICE = 1 << 16
"""Bytes that are given to be unpacked at a time."""
MOST_PROFILES = 1_000
"""Profiles that one plan may rest on."""
FIRST = "0005"
"""The schema of the first bundles."""

KINDS: dict[type[Any], tuple[type[Any], ...]] = {TEXT: (str,), INTEGER: (int,), REAL: (float, int), BLOB: (str,)}
"""By the type of a column, what may stand in it; bytes stand in base64."""

Row = tuple[Table, dict[str, Any]]


def rows(data: bytes, where: str) -> Iterator[Row]:
    """Yield the rows of a bundle, each table's after those that it refers to; `where` is said in refusals.

    Raises InputError at the first thing that does not fit, at the latest after the last row: the caller keeps nothing
    of what came before.
    """
    lines = _lines(data, where)
    tables = _manifest(next(lines, b""), where)
    for table, (count, wanted) in tables.items():
        sum_ = hashlib.sha256()
        for _ in range(count):
            text = next(lines, b"")
            sum_.update(text)
            yield table, _row(text, table, where)
        if sum_.hexdigest() != wanted:
            refuse(f"the rows of {table.name} do not have the digest that the bundle names", where)
    if next(lines, None) is not None:
        refuse("the bundle holds more rows than it names", where)


def _manifest(text: bytes, where: str) -> dict[Table, tuple[int, str]]:
    """Return by table, as the bundle's schema has it, how many rows come and what digest they have."""
    head = parsed(text, where)
    if not isinstance(head, dict) or MARK not in head:
        refuse("this is no bundle of fleettui", where)
    schema = head.get("schema")
    if not isinstance(schema, str) or not re.fullmatch(r"\d{4}", schema) or schema < FIRST:
        refuse("the bundle's schema is not known", where)
    if head[MARK] != VERSION or schema > SCHEMA.revision:
        raise InputError(
            f"a newer fleettui wrote this bundle (schema {schema}, this one knows {SCHEMA.revision})",
            where=where,
            remedy="upgrade fleettui; nothing of it was kept",
        )
    tables = head.get("tables")
    known = [table for table in PARTS if schema >= SINCE.get(table, FIRST)]
    if not isinstance(tables, dict) or set(tables) != {table.name for table in known}:
        refuse("the bundle names other tables than it should", where)
    found = {name: _part(part, where) for name, part in tables.items()}
    if sum(count for count, _ in found.values()) > MOST_ROWS:
        refuse(f"the bundle names more than {MOST_ROWS} rows", where)
    plans = found[PLAN.name][0]
    for table in (WORKLOAD, PROFILE, SCENARIO, PROVENANCE):
        if found[table.name][0] > plans * (MOST_PROFILES if table is PROFILE else 1):
            refuse(f"the bundle names more rows of {table.name} than its plans can rest on", where)
    named = [OLD_CANDIDATE if one is CANDIDATE and schema < SINCE[CANDIDATE_BLOCK] else one for one in known]
    return {table: found[table.name] for table in named}


def _part(part: object, where: str) -> tuple[int, str]:
    match part:
        case {"rows": int(count), "sha256": str(digest)} if count >= 0 and not isinstance(count, bool):
            return count, digest
    refuse("the bundle does not say how many rows it holds", where)


def _row(text: bytes, table: Table, where: str) -> dict[str, Any]:
    """Return the columns of a line that should hold a row of `table`."""
    if not text:
        refuse(f"the bundle ends before its rows of {table.name} do", where)
    match parsed(text, where):
        case [table.name, dict(row)] if set(row) == set(columns(table)):
            kinds = {name: KINDS[type(table.c[name].type)] for name in row}
            if all(
                table.c[name].nullable if value is None else type(value) in kinds[name] for name, value in row.items()
            ):
                return row
    refuse(f"a row of {table.name} does not have its columns", where)


def _lines(data: bytes, where: str) -> Iterator[bytes]:
    """Yield the lines of what is unpacked, never more of it at a time than a line and a piece."""
    held = b""
    for piece in _unpacked(data, where):
        *whole, held = (held + piece).split(b"\n")
        yield from (one + b"\n" for one in whole)
        if len(held) > LONGEST_LINE:
            refuse(f"a row has more than {LONGEST_LINE // 10**6} MB", where)
    if held:
        refuse("the last row is cut off", where)


def _unpacked(data: bytes, where: str) -> Iterator[bytes]:
    if len(data) > LARGEST_FILE:
        refuse(f"the bundle has more than {LARGEST_FILE // 10**6} MB", where)
    unpack, total = zlib.decompressobj(wbits=31), 0
    try:
        for start in range(0, len(data), SLICE):
            waiting = data[start : start + SLICE]
            while waiting and not unpack.eof:
                piece, waiting = unpack.decompress(waiting, PIECE), unpack.unconsumed_tail
                total += len(piece)
                if total > LARGEST_TEXT:
                    refuse(f"the bundle unpacks to more than {LARGEST_TEXT // 10**6} MB", where)
                yield piece
            if unpack.eof and (unpack.unused_data or start + SLICE < len(data)):
                refuse("something stands behind the end of the bundle", where)
    except zlib.error:
        refuse("this is no bundle of fleettui", where)
    if not unpack.eof:
        refuse("the bundle is cut off", where)
