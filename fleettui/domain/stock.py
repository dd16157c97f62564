"""What a fleet that is given has beyond what its traffic takes, or lacks, and how much traffic it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fleettui.domain.serialization import later

if TYPE_CHECKING:
    from fleettui.domain.plan import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """What a fleet that is given comes to under its traffic, at the step times predicted.

    `replicas` and `gpus` are those of each pool of the smallest fleet of its shape that holds, spare replicas among the
    GPUs, and `cost` is its US dollars an hour; None where no size holds. With `unproven` GPUs of each pool less than
    that simulations do not tell whether it holds, None where they do. `rate` is the greatest in requests/s that the
    given fleet holds, None where it holds none; simulations do not tell whether it holds rates between that and
    `fails_from`, None where they do. Either was `simulated`, or is by formula as simulations correct it. In
    both no pool is busier than `most_busy`, a share; None where that was not told.
    """

    replicas: tuple[int, ...] | None
    gpus: tuple[int, ...] | None
    cost: float | None
    simulated: bool
    rate: float | None
    rate_simulated: bool
    most_busy: float | None = later(None)
    fails_from: float | None = later(None)
    unproven: tuple[int, ...] | None = later(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Greatest:
    """The greatest `rate` in requests/s that a fleet holds, None where it holds none; whether that was `simulated`.

    Simulations do not tell whether it holds rates between that and `fails_from`, None where they do.
    """

    rate: float | None
    simulated: bool
    fails_from: float | None = None


class RateSeen(Protocol):
    """A fleet that was simulated at a rate in requests/s, and what that showed."""

    @property
    def rate(self) -> float:
        """Requests per second of the whole fleet."""

    @property
    def evidence(self) -> Evidence:
        """What the simulation showed."""
