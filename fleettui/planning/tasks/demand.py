"""From the demand as it is said to requests per second; a closed loop needs the answer to know them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import LEAST_RATE, MOST_RATE, Demand, DerivedDemand
from fleettui.planning.tasks.cases import Case
from fleettui.workloads.demand import derive_demand

FIRST_RESIDENCE = 10.0
"""Seconds in the system that a closed loop starts from; the end does not depend on it."""
CLOSE = 0.005
MOST_ROUNDS = 16
SHORTEST_CYCLE = 1e-3
"""Seconds from one request of a client to its next, below which no engine answers."""
BISECTIONS = 40

Finder = Callable[[DerivedDemand], Answer]


def rate_of(demand: Demand, case: Case, residence: float | None = None) -> DerivedDemand:
    """Return the requests per second of the busiest slice of `case` under `demand`, with the arithmetic.

    `residence` is the mean seconds that a request spends in the system; only a closed loop needs it.
    """
    prompt, output = case.means()
    return derive_demand(
        demand,
        own_rate=case.busiest,
        mean_prompt=prompt,
        mean_output=output,
        residence=residence,
        slices=1 if case.busiest is None else len(case.slices),
    )


def answer_demand(demand: Demand, case: Case, find: Finder) -> Answer:
    """Return what `find` answers at the rate that `demand` comes to."""
    return _closed_loop(demand, case, find) if demand.form == "concurrency" else find(rate_of(demand, case))


def _closed_loop(demand: Demand, case: Case, find: Finder) -> Answer:
    """Return the answer at which N clients with think time Z send X = N/(R + Z) requests per second (Little's law).

    R, the mean residence, is that of the fleet found for X, so X is iterated, half a step at a time since R rises with
    X, until R + Z is met within 0.5 %. Where the whole number of replicas keeps it from settling, the busiest rate of
    the last rounds is taken, which is safe.
    """
    residence, rates = FIRST_RESIDENCE, []
    for _ in range(MOST_ROUNDS):
        derived = rate_of(demand, case, residence)
        answer = find(derived)
        if answer.answer is None:
            return answer
        found = mean_residence(answer.answer)
        if abs(found - residence) <= CLOSE * (residence + demand.think):
            return answer
        rates.append(derived.rate)
        residence = (residence + found) / 2
    return find(_at_rate(demand, case, max(rates[MOST_ROUNDS // 2 :])))


def rate_of_fleet(demand: Demand, case: Case, at: Callable[[float], Candidate]) -> DerivedDemand:
    """Return the demand on a fleet whose sizes are given, which `at` scores at a rate.

    A closed loop of N clients settles where X·(R(X) + Z) = N. The left side rises with X, so it is bisected; the mean
    residence R is infinite where the fleet does not keep up.
    """
    if demand.form != "concurrency":
        return rate_of(demand, case)
    assert demand.concurrency is not None, "Demand checks its fields"

    def residence(rate: float) -> float:
        found = at(rate)
        return mean_residence(found) if max(pool.utilization for pool in found.pools) < 1.0 else math.inf

    low, high = LEAST_RATE, min(MOST_RATE, demand.concurrency / SHORTEST_CYCLE)
    for _ in range(BISECTIONS):
        middle = math.sqrt(low * high)
        below = middle * (residence(middle) + demand.think) < demand.concurrency
        low, high = (middle, high) if below else (low, middle)
    return replace(_at_rate(demand, case, low), pairing=case.pairing)


def mean_residence(candidate: Candidate) -> float:
    """Return the mean seconds that a request spends in the fleet: requests in it over requests per second (Little).

    The sequences in service are counted; a fleet that meets its utilization limit has next to none waiting.
    """
    inside = sum(
        pool.replicas * figures.batch for pool, figures in zip(candidate.fleet.pools, candidate.pools, strict=True)
    )
    return inside / sum(figures.arrival_rate for figures in candidate.pools)


def _at_rate(demand: Demand, case: Case, rate: float) -> DerivedDemand:
    assert demand.concurrency is not None, "Demand checks its fields"
    return rate_of(demand, case, demand.concurrency / rate - demand.think)
