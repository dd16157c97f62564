"""What compressing the borderline requests moves and saves, factor by factor, under both ways of admission.

At every factor both pools are sized anew for what each then gets (FleetOpt, Algorithm 1), compressed work counted in
the shorter pool, which the papers leave out. A compressor that is put before the fleet of factor 1 saves nothing until
that fleet is made smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.plan import Candidate
from fleettui.domain.study import StudyTable, table_of
from fleettui.optimize.compression_worth import ONE_POOL, SAME_SPLIT, against
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.reasons.split_saving import Work, asked, work_of
from fleettui.scheduling import SCHEDULERS

FACTORS = (1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
"""Factors that are tried beside the question's and the fleet's own."""
FLAT = 0.01
"""Share of the cost by which a factor may be dearer than the best to be as good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """The cheapest fleet at a factor under one admission, None where none holds, and its load in busy replicas.

    `moved` is the share of all requests that is compressed into a shorter pool. Of a single pool the factor is 1.
    """

    admission: str
    pools: int
    gamma: float
    candidate: Candidate | None
    work: Work | None
    moved: float = 0.0


def is_asked(ground: Ground, fleet: Fleet) -> bool:
    """Return whether the question or its answer compresses anything."""
    return max(ground.question.gamma[1], fleet.gamma) > 1.0


def compression_saving(ground: Ground, fleet: Fleet) -> tuple[Factor, ...]:
    """Return one pool, then the cheapest fleet at each factor, at the splits of `fleet`, or at the best without any."""
    factors = sorted({*FACTORS, *ground.question.gamma, fleet.gamma})
    names = [next(one.name for one in SCHEDULERS if one.reserves is reserves) for reserves in (False, True)]
    return tuple(one for name in names for one in _of_admission(ground, fleet, name, factors))


def _of_admission(ground: Ground, fleet: Fleet, admission: str, factors: Sequence[float]) -> Iterator[Factor]:
    pools = max(2, len(fleet.pools))
    whole = ground.best(asked(ground.question, fleet, admission, 1))
    yield Factor(admission=admission, pools=1, gamma=1.0, candidate=whole, work=_work(ground, whole))
    question = replace(asked(ground.question, fleet, admission, pools), gamma=(1.0, 1.0))
    plain = ground.best(question)
    if plain is not None:  # one that is searched has no split of its own: all factors have that of none
        question = replace(question, splits=tuple(pool.up_to for pool in plain.fleet.pools[:-1]))
    for gamma in factors:
        best = plain if gamma == 1.0 else ground.best(replace(question, gamma=(gamma, gamma)))
        work = _work(ground, best)
        yield Factor(
            admission=admission, pools=pools, gamma=gamma, candidate=best, work=work, moved=_moved(plain, best)
        )


def _work(ground: Ground, candidate: Candidate | None) -> Work | None:
    return None if candidate is None else work_of(ground, ground.standing(candidate))


def _moved(plain: Candidate | None, other: Candidate | None) -> float:
    """Return the share of requests that left the longest pool from one fleet to another of the same splits."""
    if plain is None or other is None:
        return 0.0
    before, after = (one.pools[-1].arrival_rate / _rate(one) for one in (plain, other))
    return max(before - after, 0.0)


def _rate(candidate: Candidate) -> float:
    return sum(pool.arrival_rate for pool in candidate.pools)


def sentences(found: Sequence[Factor], measured: MeasuredShare | None) -> Iterator[str]:
    """Yield what compressing saves under each admission, at its best factor, and how flat the cost is around it."""
    for admission in dict.fromkeys(one.admission for one in found):
        own = [one for one in found if one.admission == admission]
        yield _saved(admission, own, measured)


def _saved(admission: str, own: Sequence[Factor], measured: MeasuredShare | None) -> str:
    known = [one for one in own if one.candidate is not None and one.gamma > 1.0]
    if not known:
        return f"under {admission} admission no fleet that compresses keeps the limits"
    best = min(known, key=lambda one: (round(_cost(one), 9), one.gamma))
    told = f"under {admission} admission gamma {best.gamma:g} takes "
    told += ", ".join(_against(best, one) for one in own if one.gamma == 1.0)
    told += f"; it moves {best.moved:.1%} of the requests"
    flat = _flat(known, best)
    told += f", and from gamma {flat[0]:g} to {flat[-1]:g} the cost is the same within {FLAT:.0%}" if flat[1:] else ""
    return told + _cores(best, measured)


def _flat(known: Sequence[Factor], best: Factor) -> list[float]:
    """Return the factors around the best, without a gap, at which the cost is as good."""
    good = [_cost(one) <= _cost(best) * (1.0 + FLAT) for one in known]
    place = list(known).index(best)
    first = max((at + 1 for at in range(place) if not good[at]), default=0)
    last = next((at for at in range(place, len(known)) if not good[at]), len(known))
    return [one.gamma for one in known[first:last]]


def _against(best: Factor, plain: Factor) -> str:
    """Return what a factor changes against a fleet that compresses nothing."""
    name = ONE_POOL if plain.pools == 1 else SAME_SPLIT
    if best.work is None or best.candidate is None or plain.work is None or plain.candidate is None:
        return f"what {name} cannot, which breaks a limit"
    change = best.work.total / plain.work.total - 1.0
    return against(change, best.candidate.gpus - plain.candidate.gpus, name)


def _cores(best: Factor, measured: MeasuredShare | None) -> str:
    """Return how many processor cores the compressor keeps busy at most, where its time was measured."""
    if measured is None or best.candidate is None or not measured.share:
        return ""
    tried = _rate(best.candidate) * best.moved / measured.share
    cost = best.candidate.compressor_cost
    price = f", ${cost:.2g}/h, which is counted" if cost else ""
    return f"; the compressor keeps {tried * measured.processor_seconds:.2g} cores busy{price}"


def _cost(one: Factor) -> float:
    assert one.candidate is not None, "a fleet that is not has no cost"
    return one.candidate.cost_per_hour + one.candidate.compressor_cost


def table(found: Sequence[Factor]) -> StudyTable:
    """Return each factor's fleet, its work and what it saves against none."""
    plain = {one.admission: one for one in found if one.gamma == 1.0 and one.pools > 1}

    def saved(one: Factor) -> float | None:
        before, after = plain[one.admission].work, one.work
        return None if before is None or after is None else 1.0 - after.total / before.total

    return table_of(
        "what compression saves",
        found,
        ("admission", "text", lambda one: one.admission),
        ("pools", "count", lambda one: one.pools),
        ("gamma", "number", lambda one: one.gamma),
        ("moved", "share", lambda one: one.moved if one.candidate else None),
        ("work", "number", lambda one: one.work.total if one.work else None),
        ("work_saved", "share", saved),
        ("gpus", "count", lambda one: one.candidate.gpus if one.candidate else None),
        ("cost_per_hour", "dollars per hour", lambda one: _cost(one) if one.candidate else None),
        note="by formula, every pool sized anew at each factor, compressed work counted, the compressor's cores too "
        "where they have a price; saved against the same split without; the same hardware and limits; prompts that are "
        "cut are work that nobody does; a compressor before the fleet of gamma 1 saves nothing until that one is made "
        "smaller",
    )
