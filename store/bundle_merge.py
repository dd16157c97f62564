"""A bundle taken in: what is here already stays as it is, the rest is added, and all of it must fit together."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select
from sqlalchemy.exc import IntegrityError

from fleettui.domain.digest import digest_of
from fleettui.domain.hardware import Profile
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Scenario
from fleettui.domain.workload import Workload
from fleettui.errors import InputError, UnreadableError
from store import candidate_orders, candidates, convert, handles, labels, parts
from store.bundle_check import check_plan, check_study
from store.bundle_format import parsed, refuse
from store.bundle_read import Row
from store.checksum import checksum
from store.identity import new_handles, timestamp
from store.names import ID
from store.old_candidates import LEFT, OLD_CANDIDATE, raised
from store.tables import CANDIDATE, PART, PLAN, PROFILE, PROVENANCE, SCENARIO, STUDY, WORKLOAD
from store.triggers import LABELS

INPUTS: Mapping[Table, type[Any]] = {
    WORKLOAD: Workload,
    PROFILE: Profile,
    SCENARIO: Scenario,
    PROVENANCE: Provenance,
}
OWN = LABELS | {"handle", "parent", "scenario"}
"""Columns in which a plan may differ from store to store."""
MOST_TAGS = 1_000
AHEAD = timedelta(days=1)
"""How far the clock of who wrote a bundle may be ahead of ours."""
MOST_CANDIDATES = 2**31
"""Above the rank of any candidate."""
LARGEST_HISTOGRAM, LARGEST_SPREAD = 1 << 17, 1 << 26
"""Bytes that one histogram, and all of a bundle, may unpack to."""
_LONG_NUMBER = re.compile(rb"[\x80-\xff]{9}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The handles of the plans that a bundle added and of those that were here, and names that were taken.

    `renamed` pairs the name that a plan bore with the one that it bears here.
    """

    added: tuple[str, ...]
    known: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]


def merge(connection: Connection, rows: Iterable[Row], where: str, moment: datetime) -> Merged:
    """Add what the rows of a bundle hold and the store does not; raises InputError where something does not fit.

    A plan that is here stays as it is, its candidates and their proof too. The caller's transaction must be rolled
    back when this raises.
    """
    merging = _Merging(connection, where, timestamp(moment + AHEAD))
    try:
        for table, values in rows:
            merging.take(table, values)
        merging.finish()
        for plan in merging.added:
            check_plan(connection, plan, where)
        for study in merging.studies:
            check_study(connection, study, where)
    except (IntegrityError, UnreadableError) as error:
        told = str(error.orig) if isinstance(error, IntegrityError) else str(error)
        refuse(f"something in it does not fit: {told.splitlines()[0][:100]}", where)
    return Merged(
        added=_handles(connection, merging.added),
        known=_handles(connection, merging.known),
        renamed=tuple(merging.renamed),
    )


class _Merging:
    """What of a bundle has been taken so far."""

    def __init__(self, connection: Connection, where: str, latest: str) -> None:
        self.connection, self.where, self.latest = connection, where, latest
        self.added, self.known = dict[str, None](), dict[str, None]()
        self.candidates, self.studies, self.renamed = dict[str, bool](), list[str](), list[tuple[str, str]]()
        self.old = dict[str, list[dict[str, Any]]]()
        self.unpacked = 0

    def take(self, table: Table, values: Mapping[str, Any]) -> None:
        """Add a row, unless it is here or belongs to a plan that is; raises InputError where it does not fit."""
        row = _read(table, values, self.where, self.latest)
        new = self._is_of_new_plan(table, row)
        if table in (CANDIDATE, OLD_CANDIDATE):
            self.candidates[row["id"]] = new
        if table is OLD_CANDIDATE:
            self.old.setdefault(row["plan"], []).append(row)
            table, row = CANDIDATE, {name: row[name] for name in LEFT}
        if "cells" in row:
            self._unpack(row)
        if not new and table not in (PLAN, STUDY):
            return
        if found := _here(self.connection, table, row):
            _check_same(table, row, found, self.where)
            if table is PLAN:
                self.known[row["id"]] = None
            return
        if table is PLAN:
            self.added[row["id"]] = None
            self.renamed += _label(self.connection, row, self.where)
        elif table is STUDY:
            self.studies.append(row["id"])
        self.connection.execute(insert(table).values(**_with_anew(self.connection, table, row)))

    def finish(self) -> None:
        """Turn the candidates of older schemas into blocks, and work out the orders of those of all new plans."""
        for plan in self.added:
            rows = sorted(self.old.get(plan, ()), key=lambda row: int(row["rank"]))
            for one in raised(rows, parts.next_number(self.connection, plan)):
                for number, body in one.parts.items():
                    self.connection.execute(insert(PART).values(**parts.row(plan, number, body)))
                candidates.put_block(self.connection, plan, one.block.first, one.body)
            own = [*candidates.blocks(self.connection, plan)]
            if any(block.first < 0 or block.ranks.stop > MOST_CANDIDATES for block in own):
                refuse("a candidate in it has a rank that none has", self.where)
            if own:
                candidate_orders.place(self.connection, plan, own, candidates.blocks_of(self.connection, plan))

    def _is_of_new_plan(self, table: Table, row: Mapping[str, Any]) -> bool:
        """Tell whether a row is an input or belongs to a plan that the bundle adds; raises InputError for neither."""
        if "plan" in table.c:
            owner, owners = row["plan"], dict.fromkeys(self.added, True) | dict.fromkeys(self.known, False)
        elif "candidate" in table.c:
            owner, owners = row["candidate"], self.candidates
        else:
            return True
        if owner not in owners:
            refuse(f"a {table.name} in it belongs to no plan in it", self.where)
        return owners[owner]

    def _unpack(self, row: dict[str, Any]) -> None:
        """Turn a histogram's text into its bytes, within what all of them may unpack to."""
        try:
            row["cells"] = base64.b64decode(row["cells"], validate=True)
            numbers = zlib.decompressobj().decompress(row["cells"], LARGEST_HISTOGRAM)
        except (ValueError, zlib.error):
            refuse("a histogram does not read", self.where)
        self.unpacked += len(numbers)
        if len(numbers) == LARGEST_HISTOGRAM or self.unpacked > LARGEST_SPREAD or _LONG_NUMBER.search(numbers):
            refuse("a histogram is larger than any that is made", self.where)


def _read(table: Table, values: Mapping[str, Any], where: str, latest: str) -> dict[str, Any]:
    """Return a row as it is stored; raises InputError for a wrong digest, id, time or body."""
    row = dict(values)
    for name, value in row.items():
        if name in ("body", "tags") and isinstance(value, str):
            parsed(value, where)
    if "id" in row:
        _check_act(row, where, latest)
    if table in INPUTS:
        _check_input(table, row, where)
    return row


def _check_act(row: Mapping[str, Any], where: str, latest: str) -> None:
    """Raise InputError for an id or a time that no store gives: later ids are made to follow the latest."""
    identifier = str(row["id"])
    if not ID.fullmatch(identifier):
        refuse("an id is none", where)
    made = int(identifier[:8] + identifier[9:13], 16) / 1000
    if made > datetime.fromisoformat(latest).timestamp():
        refuse("an id is of a time that is still to come", where)
    created = row.get("created")
    if created is not None and (not _TIME.fullmatch(str(created)) or str(created) > latest):
        refuse("a time is none, or still to come", where)


def _check_input(table: Table, row: Mapping[str, Any], where: str) -> None:
    """Raise InputError unless an input has the digest of its body, and the columns that follow from it."""
    body = str(row["body"])
    if not _DIGEST.fullmatch(str(row["digest"])) or digest_of(body) != row["digest"]:
        refuse(f"a {table.name} does not have its digest", where)
    value = convert.decode(INPUTS[table], body)
    for name in set(row) - {"digest", "body"}:
        if row[name] != getattr(value, name):
            refuse(f"the {name} of a {table.name} is not the one in its body", where)


def _here(connection: Connection, table: Table, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the row of the store that has the same key, None where there is none."""
    key = {column.name: row[column.name] for column in table.primary_key}
    found = connection.execute(select(table).filter_by(**key)).mappings().first()
    return None if found is None else dict(found)


def _check_same(table: Table, row: Mapping[str, Any], found: Mapping[str, Any], where: str) -> None:
    """Raise InputError where what is here under a key differs from what the bundle holds under it."""
    free = OWN if table is PLAN else {"handle"}
    differing = [name for name in row if name not in free and row[name] != found[name]]
    if differing:
        named = found.get("handle") or ""
        raise InputError(
            f"the {table.name} {named} is here already with another {differing[0]}".replace("  ", " "),
            where=where,
            remedy="open the bundle in a store of its own (FLEETTUI_DB=FILE); nothing of it was kept",
        )


def _label(connection: Connection, row: dict[str, Any], where: str) -> list[tuple[str, str]]:
    """Check what people said of a plan, and give it a name that is free and a parent that is here."""
    labels.check_name(str(row["name"]))
    tags = parsed(str(row["tags"]), where)
    words = isinstance(tags, list) and len(tags) <= MOST_TAGS and all(isinstance(tag, str) for tag in tags)
    if not words or len(str(row["note"])) > labels.LONGEST_NOTE:
        refuse("the note or the tags of a plan do not fit", where)
    for tag in tags:
        labels.check_tag(tag)
    parent = row["parent"]
    if parent is not None and (not connection.scalar(select(PLAN.c.id).filter_by(id=parent)) or parent >= row["id"]):
        row["parent"] = None
    name = row["name"]
    row["name"] = _free_name(connection, name)
    return [] if row["name"] == name else [(name, row["name"])]


def _free_name(connection: Connection, name: str) -> str:
    """Return the name, or the first of "name 2", "name 3" and so on that no plan bears."""
    taken, wanted, count = select(func.count()).select_from(PLAN), name, 1
    while wanted and connection.scalar(taken.where(PLAN.c.name == wanted)):
        count += 1
        wanted = f"{name[: labels.LONGEST_NAME - len(str(count)) - 1].rstrip()} {count}"
    return wanted


def _with_anew(connection: Connection, table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its handle and its checksum, where the table has them."""
    anew: dict[str, Any] = {}
    if "handle" in table.c:
        anew["handle"] = new_handles([row["id"]], lambda wanted: handles.taken(connection, wanted))[0]
    if "checksum" in table.c:
        anew["checksum"] = checksum(row["body"])
    return row | anew


def _handles(connection: Connection, plans: Iterable[str]) -> tuple[str, ...]:
    return tuple(connection.scalars(select(PLAN.c.handle).where(PLAN.c.id.in_(tuple(plans))).order_by(PLAN.c.id)))
