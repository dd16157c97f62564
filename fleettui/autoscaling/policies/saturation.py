"""One replica more or less by how near the replicas are to saturation, as llm-d's workload variant autoscaler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.autoscaling.policy import Decision, Policy, ReplicaLoad, Signals
from fleettui.domain.autoscale import Site

INTERVAL = 60.0
CACHE, QUEUE = 0.80, 5
"""From where on a replica is saturated: the share of its cache that is taken, the requests that wait."""
SPARE_CACHE, SPARE_QUEUE = 0.10, 3.0
"""What the others must have to spare on average."""
ROUNDING = 1e-9


def spare(replicas: Sequence[ReplicaLoad]) -> tuple[float, float]:
    """Return what the replicas that are not saturated have to spare on average: share of cache, waiting requests."""
    well = [one for one in replicas if one.cache < CACHE and one.waiting < QUEUE]
    if not well:
        return 0.0, 0.0
    return sum(CACHE - one.cache for one in well) / len(well), sum(QUEUE - one.waiting for one in well) / len(well)


def without_one(replicas: Sequence[ReplicaLoad]) -> tuple[ReplicaLoad, ...]:
    """Return the replicas with one fewer, whose load the others share."""
    factor = len(replicas) / (len(replicas) - 1)
    return tuple(
        ReplicaLoad(waiting=round(one.waiting * factor), cache=one.cache * factor)
        for one in replicas[: len(replicas) - 1]
    )


@dataclass(slots=True, kw_only=True)
class Controller:
    """Decides once a minute; while a replica starts it asks for no more."""

    site: Site
    since: float = 0.0

    def decide(self, seen: Signals, /) -> Decision:
        """Return one more, one fewer or as many."""
        if seen.now - self.since + ROUNDING < INTERVAL:
            return Decision(seen.provisioned, lambda: "its minute is not over")
        self.since, loads = seen.now, seen.replicas()
        cache, queue = spare(loads)
        change, starting = 0, seen.provisioned > seen.ready
        if cache < SPARE_CACHE or queue < SPARE_QUEUE:
            change = 0 if starting else 1
        elif len(loads) > 1 and not starting:
            cache_then, queue_then = spare(without_one(loads))
            change = -int(cache_then >= SPARE_CACHE and queue_then >= SPARE_QUEUE)
        wanted = min(max(seen.provisioned + change, self.site.least), self.site.most)
        return Decision(wanted, lambda: f"to spare: {cache:.0%} of the cache, {queue:.1f} waiting")


def start(site: Site) -> Controller:
    """Return the autoscaler on a pool."""
    return Controller(site=site)


POLICY = Policy(
    name="saturation",
    help="cache and queue to spare, as llm-d",
    law="one more where less than 10% of the cache or 3 waiting are to spare, one fewer where that would still hold",
    start=start,
)
