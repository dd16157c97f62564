"""Measured kernel times as multiples of what the datasheet allows, one file per GPU and engine.

A table holds, over a grid of shapes, round(100·ln(measured / least)) with the least time of `operators.py`: 0 is the
datasheet, 69 twice its time. Between grid points the logarithm is interpolated linearly over the logarithms of the
shape; beyond the grid the last multiple stays, so that efficiency does. The files are built by
`python -m tests.evidence.condense_kernels`, which also tells the error against every measured point.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.hardware.what_was_measured import KERNEL_SUFFIX, kernel_names

Floats = NDArray[np.float64]
HUNDREDTHS = 100.0


@dataclass(frozen=True)
class KernelTable:
    """One operator's multiples: `key` says of what (format, widths), `axes` the grid, `cells` the rows of integers."""

    operator: str
    key: Mapping[str, Any]
    axes: Mapping[str, Sequence[int]]
    cells: Sequence[str]

    def multiple(self, **shape: ArrayLike) -> Floats:
        """Return measured over least time at a shape, given by the names of the axes; arrays broadcast."""
        given = np.broadcast_arrays(*(np.asarray(shape[axis], np.float64) for axis in self.axes))
        total = np.zeros(given[0].shape)
        places = [_place(axis, np.log(one)) for axis, one in zip(self._logs, given, strict=True)]
        for corner in range(1 << len(places)):
            weight, at = np.ones(given[0].shape), []
            for number, (low, share, last) in enumerate(places):
                upper = corner >> number & 1
                weight = weight * (share if upper else 1.0 - share)
                at.append(np.minimum(low + upper, last))
            total += weight * self._values[tuple(at)]
        return np.exp(total / HUNDREDTHS)

    @cached_property
    def _logs(self) -> list[Floats]:
        return [np.log(np.asarray(axis, np.float64)) for axis in self.axes.values()]

    @cached_property
    def _values(self) -> Floats:
        rows = [np.fromstring(row, sep=" ") for row in self.cells]
        return np.concatenate(rows).reshape([len(axis) for axis in self.axes.values()])


def _place(axis: Floats, at: Floats) -> tuple[NDArray[np.intp], Floats, int]:
    """Return the grid points below `at`, the shares of the way to the next ones, and the last grid point."""
    low = np.clip(np.searchsorted(axis, at, side="right") - 1, 0, max(0, len(axis) - 2))
    if len(axis) == 1:
        return low, np.zeros(at.shape), 0
    return low, np.clip((at - axis[low]) / (axis[low + 1] - axis[low]), 0.0, 1.0), len(axis) - 1


@dataclass(frozen=True, slots=True)
class KernelFile:
    """All tables measured on one GPU under one engine, by operator; `versions` are the engine's by operator.

    `rates` are those of the datasheet that the tables are multiples of.
    """

    gpu: str
    engine: str
    versions: Mapping[str, str]
    rates: Mapping[str, float]
    tables: Mapping[str, tuple[KernelTable, ...]]


@cache
def kernel_file(gpu: str, engine: str) -> KernelFile | None:
    """Return what was measured on a GPU under an engine, None where nothing was."""
    if (gpu, engine) not in kernel_names():
        return None
    packed = resources.files("fleettui.hardware").joinpath("kernels", f"{gpu}-{engine}{KERNEL_SUFFIX}").read_bytes()
    plain = json.loads(gzip.decompress(packed))
    tables: dict[str, list[KernelTable]] = {}
    for one in plain["tables"]:
        tables.setdefault(one["operator"], []).append(KernelTable(**one))
    about = plain["about"]
    by_operator = {operator: tuple(found) for operator, found in tables.items()}
    return KernelFile(about["gpu"], about["engine"], about["versions"], about["rates"], by_operator)


Pick = Callable[[Sequence[KernelTable]], KernelTable | None]


@dataclass(frozen=True, slots=True)
class Found:
    """A table, and the GPU, the engine and its version that it was measured with."""

    table: KernelTable
    gpu: str
    engine: str
    version: str


def first(chain: Iterable[tuple[str, str]], operator: str, pick: Pick) -> Found | None:
    """Return the first table of `operator` that `pick` takes, going over (GPU, engine) pairs in their order."""
    for gpu, engine in chain:
        file = kernel_file(gpu, engine)
        table = None if file is None else pick(file.tables.get(operator, ()))
        if file is not None and table is not None:
            return Found(table, gpu, engine, file.versions[operator])
    return None
