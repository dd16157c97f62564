"""What became of requests whose stay was bounded, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.plan import PoolEvidence
from fleettui.domain.storm import Storm
from fleettui.reports import units


def losses(pools: Sequence[PoolEvidence]) -> str:
    """Return how many requests of each pool were turned away, left and came again; "" where all were served at once."""
    told = [f"{pool.name} {_of(pool)}" for pool in pools if pool.rejected or pool.timed_out]
    again = [f"{pool.name} {_again(pool)}" for pool in pools if pool.retried]
    parts = [f"not served, and in no latency: {', '.join(told)}" if told else ""]
    parts.append(f"came again: {', '.join(again)}" if again else "")
    parts += [f"{pool.name}: {_storm(pool.storm)}" for pool in pools if pool.storm is not None and pool.retried]
    return "; ".join(filter(None, parts))


def _again(pool: PoolEvidence) -> str:
    share, each = pool.retried / pool.offered, pool.attempts / pool.offered
    return f"{100.0 * share:.3g} % ({units.count(pool.retried)}), {each:.4g} attempts a request"


def _storm(storm: Storm) -> str:
    """Return the worst minutes of a run in which requests come again, beside the same where nobody does."""
    return (
        f"{100.0 * storm.met:.4g} % within every limit in the worst {units.seconds(storm.seconds)} of the first run, "
        f"at {storm.attempts:.3g} attempts a request; {100.0 * storm.without:.4g} % where nobody comes again"
    )


def _of(pool: PoolEvidence) -> str:
    share = (pool.rejected + pool.timed_out) / pool.offered
    counts = ((pool.rejected, "rejected"), (pool.timed_out, "timed out"))
    parts = ", ".join(f"{units.count(count)} {what}" for count, what in counts if count)
    return f"{100.0 * share:.3g} % of {units.count(pool.offered)} ({parts})"
