"""Plans of made-up hardware to be explained, and a way to ask about them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer, Candidate, Estimate, Evidence, PoolEvidence, Verdict
from fleettui.domain.scenario import Question
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.plan import find_plan
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.resize import resize
from tests.optimize.samples import Atoms

CONTEXT = 16_384


GRID = (300, 700, 1500, 3000)


def ground(
    asked: Question,
    rate: float,
    lengths: Atoms,
    profiles: Sequence[Profile],
    slices: Sequence[tuple[float, Atoms]] = (),
) -> Ground:
    """Return a plan's ground; prices, GPUs and parallelisms of a question choose among `profiles`.

    `slices` are several stretches of time in place of one at `rate` and `lengths`. Tests that ask the same have the
    same ground, and with it all that was found on it.
    """
    return _ground(asked, tuple(profiles), tuple(slices) or ((rate, lengths),))


@lru_cache(16)
def _ground(asked: Question, profiles: tuple[Profile, ...], demand: tuple[tuple[float, Atoms], ...]) -> Ground:
    @cache
    def find(question: Question) -> Answer:
        own = serving(question, profiles)
        return find_plan(question, slices=demand, profiles=own, grid=GRID, context=CONTEXT)

    @cache
    def sized(fleet: Fleet, sizes: tuple[int, ...]) -> ScoredFleet:
        own = [next(one for one in profiles if (one.gpu, one.tp) == (pool.gpu, pool.tp)) for pool in fleet.pools]
        return resize(fleet, sizes, question=asked, profiles=own, slices=demand, context=CONTEXT)

    def fix(fleet: Fleet, sizes: Sequence[int]) -> ScoredFleet:
        return sized(fleet, tuple(sizes))

    return Ground(question=asked, kept=find(asked), profiles=profiles, find=find, fix=fix, drop=lambda _: 0.0)


def serving(question: Question, profiles: Sequence[Profile]) -> list[Profile]:
    prices = dict(question.prices)
    return [
        replace(one, price_per_hour=prices.get(one.gpu, one.price_per_hour))
        for one in profiles
        if (not question.gpus or one.gpu in question.gpus) and (not question.tp or one.tp in question.tp)
    ]


def simulated(
    one: Candidate, verdict: Verdict, ttft: float | None = None, reason: str = "", tpot: float | None = None
) -> Candidate:
    """Return a fleet as though it was simulated: latencies of its formulas, pools half busy, TTFT within 1 %.

    `ttft` and `tpot` in seconds stand for those of every pool, where they are given.
    """
    pools = tuple(
        PoolEvidence(
            name=pool.name,
            ttft=_within(pool.ttft if ttft is None else ttft),
            tpot=Estimate(value=pool.tpot if tpot is None else tpot),
            utilization=0.5,
            batch=pool.batch,
            verdict=verdict,
        )
        for pool in one.pools
    )
    worst = max((pool.ttft for pool in pools), key=lambda seen: seen.value or 0.0)
    seen = Evidence(
        method="simulation", verdict=verdict, reason=reason, ttft=worst, attainment=Estimate(value=None), pools=pools
    )
    return replace(one, evidence=seen)


def _within(value: float) -> Estimate:
    return Estimate(value=value, low=0.99 * value, high=1.01 * value)


def knowing(one: Ground, *proofs: Candidate) -> Ground:
    """Return a plan's ground where these fleets were simulated."""
    return replace(one, proofs={proof.fleet: proof for proof in proofs})


def answer_of(one: Ground) -> Candidate:
    """Return the kept plan's answer."""
    assert one.kept.answer is not None
    return one.kept.answer
