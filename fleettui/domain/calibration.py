"""A fit of a law of steps to a server's own runs: what it multiplies and adds, how sure it is, and where it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fleettui.domain import checks
from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.hardware import StepLaw
from fleettui.domain.replica import OfReplica
from fleettui.domain.seen_load import SeenLoad
from fleettui.domain.serialization import later
from fleettui.domain.server import OfServer
from fleettui.domain.uncertain import Factors, factors_within, spread_of
from fleettui.errors import InputError

Range = tuple[int, int]
PUBLIC_BAND = 0.18
"""Relative error that nine of ten predictions keep after a fit to two runs of a public server.

`python -m tests.evidence.held_out` measures it.
"""
COVERED = 0.9
"""Share of predictions that a fit's band holds; of fits kept before it was so, four of five."""
TTFT_NOISE = 0.15
"""Relative error of a run's TTFT of which nothing was told by others, as that of one run counts."""
BACKTEST = "backtest"
"""The format of a source that is what production showed of a plan."""
DIGITS = 12
"""Digits of a file's SHA-256 that are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The least and the most of what the runs had: clients, tokens of a prompt, of an output, of a context."""

    clients: Range
    prompt_tokens: Range
    output_tokens: Range
    context_tokens: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """What one replica runs on average: sequences at once, tokens of a prompt and of an output, requests/s."""

    sequences: float
    prompt_tokens: float
    output_tokens: float
    rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTerms:
    """A step takes `factor` times the law's time and `constant` seconds more.

    The law's reading of context counts `context_slope` times in that, its prompts `prompt_slope` times.
    """

    factor: float = 1.0
    constant: float = 0.0
    context_slope: float = 1.0
    prompt_slope: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFit(OfServer):
    """What the runs of one server say of its steps, in the words of `StepTerms`; a slope is 1 where they cannot tell.

    `front_end` are the seconds of a request before its first step, None where they cannot tell.
    `band` is the relative error of predicted times between tokens that a share `covered` of them keeps: that of
    `held_out` predictions of runs that were not fitted, or, where those are few and nearer, what two runs leave on
    public servers. `uncalibrated` is the law's own mean error. `untold` says what the runs cannot tell, and why.
    `ttft_gap` is by which share of the TTFT that the fit predicts the median run's was longer, None where the law
    predicts none. `seen` are loads of it in production, near which it is known better.
    `unfitted` is what step times may be of those predicted without the fit, None where that was not noted.
    """

    gpu: str
    model: str
    engine: str
    dtype: Dtype
    tp: int
    points: int
    configurations: int
    factor: float
    constant: float
    context_slope: float
    prompt_slope: float
    front_end: float | None
    band: float
    band_source: Literal["held-out", "public"]
    held_out: int
    uncalibrated: float
    untold: tuple[str, ...]
    envelope: Envelope
    kv_dtype: CacheDtype = later("bf16")
    expert_parallel: bool = later(False)
    pp: int = later(1)
    attention_dp: bool = later(False)
    layout: str = later("")
    covered: float = later(0.8)
    ttft_gap: float | None = later(None)
    seen: tuple[SeenLoad, ...] = later(())
    unfitted: Factors | None = later(None)

    def __post_init__(self) -> None:
        """Raise where no server could be so."""
        checks.positive("step factor", self.factor)
        checks.positive("band", self.band)

    @property
    def longer_ttft(self) -> float:
        """By which share TTFT were longer than predicted, 0 where that is within the noise of runs."""
        return self.ttft_gap if self.ttft_gap is not None and self.ttft_gap > TTFT_NOISE else 0.0

    @property
    def share_covered(self) -> str:
        """The share of predictions within the band, in words."""
        return "four in five" if self.covered < COVERED else "nine in ten"

    @property
    def terms(self) -> StepTerms:
        """What it does to a step of its law."""
        return StepTerms(
            factor=self.factor,
            constant=self.constant,
            context_slope=self.context_slope,
            prompt_slope=self.prompt_slope,
        )

    @property
    def step_factors(self) -> Factors:
        """What step times may be of those predicted: the band is of predicted times, as a share of the measured.

        Raises InputError for a band that leaves no slower end.
        """
        self.check_certain()
        return factors_within(self.band)

    @property
    def is_wider(self) -> bool:
        """Whether a plan with it is less sure of steps than one without: its band is wider."""
        return self.unfitted is not None and spread_of(self.step_factors) > spread_of(self.unfitted)

    def check_certain(self) -> None:
        """Raise InputError for a band that leaves no slower end."""
        if self.band >= 1.0:
            raise InputError(
                "this fit is too uncertain to plan with",
                value=f"+-{self.band:.0%} for {self.server}",
                accepted="a band below 100 %",
                remedy="fit to more runs of that server alone",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that was fitted to: its path, the SHA-256 of its bytes, what wrote it, and the runs that were used."""

    path: str
    digest: str
    format: str
    points: int

    @property
    def short_digest(self) -> str:
        """The digest as it is told."""
        return self.digest[:DIGITS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Fits of one law to the runs of files, one for each server, by name; `skipped` counts runs left out, by why."""

    name: str
    step_law: StepLaw
    servers: tuple[ServerFit, ...]
    sources: tuple[Source, ...]
    skipped: tuple[tuple[str, int], ...]

    @property
    def words(self) -> str:
        """What says of a server that its steps are known by this fit."""
        return f"own fit {self.name}"

    @property
    def done(self) -> str:
        """What steps are by it: corrected by what production showed, or fitted to runs."""
        return "corrected" if self._of_production else "fitted"

    @property
    def _of_production(self) -> bool:
        return any(one.format == BACKTEST for one in self.sources)

    def counted(self, own: ServerFit) -> str:
        """Return how much one of its servers was fitted to, in words."""
        thing = "figure" if self._of_production else "run"
        return f"{own.points} {thing}{'s' * (own.points != 1)}{' seen in production' * self._of_production}"

    def of(self, served: OfReplica, engine: str) -> ServerFit | None:
        """Return the fit of what is served under `engine`, None where its runs are not among these."""
        own = (one for one in self.servers if one.engine == engine and one.replica_key[:-1] == served.replica_key[:-1])
        return next(own, None)
