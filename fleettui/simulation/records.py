"""The records of a run: a request, a pool, a replica, a place in a batch.

A record's fields lie side by side in memory, so that one event touches few cache lines. Counts of tokens and steps
are whole numbers; times are seconds from the start of the run. -1 stands for none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.speculation import MOST_DRAFTS

Records = NDArray[Any]
ROWS = 8192
"""Requests that are written or read at a time: as many as stay near the processor while one field follows another."""

REQUEST = np.dtype(
    [
        ("arrival", "f8"),
        ("admitted", "f8"),  # for the first time; NaN before
        ("first", "f8"),  # when the first token was handed out
        ("finish", "f8"),  # when the last was
        ("prompt", "i4"),
        ("cached", "i4"),  # prompt tokens that are not computed
        ("output", "i4"),
        ("generated", "i4"),  # output tokens when it last began to decode, or was preempted
        ("next", "i4"),  # behind it in the queue
        ("pool", "i2"),
        ("batch", "b1"),  # whether it is of class batch, which stands behind interactive ones
        ("away", "b1"),  # whether it was preempted and what it had cached is in the memory beside
        ("tie", "f8"),
    ],
    align=True,
)

POOL = np.dtype(
    [
        ("base", "f8"),
        ("per_context", "f8"),
        ("per_prompt", "f8"),
        ("classed", "b1"),  # whether some of its requests are of class batch
        ("alone", "b1"),  # whether prompts run in steps of their own
        ("whole", "b1"),  # whether a prompt joins only a step that has room for all of it
        ("curved", "b1"),  # whether its steps are those of its curve
        ("sees_memory", "b1"),  # whether its router reads what replicas have `used`
        ("varies", "b1"),  # whether its scheduler's ranks change while requests wait
        ("floor", "f8"),  # that prompts add to a step of a curve
        ("least_step", "f8"),  # that a step with prompts takes
        ("extra", "f8"),  # that comes on top of it
        ("lanes", "i8"),  # batches that an instance runs in turn, each a replica here
        ("together", "i8"),  # batches of an instance that step together, each a replica here
        ("api_token", "f8"),  # that its API process takes to hand out a token
        ("budget", "i8"),
        ("places", "i8"),  # sequences that a replica runs at once
        ("full", "i8"),  # requests at a replica from which on a router takes it to be full
        ("blocks", "i8"),
        ("block", "i8"),  # tokens of one, a power of two
        ("watermark", "i8"),
        ("beside", "i8"),  # blocks that the memory beside a replica takes of what is preempted
        ("move", "f8"),  # seconds in which a block gets there, or back
        ("start", "i8"),  # of its replicas, among all
        ("replicas", "i8"),
        ("levels", "i8"),  # start of its part of `ends`
        ("least", "i8"),  # smallest load of its replicas
        ("waiting", "i8"),  # of that, at the replica that is next, for routers that send between pools
        ("router", "i8"),  # its place among ROUTERS
        ("refresh", "f8"),  # seconds between two looks of its router at the loads; 0 where it always knows them
        ("counts", "b1"),  # whether that router counts what it sends between two looks
        ("remembers", "b1"),  # whether it remembers which prompts it sent where
        ("home", "i8"),  # replica that served the round before the request that comes, for routers that know sessions
        ("scheduler", "i8"),  # its place among SCHEDULERS
        ("width", "i8"),  # tokens that a step computes of a decoding sequence: more than one where drafts are verified
        ("sampled", "b1"),  # whether each sequence has its own luck with them
        ("luck", "i8"),  # seed of that
        ("chances", "i8", (MOST_DRAFTS,)),  # luck below which each draft is accepted
        ("present", "i8"),  # requests in the pool
        ("since", "f8"),  # when `present` last changed
        ("presence", "f8"),  # request-seconds
        ("arrived", "i8"),
        ("completed", "i8"),
        ("preempted", "i8"),
        ("queue", "i8"),  # requests that may wait at a replica
        ("fetches", "b1"),  # whether what is there of a prompt is fetched rather than computed
        ("put", "i8"),  # blocks to that memory
        ("brought", "i8"),  # blocks from there
        ("steps", "i8"),
        ("busy", "f8"),  # replica-seconds of running steps
        ("joined", "i8"),  # sequences summed over steps
        ("prompted", "i8"),  # prompt tokens computed, recomputed ones among them
        ("decoded", "i8"),  # tokens emitted by decode steps
        ("read", "i8"),  # cached tokens that decodes read, of curved steps
        ("reached", "i8"),  # cached tokens of prompts after each of their chunks, of curved steps
        ("active", "f8"),  # sequence-seconds of what holds a place
        ("asked", "i8"),  # prompt tokens that were admitted, where prefixes are cached
        ("queried", "i8"),  # full blocks of these with known hashes
        ("found", "i8"),  # and those of them that were there; `hit` are their tokens
        ("hit", "i8"),
        ("fetched", "i8"),  # of the tokens of `hit` those that came from the memory beside
        ("recomputed", "i8"),  # those that were there, and were computed
    ],
    align=True,
)

REPLICA = np.dtype(
    [
        ("clock", "f8"),  # when the present steps began
        ("wake", "f8"),  # when they end
        ("held", "f8"),  # of the time between them, waiting for stages that other batches are in
        ("handed_out", "f8"),  # when its API process has handed out all tokens of the steps so far
        ("base", "f8"),  # of a step of its decodes alone
        ("per_context", "f8"),
        ("context", "i8"),  # cached tokens of all decoding sequences
        ("done", "i8"),  # tokens so far that every decoding sequence emitted in its steps: one in each without drafts
        ("gain", "i8"),  # tokens that `per` steps commit of a decoding sequence
        ("per", "i8"),
        ("over", "i8"),  # of `per`, the part of a token that is left over from the steps so far
        ("free", "i8"),  # blocks
        ("leap", "i8"),  # steps of the decoding sequences between clock and wake
        ("reached", "i8"),  # cached tokens of the prompts that are worked at in it
        ("tokens", "i8"),  # of the prompts of all requests here
        ("latest", "f8"),  # when a request was last sent here; -inf before
        ("kept", "i8"),  # blocks of caches on their way from here, or of those that come
        ("away", "i8"),  # blocks of preempted sequences in the memory beside it
        ("moving", "i8"),  # blocks that are moved there and back before the step that starts
        ("width", "i4"),  # as its pool's
        ("prompted", "i4"),  # prompt tokens in the present step
        ("sent", "i4"),  # tokens of the request that comes, which a router that remembers sent here before
        ("used", "i4"),  # blocks that somebody holds, as of the last request, for routers that read it
        ("coming", "i4"),  # sequences whose cache is on its way here, each with a place
        ("decodes", "i4"),
        ("running", "i4"),
        ("load", "i4"),  # running and waiting
        ("partial", "i4"),  # slot of the sequence whose prompt is cut by the budget
        ("chunks", "i4"),  # sequences whose prompt is worked at in the present step
        ("fresh", "i4"),  # those of them that it completes
        ("keys", "i4"),  # decoding sequences in the heap of completions
        ("head", "i4"),
        ("tail", "i4"),
        ("last", "i4"),  # slot that was admitted last
        ("vacant", "i4"),  # first unused slot
        ("pool", "i4"),
        ("seated", "i4"),  # slots that were given so far
        ("mask", "u1"),  # tokens of a block, less one
        ("bits", "u1"),  # how many bits that has
        ("paced", "b1"),  # whether its steps take `pace` times as long as they would, from `slow` up to `well`
        ("pace", "f8"),
        ("slow", "f8"),
        ("well", "f8"),
    ],
    align=True,
)

SLOT = np.dtype(
    [
        ("ends", "i8"),  # the replica's `done` at which it has all its tokens; -1 while its prompt is worked at
        ("offset", "i8"),  # its cached tokens less the replica's `done`
        ("request", "i4"),  # -1 in an unused slot
        ("before", "i4"),  # admitted before it
        ("after", "i4"),  # admitted after it; in an unused slot, the next unused one
        ("computed", "i4"),  # tokens in the cache while its prompt is worked at
        ("target", "i4"),  # tokens that must be there before it decodes
        ("turn", "i4"),  # how many of the replica's slots were given before
    ],
    align=True,
)


def parts(count: int) -> Iterator[slice]:
    """Return the places of so many requests in parts of ROWS, in order.

    >>> list(parts(10_000))
    [slice(0, 8192, None), slice(8192, 16384, None)]
    """
    return (slice(first, first + ROWS) for first in range(0, count, ROWS))
