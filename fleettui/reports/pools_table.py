"""The pools of a fleet as tables: what they are, how they run by formula, and how they ran in simulation.

Each column is declared once, for the printed plan, the app's views and the report.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fleettui.domain.fleet import Pool
from fleettui.domain.limit import Latency
from fleettui.domain.limiting import limited_by
from fleettui.domain.plan import Candidate, Evidence, PoolEvidence, PoolFigures
from fleettui.domain.pool_row import PoolRow
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports import bounds_text, classes_text, fleet_text, misrouted_text, prefix_text, redundancy_text, units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.durations import seconds_alike
from fleettui.reports.table import Table
from fleettui.reports.text_page import Item
from fleettui.reports.verdict_words import METHOD_WORDS

VALUE = 6
"""Characters of a latency: 0.44 s."""


def by_formula(candidate: Candidate, limits: Sequence[str] | None = None) -> list[PoolRow]:
    """Return each pool as the formula sees it; `limits` say what limits each, where that is not the formula's, too."""
    return _rows(candidate, candidate.pools, limits)


def known_best(candidate: Candidate, limits: Sequence[str] | None = None) -> list[PoolRow]:
    """Return each pool as it is known best, simulated where it is; `limits` as above."""
    seen = candidate.simulation
    return _rows(candidate, candidate.pools if seen is None else seen.pools, limits)


def _rows(
    candidate: Candidate, known: Sequence[PoolFigures | PoolEvidence], limits: Sequence[str] | None = None
) -> list[PoolRow]:
    by = [pool.limited_by for pool in candidate.pools] if limits is None else limits
    found = zip(candidate.fleet.pools, candidate.pools, known, by, strict=True)
    return [PoolRow(pool=pool, formula=formula, known=one, limited_by=own) for pool, formula, one, own in found]


NAME: Column[PoolRow] = words("pool", lambda row: row.pool.name)
GPUS: Column[PoolRow] = words("GPUs", lambda row: fleet_text.gpus(row.pool))
RATE: Column[PoolRow] = figure("req/s", lambda row: row.formula.arrival_rate, units.per_second)
BUSY: Column[PoolRow] = figure("busy", lambda row: row.known.utilization, units.fraction)
BATCH: Column[PoolRow] = figure(
    "batch",
    lambda row: row.known.batch if math.isfinite(row.known.batch) else None,
    lambda batch: f"{batch:.1f}" if batch < 10 else units.count(batch),
)
MFU: Column[PoolRow] = figure("MFU", lambda row: row.known.mfu, units.fraction)
LIMITED_BY: Column[PoolRow] = words("limited by", lambda row: row.limited_by, wrap=True)


def by_pool(rows: Iterable[PoolRow], *columns: Column[PoolRow], note: str = "") -> Table:
    """Return one row per pool, its name first."""
    return table((NAME, *columns), rows, note=note)


def latency(of: Latency, slo: Slo) -> Column[PoolRow]:
    """Return the column of a latency."""
    return figure(fleet_text.ranked(of, slo), lambda row: fleet_text.estimate(row.known, of).value, units.seconds)


def _interval(of: Latency, slo: Slo) -> Column[PoolRow]:
    """Return the column of a latency with its half-width, the values under one another."""

    limit = next((one.seconds for one in slo.limits() if one.name == of.name), None)
    in_unit = units.seconds if limit is None else seconds_alike([limit])

    def write(row: PoolRow) -> str:
        found = fleet_text.estimate(row.known, of)
        return f"{in_unit(found.value):>{VALUE}} {fleet_text.interval(found)}".rstrip()

    return words(fleet_text.ranked(of, slo), write)


def pools_block(candidate: Candidate, question: Question, tried: Sequence[Candidate] = ()) -> list[Item]:
    """Return the pools as one table by formula, or what they are and then formula and simulation together.

    `tried` are the fleets that were simulated beside it.
    """
    seen = candidate.simulation
    if seen is None:
        return [pools_table(candidate, question)]
    return [sizes_table(candidate, question, tried), "", proof_table(candidate, seen, question)]


def pools_table(candidate: Candidate, question: Question) -> Table:
    """Return one row per pool, by formula: its GPUs, load, use of the hardware, latency, and what limits it."""
    latencies = [latency(one, question.slo) for one in question.slo.latencies()]
    columns = (GPUS, RATE, BUSY, MFU, *latencies, LIMITED_BY)
    return by_pool(by_formula(candidate), *columns, note=_lengths(candidate, question))


def known_table(candidate: Candidate, question: Question, tried: Sequence[Candidate] = ()) -> Table:
    """Return the same with the figures as they are known best, without where the pools divide."""
    latencies = [latency(one, question.slo) for one in fleet_text.latencies(question.slo)]
    seen = candidate.simulated_pools
    told = [
        redundancy_text.key(candidate.fleet.pools),
        prefix_text.told(seen),
        bounds_text.losses(seen),
        classes_text.classes(seen),
    ]
    note = "; ".join(filter(None, told))
    rows = known_best(candidate, limited_by(candidate, question, tried))
    return by_pool(rows, GPUS, RATE, BUSY, MFU, *latencies, LIMITED_BY, note=note)


def sizes_table(candidate: Candidate, question: Question, tried: Sequence[Candidate] = ()) -> Table:
    """Return one row per pool: its GPUs, what arrives, and what keeps it from being smaller."""
    rows = by_formula(candidate, limited_by(candidate, question, tried))
    return by_pool(rows, GPUS, RATE, LIMITED_BY, note=_lengths(candidate, question))


def proof_table(candidate: Candidate, seen: Evidence, question: Question) -> Table:
    """Return two rows per pool, by formula and as simulated: load, use of the hardware, latency with its half-width."""
    columns: tuple[Column[PoolRow], ...] = (
        words("pool", lambda row: "" if row.is_seen else row.pool.name),
        words("known by", lambda row: METHOD_WORDS["simulation" if row.is_seen else "formula"]),
        BUSY,
        BATCH,
        MFU,
        *(_interval(one, question.slo) for one in question.slo.latencies()),
    )
    pairs = zip(by_formula(candidate), _rows(candidate, seen.pools), strict=True)
    return table(columns, [row for pair in pairs for row in pair], note=_losses(seen))


def _lengths(candidate: Candidate, question: Question) -> str:
    """Return which total lengths go to which pool, where there is more than one, and which are compressed."""
    fleet, pools = candidate.fleet, candidate.fleet.pools
    formats = [f"{pool.name} {pool.dtype}" for pool in pools]
    told = [f"number format: {', '.join(formats)}"] if any(pool.dtype != question.dtype for pool in pools) else []
    told += _caches(pools, question)
    whole = any(pool.expert_parallel and not pool.layout for pool in pools)
    told += ["each GPU holds some experts whole"] if whole else []
    told += [f"drafts: {one}" for one in dict.fromkeys(pool.speculative for pool in pools) if one]
    if len(pools) > 1:
        parts = [f"{pool.name} up to {units.count(pool.up_to)}" for pool in pools]
        told.insert(0, f"requests by total tokens: {', '.join(parts)}")
    told += filter(None, [fleet_text.compressed(fleet)])
    told += filter(None, [redundancy_text.key(pools)])
    return "; ".join(told)


def _caches(pools: Sequence[Pool], question: Question) -> list[str]:
    """Return the number format of the caches, where it was asked for or is not bf16."""
    kinds = dict.fromkeys(pool.kv_dtype for pool in pools)
    if len(kinds) > 1:
        return [f"KV cache: {', '.join(f'{pool.name} {pool.kv_dtype}' for pool in pools)}"]
    return [f"KV cache: {kind}" for kind in kinds if question.kv_dtype or kind != "bf16"]


def _losses(seen: Evidence) -> str:
    """Return what was found in caches, what was turned away and what lost its place there, where there was any."""
    preempted = [f"{pool.name} {pool.preemptions:.3g}" for pool in seen.pools if pool.preemptions]
    parts = [
        prefix_text.told(seen.pools),
        misrouted_text.outgrown(seen.pools),
        bounds_text.losses(seen.pools),
        classes_text.classes(seen.pools),
    ]
    parts.append(f"preemptions per 1,000 requests: {', '.join(preempted)}" if preempted else "")
    return "; ".join(filter(None, parts))
