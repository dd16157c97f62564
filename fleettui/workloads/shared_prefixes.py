"""The block hashes that a trace lists beside its requests, and how much of its prompts they let be found again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from fleettui.domain.prefixes import PrefixRecord
from fleettui.errors import InputError
from fleettui.workloads.trace_rows import rows_of

MOST_ROWS = 100_000
"""Requests whose hashes may be kept with a plan."""
SIZES = tuple(16 << power for power in range(10))
"""Tokens that a block of a trace may have."""
_KEYS = (("input_length", "output_length", "hash_ids"), ("input_tokens", "output_tokens", "prefix_hashes"))


class Row(NamedTuple):
    """A request of a trace: tokens, and the hash of each block of its prompt, the last one perhaps not full."""

    prompt: int
    output: int
    hashes: tuple[str, ...]


def record_of(path: Path, rate: float | None) -> PrefixRecord | None:
    """Return the prefixes of the trace at `path`, requests in its order; None where it lists no hashes.

    A block's tokens are those with which every prompt has as many blocks as hashes. Raises InputError where no size
    does that, or where there are too many requests.
    """
    rows = list(_rows(path))
    if not any(row.hashes for row in rows):
        return None
    if len(rows) > MOST_ROWS:
        raise InputError(
            "a trace of so many requests is too long for its prefixes to be kept",
            where=str(path),
            value=len(rows),
            accepted=f"up to {MOST_ROWS:,} requests",
            remedy="cut the trace to its busiest hour",
        )
    size = _size(rows, path)
    numbers: dict[str, int] = {}
    kept = []
    for row in rows:
        full = [numbers.setdefault(name, len(numbers)) for name in row.hashes[: row.prompt // size]]
        kept.append((row.prompt, row.output, *_runs(full)))
    return PrefixRecord(block=size, rows=tuple(kept), rate=rate)


def hashes_of(row: Sequence[int]) -> list[int]:
    """Return the hashes of a row of a record.

    >>> hashes_of((70, 9, 0, 2, 7, 1))
    [0, 1, 7]
    """
    found: list[int] = []
    for first, count in zip(row[2::2], row[3::2], strict=True):
        found.extend(range(first, first + count))
    return found


def common_blocks(record: PrefixRecord) -> int:
    """Return how many leading blocks all requests share that have as many, at least half of them."""
    listed = [hashes_of(row) for row in record.rows]
    count = 0
    while True:
        here = [one[count] for one in listed if len(one) > count]
        if 2 * len(here) < len(listed) or len(set(here)) > 1:
            return count
        count += 1


def reusable(record: PrefixRecord) -> float:
    """Return the share of prompt tokens that one cache without limit would find: the trace's upper bound of reuse.

    A prompt that is found whole computes its last block again.
    """
    seen: set[int] = set()
    found = asked = 0
    for row in record.rows:
        hashes = hashes_of(row)
        new = next((place for place, one in enumerate(hashes) if one not in seen), len(hashes))
        found += min(new, (row[0] - 1) // record.block) * record.block
        asked += row[0]
        seen.update(hashes)
    return found / asked if asked else 0.0


def _runs(numbers: Sequence[int]) -> Iterator[int]:
    starts = [0, *(place for place, (one, other) in enumerate(pairwise(numbers), 1) if other != one + 1)]
    for start, end in pairwise([*starts, len(numbers)]):
        if end > start:
            yield from (numbers[start], end - start)


def _size(rows: Sequence[Row], path: Path) -> int:
    for size in SIZES:
        if all(row.prompt // size <= len(row.hashes) <= -(-row.prompt // size) for row in rows):
            return size
    raise InputError(
        "its hashes are not those of blocks of one size",
        where=str(path),
        accepted=f"a hash for every block of {SIZES[0]} to {SIZES[-1]} tokens of every prompt",
        remedy="leave out --prefix-cache, or correct the hashes",
    )


def _rows(path: Path) -> Iterator[Row]:
    """Yield the requests of a trace that lists hashes, none where it lists none; raises InputError for other hashes."""
    for row in rows_of(path):
        keys = next((keys for keys in _KEYS if all(key in row for key in keys)), None)
        if keys is None:
            return
        prompt, output, hashes = (row[key] for key in keys)
        listed = hashes.split() if isinstance(hashes, str) else hashes or ()
        if not isinstance(listed, (list, tuple)):
            raise InputError(f"{keys[2]} is no list", where=str(path), value=hashes, accepted="a list of hashes")
        yield Row(int(prompt), int(output), tuple(map(str, listed)))
