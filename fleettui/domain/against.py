"""The engine beside a run of a server or of another simulator, request by request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A latency of all requests: mean and percentiles of the run and of the engine, seconds, and the differences.

    `off` are those of the engine's to the run's of each request, without their sign, as a share of the run's: in the
    median, for 90 % and for 99 % of the requests; `bias` is the mean with its sign. `requests` are those that have one.
    """

    metric: str
    requests: int
    run: tuple[float, ...]
    engine: tuple[float, ...]
    off: tuple[float, ...]
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """A request that is far off in a latency: its row in the file, counted from 1, when it came, and its tokens."""

    row: int
    arrival: float
    prompt: int
    output: int
    metric: str
    run: float
    engine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A span of the run from `start` on: requests that wait for their first token and that decode, on average."""

    start: float
    run_waiting: float
    run_decoding: float
    waiting: float
    decoding: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """A run of `seconds` and the engine that plays it; `skipped` are rows that were left out, with why."""

    requests: int
    seconds: float
    clients: int
    skipped: tuple[tuple[str, int], ...]
    metrics: tuple[Beside, ...]
    worst: tuple[Worst, ...]
    batches: tuple[Batch, ...]
    preempted: int
    fleet: str
    warnings: tuple[str, ...] = ()
