"""What a router sees when a request comes: its rule may read what stands here by name, and nothing else.

The plain engine hands a rule these values, the compiled one its records, which have fields of the same names.
Times are seconds from the start of the run, blocks have as many tokens as the engine's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Coming(Protocol):
    """The request that comes."""

    arrival: float  # the time now
    prompt: int
    cached: int  # of the prompt's tokens, those that are cached wherever it goes
    output: int  # tokens that it will put out, which a router outside a simulation does not know
    batch: bool  # whether it is of class batch, not interactive
    pool: int  # place among the pools of the one whose lengths it has
    tie: float  # drawn from [0, 1), for what is left to chance


@dataclass(slots=True, kw_only=True)
class Seen:
    """A replica, as it is now or as it was when the router last looked at the loads."""

    load: int = 0  # requests that wait or run there
    running: int = 0  # those of them that run
    tokens: int = 0  # of the prompts of all of them
    used: int = 0  # blocks of its memory that somebody holds; who waits holds none
    sent: int = 0  # tokens that the request's prompt begins with and that were sent there before; see Router.remembers
    latest: float = -math.inf  # when a request was last sent there, always as it is now; -inf before the first


@dataclass(slots=True, kw_only=True)
class PoolSeen:
    """A pool, and what each of its replicas may have."""

    start: int = 0  # the number of its first replica
    replicas: int
    places: int  # sequences that one runs at once at most
    queue: int  # requests that may wait at one; it turns away whoever comes then
    blocks: int  # that one's memory has
    block: int = 16  # tokens of one of them
    budget: int  # tokens of one step at most
    full: int  # the load at which one has as many requests as it serves at once on average
    arrived: int  # requests that were sent to the pool before this one
    least: int  # the smallest load of its replicas
    waiting: int = 0  # requests that wait at a replica of that load, for rules that choose a pool
    levels: int = 0  # where its part of `Sights.ends` begins
    home: int = -1  # that of its replicas which served the session's round before, -1 if none; see Router.of_sessions


class Sights(Protocol):
    """All replicas by number, and each pool's by load.

    `order` has a pool's replicas from place `pool.start` on, those of smaller loads first; `ends[pool.levels + load]`
    of them have at most that load.
    """

    @property
    def seen(self) -> Sequence[Seen]:
        """The replicas."""

    @property
    def order(self) -> Sequence[int]:
        """Their numbers by load."""

    @property
    def ends(self) -> Sequence[int]:
        """How many have at most each load."""
