"""What routers do on one fleet that meets the same requests behind each, and the fleet that each would need."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.plan import Estimate, Verdict
from fleettui.domain.storm import Storm


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A router on a fleet: TTFT and TPOT in seconds at the SLO's percentile, of the worst pool of each run.

    `ttft_change` and `tpot_change` are the differences to the plan's own router, run by run. `attainment` is the share
    of requests that kept every limit, `spilled` of those served in a pool of other lengths, `verdict` what the runs
    come to, `unstable` why they give no intervals. `hit` is the share of prompt tokens found in caches, and
    `hit_change` its difference, None where none are kept. `storm` is that of the pool that fares worst in it, where
    requests come again.
    """

    router: str
    ttft: Estimate
    tpot: Estimate
    ttft_change: Estimate
    tpot_change: Estimate
    attainment: Estimate
    verdict: Verdict
    unstable: str = ""
    spilled: float = 0.0
    hit: Estimate | None = None
    hit_change: Estimate | None = None
    storm: Storm | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The smallest fleet that holds behind a router: replicas of each pool, empty where none was found.

    `cost` is in US dollars an hour; `simulated` says whether that is shown by simulation or by formula. The router
    rewrites prompts of up to `gamma` times the end of a shorter pool, none where that is 1.
    """

    router: str
    replicas: tuple[int, ...] = ()
    gpus: int | None = None
    cost: float | None = None
    simulated: bool = False
    gamma: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A router that does not apply: why, as what goes on after its name, and what to do for it to apply."""

    router: str
    why: str
    remedy: str
