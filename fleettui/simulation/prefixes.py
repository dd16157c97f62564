"""What requests share: the full blocks that they begin with, in runs that have no other way through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


class Runs(NamedTuple):
    """Lists of blocks as lists of runs, whose numbers are `listed`, and of each number its `lengths` in blocks.

    What begins at a block's place begins at `places[that]` of `listed`, their end at its end. Runs are
    numbered in the order of their `firsts`, the blocks with which they begin.
    """

    listed: NDArray[np.int32]
    lengths: NDArray[np.int32]
    places: Whole
    firsts: Whole


def runs_of(blocks: Whole, begins: NDArray[np.bool_]) -> Runs:
    """Return `blocks`, numbers from 0 on in lists one after the other, as runs; `begins` marks where one has to begin.

    A block goes on the run of the one before it where neither has another neighbour there in any list. Both arrays have
    the shape (blocks,).

    >>> found = runs_of(np.array([0, 1, 2, 0, 1, 3, 4]), np.array([True, False, False, True, False, False, False]))
    >>> found.listed.tolist(), found.lengths.tolist(), found.places[[0, 3]].tolist()
    ([0, 1, 0, 2], [2, 1, 2], [0, 2])
    """
    count = int(blocks.max(initial=-1)) + 1
    inner = np.flatnonzero(~begins)
    steps = np.unique(blocks[inner - 1] * count + blocks[inner])
    before, after = steps // max(count, 1), steps % max(count, 1)
    goes_on = np.bincount(before, minlength=count)[before] == 1
    is_first = np.ones(count, np.bool_)
    is_first[after[goes_on & (np.bincount(after, minlength=count)[after] == 1)]] = False
    is_first[blocks[begins]] = True
    at = np.flatnonzero(is_first[blocks])
    firsts, listed = np.unique(blocks[at], return_inverse=True)
    lengths = np.zeros(len(firsts), np.int32)
    np.maximum.at(lengths, listed, np.diff(np.append(at, len(blocks))).astype(np.int32))
    return Runs(listed.astype(np.int32), lengths, np.searchsorted(at, np.arange(len(blocks) + 1)), firsts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """The full blocks of `size` tokens that each request begins with, a multiple of the replicas' own.

    Request i has `known[i]` blocks: those of the runs `runs[offsets[i]:]`, one after the other, of the last perhaps the
    first ones alone. Run r has `lengths[r]` blocks, which come behind each other wherever they come. They may go beyond
    the prompt: then what it puts out can be hit once it is done. `offsets` and `known` have the shape (requests,);
    requests may have the same place in `runs`.
    """

    size: int
    offsets: NDArray[np.int64]
    known: NDArray[np.int32]
    runs: NDArray[np.int32]
    lengths: NDArray[np.int32]

    @classmethod
    def of(cls, *, size: int, known: NDArray[np.int32], hashes: Whole) -> Self:
        """Return the prefixes of requests with `known` blocks each, whose `hashes` stand one after the other."""
        offsets = np.cumsum(known, dtype=np.int64) - known
        begins = np.zeros(len(hashes), np.bool_)
        begins[offsets[known > 0]] = True
        found = runs_of(hashes.astype(np.int64), begins)
        return cls(size=size, offsets=found.places[offsets], known=known, runs=found.listed, lengths=found.lengths)

    def blocks(self, request: int) -> list[int]:
        """Return a number for each block of a request, the same for the same one."""
        found, place = list[int](), int(self.offsets[request])
        while len(found) < self.known[request]:
            run = int(self.runs[place])
            first, missing = int(self.lengths[:run].sum()), int(self.known[request]) - len(found)
            found += range(first, first + min(int(self.lengths[run]), missing))
            place += 1
        return found
