"""What a failure does to a fleet of several pools, of which it takes a part of one; and what is kept over the years."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.failing import Case, Odds, Outage, Steady
from fleettui.domain.plan import Candidate
from fleettui.reports.studies.burst import between, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A case with what is known of it, and the share of time in which no more are down."""

    case: Case
    steady: Steady
    outage: Outage
    no_more: float


def traffic(best: Candidate) -> list[float]:
    """Return the share of the requests that each pool has."""
    rates = [pool.arrival_rate for pool in best.pools]
    return [rate / sum(rates) for rate in rates]


def one_failure(rows: Sequence[Row], pools: int) -> list[Row]:
    """Return of each pool the case that one failure comes to: a node with all its replicas, or a single replica."""
    own = [[row for row in rows if row.case.place == place] for place in range(pools)]
    return [next((row for row in of_pool if row.case.node), of_pool[0]) for of_pool in own]


def as_many(rows: Sequence[Row], spares: Sequence[int]) -> list[Row]:
    """Return the cases in which as many replicas of one pool are down as it holds spare."""
    cases = ((row, row.case.place) for row in rows)
    return [row for row, place in cases if place is not None and row.case.down[place] == spares[place]]


def least_held(rows: Sequence[Row]) -> Row:
    """Return a case that fails, else one that is not proven, else one that holds."""
    order = {"fail": 0, "pass": 2}
    return min(rows, key=lambda row: order.get(row.steady.verdict, 1))


def worst(failing: Sequence[Row]) -> Row:
    """Return the failure in which the fewest requests are within every limit."""
    return min(failing, key=lambda row: 1.0 if row.outage.inside.value is None else row.outage.inside.value)


def by_pool(failing: Sequence[Row], per_year: Sequence[float], names: Sequence[str]) -> str:
    """Return how often a failure is of which pool, what is kept meanwhile, and on average over the failures."""
    told, kept = [], 0.0
    for row, often, name in zip(failing, per_year, names, strict=True):
        share = row.outage.inside
        told.append(f"{often:.3g} of pool {name}, {percent(share.value or 0.0)}{between(share)}")
        kept += often * (share.value or 0.0) / sum(per_year)
    return (
        f"of {sum(per_year):.3g} failures a year {'; '.join(told)} within every limit meanwhile; on average over the "
        f"failures {percent(kept)}"
    )


def at_least(rows: Sequence[Row], odds: Odds, shares: Sequence[float]) -> float:
    """Return the share of requests within every limit in the long run at least, always at the peak.

    Each case counts for the time in which no more of its pool is down. Where it is not known what a case keeps, and
    where more are down than in any, its pool, which has one of the `shares` of the requests, keeps nothing.
    """
    whole = _least(rows[0]) or 0.0
    kept = whole
    for place, share in enumerate(shares):
        nothing = max(whole - share, 0.0)
        steps = [(odds.all_up[place], whole)]
        for row in rows:
            if row.case.place == place:
                known = _least(row)
                steps.append((row.no_more, nothing if known is None else known))
        own, before = 0.0, 0.0
        for no_more, met in (*sorted(steps, key=lambda step: step[0]), (1.0, nothing)):
            own += max(no_more - before, 0.0) * met
            before = max(no_more, before)
        kept -= whole - own
    return max(kept, 0.0)


def _least(row: Row) -> float | None:
    met = row.steady.met
    return met.value if met.low is None else met.low
