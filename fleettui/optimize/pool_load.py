"""The load of a pool whose size, and maybe engine, are given: what its part of each stretch of time asks of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.fleet import Fleet, FleetSketch, PoolSketch
from fleettui.domain.hardware import Profile, StepTable
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.optimize.found_share import FoundShare
from fleettui.optimize.pool_parts import Asked, among, longest_of
from fleettui.optimize.ranges import Ranges, concurrency, demanded_of, service, steps_of
from fleettui.optimize.whole_prompts import takes, too_long
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.service import Service
from fleettui.scheduling import SCHEDULERS

ROW = np.zeros(1, np.int64)


def found_share(question: Question, pool: PoolSketch, profile: Profile, asked: Asked, *, total: float) -> float:
    """Return the share of prompt tokens that a pool's caches find, or that is cached where it has none.

    Requests of all pools come at `total` per second.
    """
    finds = FoundShare.of(question)
    if finds is None:
        return question.prefix_hit

    def load_at(share: float) -> PoolLoad:
        return pool_load(replace(question, prefix_hit=share), pool, profile, asked)

    assert pool.above is not None, "it is bounded"
    assert pool.up_to is not None, "it is bounded"
    blocks = pool.profile.kv_blocks if pool.profile else profile.kv_blocks
    return finds.settled(load_at, profile=profile, blocks=blocks, lengths=(pool.above, pool.up_to), total=total)


def pool_load(question: Question, pool: PoolSketch, profile: Profile, asked: Asked) -> PoolLoad:
    """Return the load of one time slice on the pool's replicas."""
    longest, settings = longest_of(asked.atoms), settled(pool, profile, question)
    reach = Ranges.of((), max(longest, pool.context or pool.up_to or 0))
    ranges, row, demand = reach, ROW, (asked.rate, asked.atoms)
    if asked.everything is not None:
        demand = asked.everything.rate, asked.everything.atoms
        ranges, row = among(demand[1], pool.above or 0, pool.up_to or longest)
    budget, drafting = settings.token_budget, profile.drafting
    demanded = demanded_of(question, [demand], ranges, budget, drafting, total=asked.total)[0]
    if not takes(settings, longest_prompt := max(prompt for _, prompt, _ in asked.atoms)):
        raise too_long(longest_prompt, settings, f"pool {pool.name}: token_budget")
    places = concurrency(profile, demanded, reach, question)[row]
    if places[0] < 1.0:
        raise _never_fits(
            pool, profile, float(reach.up_to[0]) if SCHEDULERS.named(question.admission).reserves else longest
        )
    if pool.concurrency is not None:
        places = np.array([float(_allowed(pool, places[0], question, settings))])
    if pool.profile:
        if pool.profile.by_kernels and not isinstance(profile.step, StepTable):
            raise _no_kernels(pool, profile)
        steps = steps_of(profile, pool.profile)
        engine = Service.of(
            pool.profile,
            float(places[0]),
            settings.token_budget,
            (1,),
            steps,
            alone=settings.alone,
            lanes=profile.batches,
            drafting=profile.drafting,
        )
    else:
        engine = service(profile, demanded, row, places, question)
    return demanded.load(engine, row, np.array([float(pool.replicas)]))


def as_set(question: Question, fleet: Fleet | FleetSketch, settings: EngineSettings) -> Question:
    """Return the question that is asked of a pool whose fleet and engine are set."""
    return replace(
        question,
        router=fleet.router,
        router_refresh=fleet.router_refresh,
        admission=fleet.admission,
        max_num_seqs=settings.max_num_seqs,
        token_budget=settings.token_budget,
        prompt_steps=settings.prompt_steps,
    )


def settled(pool: PoolSketch, profile: Profile, question: Question) -> EngineSettings:
    """Return how a pool's engine is set; the three times of a given profile are of prompts beside decodes."""
    if pool.profile is None or pool.profile.by_kernels:
        return profile.settled(pool, question)
    if pool.prompt_steps == "alone":
        raise InputError(
            "its three times are of prompts beside decodes",
            where=f"pool {pool.name}: prompt_steps",
            remedy="leave out its profile, or prompt_steps",
        )
    found = profile.settled(pool, question)
    return replace(found, prompt_steps="mixed") if found.alone else found


def _no_kernels(pool: PoolSketch, profile: Profile) -> InputError:
    return InputError(
        f"its steps are said to be by kernels, and those of {profile.name} are by the roofline",
        where=f"pool {pool.name}: by_kernels",
        remedy="ask with --step-law kernels, or take by_kernels out: then the three times of its profile count",
    )


def _never_fits(pool: PoolSketch, profile: Profile, tokens: float) -> InputError:
    return InputError(
        f"a request of {tokens:,.0f} tokens can never fit",
        where=f"pool {pool.name}",
        value=f"{profile.kv_blocks:,} blocks of {profile.block_size} tokens",
        accepted="blocks for its longest request (its context, where admission reserves) beside 2 % that stay free",
        remedy="give the pool more blocks (a larger tp or GPU), or shorter requests",
    )


def _allowed(pool: PoolSketch, places: float, question: Question, settings: EngineSettings) -> int:
    """Return the concurrency that a pool is given; raises InputError where its engine does not run so many.

    Where admission reserves, the blocks must hold as many whole contexts; else the engine itself admits by blocks.
    """
    assert pool.concurrency is not None, "it is given"
    reserved = SCHEDULERS.named(question.admission).reserves
    most = int(places) if reserved else settings.places(pool.pp, pool.drafting.width)
    if pool.concurrency > most:
        limits = "max_num_seqs, token_budget" + (" and the contexts that its blocks hold" if reserved else "")
        raise InputError(
            "its engine runs fewer sequences at once",
            where=f"pool {pool.name}: concurrency",
            value=pool.concurrency,
            accepted=f"up to {most}, the smallest of {limits}",
        )
    return pool.concurrency
