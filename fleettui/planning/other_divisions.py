"""How else the GPUs of a fleet that was given may be divided: what holds where it does not, or is surer, simulated.

The formulas say what is worth a look, once as far off as the given fleet showed them to be, and once by themselves:
replicas of another size need not err alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.confidence import LIKELY
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.errors import InputError
from fleettui.planning import division_words
from fleettui.planning.fleet_limits import EVEN, FleetLimits, can_be_told
from fleettui.planning.plan_trials import Trials
from fleettui.planning.sized_shapes import Option, Shape
from fleettui.planning.sure_division import with_sure
from fleettui.planning.surest_rate import sure_at
from fleettui.planning.walk import Sizes

MOST_LOOKED = 3
"""Fleets at most that are looked at."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """In what share of the cases a fleet of at most so many GPUs is to hold."""

    share: float
    gpus: int


async def with_division(trials: Trials, answer: Answer) -> Answer:
    """Return the answer of a fleet that was given with how else its GPUs, or fewer of them, would do.

    Beside more like these it is told which other division of such GPUs is as good as sure for less. It stays as it is
    where the fleet is as good as sure, and where nothing else is seen to do.
    """
    best = answer.answer
    wanted = [] if best is None or not can_be_told(trials.question) else [*_wanted(answer, best)]
    if best is None or not wanted:
        return answer
    fleets = await trials.prover.workers.run(
        "divisions", list[Candidate], source=trials.prover.source, fleet=best.fleet
    )
    if not fleets:
        return await _not_tried(trials, answer, best)
    own, *curves = await trials.prover.curves([one.fleet for one in (best, *fleets)])
    shapes = [*zip(fleets, curves, strict=True)]
    told = await _with_way(trials, shapes, answer, best, wanted)
    return await with_sure(trials, [(best, own), *shapes], told)


async def _not_tried(trials: Trials, answer: Answer, best: Candidate) -> Answer:
    """Return the answer with why no other division was looked at, as it is where there is none."""
    source = trials.prover.source
    unknown = await trials.prover.workers.run("divisions-unknown", str, source=source, fleet=best.fleet)
    told = (division_words.not_tried(best, unknown),) if unknown else ()
    return replace(answer, why=(*answer.why, *told))


async def _with_way(
    trials: Trials, shapes: Sequence[Shape], answer: Answer, best: Candidate, wanted: Sequence[Wanted]
) -> Answer:
    """Return the answer with the first of the shapes that does as wanted, if one is seen to."""
    looks = list[Look]()
    for one in wanted:
        for shape, sizes in (await _worth_a_look(trials, shapes, best, one))[:MOST_LOOKED]:
            limits = await _limits(trials, shape, sizes, looks)
            told = await _told(limits, sizes, best, one)
            looks += [look for look in limits.looks if look not in looks]
            if told:
                return replace(answer, why=(*answer.why, told), looks=(*answer.looks, *looks))
    return replace(answer, looks=(*answer.looks, *looks))


def _wanted(answer: Answer, best: Candidate) -> Iterator[Wanted]:
    """Yield what is better than a fleet: what holds where it does not, what is sure, or fewer that are as sure."""
    sure = answer.confidence
    if answer.verdict != "pass":
        yield Wanted(EVEN, best.gpus)
    elif sure is not None and sure.holds < LIKELY:
        yield Wanted(LIKELY, best.gpus)
        yield Wanted(max(sure.holds, EVEN), best.gpus - 1)


async def _worth_a_look(
    trials: Trials, shapes: Sequence[Shape], best: Candidate, wanted: Wanted
) -> list[tuple[Candidate, Sizes]]:
    """Return the fleets that should do, best first: as few GPUs as need be, then as many as there are.

    Whole nodes that these leave in part are not filled: nobody has those GPUs.
    """
    given = replace(trials, question=replace(trials.question, whole_nodes=False))
    sized = [given.sized_for(wanted.share, err_alike=alike) for alike in (True, False)]
    alike, plain = [await one.options(shapes, [best]) for one in sized]
    enough = [(one.shape, one.sizes) for one in alike if _has(best, one, wanted.gpus)]
    whole = [(one.shape, _own(one.shape)) for one in (*alike, *plain) if _has(best, one, wanted.gpus)]
    every = (*enough, *(pair for pair in whole if pair[0].gpus <= wanted.gpus))
    return list({(id(shape), sizes): (shape, sizes) for shape, sizes in every}.values())


def _has(best: Candidate, option: Option, most: int) -> bool:
    """Return whether an option takes at most so many GPUs, and of each type no more than a fleet has."""
    taken = Counter[str]()
    for pool, size in zip(option.shape.fleet.pools, option.sizes, strict=True):
        taken[pool.gpu] += pool.gpus_per_replica * size
    return taken.total() <= most and taken <= Counter(best.fleet.gpus_by_type)


def _own(shape: Candidate) -> Sizes:
    return tuple(pool.replicas for pool in shape.fleet.pools)


async def _limits(trials: Trials, shape: Candidate, sizes: Sizes, looks: Sequence[Look]) -> FleetLimits:
    fleet = (await trials.prover.stage(shape.fleet, sizes)).candidate
    plan = replace(trials.plan, answer=fleet, candidates=(), stock=None)
    return replace(trials.prover.limits(plan, fleet, looks), purpose="divided otherwise")


async def _told(limits: FleetLimits, sizes: Sizes, best: Candidate, wanted: Wanted) -> str:
    """Return the sentence of a fleet that is looked at, empty where it does not do as wanted."""
    look = await limits.look(sizes, limits.source.rate, longer=True)
    if look is None or not look.holds:
        return ""
    if wanted.share == EVEN:
        return division_words.would_hold(best, look.candidate, limits.question)
    try:
        sure = await sure_at(limits, sizes)
    except InputError:
        return ""
    enough = sure is not None and sure.holds >= wanted.share
    return division_words.would_be_sure(best, look.candidate, sure.holds) if sure is not None and enough else ""
