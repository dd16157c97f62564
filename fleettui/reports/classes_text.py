"""How requests of two classes fared, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.limit import ALWAYS, BATCH, Latency
from fleettui.domain.plan import Estimate, PoolEvidence
from fleettui.reports import units


def classes(pools: Sequence[PoolEvidence]) -> str:
    """Return how many of each class kept their limits in each pool, and the latencies of class batch; "" without it."""
    told = [f"{pool.name} {_of(pool)}" for pool in pools if pool.attainments]
    of_whom = "latencies are of interactive requests unless they say batch"
    return f"{of_whom}; kept their limits: {'; '.join(told)}" if told else ""


def _of(pool: PoolEvidence) -> str:
    kept = ", ".join(f"{name} {_share(share)}" for name, share in pool.attainments)
    of_batch = ((metric.label, pool.at(Latency(metric=metric.name, batch=True))) for metric in ALWAYS)
    latencies = ", ".join(f"{label} {units.seconds(found.value)}" for label, found in of_batch if found.value)
    return f"{kept}, {BATCH} {latencies}" if latencies else kept


def _share(found: Estimate) -> str:
    return "-" if found.value is None else f"{100.0 * found.value:.3g} %"
