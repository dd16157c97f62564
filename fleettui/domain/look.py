"""A fleet that was simulated for a few runs, to see whether it holds at a rate."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.plan import Candidate, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A fleet that was simulated under a plan's question, at a `rate` in requests/s; its evidence is in the candidate.

    One that would be busier than it may be is looked at by formula alone.
    """

    rate: float
    candidate: Candidate

    @property
    def sizes(self) -> tuple[int, ...]:
        """The replicas of each pool."""
        return tuple(pool.replicas for pool in self.candidate.fleet.pools)

    @property
    def evidence(self) -> Evidence:
        """What the simulation showed."""
        assert self.candidate.evidence is not None, "it was looked at"
        return self.candidate.evidence

    @property
    def holds(self) -> bool:
        """Whether every pool passes."""
        return self.evidence.verdict == "pass"
