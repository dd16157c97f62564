"""A fleet by the papers' method: as their formulas see it, and as a simulation does whose slots are held."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.plan import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldSlots:
    """What long runs of a pool show whose requests hold a slot for their whole time: P99 TTFT in seconds, and busy."""

    ttft: Estimate
    utilization: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperPool:
    """A pool of the papers' fleet: `rate` in requests/s of (above, up_to] tokens, `replicas` of so many `slots`.

    `ttft` is the P99 wait and mean prefill that the papers print, in seconds, infinite None; `held` what a simulation
    shows, None where there was none, or where no number of runs would show it (`utilization` of 1 and more).
    """

    gpu: str
    replicas: int
    slots: int
    above: int
    up_to: int
    rate: float
    utilization: float
    ttft: float | None
    held: HeldSlots | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFleet:
    """A fleet of one or two such pools: `cost` in US dollars an hour, one GPU's price for each replica."""

    pools: tuple[PaperPool, ...]
    gamma: float = 1.0
    cost: float
    rate: float

    @property
    def gpus(self) -> int:
        """Replicas, each a GPU to the papers."""
        return sum(pool.replicas for pool in self.pools)

    @property
    def ttft(self) -> float | None:
        """The TTFT that the papers print of the worst pool, None where one has none."""
        found = [pool.ttft for pool in self.pools]
        known = [one for one in found if one is not None]
        return max(known) if len(known) == len(found) else None

    @property
    def held(self) -> Estimate | None:
        """The simulated P99 TTFT of the worst pool, None unless all were simulated."""
        found = [pool.held for pool in self.pools]
        known = [one.ttft for one in found if one is not None and one.ttft.value is not None]
        return max(known, key=lambda one: one.value or 0.0) if len(known) == len(found) else None

    def within(self, limit: float) -> bool | None:
        """Return whether the simulated TTFT is within a limit in seconds, None where that is not shown."""
        held = self.held
        if any(pool.utilization >= 1.0 for pool in self.pools):
            return False
        if held is None or held.low is None or held.high is None:
            return None
        return True if held.high <= limit else False if held.low > limit else None
