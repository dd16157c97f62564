"""A fleet that a search simulated, and what it showed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Candidate, Evidence, PoolEvidence, Verdict
from fleettui.domain.scenario import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A fleet that was simulated, its evidence in the candidate, and what is known of each pool (None: nothing).

    `utilization` is each pool's by the formula. `shares` has a row per pool: its latency under each limit of the
    question as a share of the limit, None where it is undefined. `demand` is what the fleet was asked for, where that
    is its own: each drives a closed loop at another rate. `reasons` and `warnings` are what a reader should know of
    the fleet. It is `open` where more runs may prove what these did not.
    """

    candidate: Candidate
    pools: tuple[Verdict | None, ...]
    utilization: tuple[float, ...]
    shares: tuple[tuple[float | None, ...], ...] = ()
    demand: DerivedDemand | None = None
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    open: bool = False

    @property
    def sizes(self) -> tuple[int, ...]:
        """The replicas of each pool."""
        return tuple(pool.replicas for pool in self.candidate.fleet.pools)

    @property
    def passes(self) -> bool:
        """Whether every pool does."""
        return all(one == "pass" for one in self.pools)

    @property
    def strain(self) -> float:
        """The largest share of a limit that some pool's latency is, 0 where there is none."""
        return max((one for row in self.shares for one in row if one is not None), default=0.0)

    @property
    def evidence(self) -> Evidence:
        """What the simulation showed."""
        assert self.candidate.evidence is not None, "a trial has evidence"
        return self.candidate.evidence

    @property
    def verdict(self) -> Verdict:
        """Return what the fleet comes to: its evidence's verdict, unless its load or a constraint rules it out."""
        return "fail" if "fail" in self.pools or self.candidate.shortfalls else self.evidence.verdict

    @property
    def good(self) -> bool:
        """Whether it passes and breaks no constraint: its `shortfalls` are empty."""
        return self.passes and not self.candidate.shortfalls


def trial_of(candidate: Candidate, question: Question, utilization: Sequence[float] = ()) -> Trial:
    """Return the trial of a simulated candidate under a question; `utilization` of its pools is its own unless given.

    A pool that is busier than it may be fails.
    """
    evidence, most = candidate.evidence, question.max_utilization * (1 + 1e-9)
    assert evidence is not None, "it was simulated"
    busy = tuple(utilization or (pool.utilization for pool in candidate.pools))
    return Trial(
        candidate=candidate,
        pools=tuple(pool.verdict if own <= most else "fail" for own, pool in zip(busy, evidence.pools, strict=True)),
        utilization=busy,
        shares=shares_of_limits(evidence.pools, question),
    )


def shares_of_limits(pools: Iterable[PoolEvidence], question: Question) -> tuple[tuple[float | None, ...], ...]:
    """Return each pool's latency under each limit of a question as a share of the limit, None where it is undefined."""
    limits = question.held_limits()
    found = ([(pool.at(limit).value, limit.seconds) for limit in limits] for pool in pools)
    return tuple(tuple(None if value is None else value / most for value, most in row) for row in found)
