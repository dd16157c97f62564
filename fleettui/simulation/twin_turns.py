"""Prompts that take turns in the plain oracle: what waits and what was cut in one order, by a scheduler's rule."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from fleettui.scheduling import SCHEDULERS
from fleettui.scheduling.scheduler import LOWER, Turns
from fleettui.scheduling.view import Moment
from fleettui.simulation.twin_drafts import commits

if TYPE_CHECKING:
    from fleettui.simulation.twin import Replica
    from fleettui.simulation.twin_request import Request

Chunks = list[tuple[int, int]]
"""Of each prompt that a step works at: its tokens in the step, and those in the cache after it."""


def come(request: Request, turns: Turns) -> None:
    """Rank a request that comes."""
    if request.fresh < 0:
        request.fresh = request.prompt - request.cached
    if math.isnan(request.guess):
        request.guess = float(request.output)
    turns.comes(request)
    request.rank = turns.lasting(request, request)


def follow(later: Request, request: Request) -> None:
    """Let the round after a request inherit what its session was served, and whether it is long."""
    held = request.prompt + request.output
    later.fresh = later.prompt - held if held < later.prompt else later.prompt
    later.served = request.served + request.fresh + request.output
    later.long = request.long


def queue_rank(replica: Replica) -> Callable[[Request], float]:
    """Return by what the queue of a replica is ordered."""
    scheduler = SCHEDULERS.named(replica.engine.scheduler)
    return scheduler.lasting if scheduler.turns is None else lambda request: request.rank


def renew(replica: Replica, now: float) -> None:
    """Put what waits in order by the ranks of now, where these vary: by class, what was preempted, rank, and coming."""
    scheduler, e = SCHEDULERS.named(replica.engine.scheduler), replica.engine
    if not scheduler.varies:
        return
    moment = Moment(now, replica.free, e.blocks, len(replica.running), e.places, e.budget)
    turns = scheduler.turns
    for one in replica.here:
        one.rank = scheduler.at_moment(one, moment) if turns is None else turns.at_moment(one, one, moment)
    replica.waiting = deque(sorted(replica.waiting, key=_renewed))


def _renewed(one: Request) -> tuple[bool, bool, float, float, int]:
    new = math.isnan(one.admitted)
    return (one.batch, new, one.rank, one.arrival, one.index) if new else (one.batch, new, 0.0, 0.0, 0)


def make_way(replica: Replica) -> None:
    """Let those of class batch give way until the head of the queue fits, if it is interactive."""
    turns = replica.turns
    if turns is None or not turns.preempts or not replica.waiting:
        return
    while replica.running and not replica.waiting[0].batch and replica.victim().batch:
        grows = sum(replica.missing(one, commits(replica, one)) for one in replica.decoding)
        if replica.admissible(replica.engine.budget - replica.verified, grows):
            return
        replica.preempt(replica.victim())


def give_turns(replica: Replica, turns: Turns, now: float, preempted: bool) -> tuple[int, Chunks]:
    """Give the step its prompts in their order, new requests if nobody was `preempted`; return tokens and chunks."""
    urgent = _urgent(replica, turns)
    queue = _brought_forward(replica, urgent)
    budget = replica.engine.budget - replica.verified
    prompt, chunks, blocked, ranks = 0, Chunks(), preempted, list[float]()
    while prompt < budget:
        open_ones = [one for one in replica.running if not one.decodes and one.computed < one.target]
        cuts = sorted(open_ones, key=lambda one: _order(one, urgent))
        if cuts and (blocked or not replica.waiting or _goes_on(cuts[0], replica.waiting[0], urgent)):
            request = cuts[0]
            tokens = min(request.target - request.computed, budget - prompt)
            if replica.missing(request, tokens) > replica.free:
                replica.preempt(cuts[-1])
                blocked = True
                continue
        elif replica.waiting and not blocked:
            tokens = replica.admissible(budget - prompt)
            if tokens == 0:
                blocked = True
                continue
            request = replica.admit(now)
        else:
            break
        replica.compute(request, tokens)
        ranks.append(request.rank)
        prompt += tokens
        chunks.append((tokens, request.computed))
        request.carries = False
        if request.computed < request.target:
            turns.cut(request)
            request.rank = turns.lasting(request, request)
    _put_back(replica, urgent, queue)
    if any(rank >= LOWER for rank in ranks):
        replica.upper = 0
    elif ranks:
        replica.upper += 1
    return prompt, chunks


def _order(request: Request, urgent: Request | None) -> tuple[bool, bool, float, float, int]:
    return request.batch, request is not urgent, request.rank, request.arrival, request.index


def _goes_on(one: Request, head: Request, urgent: Request | None) -> bool:
    """Return whether a cut prompt has its turn before the head of the queue, which is first if it was preempted."""
    was_preempted = not math.isnan(head.admitted)
    if was_preempted and one.batch == head.batch and urgent is not one and urgent is not head:
        return False
    return _order(one, urgent) < _order(head, urgent)


def _urgent(replica: Replica, turns: Turns) -> Request | None:
    """Return whose turn it is whatever its rank: the oldest that carries on, or of a lower queue that waited."""
    if turns.quota == 0:
        return None
    cuts = [one for one in replica.running if not one.decodes]
    both = sorted([*cuts, *replica.waiting], key=lambda one: (one.arrival, one.index))
    oldest = min((one.arrival for one in both if one.rank < LOWER), default=math.inf)
    carrying = next((one for one in both if one.carries and one in cuts), None)
    if carrying is not None and carrying.arrival <= oldest:
        return carrying
    return next((one for one in both if one.rank >= LOWER), None) if replica.upper >= turns.quota else None


def _brought_forward(replica: Replica, urgent: Request | None) -> list[Request]:
    """Move what is urgent, waits and was never admitted to the head of its class; return the queue as it was."""
    before = list(replica.waiting)
    if urgent in before and urgent is not None and math.isnan(urgent.admitted):
        replica.waiting.remove(urgent)
        at = next((at for at, one in enumerate(replica.waiting) if one.batch >= urgent.batch), len(replica.waiting))
        replica.waiting.insert(at, urgent)
    return before


def _put_back(replica: Replica, urgent: Request | None, before: list[Request]) -> None:
    """Move what was brought forward and did not fit back behind those that it stood behind."""
    if urgent is None or urgent not in replica.waiting or urgent not in before:
        return
    ahead = before[: before.index(urgent)]
    replica.waiting.remove(urgent)
    first = next(
        (at for at, one in enumerate(replica.waiting) if one.batch > urgent.batch or _is_behind(one, before, ahead)),
        len(replica.waiting),
    )
    replica.waiting.insert(first, urgent)


def _is_behind(one: Request, before: list[Request], ahead: list[Request]) -> bool:
    """Return whether a request stood in the queue `before`, and not `ahead`."""
    return one in before and one not in ahead
