"""What requests share: the hashes of the full blocks that they begin with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.fleet import BLOCK_SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """The full blocks of `size` tokens that each request begins with, a multiple of 16.

    Request i has the hashes `hashes[offsets[i] : offsets[i] + known[i]]`, whole numbers from 0 on, each that of a block
    and of all before it. They may go beyond the prompt: then what it puts out can be hit once it is done. Arrays of
    shape (requests,) but for `hashes`; requests may have the same place in that.
    """

    size: int
    offsets: NDArray[np.int64]
    known: NDArray[np.int32]
    hashes: NDArray[np.int32]

    def __post_init__(self) -> None:
        assert self.size >= BLOCK_SIZE, f"blocks of {self.size} tokens"
        assert self.size % BLOCK_SIZE == 0, f"blocks of {self.size} tokens"
