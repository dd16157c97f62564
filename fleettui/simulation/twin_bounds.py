"""What bounds a request's stay in the plain oracle: queues that are full, clients that wait so long and no longer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.simulation.draws import Draws
    from fleettui.simulation.layout import Engine
    from fleettui.simulation.twin import Replica
    from fleettui.simulation.twin_request import Request


def note_attempt(request: Request) -> None:
    """Note that a request comes, for the first time or again."""
    request.asked = request.asked if request.attempts else request.arrival
    request.attempts += 1
    request.left, request.rejected = math.nan, False


def comes_again(request: Request, engine: Engine, draws: Draws) -> bool:
    """Return whether a request comes again that was turned away or left just now, and let it do so if it does."""
    if request.attempts > engine.retries:
        return False
    assert draws.jitter is not None, "each coming again has its jitter"
    tried = request.attempts - 1
    request.arrival = request.left + engine.backoff * 2.0**tried * (0.5 + float(draws.jitter[request.index, tried]))
    request.admitted, request.generated, request.decodes = math.nan, 0, False
    request.computed, request.beyond = 0, 0
    return True


def is_turned_away(replica: Replica, request: Request) -> bool:
    """Return whether a request finds its replica at work and as many waiting as may wait, and note it if so."""
    queue = replica.engine.queue
    if queue is None or replica.wake is None or len(replica.waiting) < queue:
        return False
    request.left, request.rejected = request.arrival, True
    return True


def note_late(done: Sequence[Request]) -> None:
    """Note which requests are done because their first token came after their client had left."""
    for request in done:
        if request.first > request.due:
            request.left = request.finish
            request.first = request.finish = math.nan


def leave(replica: Replica, now: float) -> list[Request]:
    """Let those leave whose first token has not come by the end of a step at `now`, and is due; return them."""
    late = [one for one in replica.here if math.isnan(one.first) and one.due <= now]
    for request in late:
        if request in replica.waiting:
            replica.waiting.remove(request)
        else:
            replica.running.remove(request)
            replica.cache.give_back(request)
        request.left = now
    return late
