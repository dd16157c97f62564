"""What a bundle is: one gzip file of JSON lines, the first of which counts and names the digests of the others.

The first line is `{"fleettui_bundle": 1, "schema": "0008", "tables": {"plan": {"rows": 1, "sha256": "..."}, ...}}`;
each other is `["plan", {"id": "...", ...}]`, a row with all its columns but its handle and checksum, which every store
gives anew.
There are no members with names of their own, so there is no path that could lead elsewhere.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from sqlalchemy import Table

from fleettui.errors import InputError
from store.tables import (
    CANDIDATE,
    CANDIDATE_BLOCK,
    EXCLUDED,
    HISTOGRAM,
    PART,
    PLAN,
    PROFILE,
    PROVENANCE,
    REPLICATION,
    SCENARIO,
    STUDY,
    VERIFICATION,
    WORKLOAD,
)

VERSION = 1
MARK = "fleettui_bundle"
PARTS: tuple[Table, ...] = (
    WORKLOAD,
    PROFILE,
    SCENARIO,
    PROVENANCE,
    PLAN,
    PART,
    CANDIDATE_BLOCK,
    CANDIDATE,
    EXCLUDED,
    VERIFICATION,
    REPLICATION,
    HISTOGRAM,
    STUDY,
)
"""What goes along, each table after those that it refers to; the orders of candidates follow from their blocks."""

ANEW = frozenset({"handle", "checksum"})
"""Columns that are not in a bundle."""
SINCE = {PART: "0006", CANDIDATE_BLOCK: "0008"}
"""By table: the schema of the first bundles that have it."""

LARGEST_FILE = 64_000_000
"""Bytes of a bundle's file."""
LARGEST_TEXT = 256_000_000
"""Bytes of what a bundle unpacks to."""
LONGEST_LINE = 8_000_000
"""Bytes of one row."""
MOST_ROWS = 200_000
MOST_PARTS = 200_000
"""Lists and objects in one row or body."""
LARGEST_INTEGER = 2**63
"""Above what SQLite holds."""
REFUSED_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that change what a terminal shows, and halves of characters; line ends and tabs are not among them."""


def columns(table: Table) -> tuple[str, ...]:
    """Return the columns of a table that stand in a bundle."""
    return tuple(one.name for one in table.columns if one.name not in ANEW)


def line(value: object) -> bytes:
    """Return one line of a bundle."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def parsed(text: str | bytes, where: str) -> Any:
    """Return what JSON text holds; raises InputError for broken or deep JSON, huge integers and unseen characters."""
    whole = text if isinstance(text, bytes) else text.encode(errors="replace")
    if whole.count(b"[") + whole.count(b"{") > MOST_PARTS:
        refuse(f"more than {MOST_PARTS} lists stand in a row", where)
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_finite, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        refuse(f"this does not read: {error}".splitlines()[0][:100], where)
    _check_strings(value, where)
    return value


def refuse(what: str, where: str) -> NoReturn:
    """Raise the InputError for a bundle that is not taken."""
    raise InputError(what, where=where, remedy="ask for the bundle again; nothing of it was kept")


def _integer(digits: str) -> int:
    if len(digits) > 20 or abs(int(digits)) >= LARGEST_INTEGER:
        raise ValueError("an integer of more than 64 bits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number without end")
    return number


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _check_strings(value: object, where: str) -> None:
    """Raise InputError for a character that is not shown, in any string of a parsed value."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if found := REFUSED_CHARACTERS.search(one):
                refuse(f"a control character, U+{ord(found[0]):04X}, stands in a text", where)
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
