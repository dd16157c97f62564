"""Requests per second from demand in the words people have, and the arithmetic in one line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fleettui.domain import checks
from fleettui.domain.demand import AS_GIVEN, Demand, DerivedDemand
from fleettui.domain.workload import Timing
from fleettui.errors import InputError

HOUR, DAY = 3_600.0, 86_400.0


def derive_demand(
    demand: Demand,
    *,
    own_rate: float | None,
    mean_prompt: float,
    mean_output: float,
    residence: float | None = None,
    slices: int = 1,
    timing: Timing = "none",
) -> DerivedDemand:
    """Return the rate that `demand` comes to.

    `own_rate` is the workload's mean rate in requests/s, or None where it has no times; `mean_prompt` and
    `mean_output` are tokens per request; `residence` is the mean time in seconds that a request spends in the fleet,
    which demand by concurrency needs; of several time `slices` the busiest has the rate, and `own_rate` is its;
    `timing` is how the workload's times are known. Raises
    InputError where the workload's own rate is asked for and unknown.
    """
    derived = _derive(demand, own_rate, mean_prompt + mean_output, residence, timing)
    if slices == 1:
        return derived
    if demand.form == "trace":
        return replace(derived, arithmetic=f"the busiest of {slices} time slices: {derived.rate:.4g} requests/s")
    note = f"; the busiest of {slices} time slices gets it, the others in proportion"
    return replace(derived, arithmetic=derived.arithmetic + note)


def requests_in(duration: float, rate: float | None, counted: float) -> float:
    """Return the requests of a time slice: by its rate (per second) where it has one, else as `counted`."""
    return rate * duration if rate is not None and duration else counted


def mean_tokens(slices: Iterable[tuple[float, tuple[float, float]]]) -> tuple[float, float]:
    """Return the mean prompt and output tokens of all requests, from (requests, own means) of each time slice.

    >>> mean_tokens([(3.0, (100.0, 20.0)), (1.0, (500.0, 60.0))])
    (200.0, 30.0)
    """
    known = list(slices)
    total = sum(requests for requests, _ in known)
    prompt = sum(requests * means[0] for requests, means in known) / total
    return prompt, sum(requests * means[1] for requests, means in known) / total


def _derive(
    demand: Demand, own_rate: float | None, tokens_per_request: float, residence: float | None, timing: Timing
) -> DerivedDemand:
    if demand.form == "trace":
        return _own(own_rate, timing)
    if demand.form == "users":
        return _users(demand)
    if demand.form == "tokens":
        return _tokens(demand, tokens_per_request)
    if demand.form == "concurrency":
        return _concurrency(demand, residence)
    assert demand.rate is not None, "Demand checks its fields"
    return _derived(demand.rate, f"{figure(demand.rate)} requests/s, {AS_GIVEN}")


def _own(own_rate: float | None, timing: Timing) -> DerivedDemand:
    if own_rate is None:
        raise InputError(
            "the workload has no times, so it has no rate of its own",
            accepted="a rate, users, tokens per day, or a concurrency",
            remedy="add --rate 100/s",
        )
    checks.positive("the workload's own rate", own_rate)
    if timing == "profile":
        return _derived(own_rate, f"the profile's busiest slice: {figure(own_rate)} requests/s")
    return _derived(own_rate, f"the workload's own mean rate = {figure(own_rate)} requests/s")


def _users(demand: Demand) -> DerivedDemand:
    """Users × requests per user × peak factor."""
    assert demand.users is not None, "Demand checks its fields"
    assert demand.requests_per_user is not None, "Demand checks its fields"
    rate = demand.users * demand.requests_per_user * demand.peak_factor
    per_hour = figure(demand.requests_per_user * HOUR)
    return _derived(
        rate,
        f"{figure(demand.users)} users × {per_hour} requests/h × peak {figure(demand.peak_factor)}"
        f" = {figure(rate)} requests/s",
    )


def _tokens(demand: Demand, tokens_per_request: float) -> DerivedDemand:
    """Tokens per day × share of the peak hour / 3,600 s / mean total tokens per request."""
    assert demand.tokens is not None, "Demand checks its fields"
    checks.positive("mean tokens per request", tokens_per_request)
    per_day = demand.tokens * DAY
    rate = per_day * demand.peak_hour / HOUR / tokens_per_request
    return _derived(
        rate,
        f"{figure(per_day)} tokens/day × {figure(100 * demand.peak_hour)} % in the peak hour / 3,600 s"
        f" / {figure(tokens_per_request)} tokens per request = {figure(rate)} requests/s",
    )


def _concurrency(demand: Demand, residence: float | None) -> DerivedDemand:
    """Little's law for a closed loop: clients / (residence + think time)."""
    assert demand.concurrency is not None, "Demand checks its fields"
    assert residence is not None, "demand by concurrency needs the residence time"
    checks.positive("residence time", residence)
    rate = demand.concurrency / (residence + demand.think)
    return _derived(
        rate,
        f"{figure(demand.concurrency)} clients / ({figure(residence)} s residence + {figure(demand.think)} s think)"
        f" = {figure(rate)} requests/s (Little's law)",
    )


def _derived(rate: float, arithmetic: str) -> DerivedDemand:
    checks.positive("the derived rate", rate)
    return DerivedDemand(rate=rate, arithmetic=arithmetic)


def figure(value: float) -> str:
    """Return a number to three digits, more where it is whole, with thousands parted.

    >>> figure(20_000), figure(83.3333), figure(2.5), figure(1365.81), figure(0.0123456)
    ('20,000', '83.3', '2.5', '1,366', '0.0123')
    """
    whole = abs(value) >= 100 or abs(value - round(value)) < 1e-9 * abs(value)
    return f"{value:,.0f}" if whole else f"{value:.3g}"
