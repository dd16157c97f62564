"""When the parts of a workload's prompts are asked for again: by its sessions, or by the hashes of its blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.sessions import Round, SessionRecord, rounds_of, shared
from fleettui.queueing.reuse import Accesses
from fleettui.workloads.shared_prefixes import hashes_of

MOST = 400_000
"""Accesses of sessions that are counted; of a longer record every second session is, every third ..."""


def of_sessions(record: SessionRecord, lengths: tuple[int, int]) -> Accesses:
    """Return the accesses of the rounds whose total tokens are above and up to `lengths`; each session by itself.

    A part is what one round added, its prompt's or its answer's tokens. Time runs while nothing of a session is served:
    what is served stays in a cache. All prompts hold what they have in common at all times.
    """
    above, up_to = lengths
    parts, times, tokens, asked, requests = list[int](), list[float](), list[float](), 0, 0
    sizes = sum((len(row) // 3) ** 2 for row in record.rows)
    for number, row in enumerate(record.rows[:: max(1, -(-sizes // MOST))]):
        clock = 0.0
        for one, own in zip(rounds_of(row), _parts(row, record.common), strict=True):
            clock += one.wait
            if above < one.prompt + one.output <= up_to:
                requests += 1
                asked += one.prompt
                for place, held in own:
                    parts.append((number << 16) + place)
                    times.append(clock)
                    tokens.append(held)
    return Accesses(
        part=np.unique(np.array(parts, np.int64), return_inverse=True)[1],
        time=np.array(times, float),
        tokens=np.array(tokens, float),
        requests=requests,
        prompt=asked / max(requests, 1),
        common=float(record.common),
    )


def _parts(row: tuple[float, ...], common: int) -> Iterator[list[tuple[int, float]]]:
    """Yield the (number, tokens) of the parts that each round of a session asks for, its answer's last."""
    held, count = list[tuple[int, float]](), 0
    before: Round | None = None
    for one in rounds_of(row):
        alike = min(common, one.prompt)
        held = _within(held, shared(before, one, common) - alike)
        known = alike + sum(tokens for _, tokens in held)
        for new in (one.prompt - known, one.output):
            held.append((count, float(new)))
            count += 1
        yield list(held)
        before = one


def _within(held: list[tuple[int, float]], tokens: float) -> list[tuple[int, float]]:
    """Return the parts that so many tokens hold, the last one cut."""
    kept, left = list[tuple[int, float]](), tokens
    for place, size in held:
        if left <= 0.0:
            break
        kept.append((place, min(size, left)))
        left -= size
    return kept


def of_prefixes(record: PrefixRecord, lengths: tuple[int, int]) -> Accesses:
    """Return the accesses of the requests whose total tokens are above and up to `lengths`, in the trace's order.

    Blocks that the same requests ask for are one part.
    """
    rows = [row for row in record.rows if lengths[0] < row[0] + row[1] <= lengths[1]]
    hashes = [hashes_of(row) for row in rows]
    row = np.repeat(np.arange(len(rows)), [len(one) for one in hashes])
    block = np.unique(np.array([one for own in hashes for one in own], np.int64), return_inverse=True)[1]
    marks = np.random.default_rng(1).integers(1 << 62, size=len(rows))  # sums of these tell sets of requests apart
    sums = np.zeros(int(block.max(initial=-1)) + 1, np.int64)
    np.add.at(sums, block, marks[row])
    _, part, blocks = np.unique(sums, return_inverse=True, return_counts=True)
    asked = np.unique(row * max(len(blocks), 1) + part[block])
    where, which = np.divmod(asked, max(len(blocks), 1))
    return Accesses(
        part=which,
        time=where.astype(float),
        tokens=record.block * blocks[which].astype(float),
        requests=len(rows),
        prompt=sum(one[0] for one in rows) / max(len(rows), 1),
        is_counted=True,
    )
