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
from fleettui.simulation.prefixes import Prefixes, Runs, runs_of
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
    found, starts, common = _listed(hashes, known, common_blocks(record))
    counts = np.diff(starts)[row]
    offsets = np.cumsum(counts) - counts
    within = np.arange(int(counts.sum())) - np.repeat(offsets - starts[row], counts)
    runs, lives = found.listed[within].astype(np.int64), copy + copies * lap
    each = len(found.lengths) - common
    assert common + (int(lives.max(initial=0)) + 1) * each < 2**31, "runs are whole numbers of 32 bits"
    runs += np.repeat(lives, counts) * each * (runs >= common)
    tokens = np.array([row[:2] for row in rows], np.int32)[row]
    return InOrder(
        prompt=tokens[:, 0].copy(),
        output=tokens[:, 1].copy(),
        prefixes=Prefixes(
            size=record.block,
            offsets=offsets,
            known=known[row],
            runs=runs.astype(np.int32),
            lengths=np.append(found.lengths[:common], np.tile(found.lengths[common:], int(lives.max(initial=0)) + 1)),
        ),
    )


def _listed(hashes: list[list[int]], known: Whole, shared: int) -> tuple[Runs, NDArray[np.int64], int]:
    """Return the rows' hashes as runs, where those of each row begin, and how many runs of the first numbers are of the
    `shared` leading blocks, which are numbered first.
    """
    listed = np.array([one for own in hashes for one in own], np.int64)
    first = np.cumsum(known, dtype=np.int64) - known
    within = np.arange(len(listed)) - np.repeat(first, known)
    listed = np.where(within < shared, within, listed + shared)
    begins = (within == 0) | (within == shared)
    found = runs_of(listed, begins)
    return found, found.places[np.append(first, len(listed))], int(np.searchsorted(found.firsts, shared))


def _before(copy: NDArray[np.int64], copies: int) -> NDArray[np.int64]:
    """Return how many requests of its own copy each one comes after."""
    order = np.argsort(copy, kind="stable")
    counts = np.bincount(copy, minlength=copies)
    places = np.empty(len(copy), np.int64)
    places[order] = np.arange(len(copy)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places
