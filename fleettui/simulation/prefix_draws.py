"""Requests of a trace in its own order, with the hashes of their blocks, at any rate.

Who asks again does so after so much time as in the trace. So at a higher rate copies of the trace are laid over each
other, each begun somewhere else and with hashes of its own, but for those that every request begins with; each request
is the next one of a copy picked at random. A copy that is over begins again, as what nobody has seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.prefixes import PrefixRecord
from fleettui.errors import InputError
from fleettui.routing import pools_meet
from fleettui.simulation.prefixes import Prefixes
from fleettui.workloads.shared_prefixes import common_blocks, hashes_of

Whole = NDArray[np.int32]


class InOrder(NamedTuple):
    """Prompt and output tokens, arrays of shape (requests,), and what the prompts share."""

    prompt: Whole
    output: Whole
    prefixes: Prefixes


def check_apart(router: str, pools: int) -> None:
    """Raise InputError where a router sends between so many pools, whose parts of a trace are played one by one."""
    if pools_meet(router, pools):
        raise InputError(
            "prefix caches are played pool by pool, and this router sends between pools",
            where="--router",
            value=router,
            remedy="leave out --prefix-cache, or take --pools 1 or a router that sends by length alone",
        )


def in_order(
    record: PrefixRecord, lengths: tuple[int, int], *, rate: float, requests: int, draws: np.random.Generator
) -> InOrder:
    """Return the first `requests` of `record` whose total tokens are above and up to `lengths`.

    All requests come at `rate` per second. A longer draw begins with the shorter one.
    """
    rows = [row for row in record.rows if lengths[0] < row[0] + row[1] <= lengths[1]]
    assert rows, f"no request of the trace has {lengths[0]} to {lengths[1]} tokens"
    copies = 1 if record.rate is None else max(1, round(rate / record.rate))
    begun, picked = draws.spawn(2)
    starts = begun.integers(len(rows), size=copies)
    copy = picked.integers(copies, size=requests)
    at = starts[copy] + _before(copy, copies)
    row, lap = at % len(rows), at // len(rows)
    hashes = [hashes_of(one) for one in rows]
    known = np.array([len(one) for one in hashes], np.int32)
    first = np.cumsum(known) - known
    listed = np.array([one for own in hashes for one in own], np.int64)
    own_known = known[row]
    offsets = np.cumsum(own_known, dtype=np.int64) - own_known
    within = np.arange(int(own_known.sum())) - np.repeat(offsets, own_known)
    found = listed[np.repeat(first[row], own_known) + within]
    shared, distinct = common_blocks(record), int(listed.max(initial=-1)) + 1
    lives = np.repeat(copy + copies * lap, own_known)
    tokens = np.array([row[:2] for row in rows], np.int32)[row]
    return InOrder(
        prompt=tokens[:, 0].copy(),
        output=tokens[:, 1].copy(),
        prefixes=Prefixes(
            size=record.block,
            offsets=offsets,
            known=own_known,
            hashes=np.where(within < shared, found, found + lives * distinct).astype(np.int32),
        ),
    )


def _before(copy: NDArray[np.int64], copies: int) -> NDArray[np.int64]:
    """Return how many requests of its own copy each one comes after."""
    order = np.argsort(copy, kind="stable")
    counts = np.bincount(copy, minlength=copies)
    places = np.empty(len(copy), np.int64)
    places[order] = np.arange(len(copy)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places
