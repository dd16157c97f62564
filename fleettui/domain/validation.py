"""Predictions held to measurements: benchmark runs, what was predicted of them, and the errors by group."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.serialization import later
from fleettui.domain.server import OfServer
from fleettui.domain.uncertain import Factors

State = Literal["unsaturated", "kv-bound", "impossible", "queued"]
Protocol = Literal["start", "steady", "open"]
"""How load was put on: clients that all start at once, clients in their steady state, or arrivals at a rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What is said of the server of a file of runs where the file says nothing, or a name that nobody knows."""

    model: str | None = None
    gpu: str | None = None
    engine: str | None = None
    dtype: Dtype | None = None
    tp: int | None = None
    kv_dtype: CacheDtype | None = later(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPoint(OfServer):
    """One benchmark run: `concurrency` clients, mean lengths, mean times in seconds; `line` is its line in the file.

    `model`, `gpu` and `engine` are names of the catalogue. A file that holds runs as objects has their places, from 1,
    for lines. Of an open loop `request_rate` is what was asked for a second, and `concurrency` the requests that are in
    flight at it by Little's law. `uniform` lengths lay between 0.8 and 1 times the stated ones, `exact` ones were
    those of every request. `file` is where it is of several files. None: not said.
    """

    line: int
    model: str
    gpu: str
    dtype: Dtype
    engine: str
    tp: int
    prompt_tokens: int
    output_tokens: int
    concurrency: int
    ttft: float
    tpot: float
    protocol: Protocol = "start"
    uniform: bool = False
    request_rate: float | None = None
    requests: int | None = None
    output_throughput: float | None = None
    ttft_median: float | None = None
    ttft_p99: float | None = None
    tpot_median: float | None = None
    tpot_p99: float | None = None
    kv_dtype: CacheDtype = later("bf16")
    expert_parallel: bool = later(False)
    attention_dp: bool = later(False)
    exact: bool = later(False)
    file: str = later("")

    @property
    def sweep(self) -> tuple[object, ...]:
        """What runs have in common that differ in their clients alone."""
        return self.server_key, self.prompt_tokens, self.output_tokens, self.uniform, self.protocol

    @property
    def latency(self) -> float:
        """Mean seconds of a request."""
        return self.ttft + (self.output_tokens - 1) * self.tpot

    @property
    def decoding(self) -> float:
        """Requests between their first and last token, by Little's law."""
        return self.throughput / self.output_tokens * (self.output_tokens - 1) * self.tpot

    @property
    def throughput(self) -> float:
        """Output tokens a second: as measured, or what its clients get at its mean times by Little's law."""
        return self.output_throughput or self.throughput_at(self.ttft, self.tpot)

    def throughput_at(self, ttft: float, tpot: float) -> float:
        """Return the output tokens a second of its clients at mean times in seconds, by Little's law."""
        return self.concurrency * self.output_tokens / (ttft + (self.output_tokens - 1) * tpot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One point with its predicted times in seconds.

    `unsaturated` points count. `kv-bound` ones hold more tokens than the cache has blocks for: clients wait, and the
    prediction is for as many as fit. `impossible` ones were measured faster than the memory bandwidth allows for what
    the record says was read, so the record describes another set-up (concurrency over several replicas, say). Clients
    of `queued` ones wait for a place, at the server's most sequences or at the client's connections. `band`
    are the factors within which measured times lie, by what is known of the hardware; `front_end` is the part of the
    predicted TTFT that lies before the steps, `waits` that in which other requests are served first. `mfu` is what the
    measurement itself implies: the arithmetic of the tokens it served over what the GPUs' datasheet peak offers.
    """

    point: MeasuredPoint
    state: State
    predicted_ttft: float
    predicted_tpot: float
    band: Factors = later((1.0, 1.0))
    front_end: float = later(0.0)
    waits: float = later(0.0)
    mfu: float = later(0.0)

    def predicted_at(self, factor: float, waits: float = 1.0) -> tuple[float, float]:
        """Return TTFT and TPOT as predicted of steps that take `factor` of their time.

        Waits are `waits` times what these steps make of them.
        """
        own = self.predicted_ttft - self.front_end - self.waits
        return self.front_end + factor * (own + waits * self.waits), factor * self.predicted_tpot

    @property
    def tpot_error(self) -> float:
        """Relative error of the predicted TPOT."""
        return self.predicted_tpot / self.point.tpot - 1.0

    @property
    def throughput_error(self) -> float:
        """Relative error of the predicted output tokens a second."""
        return self.point.throughput_at(self.predicted_ttft, self.predicted_tpot) / self.point.throughput - 1.0

    @property
    def is_in_band(self) -> bool:
        """Whether the measured TPOT lies within the band of the predicted one."""
        faster, slower = self.band
        return self.predicted_tpot * faster <= self.point.tpot <= self.predicted_tpot * slower

    @property
    def ttft_error(self) -> float:
        """Relative error of the predicted TTFT; infinite where none was measured."""
        return self.predicted_ttft / self.point.ttft - 1.0 if self.point.ttft > 0.0 else math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The TPOT errors of one model, precision, cache and parallelism over its unsaturated points.

    The means and the worst point are None where no point is unsaturated.
    """

    model: str
    dtype: Dtype
    tp: int
    points: int
    unsaturated: int
    kv_bound: int
    impossible: int
    mean_absolute_error: float | None
    bias: float | None
    worst: Comparison | None
    kv_dtype: CacheDtype = later("bf16")
    expert_parallel: bool = later(False)
    attention_dp: bool = later(False)
    queued: int = later(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """Every point of a file in its order, and a summary of each model, precision, cache and parallelism, sorted.

    `skipped` counts the rows that nothing can be said of, by why.
    """

    comparisons: tuple[Comparison, ...]
    summaries: tuple[Summary, ...]
    skipped: tuple[tuple[str, int], ...] = ()

    def errors(self) -> tuple[float, ...]:
        """Return the absolute errors of TPOT over the unsaturated points, smallest first."""
        return tuple(sorted(abs(one.tpot_error) for one in self.comparisons if one.state == "unsaturated"))

    def in_band(self) -> float:
        """Return the share of the unsaturated points whose TPOT lies within its band, 0 where there are none."""
        inside = [one.is_in_band for one in self.comparisons if one.state == "unsaturated"]
        return sum(inside) / len(inside) if inside else 0.0

    def ttft_errors(self) -> tuple[float, ...]:
        """Return those of TTFT, where it was measured."""
        errors = (abs(one.ttft_error) for one in self.comparisons if one.state == "unsaturated")
        return tuple(sorted(filter(math.isfinite, errors)))

    def throughput_errors(self) -> tuple[float, ...]:
        """Return those of the output tokens a second."""
        return tuple(sorted(abs(one.throughput_error) for one in self.comparisons if one.state == "unsaturated"))
