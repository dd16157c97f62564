"""What a published cell asks, as values that both methods can answer. Seconds, tokens, US dollars, watts, shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

A100, H100, A10G = "a100", "h100", "a10g"
AZURE, LMSYS, AGENT = "azure", "lmsys", "agent-heavy"
LONGEST, EIGHT_K = 65_536, 8192
DRAWN = 15_000
"""Requests of one of the papers' simulations of a fleet."""

FACTOR = 1.5
"""The largest total of a request that is compressed, as a multiple of the split."""

LengthFigure = Literal["share", "band", "cliff"]
SeparateFigure = Literal["prefill", "decode", "replicas", "cost", "ttft", "tpot"]
CurtailedFigure = Literal["cap", "watts", "fleet watts", "ttft", "simulated ttft"]
ReplicaFigure = Literal["by memory", "by load", "places", "used", "ratio", "GiB", "per sequence", "step", "rate"]
SlotRouter = Literal["length", "compress", "random"]
RoutedFigure = Literal["ttft", "within", "utilization", "tail_wait", "blocked", "longest_tenth", "change"]
FleetFigure = Literal["replicas", "cost", "saving", "utilization", "gamma", "mean prefill", "ttft"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetAsked:
    """The fleet that a cell is about: requests/s of a workload, a P99 TTFT limit, a GPU type per pool.

    A limit of None asks for what the load alone takes; the papers' method always has one. `cut` is the split in total
    tokens, None for one pool; `gamma` None is the cheapest of FleetOpt's sweep.
    """

    workload: str
    rate: float
    slo: float | None = 0.5
    gpus: tuple[str, ...] = (A100,)
    cut: int | None = None
    context: int = LONGEST
    gamma: float | None = 1.0
    compressible: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OfFleet:
    """A figure of a fleet, or of its pool number `pool`; a saving is against the fleet `against`.

    `also` is another reading of the same question, which the note tells of.
    """

    fleet: FleetAsked
    figure: FleetFigure
    pool: int | None = None
    against: FleetAsked | None = None
    also: FleetAsked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfLengths:
    """A figure of a workload at a split: the share below, the borderline share up to gamma times it, or the cliff."""

    workload: str
    cut: int
    gamma: float
    figure: LengthFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsOut:
    """The requests/s up to which as many GPUs as `fleet` takes are enough."""

    fleet: FleetAsked


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPool:
    """What a simulation of a pool shows, its slots held for their whole time."""

    fleet: FleetAsked
    pool: int
    figure: Literal["ttft", "utilization"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """What a simulation shows of all requests to `fleet` behind a router, its slots held for their whole time.

    `length` sends by total tokens, `compress` rewrites prompts up to `FACTOR` times the split to fit below it, `random`
    sends anywhere, so that every GPU serves the longest requests. `change` is of the P99 TTFT against `length`.
    """

    fleet: FleetAsked
    router: SlotRouter
    figure: RoutedFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class Disaggregated:
    """A figure of prefill on one GPU type and decode on another, for requests of one length."""

    prefill: str
    decode: str
    figure: SeparateFigure
    rate: float = 100.0
    prompt: int = 1450
    output: int = 483
    slo_ttft: float = 0.5
    slo_tpot: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Curtailed:
    """A figure of a fleet whose GPUs may draw `1 - shed` of their nominal power, by a cap on the batch."""

    shed: float
    figure: CurtailedFigure
    workload: str = AZURE
    rate: float = 200.0
    gpu: str = H100
    gpus: int = 40
    context: int = EIGHT_K


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """The share of time that a node is up which fails so often a day and is repaired in so many seconds."""

    failures_per_day: float
    repair: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OneReplica:
    """A figure of one replica whose places are for `context` tokens, when all its requests have `tokens` tokens.

    `ratio` is how much of a replica such a request takes, in those that one at the context `beside` takes of its own.
    """

    context: int
    figure: ReplicaFigure
    tokens: int = 0
    beside: int = 0
    gpu: str = A100


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressed:
    """Seconds that a compressor takes for a workload's borderline prompts, by `share` of them at most.

    Without a share it is the mean over all requests, of which only the borderline ones are compressed; `median` is then
    the printed one of those, in seconds.
    """

    workload: str
    cut: int
    gamma: float = 1.5
    share: float | None = None
    median: float = 0.0


Asked: TypeAlias = (
    OfFleet
    | OfLengths
    | RunsOut
    | SimulatedPool
    | Routed
    | Disaggregated
    | Curtailed
    | Repaired
    | OneReplica
    | Compressed
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One printed number, None where the paper prints an infinity, and the question that it answers.

    `reproduced` is False where no honest computation gives the printed number, `bound` says that it is printed as the
    most that there may be, `stated` is False where the paper tells of it in words alone; `note` says what is to be said
    of it.
    """

    name: str
    printed: float | None
    asked: Asked
    note: str = ""
    reproduced: bool = True
    bound: bool = False
    stated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published table by its short title, what it is about, and its cells."""

    title: str
    about: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one method says of a cell: a number, None where it has no bound or no answer, and why in a few words."""

    value: float | None
    note: str = ""
