"""Rules that are new, in the registries and in a compiled engine: `python -m tests.simulation.newcomers`.

They are the examples in the docstrings of both packages, and some that read all that a rule may see, where one value
that differs changes what they choose. With them the compiled engine is its plain twin, or the process ends with why.
To be run with a folder of its own for compiled code, FLEETTUI_CACHE, since what is compiled here has no file.
"""

from __future__ import annotations

import doctest
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from fleettui import routing, scheduling
from fleettui.domain.registry import Registry
from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights
from fleettui.scheduling.scheduler import LOWER, Scheduler, Turns
from fleettui.scheduling.view import Moment, Turn, Waiting


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
    """Return the replica with the highest of numbers that every value of the view changes."""
    chosen, best = pool.start, -1
    beside = 3 * request.prompt + 5 * request.cached + 7 * request.output + 11 * request.pool + int(request.batch)
    beside += pool.replicas + 3 * pool.places + 5 * pool.blocks + 7 * pool.budget + 11 * pool.full + 13 * pool.arrived
    beside += 17 * pool.least + 19 * min(pool.queue, 1000) + int(1000 * request.tie)
    if pool.home >= 0:
        beside += 1 + pool.home - pool.start
    for index in range(pool.start, pool.start + pool.replicas):
        one, place = state.seen[index], index - pool.start
        age = int(1000.0 * min(request.arrival - one.latest, 9.0))
        held = one.load + 3 * one.running + 5 * one.tokens + 7 * one.used + 11 * one.sent + 13 * age
        score = (beside * (place + 3) + held * 17 + place * 29) % 97
        if score > best:
            chosen, best = index, score
    return int(chosen)


def across(pools: Sequence[PoolSeen], request: Coming, /) -> int:
    """Return a pool that every value of the view changes."""
    found = int(1000.0 * request.tie) + request.prompt + int(1000.0 * request.arrival)
    for place in range(len(pools)):
        pool = pools[place]
        own = pool.replicas + 3 * pool.places + 5 * pool.blocks + 7 * pool.budget + 11 * pool.full + 13 * pool.arrived
        found += (place + 1) * (own + 17 * pool.least + 19 * pool.waiting + int(pool.home >= 0))
    return int(request.pool + found % (len(pools) - request.pool))


def rank(request: Waiting, moment: Moment, /) -> float:
    """Return a number that every value of the view changes."""
    waits = int(100.0 * (moment.now - request.arrival))
    own = 3 * request.prompt + 5 * request.cached + 7 * request.output + 11 * request.generated + int(request.batch)
    beside = moment.free + 3 * moment.running + moment.blocks + moment.places + moment.budget
    return float((own * (beside + 1) + 13 * waits) % 101)


def rank_of_turn(request: Waiting, turn: Turn, moment: Moment, /) -> float:
    """Return a number that every value of the view changes, of the lower queue for a session that is long."""
    waits = int(100.0 * (moment.now - request.arrival))
    own = 3 * request.prompt + 5 * turn.fresh + 7 * int(turn.guess) + 11 * (turn.served % 1000) + int(turn.carries)
    beside = moment.free + 3 * moment.running + moment.blocks + moment.places + moment.budget
    return float((own * (beside + 1) + 13 * waits) % 101) + (LOWER if turn.long else 0.0)


def cut(turn: Turn, /) -> None:
    """Let a session with much to compute be long."""
    turn.long = turn.fresh > 2000
    turn.carries = turn.fresh % 2 == 0


SEES_ALL = Router(name="sees-all", help="all", sends="by all", choose=choose, one_queue=False, knows="all")
MEETS = replace(SEES_ALL, name="meets", across=across)
REMEMBERS = replace(SEES_ALL, name="remembers", remembers=4096, of_sessions=True)
VARIES = Scheduler(name="varies", help="all", reserves=False, rank=rank)
TURNS = Scheduler(name="turns", help="all", reserves=False, turns=Turns(rank=rank_of_turn, cut=cut, quota=3))
YIELDS = Scheduler(name="yields", help="all", reserves=False, turns=Turns(rank=rank_of_turn, preempts=True))


ROUTERS, PLAIN, IN_TURNS = (SEES_ALL, MEETS, REMEMBERS), (VARIES,), (TURNS, YIELDS)


def example(package: ModuleType, name: str) -> Any:
    """Return what the examples in a package's docstring make and call so."""
    test = doctest.DocTestParser().get_doctest(package.__doc__ or "", {}, package.__name__, None, None)
    for one in test.examples:
        exec(one.source, test.globs)
    return test.globs[name]


def add() -> tuple[tuple[Router, ...], tuple[Scheduler, ...]]:
    """Add the new rules to the registries, before anything reads them; return those that any replica may have."""
    routers = (*ROUTERS, replace(example(routing, "ROUTER"), name="example"))
    schedulers = (*PLAIN, replace(example(scheduling, "SCHEDULER"), name="example"))
    routing.ROUTERS = Registry("router", *routing.ROUTERS, *routers)
    scheduling.SCHEDULERS = Registry("admission", *scheduling.SCHEDULERS, *schedulers, *IN_TURNS)
    return routers, schedulers


def alone(routers: Sequence[Router], schedulers: Sequence[Scheduler]) -> None:
    """Play plain fleets with each of these, those whose prompts take turns, and sessions."""
    from tests.routing import test_router
    from tests.scheduling import test_scheduler
    from tests.simulation import test_sessions, test_turns

    for router in routers:
        for seed in range(2):
            test_router.test_the_kernel_is_its_twin(router.name, seed)
            test_router.test_the_kernel_is_its_twin_where_the_router_looks_from_time_to_time(router.name, seed, 0.05)
        if not router.meets:
            test_sessions.check_alike(1, router=router.name)
    for scheduler in schedulers:
        for seed in range(4):
            test_scheduler.test_the_kernel_is_its_twin(scheduler.name, seed)
    for scheduler in IN_TURNS:
        for seed in range(1, 3):
            test_turns.test_the_kernel_is_its_twin(scheduler.name, seed)
            test_turns.test_so_it_is_of_sessions(scheduler.name, seed)


def among_others(names: set[str]) -> None:
    """Play those of the random fleets, with bounds, with all that there is, and of replicas that come and go, that have
    a router or a scheduler of these names.
    """
    from tests.simulation import test_bounds, test_twin_bounds, test_twin_elastic

    for seed in range(2 * len(routing.ROUTERS)):
        if test_bounds.bounded(seed)[0][0].router in names:
            test_bounds.test_the_engine_is_its_twin(seed, 0.0)
    for seed in test_twin_bounds.SEEDS[:16]:
        one = test_twin_bounds.everything(seed)[0][0]
        if {one.router, one.scheduler} & names:
            test_twin_bounds.test_the_engine_is_its_twin_with_every_part_on(seed)
    for seed in range(2 * len(test_twin_elastic.ONE_POOL)):
        if test_twin_elastic.coming_and_going(seed)[0].router in names:
            with pytest.MonkeyPatch.context() as patch:
                test_twin_elastic.test_the_engine_is_its_twin(seed, seed % 2 == 0, patch)


if __name__ == "__main__":
    new = add()
    alone(*new)
    among_others({one.name for one in new[0]} | {one.name for one in new[1]})
