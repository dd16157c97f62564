"""JSON-lines traces: a block of lines decoded as one array where it can be, line by line where it cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fleettui.errors import InputError
from fleettui.workloads.formats import cell_values
from fleettui.workloads.formats.base import MOST_TOKENS, Chunk, Floats, Syntax, Tokens, mixed_times
from fleettui.workloads.formats.cell_values import SECONDS, TimeUnit
from fleettui.workloads.formats.line_blocks import Block, blocks, lines_of

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """The keys in use; `arrival` None means that none of `times` is there. `unit` is what times count."""

    arrival: str | None
    times: tuple[str, ...]
    prompt: str
    output: str
    unit: TimeUnit = SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """A JSON-lines format: the key sets that it knows, the first that fits the first object being taken."""

    arrivals: tuple[str, ...]
    prompts: tuple[str, ...]
    outputs: tuple[str, ...]
    arrival_needed: bool = False
    unit: TimeUnit = SECONDS

    @property
    def syntax(self) -> Syntax:
        """What it is written in."""
        return "JSON"

    @property
    def columns(self) -> frozenset[str]:
        """The keys that are read."""
        return frozenset((*self.arrivals, *self.prompts, *self.outputs))

    @property
    def accepted(self) -> str:
        """The keys in words."""
        return ", ".join(" or ".join(names) for names in (self.arrivals, self.prompts, self.outputs))

    def known_in(self, head: bytes) -> bool:
        """Tell whether the first line that is not blank is an object with keys of this format."""
        first = head.lstrip().split(b"\n", 1)[0]
        try:
            found = json.loads(first)
        except (ValueError, RecursionError):
            return False
        return isinstance(found, dict) and self._keys(found) is not None

    def read(self, path: Path) -> Iterator[Chunk]:
        """Yield the objects of `path`; raises InputError with file and line where one is not acceptable."""
        keys: Keys | None = None
        for block in blocks(path, _BLOCK_BYTES):
            for line, text in lines_of(block, path) if keys is None else ():
                keys = self._keys_of_first(_decoded(text, path, line), path, line)
                break
            if keys is not None and block.data.strip():
                yield _at_once(block, keys) or _row_by_row(block, keys, path)

    def _keys(self, row: dict[str, Any]) -> Keys | None:
        arrival = next((name for name in self.arrivals if row.get(name) is not None), None)
        prompt = next((name for name in self.prompts if name in row), None)
        output = next((name for name in self.outputs if name in row), None)
        if prompt is None or output is None or (self.arrival_needed and arrival is None):
            return None
        return Keys(arrival=arrival, times=self.arrivals, prompt=prompt, output=output, unit=self.unit)

    def _keys_of_first(self, row: dict[str, Any], path: Path, line: int) -> Keys:
        keys = self._keys(row)
        if keys is None:
            raise InputError(
                "the object lacks a key",
                where=f"{path}: line {line}",
                value=", ".join(row),
                accepted=self.accepted,
                remedy="rename the keys",
            )
        return keys


def _at_once(block: Block, keys: Keys) -> Chunk | None:
    if b"true" in block.data or b"false" in block.data:
        return None
    body = block.data.rstrip(b"\n")
    try:
        rows = json.loads(b"[" + body.replace(b"\n", b",") + b"]")
        prompt = _tokens([row[keys.prompt] for row in rows])
        output = _tokens([row[keys.output] for row in rows])
        arrivals = None if keys.arrival is None else _seconds([row[keys.arrival] for row in rows], keys.unit.length)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    if len(rows) != body.count(b"\n") + 1 or prompt is None or output is None:
        return None
    if keys.arrival is None:
        return None if _timed(rows, keys) else _chunk(None, prompt, output, block)
    return None if arrivals is None else _chunk(arrivals, prompt, output, block)


def _timed(rows: list[dict[str, Any]], keys: Keys) -> bool:
    return any(row.get(name) is not None for row in rows for name in keys.times)


def _chunk(arrivals: Floats | None, prompt: Tokens, output: Tokens, block: Block) -> Chunk:
    return Chunk(arrivals, prompt, output, range(block.first_line, block.first_line + len(prompt)))


def _tokens(values: list[Any]) -> Tokens | None:
    array = np.array(values)
    if array.ndim != 1 or array.dtype.kind != "i" or (array < 1).any() or (array > MOST_TOKENS).any():
        return None
    return array.astype(np.int32)


def _seconds(values: list[Any], unit: float) -> Floats | None:
    array = np.array(values)
    if array.ndim != 1 or array.dtype.kind not in "if" or not np.isfinite(array).all():
        return None
    return np.asarray(array * unit, dtype=np.float64)


def _row_by_row(block: Block, keys: Keys, path: Path) -> Chunk:
    arrivals: list[float] = []
    prompt: list[int] = []
    output: list[int] = []
    lines: list[int] = []
    for line, text in lines_of(block, path):
        row = _decoded(text, path, line)
        prompt.append(cell_values.tokens(_value(row, keys.prompt, path, line), keys.prompt, path, line))
        output.append(cell_values.tokens(_value(row, keys.output, path, line), keys.output, path, line))
        if keys.arrival is None:
            if _timed([row], keys):
                raise mixed_times(path, line)
        elif (time := row.get(keys.arrival)) is None:
            raise mixed_times(path, line)
        else:
            arrivals.append(_time(time, keys, path, line))
        lines.append(line)
    return Chunk(
        np.array(arrivals) if keys.arrival else None,
        np.array(prompt, dtype=np.int32),
        np.array(output, dtype=np.int32),
        lines,
    )


def _time(value: object, keys: Keys, path: Path, line: int) -> float:
    name = keys.arrival or "arrival"
    if isinstance(value, str):
        return cell_values.clock_of_text(value, name, path, line, keys.unit)
    return cell_values.seconds(value, name, path, line, keys.unit)


def _value(row: dict[str, Any], key: str, path: Path, line: int) -> object:
    if key not in row:
        raise InputError(
            f"{key} is missing",
            where=f"{path}: line {line}",
            value=", ".join(row),
            accepted="the keys of the first row",
        )
    return row[key]


def _decoded(text: str, path: Path, line: int) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise InputError(
            "the line is not one JSON object",
            where=f"{path}: line {line}",
            value=text,
            accepted="one complete object per line",
            remedy="correct the line; if it is the last one, the file may be cut off",
        )
    return row
