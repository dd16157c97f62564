"""Which other setting of the same engine takes less than an answer: tokens of a step, sequences at once, a level.

The formulas size the answer's make, and one pool in its place, so set; what then takes less is searched for, and the
best is told. How much a token budget does to waits the formulas know but nearly: what that would undo is not told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from fleettui.domain.advice import CENT, Advice
from fleettui.domain.anchor import NOTHING_SEEN, Anchor, SeenPool
from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.fleet import Fleet
from fleettui.domain.fleet_words import instead_words
from fleettui.domain.hardware import STOCK, TUNINGS, Profile
from fleettui.domain.limit import TTFT
from fleettui.domain.plan import TUNED_AS, Answer, Candidate
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.offers import Anchors
from fleettui.optimize.whole_prompts import whole_enough
from fleettui.planning.tasks.simulation_inputs import Scene

TIMES = (0.25, 0.5, 1.0, 2.0)
"""What the token budgets of the answer's pools are multiplied by."""
DOUBT = 1.065
"""By what factor a simulated TTFT over the formula's may grow each time the token budget is halved or doubled.

Nine in ten of 252 steps between 1,024 and 16,384 tokens are within it either way, and half of the doublings within
1.024 (H100 by measured kernels and by their peaks, of 1 to 16 replicas at .5 to .85 busy).
"""
FULL = 0.25
"""The part of the sequences at once that run in the mean where more of them may matter."""
MOST_TOLD = 2
"""Settings at most that are searched with, the best by shape first, or told to be simulated."""

MOST_SEARCHED = 4
"""Of several settings at once so many at most."""

Search = Callable[[Question, Sequence[Profile], Anchors], Answer]
"""Answers a question by formula with fleets of some profiles, corrected by what was seen of them."""
ProfilesOf = Callable[[Question, Collection[str]], Sequence[Profile]]
"""Returns the profiles of the fleets that a question may have on some GPUs, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSetting:
    """A question whose engine is set otherwise, the words that say how, and the option that asks it."""

    question: Question
    words: str
    option: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A make that is expected to take less with a setting: US dollars an hour by its shape."""

    setting: OtherSetting
    cost: float
    make: Fleet


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSettings:
    """What tries other settings in a scene for fleets of a make: `search` finds the best, on `profiles_of` a question.

    `anchors` are what simulations showed of replicas as they are set; `paid` are the GPUs that a fleet is paid for.
    """

    scene: Scene
    anchors: Anchors
    search: Search
    profiles_of: ProfilesOf
    paid: Callable[[Candidate], int]

    def advice(self, best: Candidate) -> Iterator[Advice]:
        """Yield other settings that take less than an answer's fleet, or as much in fewer pools, the best first.

        By formula that is one, searched for where a shape promises it. Beside what simulations showed they are the
        MOST_TOLD settings that are best in all searches, for fleets of each number of pools: shapes promise little that
        those allow.
        """
        if self.scene.question.objective not in ("cost", "gpus"):
            return
        found = [self._searched(setting, pools, best) for setting, pools in self._worth(best)]
        better = sorted((one for one in found if one is not None and one.matters(best)), key=_of_advice)
        yield from one_of_each(_unlike_fleets(better))[: MOST_TOLD if self.anchors else 1]

    def instead(self, nearest: Candidate, settings: Iterable[OtherSetting]) -> list[Advice]:
        """Return those settings with which the question has a fleet where it has none, for MOST_TOLD fleets at most.

        They are the `nearest` fleet's changed, on its GPU types; the best come first.
        """
        found = [self._searched(setting, setting.question.pools, nearest) for setting in settings]
        return _unlike_fleets(sorted((one for one in found if one is not None), key=_of_advice))[:MOST_TOLD]

    def likeliest(self, settings: Iterable[OtherSetting], nearest: Candidate) -> list[OtherSetting]:
        """Return the MOST_SEARCHED settings with which the shape of a fleet costs least."""

        def cost(setting: OtherSetting) -> float:
            own = self._profiles(setting.question, nearest)
            dtypes = {one.gpu: one.dtype for one in own}
            pools = tuple(replace(pool, dtype=dtypes.get(pool.gpu, pool.dtype)) for pool in nearest.fleet.pools)
            return self._cost(setting.question, replace(nearest.fleet, pools=pools), nearest, own)

        return sorted(settings, key=cost)[:MOST_SEARCHED]

    def _worth(self, best: Candidate) -> Iterator[tuple[OtherSetting, tuple[int, ...]]]:
        """Yield the settings to search with, each with the numbers of pools that are searched at once."""
        if self.anchors:
            yield from ((one, (pools,)) for one in others(self.scene.question, best) for pools in one.question.pools)
        else:
            promised = islice(_unlike(self._promised(best)), MOST_TOLD)
            yield from ((one.setting, one.setting.question.pools) for one in promised)

    def _promised(self, best: Candidate) -> Iterator[Promise]:
        """Yield what is expected to take less by the shape of the answer's make, or of one pool in its place."""
        for setting in others(self.scene.question, best):
            own = self._profiles(setting.question, best)
            for make in _instead(best.fleet, self.scene.question):
                cost = self._cost(setting.question, make, best, own)
                fewer = len(make.pools) < len(best.fleet.pools)
                if cost < best.cost_per_hour + (CENT if fewer else -CENT):
                    yield Promise(setting=setting, cost=cost, make=make)

    def _profiles(self, question: Question, best: Candidate) -> list[Profile]:
        """Return the profiles of a question on the answer's GPU types; of a token budget they are the scene's."""
        gpus, now = {pool.gpu for pool in best.fleet.pools}, self.scene.question
        as_it_is = (question.tuning, question.max_num_seqs, question.dtype) == (now.tuning, now.max_num_seqs, now.dtype)
        own = [one for one in self.scene.profiles if one.gpu in gpus]
        try:
            found = own if as_it_is else self.profiles_of(question, gpus)
            return whole_enough(found, question, self.scene.case.at(1.0))
        except InputError:  # so set, the model or a prompt does not fit
            return []

    def _cost(self, question: Question, fleet: Fleet, best: Candidate, profiles: Sequence[Profile]) -> float:
        """Return what the shape of a fleet costs an hour under a question, infinite where no size holds."""
        known = {_kind(one.replica_key): one for one in profiles}
        try:
            own = [known[_kind(pool.replica_key)] for pool in fleet.pools]
        except KeyError:  # so set, the model does not fit
            return math.inf
        pairs = [*zip(fleet.pools, own, strict=True)]
        settings = [one.settled(question) for one in own]
        pools = [
            replace(
                pool,
                kv_dtype=one.kv_dtype,
                max_num_seqs=to.max_num_seqs,
                token_budget=to.token_budget,
                prompt_steps=to.prompt_steps,
            )
            for (pool, one), to in zip(pairs, settings, strict=True)
        ]
        busiest = max(one.utilization for one in best.pools)
        anchors = [
            doubted(_halvings(pool.token_budget, to), busiest) for pool, to in zip(fleet.pools, settings, strict=True)
        ]
        shaped, slices = replace(fleet, pools=tuple(pools)), self.scene.case.at(1.0)
        try:
            shape = Shape.of(shaped, question, own, slices, modelled=True, anchors=anchors)
        except InputError:
            return math.inf
        sizes = shape.replicas(self.scene.rate)
        return math.inf if sizes is None else shape.cost(sizes)

    def _searched(self, setting: OtherSetting, pools: tuple[int, ...], best: Candidate) -> Advice | None:
        """Return what a search of all that the answer's GPU types may form finds with a setting, None where none holds.

        A plan of that question looks at these, too.
        """
        asked, own = setting.question, self._profiles(setting.question, best)
        found = self.search(replace(asked, pools=pools), own, self._seen(own)).answer if own else None
        if found is None:
            return None
        count, now = len(found.fleet.pools), len(best.fleet.pools)
        return Advice(
            question=asked,
            rate=self.scene.rate,
            found=found,
            saves=True,
            gpus=self.paid(found) - self.paid(best),
            words=f"{setting.words}{_cache(found, best)}: {{taken}}, {setting.option}",
            pools="" if count == now else instead_words(count, now),
            profiles=tuple(own),
        )

    def _seen(self, profiles: Sequence[Profile]) -> Anchors:
        """Return what simulations showed of replicas, as far as it tells of them as they are set otherwise.

        Replicas that were not simulated are thought to be as far from the formulas as all that were.
        """
        if not self.anchors:
            return self.anchors
        seen = {_kind(key): anchor for key, anchor in self.anchors.items()}
        every = Anchor(seen=tuple(one for anchor in seen.values() for one in anchor.seen))
        return {one.replica_key: seen.get(_kind(one.replica_key), every).elsewhere for one in profiles}


def _unlike(promised: Iterable[Promise]) -> Iterator[Promise]:
    """Yield promises, the cheapest first: of those of one setting or of one cost, which may be one thing, the first."""
    told = set[object]()
    for one in sorted(promised, key=lambda one: (round(one.cost, 6), len(one.make.pools))):
        names = {one.setting.option, round(one.cost, 6)}
        if not names & told:
            yield one
        told |= names


def _unlike_fleets(found: Iterable[Advice]) -> list[Advice]:
    """Return advice, the first of each fleet: a level may set what a budget does."""
    return _first_of_each(found, lambda one: one.found)


def one_of_each(found: Iterable[Advice]) -> list[Advice]:
    """Return advice, the first of each setting: what it promises most is simulated, then another setting."""
    return _first_of_each(found, lambda one: _setting(one.question))


def _first_of_each(found: Iterable[Advice], key: Callable[[Advice], Hashable]) -> list[Advice]:
    return list({key(one): one for one in reversed([*found])}.values())[::-1]


def _setting(question: Question) -> tuple[object, ...]:
    return question.tuning, question.token_budget, question.max_num_seqs


def others(question: Question, best: Candidate) -> Iterator[OtherSetting]:
    """Yield a question with each other setting of its engine that nobody said, a fleet's own multiplied or a level's.

    An engine does not start with fewer tokens in a step than it may run sequences; more of these than run anyway are
    no other setting.
    """
    pools, free = best.fleet.pools, (question.token_budget is None, question.max_num_seqs is None)
    most = max(pool.max_num_seqs for pool in pools)
    if free[0]:
        for tokens in sorted({round(pool.token_budget * times) for pool in pools for times in TIMES}):
            if tokens >= most and any(pool.token_budget != tokens for pool in pools):
                option = f"--token-budget {tokens}"
                yield from _asked(question, f"a token budget of {tokens:,}", option, token_budget=tokens)
    full = any(one.batch >= FULL * pool.max_num_seqs for one, pool in zip(best.pools, pools, strict=True))
    if free[1] and full and min(pool.token_budget for pool in pools) >= 2 * most:
        option = f"--max-num-seqs {2 * most}"
        yield from _asked(question, f"{2 * most:,} sequences at once", option, max_num_seqs=2 * most)
    if all(free) and question.tuning == STOCK and question.fit is None:
        for level in [one for one in TUNINGS if one != STOCK]:
            yield from _asked(question, f"{question.engine} {TUNED_AS[level]}", f"--tuning {level}", tuning=level)


def _asked(question: Question, words: str, option: str, **setting: object) -> Iterator[OtherSetting]:
    """Yield the question with a setting, where it may have it."""
    try:
        asked = replace(question, **setting)  # type: ignore[arg-type]
    except InputError:
        return
    yield OtherSetting(question=asked, words=words, option=option)


def _instead(fleet: Fleet, question: Question) -> Iterator[Fleet]:
    """Yield a fleet, and where it has several pools and may have one, that of its longest requests in place of all."""
    yield fleet
    if len(fleet.pools) > 1 and 1 in question.pools and fleet.gamma == 1.0:
        yield replace(fleet, pools=(replace(fleet.pools[-1], above=0),))


def doubted(halvings: float, utilization: float) -> Anchor:
    """Return how much longer than by formula, at a load, requests may wait where the token budget was halved so often.

    It may have been doubled, too.
    """
    if halvings == 0.0:
        return NOTHING_SEEN
    ratios = ((TTFT.name, DOUBT ** abs(halvings)),)
    return Anchor(seen=(SeenPool(utilization=utilization, ratios=ratios, replicas=1, rate=1.0),))


def _cache(found: Candidate, best: Candidate) -> str:
    """Say in what the cache is held where the answer's is not: outputs may be others."""
    held, now = ({pool.kv_dtype for pool in one.fleet.pools} for one in (found, best))
    return f", its cache in {' and '.join(sorted(held))}" if held != now else ""


def _of_advice(one: Advice) -> tuple[float, int]:
    """Return what advice is ranked by: the money, then the number of pools."""
    assert one.found is not None, "it saves"
    return round(one.found.cost_per_hour, 6), len(one.found.fleet.pools)


def _halvings(tokens: int, to: EngineSettings) -> float:
    return math.log2(tokens / to.token_budget)


def _kind(key: ReplicaKey) -> tuple[object, ...]:
    """Return what tells replicas apart whatever their cache's number format, which a level may set."""
    return (*key[:3], *key[4:])
