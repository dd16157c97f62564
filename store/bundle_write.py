"""A bundle made: plans with all that they rest on, as bytes that are the same for the same plans."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import fields, replace
from pathlib import PurePath
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, func, select, true

from fleettui.domain.digest import digest_of
from fleettui.domain.scenario import Question, Scenario
from fleettui.domain.serialization import dumps
from fleettui.errors import InputError
from store.bundle_format import LARGEST_FILE, LARGEST_TEXT, MARK, PARTS, VERSION, columns, line
from store.convert import decode
from store.schema import SCHEMA
from store.tables import CANDIDATE, PLAN, PROFILE, PROVENANCE, SCENARIO, STUDY, WORKLOAD

_FOLDERS = re.compile(r"(?<!\S)(?:~|\.{1,2})?/(?:[^\s/]+/)*(?=[^\s/])")
"""The folders before a file's name, in a line as typed."""


def write(connection: Connection, plans: Collection[str]) -> bytes:
    """Return the bundle of the plans with these ids; raises InputError where one is not finished, or all is too large.

    The folders of the files that a question names are left out, and a scenario without them has its own digest.
    """
    unfinished = select(PLAN.c.handle).where(PLAN.c.id.in_(plans), PLAN.c.finished == 0)
    for handle in connection.scalars(unfinished):
        raise InputError("the plan is not finished", value=handle, remedy="fleettui jobs lists what can be resumed")
    moved: dict[str, str] = {}
    manifest, text = {}, b""
    for table in PARTS:
        lines = [line([table.name, row]) for row in _rows(connection, table, plans, moved)]
        part = b"".join(sorted(lines) if table is SCENARIO else lines)
        manifest[table.name] = {"rows": len(lines), "sha256": hashlib.sha256(part).hexdigest()}
        text += part
    whole = line({MARK: VERSION, "schema": SCHEMA.revision, "tables": manifest}) + text
    packed = gzip.compress(whole, mtime=0)
    if len(packed) > LARGEST_FILE or len(whole) > LARGEST_TEXT:
        raise InputError("these plans are too large for one bundle", value=len(plans), remedy="bundle fewer of them")
    return packed


def _rows(
    connection: Connection, table: Table, plans: Collection[str], moved: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table that the plans rest on, by their keys; `moved` is told of scenarios' new digests."""
    chosen = select(*(table.c[name] for name in columns(table))).where(_belongs(table, plans))
    for found in connection.execute(chosen.order_by(*table.primary_key)).mappings():
        row = dict(found)
        if table is SCENARIO:
            row = _without_folders(row, moved)
        elif table is PLAN:
            row["scenario"] = moved[row["scenario"]]
        elif table is STUDY:
            row["question"] = _FOLDERS.sub("", row["question"])
        yield {
            name: base64.b64encode(value).decode() if isinstance(value, bytes) else value for name, value in row.items()
        }


def _belongs(table: Table, plans: Collection[str]) -> ColumnElement[bool]:
    """Return the condition for the rows of a table that belong to the plans."""
    own = PLAN.c.id.in_(plans)
    if table is PLAN:
        return own
    if "plan" in table.c:
        return table.c.plan.in_(plans)
    if "candidate" in table.c:
        return table.c.candidate.in_(select(CANDIDATE.c.id).where(CANDIDATE.c.plan.in_(plans)))
    scenarios = select(SCENARIO).join(PLAN, PLAN.c.scenario == SCENARIO.c.digest).where(own).subquery()
    if table is PROFILE:
        used = func.json_each(scenarios.c.body, "$.profiles").table_valued("value")
        return PROFILE.c.digest.in_(select(used.c.value).select_from(scenarios.join(used, true())))
    wanted = {
        SCENARIO: select(scenarios.c.digest),
        WORKLOAD: select(scenarios.c.workload),
        PROVENANCE: select(PLAN.c.provenance).where(own),
    }
    return table.c.digest.in_(wanted[table])


def _without_folders(row: dict[str, Any], moved: dict[str, str]) -> dict[str, Any]:
    """Return a scenario's row whose question names files without their folders; `moved` maps old digest to new."""
    scenario = decode(Scenario, row["body"])
    question = _bare(scenario.question)
    if question == scenario.question:
        moved[row["digest"]] = row["digest"]
        return row
    body = dumps(replace(scenario, question=question))
    moved[row["digest"]] = digest_of(body)
    return row | {"digest": moved[row["digest"]], "body": body}


def _bare(question: Question) -> Question:
    """Return the question with the names alone of the files that it names by path."""
    values = {field.name: getattr(question, field.name) for field in fields(Question)}
    paths: dict[str, Any] = {
        name: PurePath(value).name
        for name, value in values.items()
        if isinstance(value, str) and value.startswith(("/", "~", "./", "../"))
    }
    return replace(question, **paths) if paths else question
