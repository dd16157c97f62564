"""From runs in which replicas failed to figures, beside the runs in which none did."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fleettui.domain.failing import AsTheyCome, FailingRun, Outage, PoolCount
from fleettui.simulation.statistics import LATENCY, SHARE, estimate
from fleettui.simulation.stretch_figures import Run, stretch_figures

INSIDE = 1
"""The place among the phases of the one in which replicas are down."""


def outage_figures(runs: Sequence[Run], without: Sequence[Run], *, share: float, step: float) -> Outage:
    """Return what the `runs` show, each beside the one of `without` that met the same requests."""
    whole = stretch_figures(runs, share=share, step=step)

    offered, rejected, lost = (sum(of(run) for run in runs) for of in (_offered, _rejected, _lost))
    inside, slowest = whole.phases[INSIDE], whole.pools[-1]
    return Outage(
        met=estimate([_met(run) for run in runs], ends=SHARE),
        inside=inside.met,
        worst=whole.worst,
        change=estimate([_inside(run) - _inside(other) for run, other in zip(runs, without, strict=True)]),
        ttft=inside.ttft,
        waiting=slowest.waiting,
        recovered=slowest.recovered,
        unrecovered=slowest.unrecovered,
        offered=offered,
        completed=offered - rejected - lost,
        rejected=rejected,
        lost=lost,
    )


def as_they_come(runs: Sequence[Sequence[FailingRun]], seconds: float, expected: float) -> AsTheyCome:
    """Return what `runs` of every pool come to, each of so many seconds; the worst span is the whole fleet's."""
    pairs = [([pool.count for pool in run], [pool.without for pool in run]) for run in runs]
    counts = [pool for own, _ in pairs for pool in own]
    offered, rejected, lost = (sum(getattr(one, name) for one in counts) for name in ("offered", "rejected", "lost"))
    return AsTheyCome(
        seconds=seconds,
        met=estimate([_kept(own) for own, _ in pairs], ends=SHARE),
        worst=estimate([_worst_span(own) for own, _ in pairs], ends=SHARE),
        without=estimate([_kept(other) for _, other in pairs], ends=SHARE),
        without_worst=estimate([_worst_span(other) for _, other in pairs], ends=SHARE),
        change=estimate([_kept(own) - _kept(other) for own, other in pairs]),
        failures=estimate([sum(pool.failures for pool in run) for run in runs], ends=LATENCY),
        full=estimate([math.prod(pool.full for pool in run) for run in runs], ends=SHARE),
        expected=expected,
        offered=offered,
        completed=offered - rejected - lost,
        rejected=rejected,
        lost=lost,
    )


def _kept(pools: Sequence[PoolCount]) -> float:
    return sum(one.met for one in pools) / max(sum(one.offered for one in pools), 1)


def _worst_span(pools: Sequence[PoolCount]) -> float:
    spans = [tuple(map(sum, zip(*span, strict=True))) for span in zip(*(one.spans for one in pools), strict=True)]
    return min((met / offered for offered, met in spans if offered), default=1.0)


def _offered(run: Run) -> int:
    return sum(one.offered for pool in run for one in pool.phases)


def _met(run: Run) -> float:
    return sum(one.met for pool in run for one in pool.phases) / max(_offered(run), 1)


def _inside(run: Run) -> float:
    """Return the share within every limit of what came while they were down."""
    parts = [pool.phases[INSIDE] for pool in run]
    return sum(one.met for one in parts) / max(sum(one.offered for one in parts), 1)


def _rejected(run: Run) -> int:
    return sum(pool.rejected for pool in run)


def _lost(run: Run) -> int:
    return sum(pool.lost for pool in run)
