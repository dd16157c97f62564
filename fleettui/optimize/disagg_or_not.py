"""Does disaggregation pay: both ways to the same need, where the cheaper one changes, and what the dearer one loses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fleettui.domain.disagg import AT_ONCE, Axis, DisaggFigures, Flip, Handover, Lost
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import TPOT, TTFT, Limit
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.optimize.budgets import with_budgets
from fleettui.optimize.disagg import CacheOf, LinksOf, Sized, disaggregated
from fleettui.optimize.evaluate import Scorer
from fleettui.optimize.offers import offers_of
from fleettui.optimize.plan import ranges_for
from fleettui.optimize.ranges import Slices
from fleettui.optimize.search import search
from fleettui.optimize.terms import Terms
from fleettui.queueing.moments import uncached_tokens

REACH, STEPS, HALVINGS = 4.0, 3, 4
"""A flip is looked for up to so many times the asked value and below, in so many steps, then by bisection."""
STAYING = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Shares of the requests, those with the shortest prompts, that are tried to stay with decode."""
ENDLESS = 1e18
"""Bytes per second of a link that takes no time."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question at a rate, as both searches take it; `link` are typed bytes per second of a replica's link.

    Disaggregated fleets are of `profiles`, co-located ones of those in `both`.
    """

    question: Question
    slices: Slices
    profiles: Sequence[Profile]
    both: Sequence[Profile]
    grid: Sequence[int]
    context: int
    cache_of: CacheOf
    links_of: Callable[[float | None], LinksOf]
    link: float | None = None
    handover: Handover = AT_ONCE

    @cached_property
    def colocated(self) -> Candidate | None:
        """The cheapest fleet whose replicas do both, None where none holds.

        Unless the question says one every token budget is tried: smaller chunks hold a TPOT limit too.
        """
        question = self.question
        if question.token_budget is None:
            question = replace(question, token_budget="auto")
        profiles = with_budgets(self.both, question, self.slices)
        if not profiles:
            return None
        ranges = ranges_for(question, self.grid, self.context, profiles)
        terms = Terms.of(question)
        offers = offers_of(profiles, self.slices, ranges, question, terms, rivals=True)
        ranked = search(offers, ranges, question).ranked
        scorer = Scorer(offers=offers, ranges=ranges, question=question, terms=terms)
        return scorer.candidates(ranked[:1])[0] if ranked else None

    def _worth(self, one: Candidate) -> float:
        return float(one.gpus) if self.question.objective == "gpus" else one.cost_per_hour

    def disaggregated(self, most: int = 1) -> list[Sized]:
        """Return the best disaggregated fleets."""
        return disaggregated(
            self.question,
            slices=self.slices,
            profiles=self.profiles,
            context=self.context,
            cache_of=self.cache_of,
            links_of=self.links_of(self.link),
            handover=self.handover,
            most=most,
        )

    @cached_property
    def best(self) -> Sized | None:
        """The best disaggregated fleet."""
        return next(iter(self.disaggregated()), None)

    @property
    def pays(self) -> bool:
        """Whether the best disaggregated fleet costs less than the best co-located one."""
        best, other = self.best, self.colocated
        return best is not None and (other is None or best.worth[0] < self._worth(other) * (1.0 - 1e-9))

    def narrowed(self) -> Asked:
        """Return the same among the GPU types of both best fleets, co-located ones in one pool or at the best's splits.

        It is asked again and again, at other inputs.
        """
        best, other, question = self.best, self.colocated, self.question
        kinds = set() if best is None else {*best.kind}
        if other is not None:
            kinds |= {pool.gpu for pool in other.fleet.pools}
            count, splits = len(other.fleet.pools), tuple(pool.up_to for pool in other.fleet.pools[:-1])
            question = replace(question, pools=tuple({1, count}), splits=splits)
        return replace(
            self,
            question=question,
            profiles=[one for one in self.profiles if one.gpu in kinds],
            both=[one for one in self.both if one.gpu in kinds],
        )

    def conditional(self) -> Asked:
        """Return the same with the longest prompts that stay with decode so that a fleet costs least, of parts of them.

        They are looked for among the shortest STAYING of the requests by the prompt tokens to compute, in the GPU types
        of the best fleets; where none pays, all are passed on.
        """
        near = self.narrowed()
        tried = {0: near.best} | {short: near.staying(short).best for short in self._short_prompts()}
        worth = {short: (*one.worth, short) for short, one in tried.items() if one is not None}
        return self.staying(min(worth, key=lambda short: worth[short])) if worth else self

    def staying(self, short: int) -> Asked:
        """Return the same where prompts of up to so many tokens to compute stay with decode."""
        return replace(self, handover=replace(self.handover, short=short))

    def _short_prompts(self) -> list[int]:
        """Return the tokens to compute below which a share of STAYING of the requests lies."""
        every = [(one[1], rate * one[0]) for rate, atoms in self.slices for one in atoms]
        tokens, weight = np.array(sorted(every)).T
        computed, below = uncached_tokens(tokens, self.question.prefix_hit), np.cumsum(weight) / weight.sum()
        return sorted({int(computed[np.searchsorted(below, share)]) for share in STAYING})

    def moved(self, axis: Axis, value: float) -> Asked:
        """Return the same question with one input at another value; what it does not touch is not worked out again."""
        question = self.question
        if axis in (TPOT.name, TTFT.name):
            slo = question.slo.moved(Limit(metric=axis, seconds=value), value)
            return replace(self, question=replace(question, slo=slo))
        if axis == "link":
            moved = replace(self, link=value)
            vars(moved)["colocated"] = self.colocated
            return moved
        if axis == "rate":
            most = max(rate for rate, _ in self.slices)
            return replace(self, slices=[(rate * value / most, atoms) for rate, atoms in self.slices])
        slices = [
            (rate, tuple((weight, prompt, max(output * value, 1.0)) for weight, prompt, output in atoms))
            for rate, atoms in self.slices
        ]
        longest = max(prompt + output for _, atoms in slices for _, prompt, output in atoms)
        return replace(self, slices=slices, context=max(self.context, math.ceil(longest)))


def asked_values(asked: Asked, link: float) -> dict[Axis, float]:
    """Return the inputs that may be moved with their values; `link` are the bytes per second of the best fleet's."""
    slo = asked.question.slo
    limits: dict[Axis, float | None] = {"tpot": slo.tpot, "ttft": slo.ttft}
    found: dict[Axis, float] = {axis: value for axis, value in limits.items() if value is not None}
    return {**found, "rate": max(rate for rate, _ in asked.slices), "link": link, "output": 1.0}


def flip(asked: Asked, axis: Axis, value: float, check: Callable[[], None] = lambda: None) -> Flip:
    """Return where the cheaper way changes nearest to `value` on either side, by bisection to some percent.

    `check` is called before each search, and may stop it by raising.
    """
    pays = asked.pays

    def other(at: float) -> bool:
        check()
        return asked.moved(axis, at).pays != pays

    ends = [value * REACH**sign for sign in (-1.0, 1.0)]
    below, above = (_nearest(other, value, end) for end in ends)
    return Flip(axis=axis, asked=value, low=ends[0], high=ends[1], pays=pays, below=below, above=above)


def _nearest(other: Callable[[float], bool], value: float, end: float) -> float | None:
    """Return the value nearest to the asked one, towards `end`, from which on it is `other`wise; None if not by then.

    In equal ratios; what flips back within one of them is not seen.
    """
    ratio = math.exp(math.log(end / value) / STEPS)
    here = value
    for _ in range(STEPS):
        there = here * ratio
        if other(there):
            for _ in range(HALVINGS):
                middle = math.sqrt(here * there)
                here, there = (here, middle) if other(middle) else (middle, there)
            return there
        here = there
    return None


def lost(asked: Asked, best: Sized, figures: DisaggFigures) -> Lost:
    """Return what of the best fleet's cost buys nothing at the sizes of `figures`; `asked` is narrowed.

    What transfers cost is the difference that links make to the sizes by formula.
    """
    pair, most = best.pair, asked.question.max_utilization
    prefill, decode = figures.fleet.prefill, figures.fleet.decode
    endless = replace(asked, link=ENDLESS).best
    return Lost(
        idle_prefill=prefill.gpus * pair.prefill.profile.price_per_hour * max(1.0 - figures.prefill_busy / most, 0.0),
        idle_decode=decode.gpus * pair.decode.profile.price_per_hour * max(1.0 - figures.decode_busy / most, 0.0),
        transfer=0.0 if endless is None else max(best.figures.cost - endless.figures.cost, 0.0),
    )
