"""The fleets that one would like to buy and must not: cheaper ones that break a limit, and by how much they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate, Evidence
from fleettui.domain.study import StudyTable, table_of
from fleettui.errors import InputError
from fleettui.optimize.reasons.inputs import Ground, hardware, resized, sizes, words
from fleettui.optimize.reasons.limits import ROUNDING, LimitCheck, broken, finite, in_unit, limits, told, worst

MOST_SHAPES, MOST_SPLITS = 12, 3
"""Fleets of other hardware, cheapest first, and of each the splits, whose next smaller sizes are looked at."""
LITTLE = 0.001
"""Share of a limit below which no more is told of what exceeds it."""
MOST_ROWS = 10
Shape = tuple[float, tuple[tuple[int, str, str, str, int], ...]]
"""Gamma, then of each pool its longest request, GPU, dtype, tp and replicas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A fleet that fails: the limits that it breaks, as simulated where it was and `seen` says how, else by formula."""

    candidate: Candidate
    breaks: tuple[LimitCheck, ...]
    seen: Evidence | None = None


def failing(ground: Ground, answer: Candidate | None) -> tuple[Failing, ...]:
    """Return the fleets that fail among the candidates and one replica short of each, cheapest first.

    Those that cost as much as the answer tempt nobody and are left out. Of every shape of fleet only the largest sizes
    that fail are looked at: still smaller ones fail too.
    """
    found: dict[Shape, Failing] = {}
    for fleet, replicas in _tried(ground, answer):
        key = _shape(fleet.fleet, replicas)
        if key in found:
            continue
        try:
            fixed = ground.fix(fleet.fleet, replicas)
        except InputError:  # it cannot hold what it would be asked for
            continue
        breaks = broken(limits(ground, fixed))
        if breaks:
            found[key] = Failing(candidate=fixed.candidate, breaks=breaks, seen=ground.seen(fixed.candidate.fleet))
    for one in ground.proofs.values():
        seen = one.simulation
        if seen is not None and seen.verdict == "fail":
            breaks = broken(limits(ground, ground.standing(one)))
            found[_shape(one.fleet, sizes(one))] = Failing(candidate=one, breaks=breaks, seen=seen)
    ceiling = float("inf") if answer is None else answer.cost_per_hour * (1.0 - ROUNDING)
    cheaper = (one for one in found.values() if one.candidate.cost_per_hour < ceiling)
    return tuple(sorted(cheaper, key=_order))


def _order(one: Failing) -> tuple[object, ...]:
    """Return what fleets are told by: cheapest first, of those that cost the same that first which fails by least."""
    return round(one.candidate.cost_per_hour, 9), _excess(one), hardware(one.candidate)


def _excess(one: Failing) -> float:
    """Return by what share a fleet exceeds the limit that it exceeds most, 0 for one of which no figure is beyond one.

    A latency without end is no share, as a pool that does not keep up has it: its utilization is. Infinite where
    nothing else is broken.
    """
    return worst(one.breaks).excess if one.breaks else 0.0


def _shape(fleet: Fleet, replicas: Sequence[int]) -> Shape:
    """Return what tells a fleet of these sizes from others: its compression, and each pool's range and hardware."""
    pairs = zip(fleet.pools, replicas, strict=True)
    return fleet.gamma, tuple((pool.up_to, pool.gpu, pool.dtype, pool.division, size) for pool, size in pairs)


def _tried(ground: Ground, answer: Candidate | None) -> Iterable[tuple[Candidate, tuple[int, ...]]]:
    """Return fleets with the sizes to look at: those with shortfalls as they are, the others one replica short."""
    shapes: dict[Shape, Candidate] = {}
    for one in ([answer] if answer is not None else []) + list(ground.kept.candidates):
        shapes.setdefault(_shape(one.fleet, sizes(one)), one)
    holding: dict[object, list[Candidate]] = {}
    for one in shapes.values():
        if not one.shortfalls:
            holding.setdefault(hardware(one), []).append(one)
    for one in (one for own in list(holding.values())[:MOST_SHAPES] for one in own[:MOST_SPLITS]):
        for place, pool in enumerate(one.fleet.pools):
            if pool.replicas > 1:
                yield one, resized(one, place, -1)
    for one in shapes.values():
        if one.shortfalls:
            yield one, sizes(one)


def sentences(found: Sequence[Failing], answer: Candidate | None) -> tuple[str, ...]:
    """Return which of them is cheapest, which comes nearest to holding, and by how much they fail."""
    if not found:
        return ()
    near = nearest(found)
    said = [f"the cheapest plan that fails: {_told(found[0], answer)}"]
    if near is not None and near is not found[0]:
        said.append(f"the nearest miss: {_told(near, answer)}")
    return tuple(said)


def nearest(found: Sequence[Failing]) -> Failing | None:
    """Return the fleet that exceeds its limits by the smallest share, None where none has a figure beyond one."""
    told_by = [one for one in found if one.breaks and finite(worst(one.breaks).excess) is not None]
    return min(told_by, key=_excess, default=None)


def _told(one: Failing, answer: Candidate | None) -> str:
    """Return a fleet with its cost, against the answer's, and how it fails."""
    against = ""
    if answer is not None:
        less = answer.cost_per_hour - one.candidate.cost_per_hour
        against = f", ${abs(less):.2f}/h {'less' if less >= 0 else 'more'} than the answer"
    split = f", split at {_split(one)} tokens," if len(one.candidate.fleet.pools) > 1 else ""
    return f"{words(one.candidate)}{split} at ${one.candidate.cost_per_hour:.2f}/h{against}; {_how(one)}"


def _how(one: Failing) -> str:
    if one.seen is not None and not one.breaks:
        return f"in simulation: {one.seen.reason}"
    limit = worst(one.breaks)
    by = "" if finite(limit.excess) is None else f", {_too_much(limit.excess)}"
    if one.seen is None:
        return f"{told(limit)}{by}, by formula"
    return f"{told(limit)}{by}, as simulated{'' if one.seen.verdict == 'fail' else ', not proven'}"


def _too_much(excess: float) -> str:
    """Return by which share a limit is exceeded.

    >>> _too_much(0.05), _too_much(0.0004)
    ('5.0% too much', 'less than 0.1% too much')
    """
    return f"{excess:.1%} too much" if excess >= LITTLE else f"less than {LITTLE:.1%} too much"


def _breaks(one: Failing) -> str:
    """Return the limit that a fleet exceeds most and what it comes to, marked where that is by formula."""
    if one.seen is not None and not one.breaks:
        return one.seen.reason
    limit = worst(one.breaks)
    return f"{'~' if one.seen is None else ''}{limit.name} {in_unit(limit, limit.figure)}"


def _split(one: Failing) -> str:
    """Return up to how many tokens each pool but the last serves: another split of the same GPUs may hold."""
    return ", ".join(f"{pool.up_to:,}" for pool in one.candidate.fleet.pools[:-1])


def table(found: Sequence[Failing], answer: Candidate | None) -> StudyTable:
    """Return the cheapest of them as a table."""
    by_hardware: dict[object, Failing] = {}
    for one in found:
        by_hardware.setdefault(hardware(one.candidate), one)
    shown = list(by_hardware.values())[:MOST_ROWS]
    near = nearest(found)
    if near is not None and near not in shown:
        shown[-1] = near
    return table_of(
        "plans that fail, cheapest first",
        shown,
        ("fleet", "text", lambda one: words(one.candidate)),
        *([("split", "text", _split)] if any(len(one.candidate.fleet.pools) > 1 for one in shown) else ()),
        ("cost_per_hour", "dollars per hour", lambda one: one.candidate.cost_per_hour),
        (
            "more_than_answer",
            "dollars per hour",
            lambda one: None if answer is None else one.candidate.cost_per_hour - answer.cost_per_hour,
        ),
        ("breaks", "text", _breaks),
        ("too_much", "share", lambda one: finite(worst(one.breaks).excess) if one.breaks else None),
        note="candidates that break a limit, and the cheapest that hold with one replica taken away; of the same "
        "GPUs the split, in tokens, that fails by least: another may hold; of the same cost the nearest to holding "
        "first; ~ by formula",
    )
