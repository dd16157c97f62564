"""What a few runs of a fleet show: short ones, and where these leave it open, ones that are as long as a proof's."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.plan import LEAST_RUNS, MOST_RUNS, Evidence, PoolEvidence
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import Replication
from fleettui.planning.prepared_fleet import SHORTER, PreparedFleet, shortened
from fleettui.planning.rounds import Replicate, Rounds, Tell

RUNS = 4
"""Runs: they do where each limited latency has its interval on one side of its limit, else LEAST_RUNS do."""
MOST_REQUESTS = 2_000_000
"""Requests at most of runs as long as a proof's that are to settle whether a fleet holds."""


async def few_runs(
    rounds: Rounds,
    stage: PreparedFleet,
    replicate: Replicate,
    tell: Tell,
    *,
    longer: bool,
    settle: bool = False,
    shorter: int = SHORTER,
) -> Evidence:
    """Return what runs of a fleet show that are so many times `shorter` than a proof's.

    Where `longer` ones may be made, those that leave open whether it holds, each mean within its limit, are made anew
    as long as a proof's. Where that is to `settle` it with MOST_REQUESTS, so are those with a mean past its limit, and
    they go on as a proof's do.
    """
    short, question = shortened(stage, shorter), rounds.source.question
    evidence = await _seen(rounds, short, replicate, tell)
    if not longer or short.lengths == stage.lengths or evidence.verdict != "unproven":
        return evidence
    most = MOST_REQUESTS // sum(pool.requests for pool in stage.lengths) if settle else 0
    if not _is_open(evidence, question, past=most >= LEAST_RUNS):
        return evidence
    return await _seen(rounds, stage, replicate, tell, most=min(most, MOST_RUNS))


async def _seen(
    rounds: Rounds, stage: PreparedFleet, replicate: Replicate, tell: Tell, *, most: int = LEAST_RUNS
) -> Evidence:
    """Return what RUNS runs show, LEAST_RUNS where these leave it open, and where those do as many as `most`."""
    done: dict[int, Replication] = {}
    for runs in (RUNS, LEAST_RUNS, *([most] if most > LEAST_RUNS else [])):
        evidence = await replace(rounds, most=runs).evidence(stage, replicate, done, tell)
        evidence = judged(evidence, rounds.source.question)
        if evidence.verdict != "unproven":
            break
    return evidence


def _is_open(evidence: Evidence, question: Question, *, past: bool) -> bool:
    """Return whether each limited latency may be within its limit: its mean, or with `past` the end of its interval."""
    found = [(pool.at(limit), limit.seconds) for pool in evidence.pools for limit in question.held_limits()]
    least = [(seen.low if past and seen.low is not None else seen.value, most) for seen, most in found]
    return all(low is not None and low <= most for low, most in least)


def judged(evidence: Evidence, question: Question) -> Evidence:
    """Return what few runs show, which is a pass where every interval is within its limit."""
    pools = tuple(replace(pool, verdict="pass") if _is_within(pool, question) else pool for pool in evidence.pools)
    passes = evidence.verdict == "unproven" and all(pool.verdict == "pass" for pool in pools)
    return replace(evidence, pools=pools, verdict="pass" if passes else evidence.verdict)


def _is_within(pool: PoolEvidence, question: Question) -> bool:
    ends = [(pool.at(limit).high, limit.seconds) for limit in question.held_limits()]
    return pool.verdict == "unproven" and all(high is not None and high <= most for high, most in ends)
