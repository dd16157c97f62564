"""What a running server was seen to do between two looks at its counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.workload import Workload
from fleettui.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One figure: `name` is the item that `backtest --observed` takes, times are in seconds, lengths in tokens.

    It lies from `low` to `high` (None: no upper edge), the edges of its bucket or what single looks saw. `value` is the
    best guess in between, None where there is no upper edge. `metric` is the server's own name for where it is from.
    """

    name: str
    value: float | None
    low: float
    high: float | None
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The workload of a server of `model_name`, the share of prompt tokens found in its prefix cache, what was seen.

    `prefix_hit` is None where no cache was asked.
    """

    workload: Workload
    model_name: str
    prefix_hit: float | None
    seen: tuple[Seen, ...]


def check_pairs(scrapes: Sequence[str]) -> None:
    """Raise InputError where `scrapes` are not an earlier and a later one of each server."""
    if not scrapes or len(scrapes) % 2:
        raise InputError("scrapes come in pairs", value=len(scrapes), accepted="BEFORE AFTER, once for each server")
