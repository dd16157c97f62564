"""What an autoscaling policy declares, what it sees in each cycle, and what it answers.

A declaration loads no arrays: the command line and the app read it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from fleettui.domain.autoscale import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaLoad:
    """A ready replica: its requests that wait, and the share of its cache that is taken."""

    waiting: int
    cache: float


class Signals(NamedTuple):
    """What a cycle of `seconds` that ends `now` shows of a pool.

    `arrived` are its offered requests, each counted when it comes first; `rejected` attempts were turned away.
    `in_flight` are there now, `waiting` of them not yet in a batch. `busy` is the share of the ready replicas at work:
    what a GPU's utilization shows. `completed` requests took `sojourn` seconds together. `provisioned` replicas are
    `ready` or starting. `replicas` looks at each ready one.
    """

    now: float
    seconds: float
    arrived: int
    rejected: int
    in_flight: int
    waiting: int
    busy: float
    completed: int
    sojourn: float
    ready: int
    provisioned: int
    replicas: Callable[[], Sequence[ReplicaLoad]]

    @property
    def rate(self) -> float:
        """Requests per second that were offered."""
        return self.arrived / self.seconds


class Decision(NamedTuple):
    """The replicas that a policy wants, and the words that say why, made where somebody asks for them."""

    target: int
    reason: Callable[[], str]


class Controller(Protocol):
    """A policy at work on one pool, from cycle to cycle."""

    def decide(self, seen: Signals, /) -> Decision:
        """Return what it wants from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """What a policy is tuned by: the name of a rule, and the values that are tried."""

    rule: Literal["beta", "step", "buffer", "hold", "target"]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A policy: its name, one line of help, its law and its settings in words, and how it starts on a pool.

    `constant` ones never change; `foresees` says that it knows the traffic beforehand, as no policy in production does.
    `knobs` are what it is tuned by, one after the other. Those that scale `to_none` let a pool go where it may be
    empty, and launch for what waits in front of it; others keep one replica, without which they see nothing.
    """

    name: str
    help: str
    law: str
    start: Callable[[Site], Controller]
    constant: bool = False
    foresees: bool = False
    knobs: tuple[Knob, ...] = ()
    to_none: bool = False
