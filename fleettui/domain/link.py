"""What went over a replica's way to the memory beside its GPUs, and what that was for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Bytes per second of each GPU that came from its memory beside, `read`, and that went there, `written`.

    `fetched` is the share of prompt tokens that came over it, `recomputed` that of those which were there and were
    computed all the same, since that was sooner; both are 0 where it takes preempted sequences alone.
    """

    read: float
    written: float
    fetched: float = 0.0
    recomputed: float = 0.0

    @classmethod
    def mean(cls, links: Sequence[Link]) -> Link:
        """Return the means over runs, the same for any order.

        >>> Link.mean([Link(read=1.0, written=2.0), Link(read=2.0, written=4.0, fetched=0.5)])
        Link(read=1.5, written=3.0, fetched=0.25, recomputed=0.0)
        """
        return cls(
            **{one.name: math.fsum(getattr(link, one.name) for link in links) / len(links) for one in fields(cls)}
        )
