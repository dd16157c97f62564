"""A fleet, its margins and its proof in the words of the screen; shared by the plan, its runners-up and the list."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress

from fleettui.domain.fleet import Fleet
from fleettui.domain.fleet_words import fleet_words, pool_words
from fleettui.domain.limit import METRICS, TPOT, TTFT, Latency, Limit
from fleettui.domain.meter import feed
from fleettui.domain.path_or_name import GPU_FILE, is_path
from fleettui.domain.plan import Candidate, Estimate, PoolEvidence, PoolFigures, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.reports import bound_words, units
from fleettui.reports.verdict_words import METHOD_WORDS
from fleettui.routing import ROUTERS

FAILED: tuple[Verdict, ...] = ("fail", "infeasible")
LATENCIES = frozenset(metric.label for metric in METRICS)
ROUNDING = 1e-9
fleet, gpus = fleet_words, pool_words
"""A fleet in a few words, and a pool with its GPUs: the same in messages of the engine."""


def shape(value: Fleet) -> tuple[tuple[str, str, str], ...]:
    """Return what a fleet is made of: GPU type, division and number format of each pool."""
    return tuple((pool.gpu, pool.division, pool.dtype) for pool in value.pools)


def told_from(other: Fleet, own: Fleet) -> str:
    """Return a fleet in a few words beside another of which it is told.

    Where two pools divide is said of two of the same kinds of replicas that divide at another length.
    """
    splits = [[pool.up_to for pool in one.pools[:-1]] for one in (other, own)]
    alike = shape(other) == shape(own) and len(splits[0]) == 1 and splits[0] != splits[1]
    words = fleet(other, beside=own)
    return f"{words} split at {units.count(splits[0][0])} tokens" if alike else words


def no_choice(one: Candidate | None) -> str:
    """Return what to say of the router that sends by length where there is one pool to send to; "" elsewhere."""
    name = ROUTERS.default.name
    if one is None or one.fleet.router != name or len(one.fleet.pools) > 1:
        return ""
    return (
        f"router {name} has no pool to choose: the fleet has one, whose replicas it chooses by fewest requests; "
        "--pools 2 has two"
    )


def gpu_total(value: Fleet) -> str:
    """Return the number of GPUs by type: 24 H100, or 8 A10G + 4 H100."""
    return counted(value.gpus_by_type.items())


def counted(gpus: Iterable[tuple[str, int]]) -> str:
    """Return types of GPUs with their number: 8 A10G + 4 H100."""
    return " + ".join(f"{units.count(number)} {name.upper()}" for name, number in gpus)


def compressed(value: Fleet) -> str:
    """Return which requests are compressed, empty where none are."""
    if value.gamma <= 1.0:
        return ""
    share = "" if value.compressible == 1.0 else f"{units.percent(value.compressible)} of the "
    return f"compressed to fit below a split: {share}requests of up to {value.gamma:g} times its tokens"


def ranked(latency: Latency, slo: Slo) -> str:
    """Return a latency with its percentile: P99 TTFT."""
    return f"P{units.write_percentile(slo.share(latency))} {latency.unranked}"


def estimates(candidate: Candidate, latency: Latency) -> list[Estimate]:
    """Return each pool's latency: as simulated where it is, else the formula's value alone."""
    seen = candidate.simulation
    return [estimate(pool, latency) for pool in (candidate.pools if seen is None else seen.pools)]


def estimate(pool: PoolFigures | PoolEvidence, latency: Latency) -> Estimate:
    """Return a latency of one pool; a formula's has no interval."""
    return pool.at(latency) if isinstance(pool, PoolEvidence) else Estimate(value=pool.at(latency))


def latencies(slo: Slo) -> tuple[Latency, ...]:
    """Return the latencies that a narrow table shows: those with a limit, TTFT and TPOT where no other has one."""
    return slo.limits() if slo.e2e is not None or slo.own() else (TTFT.latency, TPOT.latency)


def of_pools(candidate: Candidate, latency: Latency) -> list[tuple[str, Estimate]]:
    """Return (pool, latency) of the pools that are sent requests which have it.

    Behind a router that sends by class those of class batch are in the last pool alone.
    """
    found = [*zip((pool.name for pool in candidate.fleet.pools), estimates(candidate, latency), strict=True)]
    return found[-1:] if latency.batch and ROUTERS.named(candidate.fleet.router).of_classes else found


def worst(candidate: Candidate, latency: Latency) -> Estimate | None:
    """Return the largest of the pools' estimates of a latency, by its high end; None where a pool's is undefined."""
    found = [one for _, one in of_pools(candidate, latency)]
    highs = [high for high in map(high_end, found) if high is not None]
    return found[highs.index(max(highs))] if len(highs) == len(found) else None


def high_end(estimate: Estimate) -> float | None:
    """Return the high end of an interval, the value where there is none, and None where that is undefined."""
    value = estimate.value if estimate.high is None else estimate.high
    return value if value is not None and math.isfinite(value) else None


def interval(estimate: Estimate) -> str:
    """Return the half-width of an interval as a share of its value: +-0.9%; empty where there is none.

    >>> interval(Estimate(value=0.443, low=0.439, high=0.447)), interval(Estimate(value=0.4))
    ('+-0.9%', '')
    """
    if not estimate.value or estimate.low is None or estimate.high is None:
        return ""
    return f"+-{units.percent((estimate.high - estimate.low) / 2 / estimate.value)}"


def pool_margins(candidate: Candidate, limit: Limit) -> Iterator[tuple[str, Estimate, float | None]]:
    """Yield (name, latency, share of the limit that is left) of each pool with such requests; None where undefined.

    Of a simulated value the interval's high end counts: what is left is left for certain.
    """
    for name, found in of_pools(candidate, limit):
        high = high_end(found)
        yield name, found, None if high is None else 1 - high / limit.seconds


def slo_margins(candidate: Candidate, slo: Slo) -> Iterator[tuple[Limit, float | None]]:
    """Yield (limit, share of it that is left in the worst pool); None where the value of one is undefined."""
    for limit in slo.limits():
        shares = [share for _, _, share in pool_margins(candidate, limit)]
        defined = [share for share in shares if share is not None]
        yield limit, min(defined) if len(defined) == len(shares) else None


def margins(candidate: Candidate, question: Question) -> list[str]:
    """Return how much is left of every limit that the question sets: `P99 TTFT 11% left`, `power 38%`."""
    words = [
        f"{ranked(limit, question.slo)} {_left_of(candidate, limit, share)}"
        for limit, share in slo_margins(candidate, question.slo)
    ]
    taken = paid_for(candidate.fleet, question)
    if question.budget:
        words.append(f"budget {_left(1 - candidate.cost_per_hour / question.budget)}")
    if question.max_power:
        words.append(f"power {_left(1 - candidate.power / question.max_power)}")
    if question.max_feed:
        drawn = feed(question, candidate.power, candidate.gpus)
        words.append(f"feed {_left(1 - drawn / question.max_feed)}")
    if question.max_total_gpus:
        words.append(f"GPUs {sum(taken.values())} of {question.max_total_gpus}")
    words += [f"{name.upper()} {taken[name]} of {most}" for name, most in question.max_gpus if taken.get(name)]
    return words


def paid_for(value: Fleet, question: Question) -> dict[str, int]:
    """Return the GPUs that a fleet takes of each type, those of whole nodes where these are paid for."""
    used = value.gpus_by_type
    if not question.whole_nodes:
        return used
    sizes = node_sizes(used, question)
    return {name: math.ceil(count / sizes.get(name, 1)) * sizes.get(name, 1) for name, count in used.items()}


def node_sizes(names: Iterable[str], question: Question) -> dict[str, int]:
    """Return the GPUs of a node by GPU: the catalogue's, and those of the files that a question names and are there."""
    found = [catalog.gpu(name) for name in names if name in catalog.gpu_names()]
    for path in (name for name in question.gpus if is_path(name, GPU_FILE)):
        with suppress(InputError):
            found.append(catalog.gpu(path))
    return {gpu.name: gpu.gpus_per_node for gpu in found}


def broken(candidate: Candidate) -> tuple[str, ...]:
    """Return the limits that a candidate breaks; of latencies a simulation has the last word, so none are left then."""
    if candidate.simulation is None:
        return candidate.shortfalls
    return tuple(one for one in candidate.shortfalls if LATENCIES.isdisjoint(one.split()))


def why_broken(candidate: Candidate) -> str:
    """Return what a fleet does not hold: what a run that it did not pass showed, and the limits that it breaks."""
    seen = candidate.evidence
    failed = () if seen is None or seen.verdict == "pass" else (seen.reason or f"simulated: {proof(candidate)}",)
    return "; ".join((*failed, *broken(candidate)))


def tightest(candidate: Candidate, slo: Slo) -> str:
    """Return what is left of the tightest latency limit, `no` where the candidate breaks a limit of any kind.

    A simulation's verdict goes before the formula's; where it is open, what may be missing is negative.
    """
    seen = candidate.simulation
    shares = [share for _, share in slo_margins(candidate, slo)]
    defined = [share for share in shares if share is not None]
    missed = min(defined, default=0.0) < 0 if seen is None else seen.verdict in FAILED
    if len(defined) < len(shares) or missed or broken(candidate):
        return "no"
    return units.percent(min(defined)) if defined else units.UNDEFINED


def proof(candidate: Candidate) -> str:
    """Return how a candidate is known: formula, simulated, or how its simulation did not show it to hold."""
    seen = candidate.simulation
    if seen is None:
        return METHOD_WORDS["formula"]
    if seen.verdict == "pass":
        return METHOD_WORDS["simulation"]
    return "fails" if seen.verdict in FAILED else "not proven"


def _left_of(candidate: Candidate, limit: Limit, share: float | None) -> str:
    """Return what is left of a latency limit, or how much may be missing where the interval reaches both sides.

    What is left is left for certain, at the interval's high end: at least so much, where the value's own share differs.
    """
    found = [one for _, one in of_pools(candidate, limit)]
    lows = [one.low for one in found if one.low is not None]
    if share is not None and share < 0 and lows and max(lows) <= limit.seconds:
        return f"up to {bound_words.at_most(-share)} over"
    values = [1.0 - one.value / limit.seconds for one in found if one.value is not None]
    least = share is not None and share >= 0 and lows and _left(min(values)) != _left(share)
    return f"at least {bound_words.at_least(share)} left" if least and share is not None else _left(share)


def _left(share: float | None) -> str:
    if share is None:
        return "undefined"
    over = share < -ROUNDING
    return f"{units.percent(-share)} over" if over else f"{units.percent(max(share, 0.0))} left"
