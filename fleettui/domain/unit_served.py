"""What of the asked requests a fleet serves: those that are turned away, or whose clients leave, are not."""

from __future__ import annotations

import math

from fleettui.domain.plan import Candidate


def served_share(candidate: Candidate) -> float:
    """Return the share of the offered requests that are served as simulated, 1 where a simulation counted none lost."""
    seen = candidate.simulation
    if seen is None:
        return 1.0
    offered = sum(pool.offered for pool in seen.pools) or seen.requests
    lost = sum(pool.rejected + pool.timed_out for pool in seen.pools)
    return max(0.0, 1.0 - lost / offered) if offered else 1.0


def cost_per_million(candidate: Candidate) -> float:
    """Return US dollars per million output tokens that are served, infinite where none is."""
    share = served_share(candidate)
    return candidate.cost_per_million_output_tokens / share if share else math.inf
