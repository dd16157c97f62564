"""The request with the fewest prompt tokens to compute first, unless one waited for AGE seconds: then the oldest such.

So no long prompt starves. Learned ranks are kept from that alike (Fu et al., arXiv 2408.15792, which count steps).
"""

from __future__ import annotations

from fleettui.scheduling.scheduler import Scheduler
from fleettui.scheduling.view import Moment, Waiting

AGE = 10.0


def rank(request: Waiting, moment: Moment, /) -> float:
    """Return the prompt tokens that are not cached, a number below 0 for a request that waited for too long."""
    waited = moment.now - request.arrival
    return -waited if waited > AGE else float(request.prompt - request.cached)


SCHEDULER = Scheduler(
    name="shortest-aged",
    help="prompt first, for 10 s",
    reserves=False,
    rank=rank,
    differs="long prompts wait longer",
)
