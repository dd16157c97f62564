"""What a few runs of a fleet show: short ones, and where these leave it open, ones that are as long as a proof's."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.plan import LEAST_RUNS, Evidence, PoolEvidence
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import Replication
from fleettui.planning.prepared_fleet import SHORTER, PreparedFleet, shortened
from fleettui.planning.rounds import Replicate, Rounds, Tell

RUNS = 4
"""Runs: they do where each limited latency has its interval on one side of its limit, else LEAST_RUNS do."""


async def few_runs(
    rounds: Rounds,
    stage: PreparedFleet,
    replicate: Replicate,
    tell: Tell,
    *,
    longer: bool,
    shorter: int = SHORTER,
) -> Evidence:
    """Return what runs of a fleet show that are so many times `shorter` than a proof's.

    Where `longer` ones may be made, those that leave open whether it holds, each mean within its limit, are made anew
    as long as a proof's.
    """
    short = shortened(stage, shorter)
    evidence = await _seen(rounds, short, replicate, tell)
    if longer and short.lengths != stage.lengths and _may_hold(evidence, rounds.source.question):
        return await _seen(rounds, stage, replicate, tell)
    return evidence


async def _seen(rounds: Rounds, stage: PreparedFleet, replicate: Replicate, tell: Tell) -> Evidence:
    """Return what RUNS runs show, LEAST_RUNS where these leave it open."""
    done: dict[int, Replication] = {}
    first = judged(await replace(rounds, most=RUNS).evidence(stage, replicate, done, tell), rounds.source.question)
    if first.verdict != "unproven":
        return first
    more = await replace(rounds, most=LEAST_RUNS).evidence(stage, replicate, done, tell)
    return judged(more, rounds.source.question)


def _may_hold(evidence: Evidence, question: Question) -> bool:
    """Return whether it is open if a fleet holds, each mean being within its limit."""
    found = [(pool.at(limit).value, limit.seconds) for pool in evidence.pools for limit in question.held_limits()]
    return evidence.verdict == "unproven" and all(mean is not None and mean <= most for mean, most in found)


def judged(evidence: Evidence, question: Question) -> Evidence:
    """Return what few runs show, which is a pass where every interval is within its limit."""
    pools = tuple(replace(pool, verdict="pass") if _is_within(pool, question) else pool for pool in evidence.pools)
    passes = evidence.verdict == "unproven" and all(pool.verdict == "pass" for pool in pools)
    return replace(evidence, pools=pools, verdict="pass" if passes else evidence.verdict)


def _is_within(pool: PoolEvidence, question: Question) -> bool:
    ends = [(pool.at(limit).high, limit.seconds) for limit in question.held_limits()]
    return pool.verdict == "unproven" and all(high is not None and high <= most for high, most in ends)
