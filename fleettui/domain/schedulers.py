"""What schedulers do on one fleet that meets the same requests under each."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.plan import Estimate
from fleettui.domain.study import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Something that a run shows: its `name` in data, its label on screens, its quantity, whether more is better."""

    name: str
    label: str
    quantity: Quantity
    more_is_better: bool = False


FIGURES = (
    Figure(name="ttft_mean", label="mean TTFT", quantity="seconds"),
    Figure(name="ttft_p99", label="P99 TTFT", quantity="seconds"),
    Figure(name="session_ttft", label="aTTFT of sessions", quantity="seconds"),
    Figure(name="session_ttft_p95", label="P95 aTTFT of sessions", quantity="seconds"),
    Figure(name="batch_ttft", label="mean TTFT of class batch", quantity="seconds"),
    Figure(name="tpot_mean", label="mean TPOT", quantity="seconds"),
    Figure(name="tpot_p99", label="P99 TPOT", quantity="seconds"),
    Figure(name="throughput", label="output tokens per second", quantity="number", more_is_better=True),
    Figure(name="preemptions", label="preemptions per 1000 requests", quantity="number"),
)
"""What schedulers are compared by; aTTFT is the mean of a session over its rounds, and classes are told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledRun:
    """Replication `index` of a fleet under a scheduler: the values of its figures in their order, None where none is.

    The figures are FIGURES for the plan's own requests, those of `agents` for sessions of agents.
    """

    index: int
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """A scheduler on a fleet: of each of its figures the mean over the runs, and its difference to the plan's own.

    Differences are taken run by run, over the same requests. `unstable` is why there are no intervals.
    """

    scheduler: str
    values: tuple[Estimate, ...]
    changes: tuple[Estimate, ...]
    unstable: str = ""
