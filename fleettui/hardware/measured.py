"""Measured points read from a CSV: closed-loop benchmark runs with fixed or uniform lengths."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fleettui.domain.dtype import DTYPES, Dtype
from fleettui.domain.validation import MeasuredPoint
from fleettui.errors import InputError
from fleettui.hardware import catalog

COLUMNS = (
    "model",
    "gpu",
    "precision",
    "engine",
    "prompt_tokens",
    "output_tokens",
    "concurrency",
    "tp",
    "ttft_ms",
    "tpot_ms",
)
MILLISECOND = 1e-3
NOT_MODELLED = ("pp", "attention_dp", "ep")
ALSO: Mapping[str, str] = {"precision": "dtype", "ttft_ms": "mean_ttft_ms", "tpot_ms": "mean_tpot_ms"}
"""Other names that columns have."""
UNIFORM, MEAN_OF_UNIFORM = "uniform_lengths", 0.9
"""Where that column says true, lengths were drawn from 0.8 to 1 of those stated."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The points of a file, and by why how many of its rows say something that is not modelled."""

    points: tuple[MeasuredPoint, ...]
    skipped: tuple[tuple[str, int], ...]


class _NotModelledError(Exception):
    """A row is of what cannot be predicted here."""


def read_points(path: Path) -> Measured:
    """Return the points of a CSV with (at least) COLUMNS; an empty precision is bf16.

    Rows of a model, GPU, engine, precision or parallelism that is not known here are left out and counted. Raises
    InputError naming file and line for missing columns and numbers that are none.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            found = _measured(csv.DictReader(file), str(path))
    except FileNotFoundError as error:
        raise InputError("no such file", where=str(path), remedy="give a CSV of measured points") from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError("is no CSV text", where=str(path), accepted="columns " + ", ".join(COLUMNS)) from error
    if not found.points:
        why = "; ".join(f"{count} rows: {reason}" for reason, count in found.skipped)
        raise InputError(
            "holds no measured point that can be predicted",
            where=str(path),
            value=why or None,
            remedy="give at least one row",
        )
    return found


def _measured(rows: csv.DictReader[str], where: str) -> Measured:
    names = rows.fieldnames or ()
    missing = [column for column in COLUMNS if column not in names and ALSO.get(column) not in names]
    if missing:
        what = "columns are missing: " + ", ".join(missing)
        raise InputError(what, where=where, accepted=", ".join(COLUMNS), remedy="add them, times in milliseconds")
    points: list[MeasuredPoint] = []
    skipped: Counter[str] = Counter()
    for row in rows:
        for column, other in ALSO.items():
            row.setdefault(column, row.get(other, ""))
        try:
            points.append(_point(row, f"{where}:{rows.line_num}", rows.line_num))
        except _NotModelledError as reason:
            skipped[str(reason)] += 1
    return Measured(tuple(points), tuple(sorted(skipped.items())))


def _point(row: dict[str, str], where: str, line: int) -> MeasuredPoint:
    for column in NOT_MODELLED:
        if row.get(column) not in (None, "", "1", "1.0"):
            raise _NotModelledError(f"{column} above 1")
    share = MEAN_OF_UNIFORM if (row.get(UNIFORM) or "").lower() == "true" else 1.0
    return MeasuredPoint(
        line=line,
        model=_known("model", model_name(row["model"] or ""), where),
        gpu=_known("GPU", (row["gpu"] or "").lower().removesuffix("_sxm"), where),
        dtype=_dtype(row["precision"] or "bf16"),
        engine=_known("engine", (row["engine"] or "").lower(), where),
        tp=_count(row, "tp", where),
        prompt_tokens=round(share * _count(row, "prompt_tokens", where)),
        output_tokens=max(2, round(share * _count(row, "output_tokens", where, least=2))),
        concurrency=_count(row, "concurrency", where),
        ttft=_seconds(row, "ttft_ms", where),
        tpot=_seconds(row, "tpot_ms", where),
    )


def model_name(name: str) -> str:
    """Return the catalogue's form of a Hugging Face name.

    >>> model_name("meta-llama/Llama-3.1-8B-Instruct")
    'llama-3.1-8b'
    >>> model_name("meta-llama/Llama-2-70b-hf")
    'llama-2-70b'
    """
    return name.rpartition("/")[2].lower().removesuffix("-hf").removesuffix("-instruct")


def _known(kind: str, name: str, where: str) -> str:
    if not name:
        raise InputError(f"the row names no {kind}", where=where, remedy="name it, or leave the row out")
    if name not in catalog.names({"model": "models", "GPU": "gpus", "engine": "engines"}[kind]):
        raise _NotModelledError(f"unknown {kind} {name}")
    return name


def _dtype(text: str) -> Dtype:
    for dtype in DTYPES:
        if text.lower() == dtype:
            return dtype
    raise _NotModelledError(f"unknown precision {text}")


def _count(row: dict[str, str], column: str, where: str, *, least: int = 1) -> int:
    text = (row[column] or "").strip().removesuffix(".0")
    if not (text.isascii() and text.isdecimal() and int(text) >= least):
        accepted = f"a whole number, {least} or above"
        raise InputError(f"column {column} is no usable count", where=where, value=text, accepted=accepted)
    return int(text)


def _seconds(row: dict[str, str], column: str, where: str) -> float:
    text = row[column] or ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"column {column} is no time", where=where, value=text, accepted="milliseconds above 0")
    return value * MILLISECOND
