"""One step's time from tabulated kernels: the sum of its parts in full, and the affine form (w, h, P)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.domain.hardware import StepTable

Floats = NDArray[np.float64]
FEWER = tuple(0.5**power for power in range(12))
"""Parts of the concurrency at which the line stays above the step: down to 1 of 2,048."""
LEAST_APART = 1e-3
"""Decodes between the points of a line at least."""
MOST_RISE = 0.95
"""Part of a step that may rise with its decodes: a step without any takes some time."""


def table_step_time(
    table: StepTable,
    *,
    decodes: ArrayLike,
    context_tokens: ArrayLike,
    prompt_tokens: ArrayLike,
    attention_pairs: ArrayLike,
    prompts: ArrayLike,
) -> Floats:
    """Return the seconds of a step in full, broadcasting; arguments as `step_cost.step_time` has them."""
    count, context, prompted, pairs, chunks = (
        np.asarray(one, np.float64) for one in (decodes, context_tokens, prompt_tokens, attention_pairs, prompts)
    )
    return TableLines(table).step_time(count, context, prompted, pairs, chunks)


def decode_time(table: StepTable, decodes: Floats, context_tokens: Floats) -> Floats:
    """Return the seconds that the attention, the head and the hosts of decoding sequences take."""
    return TableLines(table).decode_time(decodes, context_tokens)


def slope_of(table: StepTable, decodes: Floats) -> Floats:
    """Return the seconds that each cached token of so many decoding sequences adds to a step."""
    return TableLines(table).slope_of(decodes)


def table_affine(
    table: StepTable,
    *,
    concurrency: Floats,
    mean_context: Floats,
    mean_pairs_per_prompt_token: Floats,
    chunk: ArrayLike,
    token_budget: ArrayLike,
    flow: ArrayLike = 0.0,
    alone: bool = False,
) -> tuple[Floats, Floats, Floats]:
    """Return (w, h, P) for at most n decodes; arguments as `step_cost.affine` has them.

    x decodes take B(x) beside s(n) a cached token; B holds what the slope is steeper with fewer sequences. Of the lines
    through (n, B(n)) that stay above B(n/2), B(n/4), ... B(1) the steepest rises by g a decode, 0 if need be:
    w = overhead + B(n) − g·n, h = s(n) + g/(mean context). P is what a prompt token adds to a step of n decodes where
    as many come as a full batch brings: a chunk at least, a full budget at most. Where prompts run `alone` it is what
    each of them takes of a step of theirs.
    """
    shape = np.broadcast(concurrency, mean_context).shape
    fewer = np.reshape(FEWER, (-1, *(1 for _ in shape)))
    counts = np.maximum(concurrency * fewer, np.minimum(concurrency, 1.0))
    lines = TableLines(table)
    slope = lines.whole_slope(concurrency) / concurrency
    base = lines.alone(table.width * counts)
    base = base + lines.fixed(counts)
    base = base + (lines.whole_slope(counts) - slope * counts) * mean_context
    apart = concurrency - counts
    rises = np.where(apart > 0, (base[0] - base) / np.where(apart > 0, apart, 1.0), np.inf).min(axis=0)
    rise = np.where(np.isfinite(rises), np.maximum(rises, 0.0), 0.0)

    tokens, coming, budget = (np.asarray(one, np.float64) for one in (chunk, flow, token_budget))
    beside = np.zeros_like(concurrency) if alone else concurrency
    chunks = np.clip(coming / tokens, 1.0, np.maximum((budget - table.width * beside) / tokens, 1.0))
    per_prompt = lines.prompting(beside, mean_context, chunks, tokens, mean_pairs_per_prompt_token, alone=alone)
    return table.overhead + base[0] - rise * concurrency, slope + rise / mean_context, per_prompt


@dataclass(frozen=True, slots=True)
class Curve:
    """Values between points that lie on straight lines, and go on beyond the last as they ended."""

    points: Floats
    values: Floats

    def __call__(self, at: Floats) -> Floats:
        """Return the values at so much."""
        x, y = self.points, self.values
        beyond = np.maximum(at - x[-1], 0.0) * (y[-1] - y[-2]) / (x[-1] - x[-2])
        found: Floats = np.interp(at, x, y) + beyond
        return found


def straight(at: Floats, points: ArrayLike, values: ArrayLike) -> Floats:
    """Return what a curve of these points has at so much."""
    return Curve(np.asarray(points), np.asarray(values))(at)


@dataclass(frozen=True)
class TableLines:
    """A step table's curves, and the lines that they are near a working point, for formulas that are affine."""

    table: StepTable

    @cached_property
    def linear(self) -> Curve:
        """What all but attention takes, by the tokens of a step."""
        return self._curve(self.table.tokens, self.table.linear)

    @cached_property
    def alone(self) -> Curve:
        """The same of a step without prompts."""
        return self._curve(self.table.tokens, self.table.alone) if self.table.alone else self.linear

    @cached_property
    def gathered(self) -> Curve:
        """The part of `linear` that layers take which work for all lanes at once, where there are any."""
        return self._curve(self.table.tokens, self.table.gathered)

    @cached_property
    def fixed(self) -> Curve:
        """What decoding sequences take whatever they have cached."""
        return self._curve(self.table.sequences, self.table.fixed)

    @cached_property
    def whole_slope(self) -> Curve:
        """The seconds by which a step grows when each of its sequences holds one token more."""
        counts = np.asarray(self.table.sequences)
        return Curve(counts, np.asarray(self.table.slope) * counts)

    @cached_property
    def attention(self) -> Curve:
        """What a prompt's attention takes above the floor, by its pairs."""
        return self._curve(self.table.pairs, self.table.attention)

    @staticmethod
    def _curve(points: ArrayLike, values: ArrayLike) -> Curve:
        return Curve(np.asarray(points), np.asarray(values))

    def step_time(self, decodes: Floats, context: Floats, prompted: Floats, pairs: Floats, chunks: Floats) -> Floats:
        """Return what `table_step_time` does."""
        return self._with_prompts(decodes, self.decode_time(decodes, context), prompted, pairs, chunks)

    def _with_prompts(
        self, decodes: Floats, decoding: Floats, prompted: Floats, pairs: Floats, chunks: Floats
    ) -> Floats:
        """Return the same where the decoding sequences' own part, `decoding`, is known."""
        table = self.table
        tokens = table.width * decodes + prompted
        linear = self.linear(tokens)
        if table.alone:
            linear = np.where(prompted > 0, linear, self.alone(tokens))
        kernels = linear + decoding
        each = pairs / np.maximum(chunks, 1.0)
        attention = table.prompt_floor + chunks * self.attention(each)
        beside = np.maximum(kernels + attention, table.prompt_least) + table.prompt_extra
        total: Floats = table.overhead + np.where(prompted > 0, beside, kernels)
        return total

    def decode_time(self, decodes: Floats, context_tokens: Floats) -> Floats:
        """Return the seconds that the attention, the head and the hosts of decoding sequences take."""
        return self.fixed(decodes) + self.slope_of(decodes) * context_tokens

    def slope_of(self, decodes: Floats) -> Floats:
        """Return the seconds that each cached token of so many decoding sequences adds to a step."""
        return self.whole_slope(decodes) / np.maximum(decodes, 1.0)

    def decoding(self, decodes: Floats, context: Floats) -> tuple[Floats, Floats]:
        """Return (w, q): w + q·x seconds of steps of some `decodes` of `context` cached tokens each.

        The line has the mean and the rise of the step over counts that scatter as Poisson's do, by three points.
        """
        apart = np.sqrt(2.0 * decodes)
        low, high = np.maximum(decodes - apart, 0.0), decodes + np.maximum(apart, LEAST_APART)
        counts = np.stack((low, decodes, high))
        below, at, above = self._without_prompts(counts, self.decode_time(counts, counts * context))
        mean = (below + 2.0 * at + above) / 4.0
        rise = np.clip((above - below) / (high - low), 0.0, MOST_RISE * mean / np.maximum(decodes, LEAST_APART))
        return mean - rise * decodes, rise

    def prompting(
        self,
        decodes: Floats,
        context: Floats,
        chunks: Floats,
        chunk: Floats,
        pairs: Floats,
        *,
        alone: bool = False,
    ) -> Floats:
        """Return the seconds that a prompt token adds to a step, in so many `chunks` of `chunk` tokens.

        Each token forms so many `pairs`. Of a step of prompts `alone` it is the whole.
        """
        tokens, decoding = chunks * chunk, self.decode_time(decodes, decodes * context)
        beside = self._with_prompts(decodes, decoding, tokens, tokens * pairs, chunks)
        return (beside if alone else beside - self._without_prompts(decodes, decoding)) / tokens

    def pairing(self, pairs: Floats, more: Floats) -> Floats:
        """Return the seconds that each pair adds from a chunk of so many `pairs` to one of `more` times as many."""
        further = pairs * more
        return (self.attention(further) - self.attention(pairs)) / (further - pairs)

    def behind(self, decodes: Floats, chunks: Floats, chunk: Floats) -> Floats:
        """Return the part of `prompting` that layers take which work for all lanes of a replica at once."""
        if not self.table.gathered:
            return np.zeros(np.broadcast(decodes, chunks, chunk).shape)
        before, tokens = self.table.width * decodes, chunks * chunk
        return (self.gathered(before + tokens) - self.gathered(before)) / tokens

    def _without_prompts(self, decodes: Floats, decoding: Floats) -> Floats:
        total: Floats = self.table.overhead + (self.alone(self.table.width * decodes) + decoding)
        return total
