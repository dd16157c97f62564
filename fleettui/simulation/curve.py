"""A replica's steps by tabulated kernels as the engine looks them up: a row for each count of tokens and sequences.

Against the tables themselves: `tests/simulation/test_curve.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.hardware import StepTable
from fleettui.hardware.table_cost import slope_of, straight
from fleettui.simulation.compiled import compiled

BATCH = np.dtype([("base", "f8"), ("per_context", "f8"), ("linear", "f8")])
"""Seconds of a step of so many decodes alone, those that each cached token of theirs adds, and of the first those that
are others with prompts: of all but attention."""
PROMPT = np.dtype([("pairs", "f8"), ("seconds", "f8"), ("slope", "f8"), ("start", "i8")])
"""Seconds of a chunk's attention at so many (query, key) pairs, and those that each further pair adds.

From `start` on a chunk is looked for that has STRIDE tokens or more for each row before.
"""
STRIDE_BITS = 5
STRIDE = 1 << STRIDE_BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A step table laid out for one engine; all seconds hold the overhead where they are of a whole step.

    `linear[x]` are the seconds of all but attention for x tokens, `batches[n]` those of n decodes, `prompts` those of a
    chunk's attention. A step with prompts pays `floor` once, takes no less than `least`, and `extra` more. It computes
    `width` tokens of each decode. Where `lanes` step together, `linear` and `batches` are without the layers behind
    attention, and `shared[x]` are what these take for x tokens of all lanes.
    """

    linear: NDArray[np.float64]
    batches: NDArray[Any]
    prompts: NDArray[Any]
    floor: float
    least: float
    extra: float
    shared: NDArray[np.float64]
    width: int = 1
    lanes: int = 1

    def __post_init__(self) -> None:
        rows, tokens = len(self.prompts), len(self.linear) - 1
        assert rows > tokens >> STRIDE_BITS, f"{rows} rows of attention for chunks of up to {tokens} tokens"

    @classmethod
    def of(cls, table: StepTable, *, budget: int, places: int, lanes: int = 1) -> Self:
        """Return the curve of an engine that processes up to `budget` tokens a step and runs `places` sequences.

        It is one of so many `lanes` that step together.
        """
        counts, most = np.arange(places + 1, dtype=np.float64), table.width * places
        linear = straight(np.arange(max(budget, most) + 1, dtype=np.float64), table.tokens, table.linear)
        shared = np.zeros(1)
        if lanes > 1 and table.gathered:
            tokens = np.arange(lanes * max(budget, most) + 1, dtype=np.float64) / lanes
            shared = straight(tokens, table.tokens, table.gathered)
            linear = linear - shared[::lanes]
        batches = np.zeros(places + 1, BATCH)
        batches["linear"] = linear[: most + 1 : table.width]
        if table.alone:
            batches["linear"] = straight(table.width * counts, table.tokens, table.alone)
        batches["base"] = table.overhead + batches["linear"] + straight(counts, table.sequences, table.fixed)
        batches["per_context"] = slope_of(table, counts)
        return cls(
            linear=linear,
            batches=batches,
            prompts=_prompts(table, max(budget, most)),
            floor=table.prompt_floor,
            least=table.overhead + table.prompt_least,
            extra=table.prompt_extra,
            shared=shared,
            width=table.width,
            lanes=lanes,
        )


def _prompts(table: StepTable, tokens: int) -> NDArray[Any]:
    """Return the attention of chunks, a row for each of the table's pairs, and at least for each STRIDE tokens."""
    known, rows = len(table.pairs), max(len(table.pairs), (tokens >> STRIDE_BITS) + 1)
    found = np.zeros(rows, PROMPT)
    found["pairs"] = np.inf
    found["pairs"][:known], found["seconds"][:known] = table.pairs, table.attention
    rises = np.diff(table.attention) / np.diff(table.pairs)
    found["slope"][:known] = np.append(rises, rises[-1])
    least = 0.5 * (STRIDE * np.arange(rows, dtype=np.float64)) ** 2
    found["start"] = np.maximum(np.searchsorted(table.pairs, least, side="right") - 1, 0)
    return found


class Curves(NamedTuple):
    """The curves of all pools, a row each; a pool whose steps are affine has a row that nobody reads."""

    linear: NDArray[np.float64]
    batches: NDArray[Any]
    prompts: NDArray[Any]

    @classmethod
    def of(cls, curves: Sequence[Curve | None]) -> Self:
        """Stack the curves of pools, None where a pool's steps are affine."""
        return cls(
            *(
                _stacked([None if one is None else getattr(one, name) for one in curves], dtype)
                for name, dtype in _PARTS
            )
        )


_PARTS = (("linear", np.dtype(np.float64)), ("batches", BATCH), ("prompts", PROMPT))


def _stacked(rows: Sequence[NDArray[Any] | None], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return rows of one length; the last value of a shorter one goes on to the end."""
    longest = max((len(row) for row in rows if row is not None), default=1)
    found = np.zeros((len(rows), longest), dtype)
    for place, row in enumerate(rows):
        if row is not None:
            found[place, : len(row)], found[place, len(row) :] = row, row[-1]
    return found


@compiled
def attention_time(prompts: Any, tokens: int, computed: int) -> float:
    """Return the seconds of a chunk's attention: of `tokens` prompt tokens after which `computed` are cached.

    It forms the pairs of its own tokens at least, which most have alone: so its row is at hand, and nothing is guessed.
    """
    pairs, last = tokens * (computed - 0.5 * tokens), len(prompts) - 1
    low = prompts[tokens >> STRIDE_BITS].start
    while low < last and prompts[low + 1].pairs <= pairs:
        low += 1
    return float(prompts[low].seconds + prompts[low].slope * (pairs - prompts[low].pairs))
