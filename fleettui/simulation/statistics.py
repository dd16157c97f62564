"""From finished replications to evidence: Student intervals, the verdict, and how many more runs it takes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from scipy import special

from fleettui.domain.limit import ALWAYS, TTFT, Latency, Limit, further_latencies
from fleettui.domain.link import Link
from fleettui.domain.plan import LEAST_RUNS, MOST_RUNS, Estimate, Evidence, PoolEvidence, Verdict
from fleettui.domain.simulation import PoolRun, Replication
from fleettui.simulation.session_figures import added
from fleettui.simulation.verdict import LEAST_TO_FAIL, LimitedLatency, Ruling, far_above, rule

LEAST, MOST = LEAST_RUNS, MOST_RUNS
REQUEST_BUDGET = 30_000_000
"""Requests that the replications of one candidate may take, all together."""
PER = 1000.0
"""Preemptions are told per so many offered requests."""

Limits = Sequence[Limit]
"""With the headroom taken off."""
Ends = tuple[float, float]

LATENCY: Ends = (0.0, math.inf)
SHARE: Ends = (0.0, 1.0)
ANY: Ends = (-math.inf, math.inf)


def estimate(values: Sequence[float | None], *, confidence: float = 0.95, ends: Ends = ANY) -> Estimate:
    """Return the mean of independent `values` between the ends of its Student t interval.

    The interval is cut to `ends`, what a value can be. One value has none; a None among them leaves all undefined.

    >>> found = estimate([1.0, 3.0], ends=(0.0, math.inf))
    >>> found.value, found.low, round(found.high, 4)
    (2.0, 0.0, 14.7062)
    """
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return Estimate(value=None)
    runs, mean = len(known), _mean(known)
    if runs == 1:
        return Estimate(value=mean)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in known) / (runs - 1))
    half = float(special.stdtrit(runs - 1, (1.0 + confidence) / 2.0)) * deviation / math.sqrt(runs)
    return Estimate(value=mean, low=max(mean - half, ends[0]), high=min(mean + half, ends[1]))


def judge(
    replications: Sequence[Replication], limits: Limits, *, precision: float, seed: int, unstable: str = ""
) -> Evidence:
    """Return the evidence of at least one replication, whatever their order.

    `unstable` says why a tail is not to be measured: then no interval is given, and only runs far above a limit
    decide. A fleet that fails gets no more runs, so its other pools may pass after LEAST_TO_FAIL. Raises
    AssertionError where the replications are of different fleets.
    """
    pools = _by_pool(replications)
    verdict, reason = _ruling(pools, limits, LEAST, unstable)
    least = LEAST_TO_FAIL if verdict == "fail" else LEAST
    return Evidence(
        method="simulation",
        verdict=verdict,
        reason=reason,
        replications=len(replications),
        requests=sum(one.requests for one in replications),
        seed=seed,
        precision=precision,
        ttft=estimate_of_runs([one.ttft for one in replications], LATENCY, unstable),
        attainment=estimate_of_runs([one.attainment for one in replications], SHARE, unstable),
        pools=tuple(_evidence(runs, limits, least, unstable) for runs in pools),
    )


def hopeless(look: Replication, limits: Limits) -> str:
    """Return why a short look at a fleet is enough: a latency above twice its limit in some pool; else ""."""
    return far_above(list(_held(_by_pool([look]), limits, "")))


def wanted(
    replications: Sequence[Replication], limits: Limits, *, precision: float, unstable: str = "", brief: bool = False
) -> int:
    """Return how many replications there should be in all; the number there is, where that is enough.

    LEAST_TO_FAIL first, which condemn what is clearly too small, then LEAST. Then, unless the fleet fails, as many as
    the precision and every interval across a limit take by the square law, in whole LEASTs, up to MOST and to
    REQUEST_BUDGET. Each round is decided by the replications of the rounds before it, by index, so that a part of a
    round that is finished already changes nothing. An `unstable` tail ends with the first round: it cannot pass, and
    no interval is given that more runs would narrow. A `brief` proof ends with LEAST where a latency lingers at its
    limit: many more would have to say on which side it is.
    """
    ordered = sorted(replications, key=lambda one: one.index)
    target = LEAST_TO_FAIL
    while target <= len(ordered):
        further = target if unstable else _further(ordered[:target], limits, precision, brief=brief)
        if further <= target:
            return len(ordered)
        target = further
    return target


def _further(replications: Sequence[Replication], limits: Limits, precision: float, *, brief: bool) -> int:
    """Return the end of the next round after `replications`, at most their number where there is none."""
    runs, pools = len(replications), _by_pool(replications)
    held = list(_held(pools, limits, ""))
    if any(one.above or one.far for one in held):
        return runs
    if runs < LEAST:
        return LEAST
    if brief and any(one.lingers for one in held):
        return runs
    missing = _vague(pools, precision)
    missing += [(one.estimate, abs(one.limit - (one.estimate.value or 0.0))) for one in held if one.straddles]
    if not missing:
        return runs
    needed = max(runs * (_half(found) / aim) ** 2 if aim > 0 else math.inf for found, aim in missing)
    rounds = math.ceil(max(min(needed, MOST), runs + 1) / LEAST)
    affordable = REQUEST_BUDGET * runs // sum(one.requests for one in replications)
    return min(rounds * LEAST, MOST, affordable // LEAST * LEAST)


def _vague(pools: Sequence[Sequence[PoolRun]], precision: float) -> list[tuple[Estimate, float]]:
    """Return each TTFT whose half-width is above `precision` of it, with the half-width asked for."""
    found = [_estimated(runs, TTFT.latency, "") for runs in pools]
    aims = [(one, precision * one.value) for one in found if one.value is not None]
    return [(one, aim) for one, aim in aims if _half(one) > aim]


def _ruling(pools: Sequence[Sequence[PoolRun]], limits: Limits, least: int, unstable: str) -> Ruling:
    """Return the verdict on some pools together and its reason; `least` is how many runs a pass takes."""
    return rule(list(_held(pools, limits, unstable)), least=least, unstable=unstable)


def _alone(runs: Sequence[PoolRun], limits: Limits, least: int, unstable: str) -> Verdict | None:
    """Return the verdict on one pool by the same rule; None for a single run that does not condemn it."""
    verdict, _ = _ruling([runs], limits, least, unstable)
    return None if len(runs) == 1 and verdict != "fail" else verdict


def _held(pools: Sequence[Sequence[PoolRun]], limits: Limits, unstable: str) -> Iterator[LimitedLatency]:
    """Yield what is limited: the share of requests that were missed where any were, and each latency.

    The percentile is then that of all offered requests, the missed ones later than any.
    """
    for runs in pools:
        missed = any(run.missed for run in runs)
        if missed and limits:
            yield _missed(runs, unstable)
        for limit in limits:
            values = tuple(dict(run.over_offered).get(limit.name, run.at(limit)) for run in runs)
            yield LimitedLatency(
                name=f"{limit.label} of pool {runs[0].name}{' over all offered' * missed}",
                limit=limit.seconds,
                values=values,
                estimate=estimate_of_runs(values, LATENCY, unstable),
                served=all(run.completed for run in runs),
            )


def _missed(runs: Sequence[PoolRun], unstable: str) -> LimitedLatency:
    """Return the share of a pool's offered requests that were turned away or left, held to what may be missed."""
    shares = tuple(run.missed / run.offered if run.offered else None for run in runs)
    return LimitedLatency(
        name=f"requests of pool {runs[0].name} that were not served",
        limit=max(run.may_miss for run in runs),
        values=shares,
        estimate=estimate_of_runs(shares, SHARE, unstable),
        served=True,
        is_share=True,
    )


def _evidence(runs: Sequence[PoolRun], limits: Limits, least: int, unstable: str) -> PoolEvidence:
    offered = sum(run.offered for run in runs)
    ttft, tpot, e2e = (_estimated(runs, one.latency, unstable) for one in ALWAYS)
    mfus = [run.mfu for run in runs if run.mfu is not None]
    hits = [run.hit for run in runs if run.hit is not None]
    return PoolEvidence(
        name=runs[0].name,
        ttft=ttft,
        tpot=tpot,
        e2e=e2e,
        utilization=_mean([run.utilization for run in runs]),
        batch=_mean([run.batch for run in runs]),
        mfu=_mean(mfus) if len(mfus) == len(runs) else None,
        preemptions=PER * sum(run.preemptions for run in runs) / offered if offered else 0.0,
        rejected=sum(run.rejected for run in runs),
        timed_out=sum(run.timed_out for run in runs),
        retried=sum(run.retried for run in runs),
        attempts=sum(run.attempts or run.offered for run in runs) if any(run.retried for run in runs) else 0,
        hit=_mean(hits) if hits else None,
        misrouted=sum(run.misrouted for run in runs) / offered if any(run.misrouted for run in runs) else None,
        offered=offered if any(run.may_miss for run in runs) else 0,
        verdict=_alone(runs, limits, least, unstable),
        further=tuple(
            (one.name, _estimated(runs, one, unstable))
            for one in further_latencies(limits, classed=any(run.attainments for run in runs))
        ),
        rounds=added([run.rounds for run in runs]),
        link=_link(runs),
        storm=next((run.storm for run in runs if run.storm is not None), None),
        attainments=tuple(
            (name, estimate_of_runs([dict(run.attainments).get(name) for run in runs], SHARE, unstable))
            for name, _ in runs[0].attainments
        ),
    )


def _link(runs: Sequence[PoolRun]) -> Link | None:
    found = [run.link for run in runs if run.link is not None]
    return Link.mean(found) if found else None


def _by_pool(replications: Sequence[Replication]) -> list[tuple[PoolRun, ...]]:
    """Return the runs of each pool; raises AssertionError where the replications are of different fleets, or none."""
    fleets = {tuple(pool.name for pool in one.pools) for one in replications}
    assert len(fleets) == 1, f"replications of {len(fleets)} fleets are no evidence for one"
    return list(zip(*(one.pools for one in replications), strict=True))


def _estimated(runs: Sequence[PoolRun], latency: Latency, unstable: str) -> Estimate:
    return estimate_of_runs([run.at(latency) for run in runs], LATENCY, unstable)


def estimate_of_runs(values: Sequence[float | None], ends: Ends, unstable: str) -> Estimate:
    """Return the estimate, without its interval where the tail is unstable: it would not hold."""
    found = estimate(values, ends=ends)
    return Estimate(value=found.value) if unstable else found


def change_of_runs(values: Iterable[float | None], own: Iterable[float | None], unstable: str) -> Estimate:
    """Return the estimate of `values` less `own`, run by run."""
    pairs = zip(values, own, strict=True)
    changes = [None if one is None or other is None else one - other for one, other in pairs]
    return estimate_of_runs(changes, ANY, unstable)


def _half(found: Estimate) -> float:
    """Return the half-width of an interval, whose low end may be cut; infinite where there is none."""
    return math.inf if found.value is None or found.high is None else found.high - found.value


def _mean(values: Sequence[float]) -> float:
    """Return the mean, the same for any order."""
    return math.fsum(values) / len(values)
