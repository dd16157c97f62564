"""How much capacity to commit to: the newsvendor's cut on the load duration curve.

The k-th unit is used for the share u(k) of the time in which k or more are needed. Committed it costs `reserved` all
the time, on demand `on_demand`·u(k), as spot `spot`·u(k): each level has its cheapest, so that the cut is exact. A unit
is what comes together, a GPU or an instance of several; costs are US dollars an hour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Units to commit to, units of `spot` beyond them at most, and on demand beyond both at most.

    `cost` are US dollars an hour on average; `reserved_use`, `spot_use` and `on_demand_use` the units in use of each.
    """

    reserved: int
    spot: int
    on_demand: int
    cost: float
    reserved_use: float
    spot_use: float
    on_demand_use: float

    @property
    def most(self) -> int:
        """The units that are needed at most."""
        return self.reserved + self.spot + self.on_demand


def duration_curve(spans: Iterable[tuple[float, int]]) -> tuple[float, ...]:
    """Return the share of the time in which at least 1, 2, ... units are needed, of (length, units) of stretches.

    >>> duration_curve([(1.0, 1), (2.0, 3), (1.0, 0)])
    (0.75, 0.5, 0.5)
    """
    lengths: dict[int, float] = {}
    for length, units in spans:
        lengths[units] = lengths.get(units, 0.0) + length
    whole, above, shares = math.fsum(lengths.values()), 0.0, []
    for units in range(max(lengths, default=0), 0, -1):
        above += lengths.get(units, 0.0)
        shares.append(min(above / whole, 1.0))
    return tuple(reversed(shares))


def best_cut(
    shares: Sequence[float],
    *,
    on_demand: float,
    reserved: float | None = None,
    least: int = 0,
    spot: float | None = None,
    most_spot: int = 0,
) -> Cut:
    """Return the cheapest way to have the units of a duration curve; no more than `most_spot` are ever spot.

    The first `least` units are committed to whatever that costs.

    Without a price of a class there is none of it. Levels that spot saves most on lie on both sides of the level from
    which committing pays, side by side: what it saves rises towards that level and falls beyond it.
    """
    held = math.inf if reserved is None else reserved
    cut = max(least, sum(held < on_demand * share for share in shares))
    first = last = cut
    if spot is not None and spot < on_demand:
        saved = [min(held, on_demand * share) - spot * share for share in shares]
        while last - first < min(most_spot, len(shares)):
            below = saved[first - 1] if first else -math.inf
            above = saved[last] if last < len(saved) else -math.inf
            if max(below, above) <= 0.0:
                break
            first, last = (first - 1, last) if below > above else (first, last + 1)
    low, middle, high = shares[:first], shares[first:last], shares[last:]
    cost = len(low) * (held if low else 0.0) + math.fsum(middle) * (spot or 0.0) + math.fsum(high) * on_demand
    return Cut(
        reserved=len(low),
        spot=len(middle),
        on_demand=len(high),
        cost=cost,
        reserved_use=math.fsum(low),
        spot_use=math.fsum(middle),
        on_demand_use=math.fsum(high),
    )


def break_even(reserved: float, on_demand: float) -> float:
    """Return the share of the time from which a unit that is used for it is cheaper committed.

    >>> break_even(2.25, 2.95) * 730
    556.7796610169491
    """
    return reserved / on_demand


def spares(expected: float, certain: float) -> int:
    """Return the least number that a Poisson count of mean `expected` stays within with probability `certain`.

    >>> spares(0.01, 0.999), spares(0.05, 0.999), spares(0.0, 0.999)
    (1, 2, 0)
    """
    chance = below = math.exp(-expected)
    count = 0
    while below < certain:
        count += 1
        chance *= expected / count
        below += chance
    return count


def owned_per_hour(
    *, capex: float, years: float, resale: float, watts: float, power_price: float, hosting: float
) -> float:
    """Return US dollars an hour of one GPU that is bought, whether it is used or not.

    `capex` US dollars less the share `resale` over `years` of 8,760 hours; `watts` at the meter at `power_price` (US
    dollars per kWh) and `hosting` (US dollars per kW and hour).

    >>> round(owned_per_hour(capex=35_040, years=4, resale=0, watts=1000, power_price=0.1, hosting=0.2), 6)
    1.3
    """
    return capex * (1.0 - resale) / (years * 8760.0) + watts / 1000.0 * (power_price + hosting)
