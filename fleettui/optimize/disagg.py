"""The cheapest disaggregated fleets: every pair of profiles, each pool in whole replicas, until all limits hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.disagg import AT_ONCE, CacheSize, DisaggFigures, DisaggFleet, Handover, Links
from fleettui.domain.dtype import CacheDtype
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.optimize.budgets import with_budgets
from fleettui.optimize.disagg_pair import Pair
from fleettui.optimize.disagg_roles import (
    DecodeRole,
    PrefillRole,
    decode_role,
    longer,
    prefill_role,
    roles,
    stretches,
)
from fleettui.optimize.ranges import Slices
from fleettui.optimize.terms import Terms

LinksOf = Callable[[Profile, Profile], Links]
CacheOf = Callable[[CacheDtype], CacheSize]
Worth = tuple[float, float]
MOST_REPLICAS = 1 << 14
"""Replicas of one pool beyond which no fleet is looked for."""
MOST_MORE = 64
"""Decode replicas beyond the fewest that keep up, with which fewer may be asked of prefill."""
ROWS = 6
"""Kinds of pair that are handed out: the best of each two GPU types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """A pair with so many replicas that prefill and that decode, and what it is ranked by."""

    pair: Pair
    replicas: int
    decoding: int
    worth: Worth

    @property
    def figures(self) -> DisaggFigures:
        """What the formulas say of it."""
        return self.pair.figures(self.replicas, self.decoding)

    @property
    def kind(self) -> tuple[str, str]:
        """The GPU types of its pools."""
        return self.pair.prefill.profile.gpu, self.pair.decode.profile.gpu


def disaggregated(
    question: Question,
    *,
    slices: Slices,
    profiles: Sequence[Profile],
    context: int,
    cache_of: CacheOf,
    links_of: LinksOf,
    handover: Handover = AT_ONCE,
    most: int = ROWS,
) -> list[Sized]:
    """Return the best disaggregated fleet of each pair of GPU types, the `most` best of these, best first.

    Empty where no pair of profiles keeps every limit at any size.
    """
    best: dict[tuple[str, str], Sized] = {}
    found = pairs(
        question,
        slices=slices,
        profiles=profiles,
        context=context,
        cache_of=cache_of,
        links_of=links_of,
        handover=handover,
    )
    bounded = sorted(found, key=lambda one: one[0])
    for bound, pair in bounded:
        ranked = sorted(one.worth for one in best.values())
        if len(ranked) >= most and bound >= ranked[most - 1]:
            break
        kind = pair.prefill.profile.gpu, pair.decode.profile.gpu
        known = best.get(kind)
        better = sized(pair, None if known is None else known.worth)
        if better is not None:
            best[kind] = better
    return sorted(best.values(), key=lambda one: one.worth)[:most]


def pair_of(
    fleet: DisaggFleet, question: Question, *, slices: Slices, profiles: tuple[Profile, Profile], context: int
) -> Pair:
    """Return the pair of profiles that a fleet is made of, its engines set as the fleet has them."""
    prefill, decode = (
        replace(profile, settings=profile.settled(pool)) for pool, profile in zip(fleet.pools, profiles, strict=True)
    )
    asked = replace(question, token_budget=None, max_num_seqs=None, prompt_steps=None)
    passed_on = longer(slices, asked.prefix_hit, fleet.handover.short)
    first = prefill_role(prefill, asked, passed_on, context)
    then = decode_role(decode, asked, slices, context, fleet.handover)
    assert first is not None, "a fleet that was found holds its requests"
    assert then is not None, "a fleet that was found decodes them"
    return Pair(
        prefill=first,
        decode=then,
        links=fleet.links,
        stretches=stretches(first, asked, passed_on, fleet.cache),
        cache=fleet.cache,
        handover=fleet.handover,
        question=question,
        terms=Terms.of(question),
    )


def pairs(
    question: Question,
    *,
    slices: Slices,
    profiles: Sequence[Profile],
    context: int,
    cache_of: CacheOf,
    links_of: LinksOf,
    handover: Handover = AT_ONCE,
) -> Iterator[tuple[Worth, Pair]]:
    """Yield every pair that can pass a cache on, with what no size of it is worth less than.

    There is none where a slice has short prompts alone, which stay with the side that decodes.
    Both replicas keep numbers of one form, or the cache would not be the same.
    """
    terms, passed_on = Terms.of(question), longer(slices, question.prefix_hit, handover.short)
    if len(passed_on) < len(slices):
        return
    prefills, decodes = roles(with_budgets(profiles, question, slices), question, slices, context, handover)
    for prefill in prefills:
        for decode in _one_each(decodes):
            if not _alike(prefill, decode):
                continue
            cache = cache_of(prefill.profile.kv_dtype)
            pair = Pair(
                prefill=prefill,
                decode=decode,
                links=links_of(prefill.profile, decode.profile),
                stretches=stretches(prefill, question, passed_on, cache),
                cache=cache,
                handover=handover,
                question=question,
                terms=terms,
            )
            yield pair.worth(prefill.least, decode.least), pair


def _one_each(decodes: Sequence[DecodeRole]) -> list[DecodeRole]:
    """Return the decode roles without those that differ in their token budget alone, which decodes never fill."""
    found: dict[object, DecodeRole] = {}
    for one in decodes:
        key = one.profile.replica_key
        if key not in found or one.least < found[key].least:
            found[key] = one
    return list(found.values())


def _alike(prefill: PrefillRole, decode: DecodeRole) -> bool:
    one, other = prefill.profile, decode.profile
    return (one.model, one.dtype, one.kv_dtype) == (other.model, other.dtype, other.kv_dtype)


def sized(pair: Pair, worth: Worth | None = None) -> Sized | None:
    """Return the best whole sizes of a pair that hold and are worth less than `worth`; None where there are none.

    From the fewest decode replicas that keep up on, each with the fewest that prefill; more of them only pay while
    they save others.
    """
    best, least = None, pair.prefill.least
    for decoding in range(pair.decode.least, pair.decode.least + MOST_MORE):
        bound = pair.worth(least, decoding)
        if (worth is not None and bound >= worth) or not pair.allowed(least, decoding):
            break
        replicas = _fewest(pair, decoding, worth)
        if replicas is None:
            if not pair.holds(MOST_REPLICAS, decoding) and not pair.holds(MOST_REPLICAS, MOST_REPLICAS):
                break
            continue
        if pair.allowed(replicas, decoding):
            worth = pair.worth(replicas, decoding)
            best = Sized(pair=pair, replicas=replicas, decoding=decoding, worth=worth)
        if replicas == least:
            break
    return best


def _fewest(pair: Pair, decoding: int, worth: Worth | None) -> int | None:
    """Return the fewest replicas that prefill beside so many that decode; None where all that hold are worth more."""

    def too_many(replicas: int) -> bool:
        return replicas > MOST_REPLICAS or (worth is not None and pair.worth(replicas, decoding) >= worth)

    low, high = pair.prefill.least - 1, pair.prefill.least
    while not pair.holds(high, decoding):
        low, high = high, 2 * high
        if too_many(low + 1):
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if pair.holds(middle, decoding) else (middle, high)
    return None if too_many(high) else high
