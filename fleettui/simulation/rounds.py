"""Sessions of a run: which request follows which, and how long after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """The rounds of sessions among requests, of which the first `begun` begin one, at times that are known.

    Request i is followed by `then[i]`, -1 for the last of its session, a later one in number. A later round comes
    `pause[i]` seconds after the end of the round before it, and no sooner than `gap[i]` after that came. Arrays of
    shape (requests,). Where rounds are `parts`, a session is one request, which is counted as its first part comes.
    `number` counts the rounds of each session from 0 on, those before the run among them; None where nobody asks.
    """

    begun: int
    then: NDArray[np.int32]
    pause: NDArray[np.float64]
    gap: NDArray[np.float64]
    parts: bool = False
    number: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        later = self.then[self.then >= 0]
        assert len(later) == len(self.then) - self.begun, "every later round follows one"
        assert np.array_equal(np.sort(later), np.arange(self.begun, len(self.then))), "and none follows two"
