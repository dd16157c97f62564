"""A study's table for reading: each column in one unit, told in its head, its figures rounded alike."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal

from fleettui.domain.limit import ALWAYS, BATCH, METRICS
from fleettui.domain.study import Cell, StudyColumn, StudyTable
from fleettui.reports import units
from fleettui.reports.column_units import column_unit
from fleettui.reports.table import Head, Table
from fleettui.reports.verdict_words import ABOUT, METHOD_WORDS

WORDS = {
    **{metric.name: metric.label for metric in ALWAYS},
    "slo": "SLO",
    "mfu": "MFU",
    "gpu": "GPU",
    "gpus": "GPUs",
    "tp": "TP",
}
"""Words of a column's name that are written otherwise on a screen."""

LATENCY = re.compile(rf"((?:p[0-9.]+_)?(?:{BATCH}_)?)({'|'.join(map(re.escape, METRICS.names))})")
"""The whole name of a column of a latency, as `Latency.column` has it: what stands before its metric, and that."""

HEADS = {
    "dollars_month": "$/month",
    "requests_1k": "$/1K requests",
    "output_1m": "$/1M output",
    "user_month": "$/user month",
}
"""Columns whose unit is in their name."""

WRITTEN = frozenset({"text", "date"})
"""Quantities whose cells are text."""

TOLD_BY_UNIT = {
    "$/h": " per hour",
    "K$/h": " per hour",
    "$/yr": " per year",
    "K$/yr": " per year",
    "M$/yr": " per year",
    "tok/J": "tokens per joule",
}
"""Ends of a column's name that its unit makes superfluous."""

HELD_TOGETHER = frozenset({"predicted", "seen"})
"""Columns of tables whose figures of one kind all have one unit: they are read against each other."""

HELD_TO, PROOF = "up_to", "proof"
"""The column of rates up to which fleets hold, and that which says how they are known."""

WIDEST_SPREAD = 1000
"""Plain numbers that lie further apart than this are not of one kind, and are rounded each for itself."""

MOST_DECIMALS = 4


def study_table(table: StudyTable) -> Table:
    """Return a study's table as text; a column that only repeats the title is left out."""
    kept = [
        (column, [row[index] for row in table.rows])
        for index, column in enumerate(table.columns)
        if not table.rows or any(row[index] != table.title for row in table.rows)
    ]
    together = {column.name for column, _ in kept} >= HELD_TOGETHER
    told = [
        _marked(column, _told(column, cells, _of_kind(column, kept) if together else cells), table)
        for column, cells in kept
    ]
    return Table(
        title=table.title,
        columns=tuple(column for column, _ in told),
        rows=tuple(zip(*(cells for _, cells in told), strict=True)) if told else (),
        note=table.note,
    )


def figures(cells: Sequence[Cell]) -> list[float]:
    """Return the cells that are finite numbers."""
    return [float(cell) for cell in cells if isinstance(cell, int | float) and math.isfinite(cell)]


def head(column: StudyColumn, unit: str) -> str:
    """Return what stands over a column: its name as words, and its unit.

    >>> head(StudyColumn(name="cost_per_hour"), "$/h"), head(StudyColumn(name="p99_ttft", quantity="seconds"), "ms")
    ('cost $/h', 'P99 TTFT ms')
    """
    if column.name in HEADS:
        return HEADS[column.name]
    found = LATENCY.fullmatch(column.name) if column.quantity == "seconds" else None
    name = f"{found[1]}{METRICS.named(found[2]).label}" if found else column.name
    name = name.replace("_", " ").removesuffix(TOLD_BY_UNIT.get(unit, ""))
    name = f" {name}".removesuffix(f" {unit}").strip()
    words = [
        WORDS.get(word.lower(), word.upper() if word[:1] == "p" and word[1:].replace(".", "").isdigit() else word)
        for word in name.split(" ")
    ]
    return " ".join(word for word in (*words, unit) if word)


def _of_kind(column: StudyColumn, columns: Sequence[tuple[StudyColumn, list[Cell]]]) -> list[Cell]:
    """Return the cells of all columns with the quantity of one of them."""
    return [cell for other, cells in columns if other.quantity == column.quantity for cell in cells]


def _told(column: StudyColumn, cells: Sequence[Cell], alike: Sequence[Cell]) -> tuple[Head, list[str]]:
    """Return a column with its cells as text, in the unit that suits all that are `alike`."""
    found, others = ([] if column.quantity in WRITTEN else figures(one) for one in (cells, alike))
    unit, size = column_unit(column.quantity, [abs(one) for one in others]) if found else ("", 1)
    decimals = _decimals(column, [value / size for value in found])
    texts = [_text(cell, size, decimals) for cell in cells]
    side: Literal["left", "right"] = "left" if column.quantity in WRITTEN else "right"
    return Head(title=head(column, unit), align=side, wrap=column.quantity == "text"), texts


def _marked(column: StudyColumn, told: tuple[Head, list[str]], table: StudyTable) -> tuple[Head, list[str]]:
    """Return a column as told, with a sign before each rate up to which a fleet holds that is by formula."""
    proofs = [row.get(PROOF) for row in table.records()]
    if column.name != HELD_TO or PROOF not in (one.name for one in table.columns):
        return told
    found, texts = told
    by_formula = [proof == METHOD_WORDS["formula"] for proof in proofs]
    return found, [f"{ABOUT * about}{text}" for about, text in zip(by_formula, texts, strict=True)]


def _text(cell: Cell, size: float, decimals: int | None) -> str:
    """Return one cell; without `decimals` a number is rounded for itself."""
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return units.UNDEFINED
    if isinstance(cell, str):
        return cell
    value = cell / size
    text = f"{value:,.{_places(value) if decimals is None else decimals}f}"
    # A figure that is not nothing must not read as nothing.
    return text if not value or float(text.replace(",", "")) else f"{value:.2g}"


def _decimals(column: StudyColumn, values: Sequence[float]) -> int | None:
    """Return how many decimals the column's figures have, None where each has its own.

    Money has cents or none. Plain numbers and rates that were given with few digits keep them, as those do up to which
    a fleet holds. Any other column has three figures in its smallest and up to five in its largest, more
    where two that differ would read alike or a time would have one figure, fewer where all end in a nought.
    """
    sizes = [abs(value) for value in values if value]
    if column.quantity in WRITTEN:
        return None
    if not sizes or all(value.is_integer() for value in values):
        return 0
    if column.quantity.startswith("dollars"):
        return 2 if max(sizes) < 100 else 0
    apart = max(sizes) > WIDEST_SPREAD * min(sizes)
    if column.quantity == "number" and apart:
        return None
    if column.quantity in ("number", "rate") and not apart and all(map(_is_short, sizes)):
        return max(map(_places, sizes))
    found = min(_after_point(min(sizes), 3), _after_point(max(sizes), 5))
    if column.quantity == "seconds":
        found = max(found, _after_point(min(sizes), 2))
    return _alike(values, min(found, MOST_DECIMALS))


def _alike(values: Sequence[float], found: int) -> int:
    """Return `found` decimals, or more that tell values apart, or fewer that lose nothing."""
    distinct = len({f"{value:.4g}" for value in values})
    while found < MOST_DECIMALS and len({f"{value:.{found}f}" for value in values}) < distinct:
        found += 1
    while found and all(_ends_in_nought(value, found) for value in values):
        found -= 1
    return found


def _after_point(value: float, count: int) -> int:
    """Return how many decimals give a positive `value` `count` figures."""
    return max(0, count - 1 - math.floor(math.log10(value)))


def _is_short(value: float) -> bool:
    """Return whether a figure has no more than six digits, as one that a person wrote."""
    return float(f"{value:.6g}") == value


def _places(value: float) -> int:
    """Return how many decimals tell `value`: all of a short one, or four figures, and no idle nought."""
    if not value:
        return 0
    found = _after_point(abs(value), 6 if _is_short(value) else 4)
    while found and _ends_in_nought(value, found):
        found -= 1
    return found


def _ends_in_nought(value: float, decimals: int) -> bool:
    return f"{value:.{decimals}f}".endswith("0")
