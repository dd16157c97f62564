"""What arrives: how long requests are, how often they come, and where that knowledge is from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from fleettui.domain import checks
from fleettui.domain.day import Day
from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.serialization import later
from fleettui.domain.sessions import SessionRecord
from fleettui.errors import InputError

Atom = tuple[float, float, float]
"""(weight, prompt tokens, output tokens): weight is a count of requests or any positive mass."""

CdfPoint = tuple[float, float]
"""(tokens, cumulative fraction of requests at or below it)."""

Timing = Literal["recorded", "ticks", "fitted", "profile", "none"]
LengthKind = Literal["joint", "marginals", "total"]

MANY_MINUTES = 100
"""So many minutes tell what almost all of them stay below; of fewer the busiest is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a set of figures comes from and what may be done with it."""

    source: str = ""
    url: str = ""
    licence: str = ""
    attribution: str = ""
    derivation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyMinute:
    """How many `times` the mean rate came in the busiest of so many whole `minutes`.

    Of MANY_MINUTES or more it is what 99 of 100 do not exceed.
    """

    minutes: int
    times: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalStatistics:
    """How requests arrived. Rates are per second, durations in seconds; None is undefined.

    `dispersion` pairs a window in seconds with the variance-to-mean ratio of the counts in such windows;
    1 is Poisson. `timing` is how the times were known: `ticks` were spread evenly over each tick,
    `profile` is the rate of a day's busiest slice. `busy` is None where minutes were not counted.
    """

    timing: Timing = "none"
    mean_rate: float | None = None
    duration: float | None = None
    interarrival_cv: float | None = None
    dispersion: tuple[tuple[float, float | None], ...] = ()
    busy: BusyMinute | None = later(None)

    def dispersion_at(self, window: float) -> float | None:
        """Return the index of dispersion at a window of `window` seconds, or None."""
        return dict(self.dispersion).get(window)


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthStatistics:
    """Summary of one length in tokens over every original request, before any compression."""

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    maximum: float
    scv: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthDistribution:
    """The lengths of requests in tokens.

    `joint` holds `atoms`. `total` holds `cdf` of prompt + output and `output_share`. `marginals` holds
    `prompt_cdf` and `output_cdf` of unknown pairing. CDFs are step-free: mass lies evenly between points.
    """

    kind: LengthKind
    atoms: tuple[Atom, ...] = ()
    cdf: tuple[CdfPoint, ...] = ()
    output_share: float | None = None
    prompt_cdf: tuple[CdfPoint, ...] = ()
    output_cdf: tuple[CdfPoint, ...] = ()
    n_samples: int = 0
    prompt: LengthStatistics | None = None
    output: LengthStatistics | None = None
    total: LengthStatistics | None = None

    def __post_init__(self) -> None:
        if self.kind == "joint":
            check_atoms(self.atoms)
        elif self.kind == "total":
            check_cdf("cdf", self.cdf)
            if self.output_share is None:
                raise InputError(
                    "a distribution of total tokens does not say how many of them are output",
                    accepted="an output share between 0 and 1",
                    remedy="add output_share to the file, or pass --output-share 20%",
                )
            checks.open_share("output_share", self.output_share)
        else:
            check_cdf("prompt_cdf", self.prompt_cdf)
            check_cdf("output_cdf", self.output_cdf)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSlice:
    """A stretch of the clock, in seconds, with its request rate per second (None: untimed) and lengths.

    These are those of a `workload` where a day names one for it.
    """

    start: float
    duration: float
    rate: float | None
    lengths: LengthDistribution
    workload: str = later("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Named demand: one or more time slices of lengths, how requests arrived, and the origin of it all.

    `dropped` counts requests left out on the user's word; `notes` says what a reader did to the times.
    `times` are those of all requests in seconds from the first, rising, where they are to be replayed; `prefixes` what
    their prompts share, where that is to be cached, `sessions` those that they belong to, where they are to be played;
    `day` is the whole day whose busiest windows the slices are, where the arrivals are those of one.
    """

    name: str
    slices: tuple[TimeSlice, ...]
    arrivals: ArrivalStatistics = ArrivalStatistics()
    origin: Origin = Origin()
    dropped: int = 0
    notes: tuple[str, ...] = ()
    times: tuple[float, ...] = later(())
    prefixes: PrefixRecord | None = later(None)
    sessions: SessionRecord | None = later(None)
    day: Day | None = later(None)

    def __post_init__(self) -> None:
        if not self.slices:
            raise InputError("a workload needs at least one time slice", where=self.name)


def check_atoms(atoms: tuple[Atom, ...]) -> None:
    """Raise InputError unless there is an atom and each has positive weight and at least one token each way."""
    if not atoms:
        raise InputError("a joint length distribution needs at least one atom", value=0)
    for index, (weight, prompt, output) in enumerate(atoms):
        if not (math.isfinite(weight) and weight > 0):
            raise InputError(f"atom {index}: weight must be above zero", value=weight)
        if not (math.isfinite(prompt) and prompt >= 1 and math.isfinite(output) and output >= 1):
            raise InputError(
                f"atom {index}: a request has at least one prompt and one output token", value=(prompt, output)
            )


def check_cdf(name: str, points: tuple[CdfPoint, ...]) -> None:
    """Raise InputError unless tokens rise strictly, fractions never fall, and the last fraction is 1."""
    if not points:
        raise InputError(f"{name} is empty", accepted="pairs [tokens, cumulative fraction] ending at 1")
    previous_tokens, previous_fraction = 0.0, 0.0
    for index, (tokens, fraction) in enumerate(points):
        _check_cdf_point(f"{name}[{index}]", tokens, fraction, in_percent=abs(points[-1][1] - 100.0) < 1e-6)
        if tokens <= previous_tokens:
            raise InputError(f"{name}[{index}]: tokens must rise", value=tokens, accepted=f"above {previous_tokens:g}")
        if fraction < previous_fraction:
            raise InputError(
                f"{name}[{index}]: the cumulative fraction falls",
                value=fraction,
                accepted=f"{previous_fraction:g} or above",
            )
        previous_tokens, previous_fraction = tokens, fraction
    if previous_fraction < 1 - 1e-9:
        raise InputError(
            f"{name} ends below 1",
            value=previous_fraction,
            accepted="a last fraction of 1",
            remedy="add the longest request",
        )


def _check_cdf_point(where: str, tokens: float, fraction: float, *, in_percent: bool) -> None:
    if not (math.isfinite(tokens) and tokens > 0):
        raise InputError("tokens must be above zero", where=where, value=tokens)
    if not math.isfinite(fraction) or fraction < 0:
        raise InputError("the cumulative fraction is not a number from 0 to 1", where=where, value=fraction)
    if fraction > 1 + 1e-9:
        raise InputError(
            "the cumulative fraction is above 1",
            where=where,
            value=fraction,
            accepted="fractions from 0 to 1",
            remedy="divide every fraction by 100" if in_percent else None,
        )
