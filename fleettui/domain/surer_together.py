"""What the limits that several workloads share give to be surer of every fleet."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.plan import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class SureTogether:
    """The surest fleets within the shared limits that were found, by workload's name with how sure each is.

    There are none where none were found to be as sure as the least that was `sought`, a share of the cases. `gpus`, by
    type, and `cost`, US dollars an hour, are what is paid for.
    """

    fleets: tuple[tuple[str, Candidate, Confidence], ...] = ()
    gpus: tuple[tuple[str, int], ...] = ()
    cost: float = 0.0
    sought: float = LIKELY

    @property
    def holds(self) -> float:
        """In what share of the cases the least sure of these fleets suffices."""
        return min((sure.holds for _, _, sure in self.fleets), default=0.0)

    @property
    def is_likely(self) -> bool:
        """Whether each of these fleets is as good as sure."""
        return bool(self.fleets) and all(sure.is_likely for _, _, sure in self.fleets)
