"""Measured points read from a CSV: closed-loop benchmark runs with fixed lengths."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
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
NOT_MODELLED = ("pp", "attention_dp")


def read_points(path: Path) -> tuple[MeasuredPoint, ...]:
    """Return the points of a CSV with (at least) COLUMNS; an empty precision is bf16.

    Raises InputError naming file and line for missing columns, numbers that are none, and what is not modelled;
    UnknownNameError for a model, GPU or engine that the catalogue does not hold.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            points = tuple(_points(csv.DictReader(file), str(path)))
    except FileNotFoundError as error:
        raise InputError("no such file", where=str(path), remedy="give a CSV of measured points") from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError("is no CSV text", where=str(path), accepted="columns " + ", ".join(COLUMNS)) from error
    if not points:
        raise InputError("holds no measured point", where=str(path), remedy="give at least one row")
    return points


def _points(rows: csv.DictReader[str], where: str) -> Iterator[MeasuredPoint]:
    missing = [column for column in COLUMNS if column not in (rows.fieldnames or ())]
    if missing:
        what = "columns are missing: " + ", ".join(missing)
        raise InputError(what, where=where, accepted=", ".join(COLUMNS), remedy="add them, times in milliseconds")
    for row in rows:
        yield _point(row, f"{where}:{rows.line_num}", rows.line_num)


def _point(row: dict[str, str], where: str, line: int) -> MeasuredPoint:
    for column in NOT_MODELLED:
        if row.get(column) not in (None, "", "1"):
            what = f"column {column} is not modelled"
            raise InputError(what, where=where, value=row[column], accepted="1 or empty", remedy="leave the row out")
    return MeasuredPoint(
        line=line,
        model=_known("model", model_name(row["model"] or ""), where),
        gpu=_known("GPU", (row["gpu"] or "").lower().removesuffix("_sxm"), where),
        dtype=_dtype(row["precision"] or "bf16", where),
        engine=_known("engine", (row["engine"] or "").lower(), where),
        tp=_count(row, "tp", where),
        prompt_tokens=_count(row, "prompt_tokens", where),
        output_tokens=_count(row, "output_tokens", where, least=2),
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
    known = catalog.names({"model": "models", "GPU": "gpus", "engine": "engines"}[kind])
    if name not in known:
        remedy = "leave the row out"
        raise InputError(f"unknown {kind}", where=where, value=name, accepted=", ".join(known), remedy=remedy)
    return name


def _dtype(text: str, where: str) -> Dtype:
    for dtype in DTYPES:
        if text.lower() == dtype:
            return dtype
    raise InputError("unknown precision", where=where, value=text, accepted=", ".join(DTYPES) + " or empty (bf16)")


def _count(row: dict[str, str], column: str, where: str, *, least: int = 1) -> int:
    text = (row[column] or "").strip()
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
