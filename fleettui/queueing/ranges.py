"""A request table cut into ranges of total length: the per-workload table that every profile and size shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fleettui.domain.speculation import NO_DRAFTS, Speculation
from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.moments import (
    Moments,
    RequestTable,
    decode_context,
    prefill_context,
    prompt_pairs,
    prompt_squares,
    steps_per_token,
    uncached_tokens,
)

RISING = 6
"""The first features rise with the prompt, the others do not."""
LATER = 6
"""The feature that counts a request's later steps."""
TAIL = 0.95 ** np.arange(160)
"""Shares of a range's requests, those with the longest prompts, between which a tail is bounded: finer the rarer."""
PARTS = np.array([0.01, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.36])
"""Parts of a range's requests that have later steps, from those that have the fewest on."""


def output_tokens(drafting: Speculation = NO_DRAFTS) -> FloatArray:
    """Return the output tokens of a request as coefficients of its features: one, and those of the later steps."""
    if not drafting.drafts:
        return np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    return np.array([0.0, 0.0, 1.0 - drafting.beyond, 0.0, 0.0, 0.0, drafting.committed, 0.0])


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeTable:
    """Ranges of the atoms of a request table; arrays of shape (ranges,) unless said otherwise.

    Range i holds the atoms [first[i], last[i]). `features`, shape (8, atoms), are the figures in which a request's own
    delay is linear. `rising`, shape (6, atoms), holds the features that rise with the prompt in its order, range by
    range where each has atoms of its own. Then `above_prompt[j]` is the weight of the atoms from the j-th of
    that order on, shape (atoms + 1,); else `above_prompt[i, j]` is the share of range i's requests among them, shape
    (ranges, atoms + 1). `marks`, shape (ranges, TAIL's + 1), are places of that order: from each on there are about as
    many requests as TAIL says, the last is the atom with the longest prompt. `inverse_steps`, shape (ranges, parts), is
    one over the later steps of the middle request of each of PARTS; 0 where none has any.
    """

    weight: FloatArray
    total: FloatArray
    first: IntArray
    last: IntArray
    moments: Moments
    features: FloatArray
    rising: FloatArray
    above_prompt: FloatArray
    marks: IntArray
    inverse_steps: FloatArray

    @classmethod
    def of(cls, table: RequestTable, above: ArrayLike, up_to: ArrayLike) -> RangeTable:
        """Cut `table`, which is in order of total length, into the ranges (above, up_to], arrays of one shape."""
        first, last = (np.searchsorted(table.total, np.atleast_1d(ends), side="right") for ends in (above, up_to))
        by_prompt = np.argsort(table.prompt, kind="stable")
        features = _features(
            table.prompt, table.output, chunk=table.chunk, prefix_hit=table.prefix_hit, drafting=table.drafting
        )
        above_prompt = _above_prompt(table, first, last, by_prompt)
        return cls(
            weight=table.weight,
            total=table.total,
            first=first,
            last=last,
            moments=table.moments(first, last),
            features=features,
            rising=features[:RISING, by_prompt],
            above_prompt=above_prompt,
            marks=np.array([_marks(shares) for shares in above_prompt]),
            inverse_steps=_inverse_steps(features[LATER], table.weight, first, last),
        )

    @classmethod
    def of_parts(
        cls,
        parts: Sequence[FloatArray],
        moments: Moments,
        *,
        chunk: int,
        prefix_hit: float | FloatArray,
        drafting: Speculation = NO_DRAFTS,
    ) -> RangeTable:
        """Make each range of atoms of its own, rows (share of all requests, prompt, output); none may be empty.

        `moments` are the means over each range's atoms, known already.
        """
        weight, prompt, output = np.concatenate(parts).T
        last = np.cumsum([len(part) for part in parts])
        first = np.concatenate([[0], last[:-1]])
        features = _features(prompt, output, chunk=chunk, prefix_hit=prefix_hit, drafting=drafting)
        order = np.lexsort((prompt, np.repeat(np.arange(len(parts)), last - first)))
        above = np.zeros(len(order) + 1)
        above[:-1] = np.cumsum(weight[order][::-1])[::-1]
        return cls(
            weight=weight,
            total=prompt + output,
            first=first,
            last=last,
            moments=moments,
            features=features,
            rising=features[:RISING, order],
            above_prompt=above,
            marks=np.array([low + _marks(_own(above, low, high)) for low, high in zip(first, last, strict=True)]),
            inverse_steps=_inverse_steps(features[LATER], weight, first, last),
        )

    def share_from(self, rows: IntArray, place: IntArray) -> FloatArray:
        """Return the share of each row's requests among the atoms from `place` on, in the order of `rising`."""
        if self.above_prompt.ndim == 2:
            return np.asarray(self.above_prompt[rows, place])
        beyond = self.above_prompt[place] - self.above_prompt[self.last[rows]]
        return np.asarray(beyond / self.moments.share[rows])

    def ends(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Return where each row's atoms begin and end in the order of `rising`."""
        if self.above_prompt.ndim == 2:
            return np.zeros(len(rows), np.int64), np.full(len(rows), self.rising.shape[1], np.int64)
        return self.first[rows], self.last[rows]

    @property
    def occupied(self) -> np.ndarray:
        """Which ranges hold at least one atom."""
        return np.asarray(self.last > self.first)

    @property
    def longest(self) -> FloatArray:
        """The longest request of each range in tokens, 0 where it is empty."""
        return np.array(
            [self.total[low:high].max(initial=0.0) for low, high in zip(self.first, self.last, strict=True)]
        )


def _features(
    prompt: FloatArray, output: FloatArray, *, chunk: int, prefix_hit: float | FloatArray, drafting: Speculation
) -> FloatArray:
    """Return prefill steps, uncached tokens, 1, prefill context, pairs, Σ (tokens of a prefill step)², which rise with
    the prompt, and later steps, later steps × own mean context.

    Without drafts there is a later step for each later token.
    """
    uncached = uncached_tokens(prompt, prefix_hit)
    k, tokens = np.ceil(uncached / chunk), output - 1.0
    per_token = steps_per_token(tokens, drafting)
    later = tokens * per_token
    prefill = prefill_context(chunk, k, prompt - uncached, prompt)
    own = later * (prefill + decode_context(prompt, output) * per_token) / (k + later)
    pairs, squares = prompt_pairs(prompt, uncached), prompt_squares(chunk, k, uncached)
    return np.stack([k, uncached, np.ones_like(later), prefill, pairs, squares, later, own])


def _inverse_steps(later: FloatArray, weight: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    found = np.zeros((len(first), len(PARTS)))
    order = np.flatnonzero(later > 0.0)
    order = order[np.argsort(later[order])]
    middles = np.cumsum(PARTS) - PARTS / 2.0
    for row, (low, high) in enumerate(zip(first, last, strict=True)):
        inside = order[(order >= low) & (order < high)]
        if len(inside):
            below = np.cumsum(weight[inside])
            found[row] = 1.0 / later[inside[np.searchsorted(below, middles * below[-1])]]
    return found


def _own(above: FloatArray, low: int, high: int) -> FloatArray:
    """Return the share of a range's requests from each of its own atoms on, by the weights `above` of all."""
    return np.asarray((above[low : high + 1] - above[high]) / (above[low] - above[high]))


def _marks(shares: FloatArray) -> IntArray:
    """Return the places from which on there are TAIL's shares of the requests, and that of the last atom.

    `shares` fall from 1 to 0, atom by atom.
    """
    last = np.searchsorted(-shares, 0.0) - 1
    places = np.append(np.maximum(np.searchsorted(-shares, -TAIL, side="right") - 1, 0), last)
    return np.asarray(np.minimum(places, last))


def _above_prompt(table: RequestTable, first: IntArray, last: IntArray, by_prompt: IntArray) -> FloatArray:
    weight = table.weight[by_prompt]
    inside = (by_prompt >= first[:, None]) & (by_prompt < last[:, None])
    sums = np.zeros((len(first), len(weight) + 1))
    np.cumsum(np.where(inside, weight, 0.0)[:, ::-1], axis=1, out=sums[:, 1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[:, ::-1] / sums[:, -1:])
