"""From the demand as it is said to requests per second; a closed loop needs the answer to know them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from fleettui.domain.demand import LEAST_RATE, MOST_RATE, Demand, DerivedDemand
from fleettui.domain.plan import Answer, Candidate
from fleettui.planning.tasks.workload_slices import Case
from fleettui.workloads.demand import derive_demand

FIRST_RESIDENCE = 10.0
"""Seconds in the system that a closed loop starts from; the end does not depend on it."""
CLOSE = 0.005
MOST_ROUNDS = 16
SHORTEST_CYCLE = 1e-3
"""Seconds from one request of a client to its next, below which no engine answers."""
BISECTIONS = 40
SECANTS = 12
CLOSEST = 1e-11
"""Rates as close to each other as this count as one, as they do after the last bisection."""

Finder = Callable[[DerivedDemand], Answer]


def rate_of(demand: Demand, case: Case, residence: float | None = None) -> DerivedDemand:
    """Return the requests per second of the busiest slice of `case` under `demand`, with the arithmetic.

    `residence` is the mean seconds that a request spends in the system; only a closed loop needs it.
    """
    prompt, output = case.means()
    derived = derive_demand(
        demand,
        own_rate=case.busiest,
        mean_prompt=prompt,
        mean_output=output,
        residence=residence,
        slices=1 if case.busiest is None else len(case.slices),
        timing=case.timing,
    )
    return derived if demand.form == "concurrency" else replace(derived, day_share=case.day_share)


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

    A closed loop of N clients settles where X·(R(X) + Z) = N; the mean residence R is infinite where the fleet does not
    keep up. Since R rises with X, a rate X and its image N/(R(X) + Z) stand on two sides of the solution. Secants that
    are told so come close to it, and the bisection, whose last digit is the answer's, asks only for what is still open.
    """
    if demand.form != "concurrency":
        return rate_of(demand, case)
    clients, think = demand.concurrency, demand.think
    assert clients is not None, "Demand checks its fields"
    low, high = LEAST_RATE, min(MOST_RATE, clients / SHORTEST_CYCLE)
    least, most = low, high  # between which the solution is known to lie
    tried: list[tuple[float, float]] = []

    def is_below(rate: float) -> bool:
        nonlocal least, most
        if least < rate < most:
            found = at(rate)
            keeps_up = found.busiest.utilization < 1.0
            image = clients / (mean_residence(found) + think) if keeps_up else 0.0
            least, most = max(least, min(rate, image)), min(most, max(rate, image))
            tried.append((math.log(rate), math.log(image / rate) if image else -math.inf))
            return rate < image
        return rate <= least

    while len(tried) < SECANTS and most / least > 1.0 + CLOSEST:
        is_below(_between(tried[-2:], least, most))
    for _ in range(BISECTIONS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return replace(_at_rate(demand, case, low), pairing=case.pairing)


def _between(tried: Sequence[tuple[float, float]], least: float, most: float) -> float:
    """Return the rate at which the line through the last two trials is zero, or halfway where that is not between."""
    if len(tried) == 2 and math.isfinite(tried[0][1] + tried[1][1]) and tried[0][1] != tried[1][1]:
        (before, other), (last, left) = tried
        step = left * (last - before) / (left - other)
        if math.log(least) < last - step < math.log(most):
            return math.exp(last - step)
    return math.sqrt(least * most)


def mean_residence(candidate: Candidate) -> float:
    """Return the mean seconds that a request spends in the fleet: requests in it over requests per second (Little).

    The sequences in service and what is in front ends are counted; a fleet that meets its utilization limit has next to
    none waiting.
    """
    inside = sum(
        pool.lanes * figures.batch + figures.arrival_rate * pool.profile.front_end
        for pool, figures in zip(candidate.fleet.pools, candidate.pools, strict=True)
    )
    return inside / sum(figures.arrival_rate for figures in candidate.pools)


def _at_rate(demand: Demand, case: Case, rate: float) -> DerivedDemand:
    """Return the demand of a closed loop at `rate`; think times that dwarf the residence leave no digits of it."""
    assert demand.concurrency is not None, "Demand checks its fields"
    return rate_of(demand, case, max(demand.concurrency / rate - demand.think, SHORTEST_CYCLE))
