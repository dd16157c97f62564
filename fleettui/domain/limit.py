"""Limits on latency: what is measured of a request, at which percentile of a pool's requests, and the seconds allowed.

A metric is declared here and nowhere else but for its formula (`queueing/metric_formulas.py`). The search, the
simulation's verdict and every table loop over the limits of a question's SLO.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, NamedTuple, TypeVar, cast

from fleettui.domain import checks
from fleettui.domain.checks import Range
from fleettui.domain.registry import Registry
from fleettui.errors import InputError

Value = TypeVar("Value")
_RANK = r"[0-9]{1,2}(\.[0-9]{1,9})?"
Requests = Any
"""Arrays of served requests by name: `arrival`, `admitted`, `first` and `finish` in seconds, `output` in tokens."""


class Metric(NamedTuple):
    """Something in seconds that a request has, or has not where `seconds` of it is not finite.

    `name` is what is typed, `label` stands on screens, `help` explains it and `promise` says a limit on it with {} in
    the place of the time. `seconds` takes the served requests, and the seconds that each spends in the front end.
    """

    name: str
    label: str
    help: str
    promise: str
    seconds: Callable[[Requests, float], Any]

    @property
    def latency(self) -> Latency:
        """The metric at the SLO's percentile."""
        return Latency(metric=self.name)


TTFT = Metric(
    name="ttft",
    label="TTFT",
    help="time to the first token",
    promise="the first token (TTFT) within {}",
    seconds=lambda served, front_end: served["first"] - served["arrival"] + front_end,
)
TPOT = Metric(
    name="tpot",
    label="TPOT",
    help="time per further token",
    promise="each further token (TPOT) within {}",
    seconds=lambda served, _: (served["finish"] - served["first"]) / (served["output"] - 1),
)
E2E = Metric(
    name="e2e",
    label="E2E",
    help="time to the last token",
    promise="the whole answer (E2E) within {}",
    seconds=lambda served, front_end: served["finish"] - served["arrival"] + front_end,
)
NORMALIZED = Metric(
    name="normalized",
    label="NTPOT",
    help="time to the last token over all output tokens",
    promise="the whole answer (NTPOT) within {} for each of its tokens",
    seconds=lambda served, front_end: E2E.seconds(served, front_end) / served["output"],
)
"""The normalized time per output token, as serving benchmarks name it."""
ALWAYS = (TTFT, TPOT, E2E)
"""Those that every pool's figures hold at the SLO's percentile, limited or not, and every run's distributions."""
METRICS: Registry[Metric] = Registry("latency", *ALWAYS, NORMALIZED)
INTERACTIVE, BATCH = "interactive", "batch"
"""The class that is served first, and the one behind it, whose name stands before those of its latencies."""
ClassShare = Annotated[
    float, Range(what="leaves a class without requests", accepted="a share from 1% to 99%", low=0.01, high=0.99)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """A metric at a percentile, a share of a pool's requests; None is the percentile of the SLO.

    Of requests of two classes it is that of the interactive ones, or of class `batch`.
    """

    metric: str
    percentile: float | None = None
    batch: bool = False

    @classmethod
    def named(cls, name: str) -> Latency:
        """Return the latency with this `name`; raises UnknownNameError, and InputError for what is no percentile."""
        batch = name.startswith(f"{BATCH}.")
        metric, dot, rank = name.removeprefix(f"{BATCH}.").partition(".p")
        METRICS.named(metric)
        if dot and not re.fullmatch(_RANK, rank):
            raise InputError("this is no percentile", value=name, accepted="a latency such as ttft.p50 or e2e.p99.9")
        return Latency(metric=metric, percentile=float(Fraction(rank) / 100) if dot else None, batch=batch)

    @property
    def name(self) -> str:
        """What is typed: ttft, or ttft.p50 at a percentile of its own; batch.ttft of class batch."""
        of_all = self.metric if self.percentile is None else f"{self.metric}.p{self.percentile * 100:.12g}"
        return f"{BATCH}.{of_all}" if self.batch else of_all

    @property
    def label(self) -> str:
        """What stands in a sentence: TTFT, or P50 TTFT at a percentile of its own; batch TTFT of class batch."""
        label = self.unranked
        return label if self.percentile is None else f"P{self.percentile * 100:.12g} {label}"

    @property
    def unranked(self) -> str:
        """What stands in a sentence without its percentile: TTFT, or batch TTFT."""
        label = METRICS.named(self.metric).label
        return f"{BATCH} {label}" if self.batch else label

    @property
    def is_further(self) -> bool:
        """Whether it is told among further ones: at a percentile of its own, or of class batch."""
        return self.batch or self.percentile is not None

    @property
    def column(self) -> str:
        """The name of its column: ttft, or p50_ttft at a percentile of its own, p50_batch_ttft of class batch."""
        rank = "" if self.percentile is None else f"p{self.percentile * 100:.12g}_"
        return f"{rank}{BATCH}_{self.metric}" if self.batch else f"{rank}{self.metric}"

    def among(self, pool: object, further: Iterable[tuple[str, Value]], missing: Value) -> Value:
        """Return what `pool` holds of this latency: in a field of its metric, or by its name in `further`.

        It is `missing` of a pool that was looked at without a limit on this latency.
        """
        if not self.is_further:
            return cast(Value, getattr(pool, self.metric))
        return dict(further).get(self.name, missing)


def further_latencies(limited: Iterable[Latency], *, classed: bool) -> tuple[Latency, ...]:
    """Return the latencies told among further ones: those `limited`, and all of class batch where it is `classed`."""
    of_batch = [replace(metric.latency, batch=True) for metric in ALWAYS] if classed else []
    own = {one.name: one for one in (*limited, *of_batch) if one.is_further}
    return tuple(own.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(Latency):
    """The seconds that a latency may take at most in every pool."""

    seconds: float

    @classmethod
    def of(cls, name: str, seconds: float) -> Limit:
        """Return the limit on the latency with this name."""
        latency = Latency.named(name)
        return Limit(metric=latency.metric, percentile=latency.percentile, batch=latency.batch, seconds=seconds)

    def __post_init__(self) -> None:
        checks.positive(f"SLO on {self.name}", self.seconds)
        if self.percentile is not None:
            checks.open_share("percentile", self.percentile)
