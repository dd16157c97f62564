"""A fleet, its margins and its proof in the words of the screen; shared by the plan, its runners-up and the list."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.plan import Candidate, Verdict
from fleettui.domain.scenario import Question, Slo
from fleettui.reports import units

VERDICT_WORDS: dict[Verdict, str] = {
    "pass": "PASS",
    "fail": "FAIL",
    "unproven": "NOT PROVEN",
    "infeasible": "INFEASIBLE",
}
METHOD_WORDS = {"formula": "formula", "simulation": "simulated"}


def gpus(pool: Pool) -> str:
    """Return a pool's GPUs with how they form replicas: 16 H100 tp4 x 4."""
    return f"{pool.gpus} {pool.gpu.upper()} tp{pool.tp} x {pool.replicas}"


def fleet(value: Fleet) -> str:
    """Return a fleet in a few words: H100 tp4 x4 + tp4 x2; a GPU's name stands where it changes."""
    parts, previous = [], ""
    for pool in value.pools:
        name = "" if pool.gpu == previous else f"{pool.gpu.upper()} "
        parts.append(f"{name}tp{pool.tp} x{pool.replicas}")
        previous = pool.gpu
    return " + ".join(parts)


def gpu_total(value: Fleet) -> str:
    """Return the number of GPUs by type: 24 H100, or 8 A10G + 4 H100."""
    totals: dict[str, int] = {}
    for pool in value.pools:
        totals[pool.gpu] = totals.get(pool.gpu, 0) + pool.gpus
    return " + ".join(f"{units.count(number)} {name.upper()}" for name, number in totals.items())


def worst(candidate: Candidate, metric: str) -> float | None:
    """Return the largest of the pools' values of `metric` (ttft, tpot or e2e), or None where one is undefined."""
    values = [getattr(pool, metric) for pool in candidate.pools]
    defined = [value for value in values if value is not None and math.isfinite(value)]
    return max(defined) if len(defined) == len(values) and values else None


def slo_margins(candidate: Candidate, slo: Slo) -> Iterator[tuple[str, float | None]]:
    """Yield (metric, share of the limit that is left in the worst pool); None where the value is undefined."""
    for metric, allowed in slo.limits():
        value = worst(candidate, metric)
        yield metric, None if value is None else 1 - value / allowed


def margins(candidate: Candidate, question: Question) -> list[str]:
    """Return how much is left of every limit that the question sets: `P99 TTFT 11% left`, `power 38%`."""
    rank = f"P{units.write_percentile(question.slo.percentile)}"
    words = [f"{rank} {metric.upper()} {_left(share)}" for metric, share in slo_margins(candidate, question.slo)]
    if question.budget:
        words.append(f"budget {_left(1 - candidate.cost_per_hour / question.budget)}")
    if question.max_power:
        words.append(f"power {_left(1 - candidate.power / question.max_power)}")
    for name, most in question.max_gpus:
        used = sum(pool.gpus for pool in candidate.fleet.pools if pool.gpu == name)
        if used:
            words.append(f"{name.upper()} {used} of {most}")
    return words


def tightest(candidate: Candidate, slo: Slo) -> str:
    """Return what is left of the tightest latency limit, `no` where the candidate breaks a limit."""
    shares = [share for _, share in slo_margins(candidate, slo)]
    if candidate.shortfalls or any(share is None or share < 0 for share in shares):
        return "no"
    return units.percent(min(share for share in shares if share is not None))


def proof(candidate: Candidate) -> str:
    """Return how a candidate is known: formula or simulated."""
    return METHOD_WORDS[candidate.evidence.method] if candidate.evidence else "formula"


def _left(share: float | None) -> str:
    if share is None:
        return "undefined"
    return f"{units.percent(share)} left" if share >= 0 else f"{units.percent(-share)} over"
