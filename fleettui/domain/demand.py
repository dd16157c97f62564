"""How much is asked for: the demand in the form in which it is known, and the requests per second that it comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fleettui.domain import checks
from fleettui.domain.checks import NotNegative, OpenShare, Positive, PositiveCount, Range
from fleettui.domain.serialization import later
from fleettui.errors import InputError

DemandForm = Literal["trace", "rate", "users", "tokens", "concurrency"]
PeakFactor = Annotated[float, Range(what="is below the average", accepted="a factor of 1 or above", low=1)]
LEAST_RATE, MOST_RATE = 1e-6, 1e7
"""Requests per second that a question may come to; beyond, whole replicas are no longer told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """How much is asked for, in the form in which it is known. Rates and tokens are per second, times in seconds.

    `trace` takes the workload's own rate; `rate` uses `rate`; `users` uses users × requests_per_user × peak_factor;
    `tokens` uses tokens (prompt and output, averaged over the day) with the share of the day's tokens that falls
    into the peak hour; `concurrency` is a closed loop of that many clients with a think time.
    """

    form: DemandForm = "trace"
    rate: Positive | None = None
    users: Positive | None = None
    requests_per_user: Positive | None = None
    peak_factor: PeakFactor = 1.0
    tokens: Positive | None = None
    peak_hour: OpenShare = 0.09
    concurrency: PositiveCount | None = None
    think: NotNegative = 0.0

    def __post_init__(self) -> None:
        for name in self.required():
            if getattr(self, name) is None:
                raise InputError(f"demand by {self.form} needs {name}")
        checks.fields(self)

    def required(self) -> tuple[str, ...]:
        """Return the names of the fields that this form needs."""
        by_form: dict[str, tuple[str, ...]] = {
            "rate": ("rate",),
            "users": ("users", "requests_per_user"),
            "tokens": ("tokens",),
            "concurrency": ("concurrency",),
        }
        return by_form.get(self.form, ())


OF_THE_TRACE = Demand()
"""The workload's own rate, which a question has that says nothing of it."""
AS_GIVEN = "as given"
"""What a rate's arithmetic is that was typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedDemand:
    """Requests per second that the demand comes to, and the arithmetic that led there in one line.

    `pairing` is how prompts and outputs were paired: as recorded, or the costliest way where that is unknown.
    `day_share` is the mean rate over this one where the arrivals are those of a day, 1 where they tell none.
    """

    rate: float
    arithmetic: str
    pairing: str = ""
    day_share: float = later(1.0)

    def __post_init__(self) -> None:
        if not LEAST_RATE <= self.rate <= MOST_RATE:
            raise InputError(
                "the demand is beyond any fleet's",
                value=f"{self.rate:.3g} requests/s",
                accepted=f"{LEAST_RATE:g} to {MOST_RATE:g} requests/s",
            )
