"""Clocks that tick: requests recorded at the same instant every few seconds, spread evenly over each tick."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from fleettui.workloads.formats.base import Chunk, Floats

_ENOUGH = 100
_JITTER = 0.005
_LONGEST = 60.0


def tick_of(arrivals: Floats) -> float | None:
    """Return the whole seconds that every step of the clock is a multiple of, if requests share instants; else None.

    A tick may be off by 5 ms. Fewer than 100 requests, or fewer than two a tick, say nothing.
    """
    instants = np.unique(arrivals)
    if len(arrivals) < _ENOUGH or not 1 < len(instants) <= len(arrivals) / 2:
        return None
    tick = float(np.round(np.diff(instants).min()))
    if not 1 <= tick <= _LONGEST:
        return None
    since = instants - instants[0]
    off = np.abs(since - np.round(since / tick) * tick)
    return tick if (off <= _JITTER).all() else None


def peeked(chunks: Iterator[Chunk]) -> tuple[float | None, Iterator[Chunk]]:
    """Return the tick that the first chunk shows, and all the chunks."""
    first = next(chunks, None)
    if first is None:
        return None, iter(())
    tick = None if first.arrivals is None else tick_of(first.arrivals)
    return tick, chain((first,), chunks)


def spread(chunks: Iterator[Chunk], tick: float) -> Iterator[Chunk]:
    """Yield the same requests, those of one instant spread evenly from it to the next, at most `tick` seconds."""
    held: Chunk | None = None
    for chunk in chunks:
        joined = chunk if held is None else _joined(held, chunk)
        assert joined.arrivals is not None, "only timed requests can be spread"
        last = int(np.searchsorted(joined.arrivals, joined.arrivals[-1]))
        if last:
            yield _spread(joined, last, tick)
        held = Chunk(joined.arrivals[last:], joined.prompt[last:], joined.output[last:])
    if held is not None:
        yield _spread(held, len(held.prompt), tick)


def _joined(first: Chunk, second: Chunk) -> Chunk:
    assert first.arrivals is not None
    assert second.arrivals is not None
    return Chunk(
        np.concatenate((first.arrivals, second.arrivals)),
        np.concatenate((first.prompt, second.prompt)),
        np.concatenate((first.output, second.output)),
    )


def _spread(chunk: Chunk, stop: int, tick: float) -> Chunk:
    """Spread the first `stop` requests, whose instants are complete; the next instant bounds the last of them."""
    arrivals = chunk.arrivals
    assert arrivals is not None
    instants, group, sizes = np.unique(arrivals[:stop], return_inverse=True, return_counts=True)
    following = arrivals[stop] if stop < len(arrivals) else np.inf
    spans = np.minimum(np.diff(instants, append=following), tick)
    rank = np.arange(stop) - (np.cumsum(sizes) - sizes)[group]
    moved = instants[group] + spans[group] * (rank + 0.5) / sizes[group]
    return Chunk(moved, chunk.prompt[:stop], chunk.output[:stop])
