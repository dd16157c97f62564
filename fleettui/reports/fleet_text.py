"""A fleet, its margins and its proof in the words of the screen; shared by the plan, its runners-up and the list."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.plan import Candidate, Estimate, Evidence, Verdict
from fleettui.domain.scenario import Question, Slo
from fleettui.hardware import catalog
from fleettui.reports import units

VERDICT_WORDS: dict[Verdict, str] = {
    "pass": "PASS",
    "fail": "FAIL",
    "unproven": "NOT PROVEN",
    "infeasible": "INFEASIBLE",
}
FAILED: tuple[Verdict, ...] = ("fail", "infeasible")
LATENCIES = frozenset({"TTFT", "TPOT", "E2E"})
METHOD_WORDS = {"formula": "formula", "simulation": "simulated"}


def gpus(pool: Pool) -> str:
    """Return a pool's GPUs with how they form replicas: 16 H100 tp4 x 4, or 20 H100 tp4 x 4+1 with one to spare."""
    return f"{pool.gpus} {pool.gpu.upper()} tp{pool.tp} x {_replicas(pool)}"


def _replicas(pool: Pool) -> str:
    return f"{pool.replicas}+{pool.spares}" if pool.spares else str(pool.replicas)


def fleet(value: Fleet) -> str:
    """Return a fleet in a few words: H100 tp4 x4 + tp4 x2, and the gamma of one that compresses.

    A GPU's name stands where it changes, a pool's number format where the pools do not have the same.
    """
    parts, previous, mixed = [], "", len({pool.dtype for pool in value.pools}) > 1
    for pool in value.pools:
        name = "" if pool.gpu == previous else f"{pool.gpu.upper()} "
        parts.append(f"{name}{f'{pool.dtype} ' if mixed else ''}tp{pool.tp} x{_replicas(pool)}")
        previous = pool.gpu
    compressed = f" g{value.gamma:g}" if value.gamma > 1.0 else ""
    return " + ".join(parts) + compressed


def gpu_total(value: Fleet) -> str:
    """Return the number of GPUs by type: 24 H100, or 8 A10G + 4 H100."""
    return " + ".join(f"{units.count(number)} {name.upper()}" for name, number in _by_type(value).items())


def _by_type(value: Fleet) -> dict[str, int]:
    totals: dict[str, int] = {}
    for pool in value.pools:
        totals[pool.gpu] = totals.get(pool.gpu, 0) + pool.gpus
    return totals


def compressed(value: Fleet) -> str:
    """Return which requests are compressed, empty where none are."""
    if value.gamma <= 1.0:
        return ""
    share = "" if value.compressible == 1.0 else f"{units.percent(value.compressible)} of the "
    return f"compressed to fit below a split: {share}requests of up to {value.gamma:g} times its tokens"


def simulation_of(candidate: Candidate) -> Evidence | None:
    """Return what a simulation saw of a candidate, None where only the formula has looked."""
    found = candidate.evidence
    return found if found is not None and found.method == "simulation" else None


def estimates(candidate: Candidate, metric: str) -> list[Estimate]:
    """Return each pool's `metric` (ttft, tpot or e2e): as simulated where it is, else the formula's value alone."""
    seen = simulation_of(candidate)
    pools = candidate.pools if seen is None else seen.pools
    found = [getattr(pool, metric) for pool in pools]
    return [one if isinstance(one, Estimate) else Estimate(value=one) for one in found]


def metrics(slo: Slo) -> tuple[str, ...]:
    """Return the latencies that a narrow table shows: those with a limit where E2E has one, else TTFT and TPOT."""
    return ("ttft", "tpot") if slo.e2e is None else tuple(name for name, _ in slo.limits())


def worst(candidate: Candidate, metric: str) -> Estimate | None:
    """Return the largest of the pools' estimates of `metric`, by its high end; None where a pool's is undefined."""
    found = estimates(candidate, metric)
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


def slo_margins(candidate: Candidate, slo: Slo) -> Iterator[tuple[str, float | None]]:
    """Yield (metric, share of the limit that is left in the worst pool); None where the value is undefined.

    Of a simulated value the interval's high end counts: what is left is left for certain.
    """
    for metric, allowed in slo.limits():
        found = worst(candidate, metric)
        high = None if found is None else high_end(found)
        yield metric, None if high is None else 1 - high / allowed


def margins(candidate: Candidate, question: Question) -> list[str]:
    """Return how much is left of every limit that the question sets: `P99 TTFT 11% left`, `power 38%`."""
    rank = f"P{units.write_percentile(question.slo.percentile)}"
    words = [
        f"{rank} {metric.upper()} {_left_of(candidate, metric, share, question.slo)}"
        for metric, share in slo_margins(candidate, question.slo)
    ]
    taken = _taken(candidate.fleet, question)
    if question.budget:
        words.append(f"budget {_left(1 - candidate.cost_per_hour / question.budget)}")
    if question.max_power:
        words.append(f"power {_left(1 - candidate.power / question.max_power)}")
    if question.max_total_gpus:
        words.append(f"GPUs {sum(taken.values())} of {question.max_total_gpus}")
    words += [f"{name.upper()} {taken[name]} of {most}" for name, most in question.max_gpus if taken.get(name)]
    return words


def _taken(value: Fleet, question: Question) -> dict[str, int]:
    """Return the GPUs that a fleet takes of each type, those of whole nodes where these are paid for."""
    used = _by_type(value)
    if not question.whole_nodes:
        return used
    sizes = {name: catalog.gpu(name).gpus_per_node for name in used if name in catalog.gpu_names()}
    return {name: math.ceil(count / sizes.get(name, 1)) * sizes.get(name, 1) for name, count in used.items()}


def broken(candidate: Candidate) -> tuple[str, ...]:
    """Return the limits that a candidate breaks; of latencies a simulation has the last word, so none are left then."""
    if simulation_of(candidate) is None:
        return candidate.shortfalls
    return tuple(one for one in candidate.shortfalls if LATENCIES.isdisjoint(one.split()))


def tightest(candidate: Candidate, slo: Slo) -> str:
    """Return what is left of the tightest latency limit, `no` where the candidate breaks a limit of any kind.

    A simulation's verdict goes before the formula's; where it is open, what may be missing is negative.
    """
    seen = simulation_of(candidate)
    shares = [share for _, share in slo_margins(candidate, slo)]
    defined = [share for share in shares if share is not None]
    missed = min(defined, default=0.0) < 0 if seen is None else seen.verdict in FAILED
    if len(defined) < len(shares) or missed or broken(candidate):
        return "no"
    return units.percent(min(defined)) if defined else units.UNDEFINED


def proof(candidate: Candidate) -> str:
    """Return how a candidate is known: formula, simulated, or how its simulation did not show it to hold."""
    seen = simulation_of(candidate)
    if seen is None:
        return METHOD_WORDS["formula"]
    if seen.verdict == "pass":
        return METHOD_WORDS["simulation"]
    return "fails" if seen.verdict in FAILED else "not proven"


def _left_of(candidate: Candidate, metric: str, share: float | None, slo: Slo) -> str:
    """Return what is left of a latency limit, or how much may be missing where the interval reaches both sides."""
    lows = [one.low for one in estimates(candidate, metric) if one.low is not None]
    perhaps = share is not None and share < 0 and lows and max(lows) <= dict(slo.limits())[metric]
    return f"up to {_left(share)}" if perhaps else _left(share)


def _left(share: float | None) -> str:
    if share is None:
        return "undefined"
    return f"{units.percent(share)} left" if share >= 0 else f"{units.percent(-share)} over"
