"""What a disaggregated fleet costs at other ratios of prefill to decode, as a table of the study of both ways."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fleettui.domain.disagg import Disaggregated
from fleettui.domain.fleet import Pool
from fleettui.domain.study import StudyTable, table_of
from fleettui.reports.studies.disagg_rows import APART, joined

TITLE = "cost by prefill to decode ratio"
WIDER = (1.0, 1.25, 1.5, 2.0, 3.0)
"""Times as many replicas of one pool as suffice."""


def ratios(found: Disaggregated) -> Iterator[StudyTable]:
    """Yield the table of cost by prefill GPUs per decode GPU around the cheapest fleet, as simulated where it was.

    Each pool is the smallest that holds, so that a fleet of another ratio has more replicas of one of them. There is
    none for unlike GPUs, whose prices a study does not have one by one.
    """
    best, proof = found.rows[0], found.apart if found.proven else None
    pools, cost = (best.fleet.pools, best.cost) if proof is None else (proof.pools, proof.cost)
    if pools[0].gpu != pools[1].gpu:
        return
    price = cost / _gpus(pools)
    yield table_of(
        TITLE,
        sorted(_around(pools), key=_ratio),
        ("prefill_per_decode", "number", lambda one: round(_ratio(one), 3)),
        ("cost_per_hour", "dollars per hour", lambda one: price * _gpus(one)),
        ("gpus", "count", _gpus),
        ("fleet", "text", lambda one: joined(APART, one)),
        note="GPUs that prefill for each that decodes; at other ratios than the cheapest a pool has more than it needs",
    )


def _around(pools: tuple[Pool, ...]) -> Iterator[tuple[Pool, ...]]:
    """Yield the fleet, and those with more replicas of one pool, each once."""
    prefill, decode = pools
    for more in dict.fromkeys(math.ceil(by * prefill.replicas) for by in WIDER):
        yield replace(prefill, replicas=more), decode
    for more in dict.fromkeys(math.ceil(by * decode.replicas) for by in WIDER[1:]):
        yield prefill, replace(decode, replicas=more)


def _gpus(pools: Sequence[Pool]) -> int:
    return sum(pool.gpus for pool in pools)


def _ratio(pools: Sequence[Pool]) -> float:
    prefill, decode = pools
    return prefill.gpus / decode.gpus
