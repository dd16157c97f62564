"""What an arrival process declares: how the requests of an open loop come. A declaration loads no arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.errors import InputError

LEAST_CV, MOST_CV = 0.05, 20.0
"""Coefficients of variation that gaps may have; beyond, a run of many millions of requests says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """All requests that a fleet is asked for: per second, with the `cv` of their gaps where the process takes one, and
    the workload's `record` where it rests on that.
    """

    rate: float
    cv: float = 1.0
    record: ArrivalRecord | None = None

    @property
    def recorded(self) -> ArrivalRecord:
        """The workload's record; AssertionError where there is none."""
        assert self.record is not None, "the process needs a record"
        return self.record


class Times(Protocol):
    """When the requests of a stream come."""

    def __call__(self, draws: Any, requests: int, stream: Stream, /) -> Any:
        """Return the times of the first `requests` in seconds, an array that rises, from the numpy generator `draws`.

        A longer draw begins with the shorter one.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """How much more the counts of a stream vary than Poisson's.

    `excess` is their variance over mean in long windows, less 1. The rate remembers itself for `memory` seconds, with
    a covariance that falls as exp(-t/memory); 0 where it does not.
    """

    excess: float
    memory: float = 0.0


class Tells(Protocol):
    """What a process makes of a workload's record."""

    def __call__(self, stream: Stream, /) -> str:
        """Return it in one sentence."""


class Varies(Protocol):
    """How much more the counts of a stream vary than Poisson's."""

    def __call__(self, stream: Stream, /) -> Variation:
        """Return the variation of a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalProcess:
    """An arrival process: its name, one line of help, the `noun` of its plans, its `times` and how they `vary`.

    By their variation the formulas expect longer waits, and a pool is simulated for longer. `takes_cv` where it is
    asked for as name:cv=2, `takes_file` where as name:FILE; `needs` is what it must know of the workload: how far its
    counts vary, or its times; it can `tell` what it makes of them.
    `divides` where a part of its requests, picked at random, comes by the same process.
    """

    name: str
    help: str
    noun: str
    times: Times
    vary: Varies
    takes_cv: bool = False
    takes_file: bool = False
    needs: Literal["", "counts", "times"] = ""
    tell: Tells | None = None
    divides: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A process with its parameter, a coefficient of variation or a file, as it is asked for; `text` says both."""

    process: ArrivalProcess
    cv: float | None = None
    file: str | None = None

    @property
    def text(self) -> str:
        """What people type: poisson, gamma:cv=2, profile:day.csv."""
        if self.file is not None:
            return f"{self.process.name}:{self.file}"
        return self.process.name if self.cv is None else f"{self.process.name}:cv={self.cv!r}".removesuffix(".0")

    @property
    def told(self) -> str:
        """What a plan calls it: Poisson, Gamma with a CV of 2."""
        if self.file is not None:
            return f"{self.process.noun} of {self.file}"
        return self.process.noun if self.cv is None else f"{self.process.noun} with a CV of {self.cv:g}"

    def stream(self, rate: float, record: ArrivalRecord | None) -> Stream:
        """Return its stream of `rate` requests per second."""
        return Stream(rate=rate, cv=1.0 if self.cv is None else self.cv, record=record)


def read_cv(process: ArrivalProcess, text: str, *, said: bool, where: str | None) -> float | None:
    """Return the parameter of `process` that stands behind its name; raises InputError where there must be another."""
    name = process.name
    if not process.takes_cv:
        if said:
            raise InputError(f"{name} takes no parameter", where=where, value=f"{name}:{text}", accepted=name)
        return None
    try:
        cv = float(text.removeprefix("cv="))
    except ValueError:
        cv = math.nan
    if not LEAST_CV <= cv <= MOST_CV:
        raise InputError(
            f"{name} needs the coefficient of variation of the gaps",
            where=where,
            value=f"{name}:{text}" if said else name,
            accepted=f"{name}:cv={LEAST_CV:g} to {name}:cv={MOST_CV:g}; 1 is Poisson",
            remedy=f"write {name}:cv=2",
        )
    return cv


def read_file_name(process: ArrivalProcess, text: str, where: str | None) -> str:
    """Return the file that stands behind the name of `process`; raises InputError where there is none."""
    if not text:
        raise InputError(
            f"{process.name} needs the file of its times and rates",
            where=where,
            value=process.name,
            accepted=f"{process.name}:FILE, with columns start, end, rate",
            remedy=f"write {process.name}:day.csv; a trace's own hours are cut by workload build --slices 1h",
        )
    return text
