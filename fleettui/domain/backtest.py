"""A backtest: what a running fleet shows against what was predicted of it, and the constants that may explain the gap.

Factors are of a constant as it is in the fleet's profiles or its demand; figures are seconds, or sequences in service.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fleettui.domain.calibration import StepTerms
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile

Constant = Literal[
    "base step time", "time per context token", "time per prompt token", "all step times", "KV blocks", "arrival rate"
]
STEP_TIMES: dict[Constant, tuple[str, ...]] = {
    "base step time": ("base_step_time",),
    "time per context token": ("time_per_context_token",),
    "time per prompt token": ("time_per_prompt_token",),
    "all step times": ("base_step_time", "time_per_context_token", "time_per_prompt_token"),
}
"""The constants that are times of a pool's profile, with its fields."""
MOVED_TERMS: dict[Constant, Callable[[float], StepTerms]] = {
    "base step time": lambda factor: StepTerms(factor=factor, context_slope=1.0 / factor, prompt_slope=1.0 / factor),
    "time per context token": lambda factor: StepTerms(context_slope=factor),
    "time per prompt token": lambda factor: StepTerms(prompt_slope=factor),
    "all step times": lambda factor: StepTerms(factor=factor),
}
"""The same constants in the terms of a step, by what they are multiplied with."""
CONSTANTS: tuple[Constant, ...] = (*STEP_TIMES, "KV blocks", "arrival rate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Something to be seen of a fleet: a latency at a percentile (`share`), its mean (None), or the sequences running.

    `metric` is a latency's name, or "running". Latencies are those of all requests; what is running is the mean number
    of sequences in service in the whole fleet.
    """

    metric: str
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What production showed of a figure: a value, and the ends of what the digits of its `text` leave open."""

    figure: Figure
    text: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A value with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A figure as it was `predicted` and as it was `seen`, and the standard error of the logarithm of their ratio."""

    figure: Figure
    predicted: Band
    seen: Band
    error: float

    @property
    def gap(self) -> float:
        """By which share of the predicted the seen value is above it."""
        return self.seen.value / self.predicted.value - 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What was seen beside what was predicted, and what is predicted (`others`) of `probes` that nobody has seen."""

    rows: tuple[Row, ...]
    probes: tuple[Figure, ...]
    others: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """One constant moved until the figures come as near to what was seen as they can.

    `factor` is what it is multiplied by, with its 95 % interval; `misfit` is what is left, the sum of squares in units
    of the errors; `figures` are the predicted ones with it, those that were seen first, then those that nobody has
    looked at. `bounded` where the search ended at the end of what it tries.
    """

    constant: Constant
    factor: Band
    misfit: float
    figures: tuple[float, ...]
    bounded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """A fleet with one constant of its pools moved, and its hardware, by whose kernels they may be simulated."""

    fleet: Fleet
    profiles: tuple[Profile, ...]
