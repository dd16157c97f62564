"""A plugin of pytest: the simulation's kernels as plain Python, for runs with NUMBA_DISABLE_JIT=1.

A mutant of a kernel takes 20 s to compile, and in plain Python most are caught sooner. A compiled function reads a
record's fields as attributes, which numpy's records do not offer; here they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fleettui.simulation import layout
from fleettui.simulation import records as own
from fleettui.simulation.draws import Draws

prepare = layout.prepare


class Record:
    """A row of records; its fields by attribute and by name."""

    __slots__ = ("_row",)

    def __init__(self, row: Any) -> None:
        object.__setattr__(self, "_row", row)

    def __getattr__(self, name: str) -> Any:
        return self._row[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self._row[name] = value

    __getitem__ = __getattr__
    __setitem__ = __setattr__


class Records(np.ndarray[Any, Any]):
    """Records whose rows are `Record`."""

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Record(found) if isinstance(found, np.void) else found

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, object.__getattribute__(value, "_row") if isinstance(value, Record) else value)


def plain(engines: Sequence[layout.Engine], draws: Draws, records: own.Records | None = None) -> layout.State:
    """Return the arrays of a run at its start, of such records, which the requests already are as they are written."""
    requests = np.empty(draws.requests, own.REQUEST) if records is None else records
    state: layout.State = with_records(prepare(engines, draws, requests.view(Records)))
    return state


def with_records(part: Any) -> Any:
    """Return a part of a state, of such records, and so are its own parts."""
    if isinstance(part, np.ndarray):
        return part.view(Records) if part.dtype.names else part
    if not isinstance(part, tuple):
        return part
    fields: dict[str, Any] = part._asdict()  # type: ignore[attr-defined]
    return type(part)(**{name: with_records(one) for name, one in fields.items()})


def pytest_configure() -> None:
    """Put such records under the kernels: only where this is loaded as a plugin, not where it is collected."""
    layout.prepare = plain
