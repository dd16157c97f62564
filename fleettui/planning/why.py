"""Why the verified answer is what it is: what one replica fewer would break, and where the formula stood."""

from __future__ import annotations

from fleettui.domain.scenario import Question
from fleettui.planning.walk import MOST_TRIED, Settled, Trial, Walk


def reasons(settled: Settled, question: Question) -> tuple[str, ...]:
    """Return the sentences behind the end of a search by simulation, most telling first."""
    answer, walk = settled.answer, settled.walk
    if answer is None or walk is None:
        return _no_answer(settled)
    pools = range(len(walk.least))
    sentences = [_one_fewer(walk, answer, place, question) for place in pools]
    sentences += [_correction(walk, answer, place) for place in pools]
    return tuple(sentence for sentence in sentences if sentence)


def _one_fewer(walk: Walk, answer: Trial, place: int, question: Question) -> str:
    pool, asked, figures = answer.candidate.fleet.pools[place], walk.shape.fleet.pools[place], walk.shape.pools[place]
    if pool.replicas == 1:
        return f"pool {pool.name}: one replica is the least there is"
    if pool.replicas == walk.least[place] > 1:
        busy = figures.utilization * asked.replicas / (pool.replicas - 1)
        return f"pool {pool.name}: one replica fewer would be {busy:.2f} busy (limit {question.max_utilization:.2f})"
    trial = walk.with_fewer(place, pool.replicas)
    if trial is None:
        return f"pool {pool.name}: not shown to be the smallest, as no more than {MOST_TRIED} fleets are simulated"
    seen = trial.candidate.evidence.pools[place] if trial.candidate.evidence else None
    if seen is not None and seen.utilization > question.max_utilization:
        limit = f"(limit {question.max_utilization:.2f})"
        return f"pool {pool.name}: one replica fewer would be {seen.utilization:.2f} busy {limit}"
    word = "fails" if trial.pools[place] == "fail" else "is not proven"
    return f"pool {pool.name}: one replica fewer {word} in simulation: {_seen(trial, place, question)}"


def _seen(trial: Trial, place: int, question: Question) -> str:
    """Return the latency of a pool that is the largest share of its limit, with interval and limit."""
    evidence = trial.candidate.evidence
    assert evidence is not None, "a trial has evidence"
    pool, room = evidence.pools[place], 1.0 - question.headroom
    shares = [(metric, getattr(pool, metric), limit * room) for metric, limit in question.slo.limits()]
    metric, seen, limit = max(shares, key=lambda one: (one[1].value or 0.0) / one[2])
    if seen.low is None:
        return f"{metric.upper()} {seen.value:.3g} s in a short look, limit {limit:.3g} s"
    return f"{metric.upper()} {seen.value:.3g} s [{seen.low:.3g}, {seen.high:.3g}], limit {limit:.3g} s"


def _correction(walk: Walk, answer: Trial, place: int) -> str:
    """Return where the formula would have put a pool, when the simulation moved it."""
    asked, found = walk.shape.fleet.pools[place], answer.candidate.fleet.pools[place]
    if asked.replicas == found.replicas:
        return ""
    return f"pool {found.name}: the formula asks for {asked.replicas} replicas, the simulation for {found.replicas}"


def _no_answer(settled: Settled) -> tuple[str, ...]:
    trial = settled.nearest
    evidence = trial.candidate.evidence
    assert evidence is not None, "a trial has evidence"
    parts = [f"the nearest of {settled.tried} simulated fleets: {evidence.reason}", *trial.candidate.shortfalls]
    if settled.tried >= MOST_TRIED:
        parts.append(f"no more than {MOST_TRIED} are tried")
    return ("; ".join(parts),)
