"""Serving architectures beside each other within a number of GPUs: what each of many fleets does at a rate.

Architectures are told by the names that the registry `fleettui.architectures` has for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fleettui.domain.disagg import DisaggFleet
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Estimate
from fleettui.domain.unit_cost import per_million_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierAsked:
    """What is searched: GPUs of one type, at most so many, and layouts of AFD replicas as `AfdLayout` writes them.

    `link` are bytes per second of a replica's link where they are typed, None for those of its GPUs. Fleets of `only`
    these architectures are scored, of all where none is named.
    """

    gpu: str
    gpus: int
    layouts: tuple[str, ...]
    link: float | None = None
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierRange:
    """The rates that are tried, in requests/s, rising; and of AFD layouts those that hold the model and those that do
    not, each with why.
    """

    rates: tuple[float, ...]
    layouts: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPoint:
    """A fleet at a rate by formula: US dollars an hour, output tokens/s, latencies in seconds at the SLO's percentile.

    One of `together` and `apart` is its fleet: one pool, or one that passes requests on to another. `layout` is that of
    the replicas that decode where their pool does not tell it, as of AFD ones.
    """

    architecture: str
    together: Fleet | None
    apart: DisaggFleet | None
    layout: str
    rate: float
    tokens: float
    gpus: int
    cost: float
    ttft: float
    tpot: float

    @property
    def speed(self) -> float:
        """Output tokens per second that a user sees at the least, at the SLO's percentile."""
        return 1.0 / self.tpot

    @property
    def dollars_per_million(self) -> float:
        """US dollars for a million output tokens."""
        return per_million_tokens(self.cost, self.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierTried:
    """What fleets do at one rate: those of each architecture that no other one beats, and how many were scored."""

    points: tuple[FrontierPoint, ...]
    scored: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierProof:
    """A point as simulated: latencies over so many `runs`, and whether they hold; `tried` rates were simulated."""

    bound: float
    point: FrontierPoint
    ttft: Estimate
    tpot: Estimate
    holds: bool
    runs: int
    tried: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchitectureNeed:
    """The fleet of an architecture with fewest GPUs of a type, of up to `most`, that holds limits by formula.

    `point` None: none does. `proof` is what simulations show of it, or of a larger one where it does not hold; None
    where nothing was simulated.
    """

    architecture: str
    gpu: str
    most: int
    point: FrontierPoint | None
    proof: FrontierProof | None = None


def unbeaten(points: Iterable[FrontierPoint]) -> tuple[FrontierPoint, ...]:
    """Return the points to which no other one of the same rate is as good in TTFT, TPOT and cost and better in one."""
    ordered = sorted(points, key=lambda one: (one.cost, one.tpot, one.ttft))
    found = list[FrontierPoint]()
    for one in ordered:
        if not any(other.tpot <= one.tpot and other.ttft <= one.ttft for other in found):
            found.append(one)
    return tuple(found)


def front(points: Iterable[FrontierPoint], bound: float) -> tuple[FrontierPoint, ...]:
    """Return, of points whose TTFT is within `bound` seconds, those with most tokens/s at their speed, slowest first.

    No other one has as many tokens/s for users that see as many or more each second.
    """
    within = sorted((one for one in points if one.ttft <= bound), key=lambda one: (-one.tokens, one.tpot, one.cost))
    found = list[FrontierPoint]()
    for one in within:
        if not found or one.tpot < found[-1].tpot * (1.0 - 1e-9):
            found.append(one)
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierFound:
    """All that is known of the architectures under TTFT `bounds` and a `tpot` limit in seconds, without end if none.

    `scored` fleets were looked at over all `rates`, in requests/s, and `left_out` are layouts that do not hold the
    model, with why.
    """

    asked: FrontierAsked
    rates: tuple[float, ...]
    points: tuple[FrontierPoint, ...]
    scored: int
    left_out: tuple[tuple[str, str], ...]
    bounds: tuple[float, ...]
    tpot: float
    percentile: float
    proofs: tuple[FrontierProof, ...]

    def holding(self, architecture: str, bound: float) -> tuple[FrontierPoint, ...]:
        """Return at each rate the fleet of an architecture that keeps both limits best, the highest rate first."""
        best = dict[float, tuple[float, FrontierPoint]]()
        for one in self.points:
            used = max(one.ttft / bound, one.tpot / self.tpot)
            if one.architecture != architecture or used > 1.0:
                continue
            if one.rate not in best or used < best[one.rate][0]:
                best[one.rate] = used, one
        return tuple(best[rate][1] for rate in sorted(best, reverse=True))

    def best(self, architecture: str, bound: float) -> FrontierPoint | None:
        """Return the fleet of an architecture with most tokens/s that holds both limits by formula."""
        return next(iter(self.holding(architecture, bound)), None)
