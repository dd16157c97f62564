"""Several traces as one, in order of arrival on one clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fleettui.errors import InputError
from fleettui.workloads.formats.base import Chunk

DAY = 86_400.0
MOST_DAYS_APART = 30.0


def merged(streams: Sequence[Iterator[Chunk]]) -> Iterator[Chunk]:
    """Yield the timed requests of all `streams` in order of arrival; equal times keep the order of the streams.

    Raises InputError for streams that start more than 30 days apart: one counts from its start, say, one from 1970.
    """
    waiting = {index: chunk for index, stream in enumerate(streams) if (chunk := next(stream, None)) is not None}
    _check_one_clock([float(_times(chunk)[0]) for chunk in waiting.values()])
    while waiting:
        horizon = min(_times(chunk)[-1] for chunk in waiting.values())
        taken: list[Chunk] = []
        for index, chunk in sorted(waiting.items()):
            cut = int(np.searchsorted(_times(chunk), horizon, side="right"))
            if cut:
                taken.append(_part(chunk, slice(None, cut)))
            rest = _part(chunk, slice(cut, None)) if cut < len(chunk.prompt) else next(streams[index], None)
            if rest is None:
                del waiting[index]
            else:
                waiting[index] = rest
        yield _sorted(taken)


def _check_one_clock(starts: Sequence[float]) -> None:
    apart = (max(starts) - min(starts)) / DAY if starts else 0.0
    if apart > MOST_DAYS_APART:
        raise InputError(
            "the traces are not on one clock: their first requests are far apart",
            value=f"{apart:,.0f} days",
            accepted=f"traces that start within {MOST_DAYS_APART:g} days of each other",
            remedy="give both times from the same moment, or build a workload from each",
        )


def _times(chunk: Chunk) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    assert chunk.arrivals is not None, "only timed requests can be merged"
    return chunk.arrivals


def _part(chunk: Chunk, rows: slice) -> Chunk:
    return Chunk(_times(chunk)[rows], chunk.prompt[rows], chunk.output[rows])


def _sorted(chunks: list[Chunk]) -> Chunk:
    arrivals = np.concatenate([_times(chunk) for chunk in chunks])
    order = np.argsort(arrivals, kind="stable")
    prompt = np.concatenate([chunk.prompt for chunk in chunks])[order]
    output = np.concatenate([chunk.output for chunk in chunks])[order]
    return Chunk(arrivals[order], prompt, output)
