"""How a verdict is known, in words: by formula, or by so many runs with this interval, and what decided."""

from __future__ import annotations

from fleettui.domain.limit import TTFT, Latency
from fleettui.domain.plan import LEAST_RUNS, UNSTABLE_TAIL, Candidate, Evidence
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.workloads.arrivals import ARRIVALS

FORMULA_ONLY = "formula only: not simulated"
NEAR = "more runs would not tell, it lies at its limit: take a replica more, or plan with --headroom 1%"
TOO_LONG = "more runs would not tell, none may be as long as it takes: take a replica more"
CALMER = f", or plan with --arrivals {ARRIVALS.default.name}"


def proof_text(candidate: Candidate, question: Question, *, brief: bool = False) -> tuple[str, str]:
    """Return what was done, with each limited metric's interval in its worst pool, and the reason of the verdict.

    `brief` tells the requests in thousands or millions, and no further metric than the one nearest to its limit.
    """
    seen = candidate.simulation
    if seen is None:
        return FORMULA_ONLY, candidate.evidence.reason if candidate.evidence else ""
    latencies: list[Latency] = list(question.slo.limits()) or [TTFT.latency]
    if brief:
        left = {limit.name: share for limit, share in fleet_text.slo_margins(candidate, question.slo)}
        latencies = sorted(latencies, key=lambda one: left.get(one.name) or 0.0)[:1]
    found = [f"{fleet_text.ranked(one, question.slo)} {_known(candidate, one)}" for one in latencies]
    whose = "" if brief else _whose(candidate)
    return ", ".join([_runs(seen, brief=brief), f"{whose}{found[0]}", *found[1:]]), seen.reason


def _whose(candidate: Candidate) -> str:
    """Return whose latencies stand behind this, empty where there is one pool: a backtest's are of all requests."""
    return "worst pool's " if len(candidate.fleet.pools) > 1 else ""


def undecided(seen: Evidence, question: Question) -> str:
    """Return what to do about a verdict that all the runs that are ever made have left open; "" where more may tell."""
    if seen.method != "simulation" or seen.verdict != "unproven":
        return ""
    if seen.reason.startswith(UNSTABLE_TAIL):
        return TOO_LONG + ("" if question.arrivals == ARRIVALS.default.name else CALMER)
    return NEAR if seen.replications >= LEAST_RUNS else ""


def _runs(seen: Evidence, *, brief: bool) -> str:
    runs = "1 run" if seen.replications == 1 else f"{units.count(seen.replications)} runs"
    return f"{runs}, {units.short_count(seen.requests) if brief else units.count(seen.requests)} requests"


def _known(candidate: Candidate, latency: Latency) -> str:
    """Return the worst pool's value with its half-width."""
    worst = fleet_text.worst(candidate, latency)
    if worst is None:
        return "undefined"
    return f"{units.seconds(worst.value)} {fleet_text.interval(worst) or 'without interval'}"
