"""Prompts that take turns, compiled: cut ones stand with those that wait, in the order of a scheduler's rule.

A run whose scheduler has no turns has none of these arrays, and the compiled loop is made without. In one that has them
a replica may have several prompts that were cut; the budget of a step goes to the first, by class, then what is urgent,
what was preempted, and rank. A waiting one that does not fit holds up those behind it, but nothing that was cut. Where
a cut prompt finds no blocks, the last of the cut ones gives way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.errors import InputError
from fleettui.scheduling import SCHEDULERS
from fleettui.scheduling.scheduler import LOWER
from fleettui.scheduling.view import Moment
from fleettui.simulation import batch, prefix_cache, prefix_tiers
from fleettui.simulation.blocks import blocks_of
from fleettui.simulation.compiled import by_code, called, part
from fleettui.simulation.curve import attention_time
from fleettui.simulation.records import Records
from fleettui.simulation.turn_order import (
    bring_forward,
    drop_vacated,
    goes_on,
    put_back,
    sort,
    take_first,
    urgent_one,
)

TURN = np.dtype(
    [
        ("guess", "f8"),  # of its output tokens
        ("rank", "f8"),
        ("served", "i8"),  # tokens that its session was served in earlier rounds
        ("fresh", "i4"),  # prompt tokens that its session did not have before
        ("long", "b1"),
        ("carries", "b1"),
    ],
    align=True,
)
RULE = np.dtype([("code", "i8"), ("quota", "i8"), ("preempts", "b1")], align=True)
ROW = np.dtype([("cut", "i4"), ("upper", "i4")])
"""Of a replica: the prompts that were cut, and the steps in a row in which only the upper queue had turns."""

RULES = tuple(one for one in SCHEDULERS if one.turns is not None)
_TURNS = [one.turns for one in RULES if one.turns is not None]
rank = by_code([one.lasting for one in _TURNS])
rank_at = by_code([one.at_moment for one in _TURNS])
comes = by_code([one.comes for one in _TURNS])
cut = by_code([one.cut for one in _TURNS])


class TurnState(NamedTuple):
    """The turns of a run: a row of `turns` per request, of `rules` per pool, of `rows` and `cuts` per replica.

    `cuts` are the slots of a replica's prompts that were cut, as many as its row says.
    """

    turns: Records
    rules: Records
    rows: Records
    cuts: NDArray[np.int32]


class OwnTurns(NamedTuple):
    """One replica's part of them, `rules` and `rows` with one entry."""

    turns: Any
    rules: Any
    rows: Any
    cuts: NDArray[np.int32]


def turns_of(
    schedulers: Sequence[str], replicas: int, places: int, requests: Records, guess: NDArray[np.float64] | None
) -> TurnState | None:
    """Return the turns at the start of a run whose pools have these schedulers; None where those have no turns."""
    found = [SCHEDULERS.named(name).turns for name in schedulers]
    rules = [one for one in found if one is not None]
    if not rules:
        return None
    assert len(rules) == len(found), "the pools of a fleet have one scheduler"
    turns = np.zeros(len(requests), TURN)
    turns["fresh"] = requests["prompt"] - requests["cached"]
    turns["guess"] = requests["output"] if guess is None else guess
    own = np.zeros(len(schedulers), RULE)
    own["code"] = [next(code for code, one in enumerate(RULES) if one.name == name) for name in schedulers]
    for name in ("quota", "preempts"):
        own[name] = [getattr(one, name) for one in rules]
    return TurnState(turns, own, np.zeros(replicas, ROW), np.zeros((replicas, places), np.int32))


def check_none(scheduler: str, differs: str) -> None:
    """Raise InputError where prompts take turns, in a run that `differs` and has none."""
    if SCHEDULERS.named(scheduler).turns is not None:
        raise InputError(
            f"admission {scheduler} is simulated on constant fleets of whole replicas alone, and {differs}",
            where="--admission",
            value=scheduler,
            accepted=", ".join(one.name for one in SCHEDULERS if one.turns is None),
            remedy="plan with one of these",
        )


@part
def own_turns(turns: Any, pool: int, index: int) -> Any:
    """Return replica `index`'s own, None where there are no turns, for which the caller is compiled."""
    if turns is None:
        return None
    return OwnTurns(turns.turns, turns.rules[pool : pool + 1], turns.rows[index : index + 1], turns.cuts[index])


@part
def come(turns: Any, request: Any, index: int) -> None:
    """Rank a request that comes to its pool."""
    if turns is not None:
        _come(turns, request, index)


@part
def _come(turns: Any, request: Any, index: int) -> None:
    turn, code = turns.turns[index], turns.rules[request.pool].code
    comes(code, turn)
    turn.rank = rank(code, request, turn)


@part
def rank_anew(own: Any, replica: Any, slots: Any, requests: Any, moment: Moment) -> None:
    """Rank the prompts that wait at a replica or were cut there as of a moment."""
    if own is not None:
        _rank_anew(own, replica, slots, requests, moment)


@part
def _rank_anew(own: Any, replica: Any, slots: Any, requests: Any, moment: Moment) -> None:
    code = own.rules[0].code
    drop_vacated(own.rows[0], own.cuts, slots)
    for at in range(own.rows[0].cut):
        index = slots[own.cuts[at]].request
        own.turns[index].rank = rank_at(code, requests[index], own.turns[index], moment)
    index = replica.head
    while index >= 0:
        own.turns[index].rank = rank_at(code, requests[index], own.turns[index], moment)
        index = requests[index].next


@part
def follow(turns: Any, sessions: Any, requests: Any, index: int) -> None:
    """Let the round that follows a request inherit what its session was served, and whether it is long."""
    if turns is not None and sessions is not None:
        _follow(turns.turns, sessions.then[index], requests, index)


@part
def _follow(turns: Any, later: int, requests: Any, index: int) -> None:
    if later >= 0:
        held = requests[index].prompt + requests[index].output
        prompt = requests[later].prompt
        turns[later].fresh = prompt - held if held < prompt else prompt
        turns[later].served = turns[index].served + turns[index].fresh + requests[index].output
        turns[later].long = turns[index].long


@part
def takes_places(turns: Any, pool: int) -> bool:
    """Return whether a request that comes may take the place of one that runs."""
    return False if turns is None else turns.rules[pool].preempts


@part
def has_cuts(own: Any) -> bool:
    """Return whether a replica has prompts that were cut."""
    return False if own is None else own.rows[0].cut > 0


@part
def may_preempt(pool: Any, replica: Any, slots: Any, requests: Any, own: Any) -> bool:
    """Return whether the head of the queue may take the place of one that runs, if not now then after a step."""
    return False if own is None else own.rules[0].preempts and _outranks(pool, replica, slots, requests)


@part
def _outranks(pool: Any, replica: Any, slots: Any, requests: Any) -> bool:
    """Return whether the head of the queue is interactive and the one that gives way first is not."""
    if not pool.classed or replica.head < 0 or replica.last < 0 or requests[replica.head].batch:
        return False
    return bool(requests[slots[batch.victim(pool, replica, slots, requests)].request].batch)


@part
def make_way(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any, cache: Any, own: Any) -> None:
    """Preempt those of class batch, the last admitted first, until the head of the queue fits, if it is interactive."""
    if own is not None and own.rules[0].preempts:
        while _outranks(pool, replica, slots, requests) and not _fits(
            pool, replica, slots, keys, phases, requests, cache
        ):
            place = batch.victim(pool, replica, slots, requests)
            batch.preempt(pool, replica, slots, keys, phases, requests, cache, place)


@part
def _fits(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any, cache: Any) -> bool:
    """Return whether the head of the queue finds a place and blocks beside what the decodes need."""
    if replica.running + replica.coming >= pool.places:
        return False
    request = requests[replica.head]
    target = request.prompt + request.generated
    near = 0
    if cache is not None:
        near, _ = prefix_tiers.find(pool, cache, replica.head, request)
    tokens, grows = min(target - request.cached, pool.budget), 0
    if not pool.alone:
        tokens = min(tokens, pool.budget - replica.decodes * replica.width)
        grows = batch.grows(pool, replica, slots, keys, phases, requests)
    if pool.whole and tokens < min(target - request.cached, pool.budget):
        return False
    needed = blocks_of(replica, request.cached + tokens + replica.width - 1) + grows
    if cache is not None:
        needed -= prefix_cache.in_use(cache, replica.head, near)
    return bool(replica.free - needed >= pool.watermark)


@called
def give_turns(
    pool: Any,
    replica: Any,
    slots: Any,
    keys: Any,
    fresh: Any,
    phases: Any,
    requests: Any,
    cache: Any,
    prompts: Any,
    preempted: bool,
    own: Any,
) -> tuple[int, int, float, bool]:
    """Give the step its prompts in their order, new ones if nobody was `preempted`; return their tokens and context,
    the seconds of their attention, and whether a prompt that was cut gave way.
    """
    row = own.rows[0]
    budget = pool.budget if pool.alone else pool.budget - replica.decodes * replica.width
    prompt, context, attention, gave_way = 0, 0, 0.0, False
    blocked, upper, lower = preempted, False, False
    drop_vacated(row, own.cuts, slots)
    urgent = urgent_one(own, replica, slots, requests)
    moved = bring_forward(replica, requests, urgent)
    sort(own, row.cut, slots, requests, urgent)
    while prompt < budget:
        if row.cut > 0 and (
            blocked or replica.head < 0 or goes_on(own.turns, slots[own.cuts[0]].request, replica, requests, urgent)
        ):
            replica.partial = own.cuts[0]
            index = slots[replica.partial].request
            tokens, reached = batch.go_on(replica, slots, fresh, cache, budget - prompt)
            if tokens == 0:
                gave_way, blocked = True, True
                row.cut -= 1
                batch.preempt(pool, replica, slots, keys, phases, requests, cache, own.cuts[row.cut])
                continue
            if replica.partial < 0:
                take_first(row, own.cuts)
        elif not blocked and replica.head >= 0:
            index = replica.head
            tokens = batch.admit(pool, replica, slots, fresh, requests, cache, budget - prompt)
            if tokens == 0:
                blocked = True
                continue
            reached = slots[replica.last].computed
            moved = moved and index != urgent
            _note_cut(row, own.cuts, replica)
        else:
            break
        upper, lower = upper or own.turns[index].rank < LOWER, lower or own.turns[index].rank >= LOWER
        _note_turn(own, replica, requests[index], index)
        prompt += tokens
        context += reached
        if pool.curved:
            attention += attention_time(prompts, tokens, reached)
    replica.partial = -1
    if moved:
        put_back(own.turns, replica, requests, urgent)
    row.upper = 0 if lower else row.upper + int(upper)
    return prompt, context, attention, gave_way


@part
def _note_cut(row: Any, cuts: Any, replica: Any) -> None:
    """List the prompt that a replica has cut, if any."""
    if replica.partial >= 0:
        cuts[row.cut] = replica.partial
        row.cut += 1


@part
def _note_turn(own: Any, replica: Any, request: Any, index: int) -> None:
    """Note that a request had a turn, and whether its prompt was cut in it."""
    turn, code = own.turns[index], own.rules[0].code
    turn.carries = False
    if replica.partial >= 0:
        cut(code, turn)
        turn.rank = rank(code, request, turn)
        replica.partial = -1
