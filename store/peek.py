"""The last plan for a first frame: one read with sqlite3 alone, no SQLModel."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from fleettui.domain.plan_row import PlanRow
from fleettui.errors import StoreError
from store.file_place import located
from store.plan_row import ASKED, to_plan_row

PATIENCE = 0.2
"""Seconds: a first frame does not wait for another program."""


def peek(path: Path | None = None, ref: str = "") -> PlanRow | None:
    """Return the newest plan that is not archived, or None when there is none or the store does not open.

    With `ref`, a whole handle, id or name, the newest that bears it, archived or not.
    Nothing is made, upgraded or complained about; `Store.open` does all three. Of a file of an older schema the row
    lacks what its tables do not tell.
    """
    asked = ", ".join(
        f"(SELECT json_extract(body, '{path}') FROM scenario WHERE digest = plan.scenario) AS {name}"
        for name, path in ASKED.items()
    )
    which = ":ref IN (id, handle, name)" if ref else "archived = 0"
    told = {"holds": "confidence.holds", "needed": "stock.gpus", "so_far": "so_far", "first_reason": "why[0]"}
    body = ", ".join(f"json_extract(body, '$.{path}') AS {name}" for name, path in told.items())
    query = f"SELECT *, {asked}, {body} FROM plan WHERE {which} ORDER BY id DESC LIMIT 1"
    try:
        file = located(path)
        if not file.is_file():
            return None
        uri = f"{file.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE)) as connection:
            connection.row_factory = sqlite3.Row
            row = connection.execute(query, {"ref": ref}).fetchone()
        return None if row is None else to_plan_row(dict(row))
    except (StoreError, sqlite3.Error, KeyError, TypeError, ValueError):  # the last three: tables we do not know
        return None
