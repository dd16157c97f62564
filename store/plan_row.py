"""A row of the table of plans as one line of a list. It needs little, so that `peek` is quick."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fleettui.domain.limit import ALWAYS
from fleettui.domain.plan_row import PlanRow
from fleettui.domain.slo import Slo
from fleettui.domain.wish import unmet
from fleettui.errors import InputError

Row = Mapping[Any, Any]
LATENCIES = tuple(metric.name for metric in ALWAYS)
POOL = re.compile(r"\b(\d+) \S+ ((?:(?:tp|dp|ep|pp)\d+)+)(?:/(?:(?:tp|ep)\d+)+((?:pp\d+)?))?x(\d+)\b")
"""A pool as it is described: its GPUs, how a replica is divided, stages behind a second domain, and what serves."""
DIVIDES = re.compile(r"(?:tp|dp|pp)(\d+)")
"""Into how many GPUs lanes, ranks and stages divide a replica; its experts lie on those."""

SLO_COLUMNS = {**{f"slo_{name}": name for name in LATENCIES}, "percentile": "percentile"}
"""The columns of a plan that hold its question's SLO, and its fields."""

NO_COLUMN = ("slo", "dtype", "holds", "spare", "so_far", "confidence", "unmet", "untold")
"""The fields that stand in no column of their own."""
PLAN_ROW_COLUMNS = (
    *(name for name in PlanRow._fields if name not in NO_COLUMN),
    *SLO_COLUMNS,
)
ASKED = {
    "further": "$.question.slo.further",
    "dtype": "$.question.dtype",
    "confidence": "$.question.confidence",
    "form": "$.question.demand.form",
    "preset": "$.question.preset",
}
"""What a list tells of a plan's question that has no column of its own: where its scenario's body holds it."""


def spell_spares(described: str) -> str:
    """Return a described fleet with the spare replicas that its GPUs show beyond those that serve.

    >>> spell_spares("48 h100 tp8x6 + 8 a100 tp4x1"), spell_spares("96 h100 tp8pp2x5")
    ('48 h100 tp8x6 + 8 a100 tp4x1+1', '96 h100 tp8pp2x5+1')
    >>> spell_spares("72 h200 tp2dp4/tp2ep4x8"), spell_spares("64 h200 tp8ep8x8")
    ('72 h200 tp2dp4/tp2ep4x8+1', '64 h200 tp8ep8x8')
    >>> spell_spares("48 h200 tp2dp4/ep8pp2x2")
    '48 h200 tp2dp4/ep8pp2x2+1'
    """

    def spell(found: re.Match[str]) -> str:
        spares = int(found[1]) // math.prod(map(int, DIVIDES.findall(found[2] + (found[3] or "")))) - int(found[4])
        return f"{found[0]}+{spares}" if spares > 0 else found[0]

    return POOL.sub(spell, described)


def spare_gpus(described: str, needed: Sequence[int]) -> int:
    """Return how many GPUs of a described fleet are spare where its pools need so many, below zero what it lacks.

    What is spare of one type is nothing for another.

    >>> spare_gpus("16 l40s tp2x8 + 4 h100 tp2x2", (12, 4)), spare_gpus("16 l40s tp2x8 + 4 h100 tp2x2", (12, 6))
    (4, -2)
    """
    left = Counter[str]()
    for pool, need in zip(described.split(" + "), needed, strict=True):
        count, gpu, *_ = pool.split()
        left[gpu] += int(count) - need
    return sum(min(one, 0) for one in left.values()) or left.total()


def to_plan_row(row: Row) -> PlanRow:
    """Return the line of a list from a row with the columns PLAN_ROW_COLUMNS, those of ASKED, `holds`, `needed`,
    `so_far` and `first_reason`.

    All but the first may be None. A file of an older schema lacks some columns, and
    what they would say is left at its default.
    """
    columns = {name: row[name] for name in PLAN_ROW_COLUMNS if name in row}
    limits = {field: columns.pop(column) for column, field in SLO_COLUMNS.items() if column in columns}
    further = tuple((name, seconds) for name, seconds in json.loads(row["further"] or "[]"))
    read = {
        "tags": tuple(json.loads(row["tags"])),
        "fleet": spell_spares(columns["fleet"] or ""),
        "archived": bool(row["archived"]),
        "parent": columns.get("parent") or "",
        "finished": bool(columns.get("finished", True)),
        "slo": _slo(limits, further) if limits else None,
        "dtype": row["dtype"] or "",
        "holds": row["holds"],
        "confidence": row["confidence"],
        "untold": row["form"] == "concurrency" and row["preset"] != "paper",
        "so_far": row["so_far"] or "",
        "unmet": unmet([row["first_reason"] or ""]),
        "spare": spare_gpus(columns["fleet"], json.loads(row["needed"])) if row["needed"] else None,
    }
    return PlanRow(**columns | read)


def _slo(limits: dict[str, Any], further: tuple[tuple[str, float], ...]) -> Slo | None:
    """Return the SLO of a plan's row, None where this program does not know its limits."""
    try:
        return Slo(**limits, further=further)
    except InputError:
        return None
