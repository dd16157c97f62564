"""Why the verified answer is what it is: what one replica fewer would break, and where the formula stood."""

from __future__ import annotations

from fleettui.domain.busy_words import over_limit
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.plan import ASKED_BY_FORMULA, Candidate, Estimate
from fleettui.domain.remedy import SIMULATED, broken_alone, remedy
from fleettui.domain.scenario import Question
from fleettui.planning.next_fleet import SETTLING
from fleettui.planning.settled import Settled
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Walk
from fleettui.reports import units
from fleettui.reports.fleet_text import gpu_total


def reasons(settled: Settled, question: Question) -> tuple[str, ...]:
    """Return the sentences behind the end of a search by simulation, most telling first."""
    answer, walk = settled.answer, settled.walk
    if answer is None or walk is None:
        return _no_answer(settled, question)
    pools = range(len(walk.least))
    sentences = [_one_fewer(settled, walk, answer, place, question) for place in pools]
    sentences += [_correction(walk, answer, place) for place in pools]
    return tuple(filter(None, (*sentences, _untried(settled))))


def so_far(found: Settled, left: Trial) -> str:
    """Return what a search has found before more runs of the fleet that is `left`, whose latency is near its limit."""
    answer, open_ = found.answer, not_proven_yet(left.candidate)
    return open_ if answer is None or not answer.good else f"{_sized(answer.candidate)} holds as simulated; {open_}"


def not_proven_yet(candidate: Candidate) -> str:
    """Return what is known of a simulated fleet that more runs may prove."""
    assert candidate.evidence is not None, "it was simulated"
    return f"{_sized(candidate)} is not proven yet: {candidate.evidence.reason}; more runs go on"


def _sized(candidate: Candidate) -> str:
    return f"{gpu_total(candidate.fleet)} ({units.dollars_per_hour(candidate.cost_per_hour)})"


def _one_fewer(settled: Settled, walk: Walk, answer: Trial, place: int, question: Question) -> str:
    pool = answer.candidate.fleet.pools[place]
    smaller = _holding(walk, answer, place, pool.replicas - 1)
    if smaller is None:
        return _refused(walk, answer, place, question, settled.most_tried)
    paid = smaller.candidate.cost_per_hour >= answer.candidate.cost_per_hour
    why = "costs as much: whole nodes are paid for" if paid else "is slower"
    return f"pool {pool.name}: one replica fewer holds, too, and {why}"


def _refused(walk: Walk, answer: Trial, place: int, question: Question, most_tried: int) -> str:
    pool, asked, figures = answer.candidate.fleet.pools[place], walk.shape.fleet.pools[place], walk.shape.pools[place]
    if pool.replicas == 1:
        return f"pool {pool.name}: one replica is the least there is"
    if pool.replicas == walk.least[place] > 1:
        busy = figures.utilization * asked.replicas / (pool.replicas - 1)
        late = next((one.label for one in question.held_limits() if figures.limited_by.startswith(one.label)), None)
        before = f"; {late} breaks its limit before that" if late is not None else ""
        would = f"one replica fewer would be {over_limit(busy, question.max_utilization)}"
        return f"pool {pool.name}: {would}{before}"
    fewer = walk.with_fewer(place, pool.replicas)
    if fewer is None:
        most = most_tried + SETTLING
        return f"pool {pool.name}: not shown to be the smallest, as no more than {most} fleets are simulated"
    trial, place = fewer
    seen, limit = trial.evidence.pools[place], question.max_utilization
    if seen.utilization > limit:
        return f"pool {pool.name}: one replica fewer would be {over_limit(seen.utilization, limit)}"
    if seen.verdict != trial.pools[place]:  # it was the formula that ruled it out
        return f"pool {pool.name}: one replica fewer would be {over_limit(trial.utilization[place], limit)}"
    word = "fails" if trial.pools[place] == "fail" else "is not proven"
    return f"pool {pool.name}: one replica fewer {word} in simulation: {_seen(trial, place, question)}"


def _holding(walk: Walk, answer: Trial, place: int, size: int) -> Trial | None:
    """Return the trial of the answer's fleet with another size of a pool, None where none was made that holds."""
    sizes = [pool.replicas for pool in answer.candidate.fleet.pools]
    found = walk.trials.get((*sizes[:place], size, *sizes[place + 1 :]))
    return found if found is not None and found.good else None


def _seen(trial: Trial, place: int, question: Question) -> str:
    """Return the latency that decided on a pool, with interval and limit; of several the largest share of its limit."""
    pool = trial.evidence.pools[place]
    shares = [(limit.label, pool.at(limit), limit.seconds) for limit in question.held_limits()]
    end = "low" if pool.verdict == "fail" else "high"

    def weight(one: tuple[str, Estimate, float]) -> tuple[bool, float]:
        return (getattr(one[1], end) or 0.0) > one[2], (one[1].value or 0.0) / one[2]

    label, seen, limit = max(shares, key=weight)
    undefined = [name for name, found, _ in shares if found.value is None]
    within = seen.high is not None and seen.high <= limit
    if seen.value is None or (undefined and within and pool.verdict == "unproven"):
        return f"{undefined[0]} is undefined in some runs: too few requests"
    if seen.low is None:
        how = "without an interval: unstable tail" if trial.evidence.replications > 1 else "in a short look"
        return f"{label} {seen.value:.3g} s {how}, limit {limit:.3g} s"
    return f"{label} {seen.value:.3g} s [{seen.low:.3g}, {seen.high:.3g}], limit {limit:.3g} s"


def _correction(walk: Walk, answer: Trial, place: int) -> str:
    """Return where the formula would have put a pool, when the simulation moved it."""
    asked, found = walk.shape.fleet.pools[place], answer.candidate.fleet.pools[place]
    fewer_hold = asked.replicas < found.replicas and _holding(walk, answer, place, asked.replicas) is not None
    if asked.replicas == found.replicas or fewer_hold:
        return ""
    return f"pool {found.name}{ASKED_BY_FORMULA}{asked.replicas} replicas, the simulation for {found.replicas}"


def _untried(settled: Settled) -> str:
    """Return what could not be excluded, empty where that is nothing."""
    left = settled.untried
    if left is None:
        return ""
    fleet = fleet_words(left.shape.fleet, left.sizes)
    tried = f"not tried, as no more than {settled.most_tried} are simulated"
    likely = (
        "that no size holds" if left.more is None else f"{abs(left.more):.0%} {'more' if left.more > 0 else 'less'}"
    )
    return f"{fleet} might do for up to {left.saving:.0%} less, expected is {likely}: {tried}"


def _no_answer(settled: Settled, question: Question) -> tuple[str, ...]:
    trial = settled.nearest
    limit, rows = question.max_utilization, zip(trial.evidence.pools, trial.pools, trial.utilization, strict=True)
    busy = [
        f"pool {pool.name}: {load:.2f} busy by formula, above {limit:.2f}"
        for pool, own, load in rows
        if own != pool.verdict
    ]
    reason = f"the nearest of {settled.tried} simulated fleets: {trial.evidence.reason}"
    parts = [reason, *busy, *trial.candidate.shortfalls]
    if settled.tried >= settled.most_tried:
        parts.append(f"no more than {settled.most_tried} are tried")
    broken = broken_alone(trial.candidate, question) if trial.passes else None
    if broken is None or question.whole_nodes:
        return ("; ".join(parts),)
    return "; ".join(parts), remedy(*broken, trial.candidate, SIMULATED)
