"""The pools of a fleet as tables: what they are, how they run by formula, and how they ran in simulation."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.limit import Latency
from fleettui.domain.plan import Candidate, Estimate, Evidence, PoolEvidence, PoolFigures
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.reports.table import Head, Table
from fleettui.reports.text_page import Item

VALUE = 6
"""Characters of a latency: 0.44 s."""


def pools_block(candidate: Candidate, question: Question) -> list[Item]:
    """Return the pools as one table by formula, or what they are and then formula and simulation together."""
    seen = fleet_text.simulation_of(candidate)
    if seen is None:
        return [pools_table(candidate, question)]
    return [sizes_table(candidate, question), "", proof_table(candidate, seen, question)]


def pools_table(candidate: Candidate, question: Question) -> Table:
    """Return one row per pool, by formula: its GPUs, load, use of the hardware, latency, and what limits it."""
    return _table(candidate, candidate.pools, question, brief=False)


def known_table(candidate: Candidate, question: Question) -> Table:
    """Return the same with the figures as they are known best, simulated where they are, in as few words as can be."""
    seen = fleet_text.simulation_of(candidate)
    return _table(candidate, candidate.pools if seen is None else seen.pools, question, brief=True)


def _table(
    candidate: Candidate, known: Sequence[PoolFigures | PoolEvidence], question: Question, *, brief: bool
) -> Table:
    """Return one row per pool with the figures `known`; `brief` leaves out where the pools divide."""
    latencies = fleet_text.latencies(question.slo) if brief else question.slo.latencies()
    columns = (
        Head(title="pool"),
        Head(title="GPUs"),
        Head(title="req/s", align="right"),
        Head(title="busy", align="right"),
        Head(title="MFU", align="right"),
        *(Head(title=title, align="right") for title in _titles(question, latencies)),
        Head(title="limited by", wrap=True),
    )
    rows = tuple(
        (
            pool.name,
            fleet_text.gpus(pool),
            units.per_second(figures.arrival_rate),
            units.fraction(found.utilization),
            units.fraction(found.mfu),
            *(units.seconds(fleet_text.estimate(found, one).value) for one in latencies),
            figures.limited_by,
        )
        for pool, figures, found in zip(candidate.fleet.pools, candidate.pools, known, strict=True)
    )
    return Table(columns=columns, rows=rows, note="" if brief else _lengths(candidate, question))


def sizes_table(candidate: Candidate, question: Question) -> Table:
    """Return one row per pool: its GPUs, what arrives, and what keeps it from being smaller."""
    columns = (
        Head(title="pool"),
        Head(title="GPUs"),
        Head(title="req/s", align="right"),
        Head(title="limited by", wrap=True),
    )
    rows = tuple(
        (pool.name, fleet_text.gpus(pool), units.per_second(figures.arrival_rate), figures.limited_by)
        for pool, figures in zip(candidate.fleet.pools, candidate.pools, strict=True)
    )
    return Table(columns=columns, rows=rows, note=_lengths(candidate, question))


def proof_table(candidate: Candidate, seen: Evidence, question: Question) -> Table:
    """Return two rows per pool, by formula and as simulated: load, use of the hardware, latency with its half-width."""
    columns = (
        Head(title="pool"),
        Head(title="known by"),
        Head(title="busy", align="right"),
        Head(title="batch", align="right"),
        Head(title="MFU", align="right"),
        *(Head(title=title) for title in _titles(question, question.slo.latencies())),
    )
    rows = [
        row
        for figures, found in zip(candidate.pools, seen.pools, strict=True)
        for row in (
            (figures.name, fleet_text.METHOD_WORDS["formula"], *_figures(figures, question)),
            ("", fleet_text.METHOD_WORDS["simulation"], *_figures(found, question)),
        )
    ]
    return Table(columns=columns, rows=tuple(rows), note=_losses(seen))


def _figures(pool: PoolFigures | PoolEvidence, question: Question) -> tuple[str, ...]:
    return (
        units.fraction(pool.utilization),
        f"{pool.batch:.1f}" if pool.batch < 10 else units.count(pool.batch),
        units.fraction(pool.mfu),
        *(_latency(fleet_text.estimate(pool, one)) for one in question.slo.latencies()),
    )


def _latency(found: Estimate) -> str:
    """Return a latency with its half-width, the values under one another."""
    return f"{units.seconds(found.value):>{VALUE}} {fleet_text.interval(found)}".rstrip()


def _titles(question: Question, latencies: Sequence[Latency]) -> list[str]:
    return [fleet_text.ranked(one, question.slo) for one in latencies]


def _lengths(candidate: Candidate, question: Question) -> str:
    """Return which total lengths go to which pool, where there is more than one, and which are compressed."""
    fleet, pools = candidate.fleet, candidate.fleet.pools
    formats = [f"{pool.name} {pool.dtype}" for pool in pools]
    words = [f"number format: {', '.join(formats)}"] if question.dtype == "auto" else []
    if len(pools) > 1:
        parts = [f"{pool.name} up to {units.count(pool.up_to)}" for pool in pools]
        words.insert(0, f"requests by total tokens: {', '.join(parts)}")
    words += filter(None, [fleet_text.compressed(fleet)])
    if any(pool.spares for pool in pools):
        words.append("replicas after a + stand by for those that are down")
    return "; ".join(words)


def _losses(seen: Evidence) -> str:
    """Return what was turned away and what lost its place in the cache, where there was any."""
    rejected = [f"{pool.name} {units.count(pool.rejected)}" for pool in seen.pools if pool.rejected]
    preempted = [f"{pool.name} {pool.preemptions:.3g}" for pool in seen.pools if pool.preemptions]
    parts = [f"requests rejected: {', '.join(rejected)}" if rejected else ""]
    parts.append(f"preemptions per 1,000 requests: {', '.join(preempted)}" if preempted else "")
    return "; ".join(filter(None, parts))
