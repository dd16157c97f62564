"""How sure it is that a fleet holds a rate, and up to which rate it is so sure: one way for plans and all studies.

Steps that take so many times as long load a fleet as so many times its rate does. So where longer steps decide, it is
simulated at the step times predicted under rates of as much load: that shows by how much the formulas are off there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.anchor import NOTHING_SEEN
from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.plan import Look
from fleettui.errors import InputError
from fleettui.planning.fleet_limits import EVEN, FleetLimits, Sizes
from fleettui.planning.ladder import APART, rungs

MOST_ROUNDS = 5
"""Times that looks may move how sure a fleet is, by which the next are chosen."""
MOST_JUDGED = 6
"""Numbers of replicas at most that are looked at to tell how many are as good as sure."""
MOST_RISES = 16
"""Times that looks may move the rate up to which a fleet is so sure: by a rung each where it rises."""
NEARLY = 0.05
"""By how much of the cases the formulas may be off before a fleet was simulated where longer steps decide."""
SUREST = 0.999
"""A share of the cases from which on no more is simulated."""


async def surest_rate(limits: FleetLimits, share: float) -> float:
    """Return the greatest rate in requests/s that a fleet holds in a share of the cases, 0 where it holds none.

    A case is a step time within the model's error, and a value of what was typed as a range.
    """
    for _ in range(MOST_RISES):
        if not await decided(limits, share):
            break
    return await limits.workers.run(
        "confidence-surest",
        float,
        source=limits.source,
        fleet=limits.fleet.fleet,
        anchors=limits.anchors,
        sizes=limits.sizes,
        share=share,
    )


async def decided(limits: FleetLimits, share: float, known: float = 0.0, sizes: Sizes | None = None) -> bool:
    """Simulate a fleet where a share of the cases decides, unless it was; return whether that showed anything.

    It is looked at at its own sizes or at others. Loads that are near a `known` rate are not looked at.
    """
    rate, loads = await limits.lasts(share, sizes)
    if not rate:
        return False
    own = sizes or limits.sizes
    seen = {look.rate for look in limits.looks if look.sizes == own}
    new = sorted({rung for load in loads if load > known * (1.0 + APART) for rung in rungs(load)} - seen)
    looks = [await limits.look(own, rung) for rung in new]
    return any(look is not None for look in looks)


async def looked_as_loaded(limits: FleetLimits, share: float) -> Sequence[Look]:
    """Return new looks at a fleet under the loads that the scene's would be if steps took as long as in a share of the
    cases, each at the rung below it; no heavier one is taken once it fails.
    """
    by_formula = replace(limits, known=(NOTHING_SEEN,) * len(limits.known), looks=[])
    rate, loads = await by_formula.lasts(share)
    found, seen = list[Look](), {look.rate for look in limits.looks if look.sizes == limits.sizes}
    for rung in sorted({rungs(load * limits.source.rate / rate)[0] for load in loads} - seen) if rate else ():
        look = await limits.look(limits.sizes, rung)
        found += [] if look is None else [look]
        if look is None or look.evidence.verdict == "fail":
            break
    return found


async def how_sure(limits: FleetLimits, *, sizes: bool = True) -> Confidence | None:
    """Return in what share of the cases a fleet holds the scene's rate, and what does in most.

    The `sizes` that do are as the fleet's own proof and what is simulated for it show them, so that they are told the
    same wherever it is met. None where the formulas cannot size it.
    """
    try:
        found = await _holds(limits)
        if not sizes:
            return found
        return await _likely(limits, found) if found.holds < LIKELY else await _fewest(limits, found)
    except InputError:  # a fleet that was given need not be one that the formulas can size
        return None


async def _holds(limits: FleetLimits) -> Confidence:
    """Return how sure a fleet is, which was simulated where longer steps make it fail."""
    found = await _confidence(limits)
    for _ in range(MOST_ROUNDS):
        own = limits.source.rate  # is seen in the fleet's proof
        if not EVEN < found.holds < SUREST or not await decided(limits, found.holds, own):
            break
        found = await _confidence(limits)
    return found


async def _likely(limits: FleetLimits, found: Confidence) -> Confidence:
    """Return the same with as few like these as are as good as sure, by what so many show themselves.

    A fleet near one that is seen errs like it, one far from it need not: so the number that the formulas come to, as
    its own looks correct them, is simulated as it would be if somebody had so many.
    """
    own = _by_itself(limits)
    later = await _holds(own)
    if later.holds < LIKELY and later.replicas is not None and await decided(own, LIKELY, sizes=later.replicas):
        later = await _confidence(own)
    limits.looks += [look for look in own.looks if look not in limits.looks]
    told = found if later.holds >= LIKELY else later
    enough = await judged(limits, told.replicas)
    return replace(told if enough == told.replicas else await _confidence(own, enough), holds=found.holds)


async def _fewest(limits: FleetLimits, found: Confidence) -> Confidence:
    """Return the same of a fleet that is as good as sure, with as few like these as are so by what they show.

    What more replicas showed need not tell that of fewer, which are busier. So these are simulated as they would be if
    somebody had fewer; of some that cannot be in short it is told by formula.
    """
    enough = await judged(limits, found.replicas, limits.sizes)
    return found if enough == found.replicas else await _confidence(limits, enough)


async def judged(limits: FleetLimits, expected: Sizes | None, enough: Sizes | None = None) -> Sizes | None:
    """Return the fewest replicas that are as good as sure by what they show, from those that are `expected` to be on.

    So many are known to be `enough`, if any are. A replica fewer of any pool was seen to be too few, or is expected to
    be by what those show that are enough; it may do after MOST_JUDGED looks, and where it is not looked at in short.
    None where no number does.
    """
    known, short = {enough}, (0,) * len(expected or ())
    while expected is not None and expected not in known and len(known) <= MOST_JUDGED:
        known.add(expected)
        sure = await sure_at(limits, expected)
        if sure is None:
            return enough if any(short) else expected
        if sure.holds >= LIKELY:
            enough, expected = expected, fewer_than(expected, sure.replicas, short)
        elif enough is None:
            expected = more_than(expected, sure.replicas)
        else:
            needs = sure.replicas or enough
            short = tuple(own if own < need else few for own, need, few in zip(expected, needs, short, strict=True))
            expected = more_of(expected, needs, enough)
    return enough or expected


def more_than(few: Sizes, likely: Sizes | None) -> Sizes | None:
    """Return more replicas than these, which are too few, as far as those tell that are likely to do."""
    if likely is None:
        return None
    more = tuple(map(max, few, likely))
    return more if more != few else tuple(size + 1 for size in few)


def more_of(few: Sizes, likely: Sizes, enough: Sizes) -> Sizes:
    """Return more replicas of the pools of which these are too few: those that are likely to do, fewer than do.

    Where no fewer are, they lie half way.
    """
    places = zip(few, likely, enough, strict=True)
    return tuple(max(own, need) if need < most or need <= own else _half_way(own, most) for own, need, most in places)


def fewer_than(enough: Sizes, likely: Sizes | None, short: Sizes) -> Sizes | None:
    """Return fewer replicas than do: those that are likely to, or half way to more that are known to be too few."""
    if likely is None:
        return None
    places = zip(enough, likely, short, strict=True)
    return tuple(min(most, need) if need > few else _half_way(few, most) for most, need, few in places)


def _half_way(few: int, enough: int) -> int:
    """Return replicas half way from those that are too few to those that do, which none are where these are next."""
    return enough - (enough - few) // 2


async def sure_at(limits: FleetLimits, sizes: Sizes) -> Confidence | None:
    """Return how sure a fleet is at other sizes by what it shows at these, None where it is not looked at in short.

    One that is as good as sure was seen at the load that this takes, as a fleet that is sized to be so sure was.
    """
    rate = limits.source.rate
    look = next((one for one in limits.looks if (one.sizes, one.rate) == (sizes, rate)), None)
    look = look or await limits.look(sizes, rate)
    if look is None:
        return None
    own = _by_itself(replace(limits, fleet=look.candidate))
    found = await _holds(own)
    if found.holds >= LIKELY and await looked_as_loaded(own, LIKELY):
        found = await _confidence(own)
    limits.looks += [one for one in own.looks if one not in limits.looks]
    return found


def _by_itself(limits: FleetLimits) -> FleetLimits:
    """Return what a fleet's own proof alone shows of its limits, whatever else was simulated; all where it has none."""
    own = [look for look in limits.looks if look.candidate == limits.fleet and look.rate == limits.source.rate]
    if not own:
        return limits
    nothing = (NOTHING_SEEN,) * len(limits.known)
    return replace(limits, known=nothing, looks=own, before=(*limits.before, *limits.looks))


async def may_hold(limits: FleetLimits, share: float) -> bool:
    """Return whether a fleet is nearly so sure to hold the scene's rate, by formula as simulations correct it."""
    try:
        found = await _confidence(limits)
    except InputError:
        return False
    return found.holds >= share - NEARLY


async def _confidence(limits: FleetLimits, shown: Sizes | None = None) -> Confidence:
    """Return how sure a fleet is by formula as its looks correct it; `shown` are the sizes that are as good as sure."""
    return await limits.workers.run(
        "confidence", Confidence, source=limits.source, fleet=limits.fleet.fleet, anchors=limits.anchors, shown=shown
    )
