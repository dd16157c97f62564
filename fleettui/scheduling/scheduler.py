"""What a scheduler declares: which waiting request joins a replica's batch next, and what it needs for that.

A declaration loads no arrays, since the options and the app read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


class Rank(Protocol):
    """Which request of a queue is first, in the subset of Python that numba compiles.

    The twin calls the function as it stands, the kernel in machine code, so it may call no other function of ours.
    """

    def __call__(self, request: Any, /) -> float:
        """Return a number of `request`, the same while it waits: the least is first, equals as they came.

        It has `prompt`, `cached` and `output` tokens and its `arrival`. One that was preempted is first all the same.
        """


def first_come(request: Any, /) -> float:  # noqa: ARG001
    """Return the same for every request: they are served as they come."""
    return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """A scheduler: its name, one line of help, when a request joins the batch, and the `rank` of what waits.

    It `reserves` a place's blocks for the pool's whole context, or lets them fill token by token. The formulas take
    requests as they come; `caution` is what a reader of their figures must know, "" where that is so.
    """

    name: str
    help: str
    reserves: bool
    rank: Rank = first_come
    caution: str = ""
