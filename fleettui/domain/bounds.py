"""What bounds the stay of a request in real servers: queues that are full, clients that do not wait for ever."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from fleettui.domain import checks
from fleettui.domain.checks import Positive, PositiveCount, Range
from fleettui.domain.serialization import later
from fleettui.errors import InputError

MOST_RETRIES = 20
Retries = Annotated[int, Range(what="must have a limit", accepted=f"1 to {MOST_RETRIES}", low=1, high=MOST_RETRIES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """`queue` requests may wait at a replica, any number where that is None; a client leaves after `timeout` seconds.

    It leaves unless its first token has come by then; None waits for ever. Who is turned away or leaves comes again up
    to `retries` times, about `backoff` seconds later for the first time and twice as late each further time.
    """

    queue: PositiveCount | None = None
    timeout: Positive | None = None
    retries: Retries | None = later(None)
    backoff: Positive | None = later(None)

    def __post_init__(self) -> None:
        checks.fields(self)
        if self.retries is not None and self.queue is None and self.timeout is None:
            raise InputError(
                "nobody comes again where nobody is turned away or leaves",
                where="--retries",
                remedy="add --queue-limit 200 or --client-timeout 30s",
            )
        if (self.retries is None) != (self.backoff is None):
            lone, missing = ("--retries", "--retry-backoff 1s") if self.retries else ("--retry-backoff", "--retries 3")
            raise InputError(
                "how often and how late requests come again go together", where=lone, remedy=f"add {missing}"
            )

    @property
    def any(self) -> bool:
        """Whether anything bounds it."""
        return self != Bounds()

    def patience(self, front_end: float) -> float:
        """Return how long a client waits for its replica, `front_end` seconds behind the client; infinite without end.

        Raises InputError where no first token can come in time.
        """
        if self.timeout is None:
            return math.inf
        if self.timeout <= front_end:
            raise InputError(
                "every client leaves before its first token: the front end alone takes longer",
                where="--client-timeout",
                value=f"{self.timeout:g} s",
                accepted=f"more than {front_end:g} s",
            )
        return self.timeout - front_end
