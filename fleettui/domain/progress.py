"""How far a task has come, as workers report it."""

from __future__ import annotations

from dataclasses import dataclass

STARTING = "starting"
"""What work has under way before it says anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """What a latency is known to be after so many `runs`: from `low` to `high` around `value`, beside its limit.

    `name` is the latency with its percentile; all figures are seconds, of the pool that is nearest to the limit.
    """

    name: str
    low: float
    value: float
    high: float
    limit: float
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`done` of `total` steps (total 0: unknown) and a short sentence on what is under way.

    Of a search by simulation they are the runs of one fleet, the one numbered `fleet` (from 1) of at most `fleets`
    (0: not known yet); `intervals` are what its runs have shown so far, where that is new. `news` is a sentence that is
    to stay: what was found already, and is kept.
    """

    message: str
    done: int = 0
    total: int = 0
    fleet: int = 0
    fleets: int = 0
    intervals: tuple[Interval, ...] = ()
    news: str = ""
