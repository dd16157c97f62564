"""The routers of a kept study beside each other in one table, as the app shows them."""

from __future__ import annotations

from fleettui.domain.study import Cell, Study
from fleettui.reports import units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.table import Table

WIDE = 110
"""From how many columns on the table says of TPOT too what changes, and what each router looks at."""
Row = dict[str, dict[str, Cell]]
"""What the study's tables say of one router, by `ttft`, `tpot` and `fleet`."""


def routers_table(study: Study, width: int) -> Table:
    """Return a row per router of a study of kind `routers`; the plan's own is marked."""
    parts = zip(*(one.records() for one in study.tables), strict=True)
    rows = [dict(zip(("ttft", "tpot", "fleet"), part, strict=True)) for part in parts]
    own = next((str(row["ttft"]["router"]) for row in rows if not _is_other(row["ttft"])), "the plan's")
    columns: list[Column[Row]] = [
        words("  router", lambda row: f"{' ' if _is_other(row['ttft']) else '>'} {row['ttft']['router']}"),
        figure("TTFT", lambda row: _number(row["ttft"]["ttft"]), units.seconds),
        words(f"against {own}", lambda row: _against(row["ttft"])),
        figure("TPOT", lambda row: _number(row["tpot"]["tpot"]), units.seconds),
        figure("SLO met", lambda row: _number(row["fleet"]["slo_met"]), units.percent),
        figure("needs GPUs", lambda row: _number(row["fleet"]["gpus"]), units.count),
        figure("$/h", lambda row: _number(row["fleet"]["cost_per_hour"]), units.count),
        words("proof", lambda row: str(row["fleet"]["proof"] or "")),
    ]
    if all("hits" in row["fleet"] for row in rows):
        columns.insert(4, figure("hits", lambda row: _number(row["fleet"]["hits"]), units.percent))
        if width >= WIDE:
            columns.insert(5, words("against it", lambda row: _hits_against(row["fleet"])))
    if width >= WIDE:
        columns.insert(4, words("against it", lambda row: _against(row["tpot"])))
        columns.append(words("looks at", lambda row: str(row["fleet"]["looks_at"])))
    return table(columns, rows)


def _is_other(row: dict[str, Cell]) -> bool:
    return row["change"] is not None


def _number(cell: Cell) -> float | None:
    return cell if isinstance(cell, int | float) else None


def _hits_against(row: dict[str, Cell]) -> str:
    """Return what a router changes in the share of hits in words: more, 12%; nothing where it is the plan's."""
    change = _number(row["hits_change"])
    if change is None:
        return ""
    proven = row["hits_are"] in {"more", "fewer"}
    return f"{row['hits_are']}, {units.percent(abs(change))}" if proven else str(row["hits_are"])


def _against(row: dict[str, Cell]) -> str:
    """Return what a router changes in words: slower, 0.26 s; nothing where it is the plan's."""
    change = _number(row["change"])
    if change is None:
        return ""
    proven = row["it_is"] in {"slower", "faster"}
    return f"{row['it_is']}, {units.seconds(abs(change))}" if proven else str(row["it_is"])
