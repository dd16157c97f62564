"""What a kept plan's simulations say of the pools of its fleet, and of other questions about it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.anchor import Anchor, SeenPool, with_more
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet
from fleettui.domain.length_factors import AS_RECORDED
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import by_replica, merged, seen_pools, simulated
from fleettui.domain.slo import Slo
from fleettui.planning.pool_facts import PoolKind
from fleettui.routing import pools_meet

if TYPE_CHECKING:
    from fleettui.domain.whatif import Outcome, Point
    from fleettui.planning.kept_plan import KeptPlan


def anchors_of(answer: Answer, question: Question) -> tuple[Anchor, ...]:
    """Return the anchor of each pool of an answer's fleet: what any of its simulated fleets showed of such a pool.

    None where the plan has no fleet. In a closed loop every fleet is driven at a rate of its own, so that only the
    answer says which size holds at the plan's. Of a fleet that was given the smallest sizes that hold are known, too.
    """
    best = answer.answer
    if best is None:
        return ()
    return with_more(anchors_from(_candidates(answer), best, question, answer.demand.rate), _smallest(answer))


def _smallest(answer: Answer) -> tuple[Anchor, ...]:
    """Return which sizes of a given fleet's pools were simulated to hold, and that one replica fewer does not."""
    stock, rate = answer.stock, answer.demand.rate
    if stock is None or stock.replicas is None or not stock.simulated:
        return ()
    return tuple(
        Anchor(seen=(_sized(size, rate, passed=True), *([_sized(size - 1, rate, passed=False)] if size > 1 else [])))
        for size in stock.replicas
    )


def _sized(replicas: int, rate: float, *, passed: bool) -> SeenPool:
    return SeenPool(utilization=0.0, ratios=(), replicas=replicas, rate=rate, passed=passed)


def anchors_from(tried: Iterable[Candidate], best: Candidate, question: Question, rate: float) -> tuple[Anchor, ...]:
    """Return what any simulated fleet of those `tried` at a rate in requests/s showed of each pool of a fleet."""
    closed = question.demand.form == "concurrency"
    found: list[list[SeenPool]] = [[] for _ in best.pools]
    kinds = kinds_of(best, alone=not closed)
    for one in simulated(tried):
        own = (closed or pools_meet(one.fleet.router, len(one.fleet.pools))) and one.fleet != best.fleet
        for kind, seen in zip(kinds_of(one, alone=not closed), seen_pools(one, question, rate), strict=True):
            for place in (place for place, wanted in enumerate(kinds) if wanted == kind):
                known = Anchor(seen=(seen,)).elsewhere.seen[0] if own else seen
                if known not in found[place]:
                    found[place].append(known)
    return tuple(Anchor(seen=tuple(own)) for own in found)


def anchors_by_replica(kept: KeptPlan, looks: Iterable[Look] = ()) -> tuple[tuple[ReplicaKey, Anchor], ...]:
    """Return what simulations showed of replicas of a kind, whatever requests they served: ratios alone.

    They are the plan's own, and `looks` at its fleets at other rates, where longer steps decide among them.
    """
    seen = [(kept.answer.demand.rate, _candidates(kept.answer)), *((look.rate, (look.candidate,)) for look in looks)]
    return merged(pair for rate, tried in seen for pair in by_replica(tried, kept.question, rate).items())


def as_known(kept: KeptPlan, point: Point) -> Outcome | None:
    """Return what a point comes to that asks the plan's own question, None for any other, and for plans by formula."""
    from fleettui.domain.whatif import Outcome

    seen, same = kept.answer.simulation, point.question == kept.question and point.lengths == AS_RECORDED
    if seen is None or not same:
        return None
    ttft = max((pool.ttft.value for pool in seen.pools if pool.ttft.value is not None), default=None)
    return replace(Outcome.of(kept.answer, kept.question), ttft=ttft, simulated=True)


def as_simulated(kept: KeptPlan, point: Point, found: Outcome, looks: Iterable[Look] = ()) -> Outcome:
    """Return what the formulas found at a point as far as no kept simulation contradicts it.

    Those are the plan's own, and the `looks` that its studies took. A fleet that failed at no higher rate and no
    stricter limits fails, one that passed at no lower and no laxer passes. So where less is asked than of the plan, and
    nothing else is asked, the plan's own fleet is no worse than a dearer.
    """
    from fleettui.domain.whatif import Outcome

    if found.rate is None or point.lengths != AS_RECORDED:
        return found
    at, question = found.rate, point.question
    if not _differ_in_demand_alone(question, kept.question):
        return found
    before, after = ({one.name: one.seconds for one in of.slo.limits()} for of in (kept.question, question))
    stricter = all(after.get(name, math.inf) <= most for name, most in before.items())
    laxer = all(before.get(name, math.inf) <= most for name, most in after.items())
    own, easier = Outcome.of(kept.answer, kept.question), laxer and at <= kept.answer.demand.rate * (1 + 1e-9)
    if easier and kept.answer.simulation and own.verdict == "pass" and _is_dearer(found, own, point, kept):
        return replace(own, rate=at, ttft=None, simulated=True)
    seen = [(kept.answer.demand.rate, one) for one in simulated(_candidates(kept.answer))]
    seen += [(look.rate, look.candidate) for look in looks]
    same = [
        (rate, one.evidence.verdict)
        for rate, one in seen
        if one.evidence is not None and found.fleet is not None and _sizes(one.fleet) == _sizes(found.fleet)
    ]
    if stricter and any(verdict == "fail" and at >= rate * (1 - 1e-9) for rate, verdict in same):
        return replace(found, verdict="fail", simulated=True)
    passed = laxer and any(verdict == "pass" and at <= rate * (1 + 1e-9) for rate, verdict in same)
    if passed and question.confidence is None:  # what is wished surer needs more
        return replace(found, verdict="pass", simulated=True)
    return found


def _is_dearer(found: Outcome, own: Outcome, point: Point, kept: KeptPlan) -> bool:
    """Return whether a plan's own fleet, which a point's question allows too, is better than what was found there."""
    if replace(point.question, demand=kept.question.demand, slo=kept.question.slo) != kept.question:
        return False
    by_gpus = kept.question.objective == "gpus"
    worth, least = (found.gpus, own.gpus) if by_gpus else (found.cost, own.cost)
    return kept.question.objective in ("cost", "gpus") and least is not None and (worth is None or worth > least)


def _differ_in_demand_alone(one: Question, other: Question) -> bool:
    """Return whether two questions ask for the same requests on the same engines, at whatever rate and limits."""
    closed = "concurrency" in (one.demand.form, other.demand.form)
    same = one.slo.percentile == other.slo.percentile and one.headroom == other.headroom
    return not closed and same and _served(one) == _served(other)


def _served(question: Question) -> Question:
    """Return a question without what it demands of the fleet, and without what only chooses among fleets."""
    return replace(
        question,
        demand=Demand(),
        ranges=(),
        slo=Slo(ttft=1.0),
        gpus=(),
        tp=(),
        pp=(1,),
        prices=(),
        max_gpus=(),
        max_total_gpus=None,
        whole_nodes=False,
        budget=None,
        core_price=None,
        max_power=None,
        max_feed=None,
        objective="cost",
        pools=(1,),
        splits=(),
        max_utilization=0.5,
        name="",
        seed=1,
        precision=0.05,
        verify=True,
    )


def _sizes(fleet: Fleet) -> tuple[object, ...]:
    """Return what a fleet's latencies depend on, of fleets for the same requests and engines."""
    pools = ((pool.replica_key, pool.settings, pool.above, pool.up_to, pool.replicas) for pool in fleet.pools)
    return fleet.gamma, fleet.router, fleet.router_refresh, *pools


def simulated_of(answer: Answer) -> list[Candidate]:
    """Return the fleets of a plan that a simulation looked at, or whose load alone condemns them, each once."""
    return list({one.fleet: one for one in reversed(simulated(_candidates(answer)))}.values())


def _candidates(answer: Answer) -> tuple[Candidate, ...]:
    return answer.candidates if answer.answer is None else (answer.answer, *answer.candidates)


def kinds_of(candidate: Candidate, *, alone: bool = True) -> list[PoolKind]:
    """Return what kind each pool of a candidate is, as one `alone` where the others do not matter to it."""
    pairs = zip(candidate.fleet.pools, candidate.pools, strict=True)
    return [PoolKind.of(candidate.fleet, pool, figures, alone=alone) for pool, figures in pairs]
