"""Rows that are not as they were written, by their checksums and digests: found, and set aside where others can do
without them.

`PRAGMA integrity_check` tells broken pages; bytes that were written over within a text it does not see.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table

from fleettui.domain.plan import Evidence
from fleettui.errors import UnreadableError
from store import convert, triggers
from store.tables import (
    CANDIDATE_BLOCK,
    CANDIDATE_ORDER,
    HISTOGRAM,
    PART,
    PLAN,
    PROFILE,
    PROVENANCE,
    REPLICATION,
    SCENARIO,
    STUDY,
    TABLES,
    VERIFICATION,
    WORKLOAD,
)

SPARED = (REPLICATION, VERIFICATION, STUDY)
"""What a plan stands without, and what can be made again."""
SEALED_TABLES = (PLAN, PART, CANDIDATE_BLOCK, CANDIDATE_ORDER, *SPARED)
"""Those whose rows have a checksum."""
_OF_CANDIDATE = (
    "(SELECT handle FROM plan WHERE id = (SELECT plan FROM candidate WHERE candidate.id = {table}.candidate))"
)
_OF_PLAN = "(SELECT handle FROM plan WHERE id = {table}.plan)"
_OWNERS = {
    PLAN: "handle",
    PART: _OF_PLAN,
    CANDIDATE_BLOCK: _OF_PLAN,
    CANDIDATE_ORDER: _OF_PLAN,
    STUDY: "handle",
    VERIFICATION: _OF_CANDIDATE,
    REPLICATION: _OF_CANDIDATE,
    HISTOGRAM: _OF_CANDIDATE,
}
"""By table: the handle that says whose a row is; inputs may be of several plans, and have digests."""
SEALED = frozenset({"body", "checksum"})
"""A body and what follows from its text: one of another version may say the same in other words."""
PROOF: Mapping[Table, Callable[[str], dict[str, Any]]] = {
    VERIFICATION: lambda body: convert.from_evidence(convert.decode_figures(Evidence, body)),
    REPLICATION: lambda body: convert.from_replication(convert.to_replication(body)),
}
"""By table: what makes its columns of its body."""
_RUN = "candidate = ? AND seed = ? AND position = ?"


class Key(NamedTuple):
    """Where a row is: SQLite's number of it."""

    table: Table
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Altered:
    """A row that is not as it was written: its table, the handle of what it is of, and whether it can be set aside."""

    key: Key
    owner: str
    spared: bool

    @property
    def said(self) -> str:
        """What it is, as in "a replication of 41a7"."""
        noun = self.key.table.name.replace("_", " ")
        return f"a {noun} of {self.owner}" if self.owner else f"a {noun}"


def altered(connection: Connection) -> tuple[Altered, ...]:
    """Return the rows whose body does not have its checksum or digest, proof whose columns are not those of its body,
    and runs whose histograms do not unpack.
    """
    found = [
        *(one for table in (WORKLOAD, PROFILE, SCENARIO, PROVENANCE) for one in _by(connection, table, _has_digest)),
        *(
            one
            for table in (PLAN, PART, CANDIDATE_BLOCK, CANDIDATE_ORDER, *SPARED)
            for one in _by(connection, table, _has_checksum)
        ),
        *_of_other_columns(connection),
        *_runs_of_histograms(connection),
    ]
    return tuple({one.key: one for one in found}.values())


def _by(connection: Connection, table: Table, holds: Callable[[bytes, Any], bool]) -> Iterator[Altered]:
    mark = "checksum" if "checksum" in table.c else "digest"
    owner = _OWNERS.get(table, "substr(digest, 1, 8)").format(table=f'"{table.name}"')
    query = f'SELECT rowid, CAST(body AS BLOB), {mark}, {owner} FROM "{table.name}"'
    for number, body, kept, whose in connection.exec_driver_sql(query):
        if not holds(body, kept):
            yield Altered(key=Key(table, number), owner=str(whose or ""), spared=table in SPARED)


def _of_other_columns(connection: Connection) -> Iterator[Altered]:
    """Yield the verifications and replications with a column that is not the one in their body.

    What stands in an index SQLite's own check compares.
    """
    for table, made in PROOF.items():
        owner = _OWNERS[table].format(table=f'"{table.name}"')
        query = f'SELECT rowid, {owner} AS owner, {_read(table)} FROM "{table.name}"'
        for row in connection.exec_driver_sql(query).mappings():
            try:
                holds = not differing(row, made(row["body"].decode(errors="replace")))
            except UnreadableError:  # broken, as its checksum tells, or of a newer program
                continue
            if not holds:
                yield Altered(key=Key(table, row["rowid"]), owner=str(row["owner"] or ""), spared=True)


def differing(row: Mapping[Any, Any], made: Mapping[str, Any]) -> str:
    """Return the first column of a row that is not the one that is `made` of its body; "" where all are."""
    return next((name for name, value in made.items() if name not in SEALED and row[name] != value), "")


def _has_checksum(body: bytes, kept: int) -> bool:
    return zlib.crc32(body) == kept


def _has_digest(body: bytes, kept: str) -> bool:
    return hashlib.sha256(body).hexdigest() == kept


def _runs_of_histograms(connection: Connection) -> Iterator[Altered]:
    """Yield the replication of each histogram whose bytes do not unpack; zlib's own checksum tells."""
    owner = _OF_CANDIDATE.format(table="histogram")
    query = f"SELECT cells, candidate, seed, position, {owner} FROM histogram"
    for cells, *run, whose in connection.exec_driver_sql(query):
        try:
            zlib.decompress(cells)
        except zlib.error:
            number = connection.exec_driver_sql(f"SELECT rowid FROM replication WHERE {_RUN}", tuple(run)).scalar_one()
            yield Altered(key=Key(REPLICATION, number), owner=str(whose or ""), spared=True)


def take_out(connection: Connection, found: tuple[Altered, ...]) -> Iterator[bytes]:
    """Delete the rows that are `spared`, a replication with its histograms; yield each before as a line of JSON.

    Call it under the write lock.
    """
    triggers.drop(connection)
    for one in found:
        if not one.spared:
            continue
        table, number = one.key
        if table is REPLICATION:
            columns = "candidate, seed, position"
            run = tuple(
                connection.exec_driver_sql(f"SELECT {columns} FROM replication WHERE rowid = ?", (number,)).one()
            )
            yield from _lines(connection, HISTOGRAM, _RUN, run)
            connection.exec_driver_sql(f"DELETE FROM histogram WHERE {_RUN}", run)
        yield from _lines(connection, table, "rowid = ?", (number,))
        connection.exec_driver_sql(f'DELETE FROM "{table.name}" WHERE rowid = ?', (number,))
    triggers.create(connection, TABLES)


def _lines(connection: Connection, table: Table, where: str, values: tuple[Any, ...]) -> Iterator[bytes]:
    query = f'SELECT {_read(table)} FROM "{table.name}" WHERE {where}'
    for row in connection.exec_driver_sql(query, values).mappings():
        plain = {name: _plain(name, value) for name, value in row.items()}
        yield json.dumps([table.name, plain]).encode() + b"\n"


def _read(table: Table) -> str:
    """Return the columns of a table as SELECT takes them, its body as bytes, which need not be a text any more."""
    read = {"body": "CAST(body AS BLOB) AS body"}
    return ", ".join(read.get(name, f'"{name}"') for name in (column.name for column in table.columns))


def _plain(name: str, value: Any) -> Any:
    """Return a column's value as JSON has it, histograms in base64 and of a text what reads."""
    if not isinstance(value, bytes):
        return value
    return base64.b64encode(value).decode() if name == "cells" else value.decode(errors="backslashreplace")
