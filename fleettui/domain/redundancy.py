"""What spare replicas give: how long enough are up, and what is left of the latencies when some are down."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fleettui.domain.failures import FailingUnit, Rack
from fleettui.domain.serialization import later


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A pool's TTFT at the peak in seconds, at the SLO's percentile, and whether it `holds` every limit.

    `ttft` is None where its queue grows without end, or where nothing `serves` as none of the pool is left. It is by
    formula unless it was `simulated`.
    """

    ttft: float | None
    holds: bool
    simulated: bool = later(False)
    serves: bool = later(True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenServing:
    """A fleet that was simulated at the peak: the replicas of each of its pools, and what each came to."""

    replicas: tuple[int, ...]
    pools: tuple[Serving, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandBy:
    """A number of `spares` for a pool: its GPUs and US dollars an hour with them, and what they give.

    `up` is the share of time that at least the needed replicas are up. Spare replicas serve too: with `all_up` all of
    them, `one_down` those that are left when what fails as one is down, `rack_down` without those of a rack.
    """

    spares: int
    gpus: int
    cost: float
    up: float
    all_up: Serving
    one_down: Serving
    rack_down: Serving | None = later(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A pool on so many `nodes`, `per_node` replicas on each but the last, and what its spares give then.

    With these the needed replicas are up for the target's share of the time.
    """

    per_node: int
    nodes: int
    standing: StandBy


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRedundancy:
    """A pool that needs so many `replicas` at the peak and holds `spares` more; `choices` are none and more of them.

    These are `per_node` on each node, 0 where they fill one node after the other. `spread` is another placement: the
    one with the fewest GPUs where these are not, else the one that fills nodes.
    """

    name: str
    replicas: int
    spares: int
    choices: tuple[StandBy, ...]
    spread: Spread | None = later(None)
    per_node: int = later(0)

    @property
    def chosen(self) -> StandBy:
        """What the pool's own spares give."""
        return next(one for one in self.choices if one.spares == self.spares)

    @property
    def is_spread(self) -> bool:
        """Whether it is counted on to stand on several nodes that it does not fill."""
        return 0 < self.per_node < self.replicas + self.spares


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """How a fleet stands failures: what fails as one, for what share of time each of them is `up`, and the `target`.

    Nodes of a `rack` go down together, too. The target is the share of time that all needed replicas of a pool are to
    be up. Pools share no node.
    """

    of: FailingUnit
    up: float
    target: float
    pools: tuple[PoolRedundancy, ...]
    rack: Rack | None = later(None)

    @property
    def all_needed_up(self) -> float:
        """The share of time that every pool has its needed replicas up."""
        return math.prod(pool.chosen.up for pool in self.pools)
