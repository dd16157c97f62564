"""Exact sums over the atoms of a length distribution: any range of total lengths in constant time.

For a request of L_in prompt tokens (of which `uncached` are computed), L_out output tokens and a prefill chunk of c:
k = ceil(uncached/c) prefill steps, I = k + L_out − 1 steps in all, and over these steps the context read from the
cache adds up to KVS = c·k(k − 1)/2 + (k − 1)(L_in − uncached) + L_in + (L_out − 1)L_in + (L_out − 1)L_out/2
(model.md §4). Steps that verify drafts commit c tokens each on average, so that the L_out − 1 later ones take
(L_out − 1 + what the last step commits beyond the end)/c steps, over which the context grows as it does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from fleettui.domain.speculation import NO_DRAFTS, Speculation
from fleettui.queueing.arrays import FloatArray, IntArray

Atoms = Sequence[tuple[float, float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Means over the requests of one or more ranges (arrays of one shape); `share` is their part of all requests.

    `decode_context` is the part of `context` read by decode steps; `pairs` are the prompt's (query, key)
    pairs; `squared_context` sums the squares of a request's
    context over its steps; names joined by `_by_` are means of products.
    """

    share: FloatArray
    uncached: FloatArray
    output: FloatArray
    prefill_steps: FloatArray
    steps: FloatArray
    context: FloatArray
    decode_context: FloatArray
    pairs: FloatArray
    squared_context: FloatArray
    steps_by_steps: FloatArray
    context_by_context: FloatArray
    uncached_by_uncached: FloatArray
    steps_by_context: FloatArray
    steps_by_uncached: FloatArray
    context_by_uncached: FloatArray

    @property
    def mean_context(self) -> FloatArray:
        """Mean context of an active sequence over its steps, E[KVS]/E[I]."""
        return self.context / self.steps

    @property
    def context_variance(self) -> FloatArray:
        """Variance of the context over steps, s_L²."""
        return np.maximum(self.squared_context / self.steps - self.mean_context**2, 0.0)

    @property
    def uncached_scv(self) -> FloatArray:
        """Squared coefficient of variation of the computed prompt tokens."""
        return np.maximum(self.uncached_by_uncached / self.uncached**2 - 1.0, 0.0)

    def work_scv(self, base: ArrayLike, per_context: ArrayLike, per_prompt: ArrayLike) -> FloatArray:
        """Return the scv of the work Y = base·I + per_context·KVS + per_prompt·uncached that a request brings."""
        a, b, d = (np.asarray(x, float) for x in (base, per_context, per_prompt))
        mean = a * self.steps + b * self.context + d * self.uncached
        square = (
            a * a * self.steps_by_steps
            + b * b * self.context_by_context
            + d * d * self.uncached_by_uncached
            + 2 * (a * b * self.steps_by_context + a * d * self.steps_by_uncached + b * d * self.context_by_uncached)
        )
        return np.asarray(np.maximum(square / mean**2 - 1.0, 0.0))

    @classmethod
    def of_sums(cls, sums: FloatArray) -> Moments:
        """Return the means that weighted sums of `request_columns` make, shape (15, ...); NaN where nothing weighs."""
        with np.errstate(divide="ignore", invalid="ignore"):
            means = sums[1:] / sums[0]
        return cls(**dict(zip((field.name for field in fields(cls)), (sums[0], *means), strict=True)))

    def pick(self, rows: IntArray) -> Moments:
        """Return the means of the ranges `rows`."""
        return Moments(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTable:
    """The atoms of a workload with what each request costs; arrays of shape (atoms,).

    `weight` is the share of all requests. `prefix` holds the running sums behind `moments`, shape (15, atoms + 1).
    `chunk`, `prefix_hit` and `drafting` are what the costs were counted with.
    """

    chunk: int
    prefix_hit: float | FloatArray
    drafting: Speculation
    weight: FloatArray
    prompt: FloatArray
    uncached: FloatArray
    output: FloatArray
    total: FloatArray
    prefill_steps: FloatArray
    steps: FloatArray
    context: FloatArray
    prefix: FloatArray

    @classmethod
    def of(
        cls,
        atoms: Atoms,
        *,
        chunk: int,
        prefix_hit: float | FloatArray = 0.0,
        drafting: Speculation = NO_DRAFTS,
    ) -> RequestTable:
        """Build the table, in order of total length, for a prefill chunk of `chunk` tokens.

        `prefix_hit` of each prompt is cached, the same of all or each one's own where `atoms` are in that order; at
        least one prompt token is always computed. Raises AssertionError on an empty list.
        """
        assert atoms, "a request table needs atoms"
        data = np.asarray(atoms, float)
        data = data[np.argsort(data[:, 1] + data[:, 2], kind="stable")]
        data[:, 0] /= data[:, 0].sum()
        return cls.as_they_stand(data, chunk=chunk, prefix_hit=prefix_hit, drafting=drafting)

    @classmethod
    def as_they_stand(
        cls,
        data: FloatArray,
        *,
        chunk: int,
        prefix_hit: float | FloatArray = 0.0,
        drafting: Speculation = NO_DRAFTS,
    ) -> RequestTable:
        """Build the table of rows (share of all requests, prompt, output), neither sorted nor scaled."""
        weight, prompt, output = data.T
        columns = request_columns(prompt, output, chunk=chunk, prefix_hit=prefix_hit, drafting=drafting)
        prefix = np.zeros((len(columns), len(weight) + 1))
        np.cumsum(columns * weight, axis=1, out=prefix[:, 1:])
        return cls(
            chunk=chunk,
            prefix_hit=prefix_hit,
            drafting=drafting,
            weight=weight,
            prompt=prompt,
            uncached=columns[1],
            output=output,
            total=prompt + output,
            prefill_steps=columns[3],
            steps=columns[4],
            context=columns[5],
            prefix=prefix,
        )

    def sums(self, first: ArrayLike, last: ArrayLike) -> FloatArray:
        """Return the weighted sums of `request_columns` over the atoms [first, last), shape (15, ...)."""
        return np.asarray(self.prefix[:, np.asarray(last)] - self.prefix[:, np.asarray(first)])

    def moments(self, first: ArrayLike, last: ArrayLike) -> Moments:
        """Return the means over the atoms [first, last), elementwise; NaN where a range is empty."""
        return Moments.of_sums(self.sums(first, last))


def request_columns(
    prompt: FloatArray,
    output: FloatArray,
    *,
    chunk: int,
    prefix_hit: float | FloatArray,
    drafting: Speculation = NO_DRAFTS,
) -> FloatArray:
    """Return what each request adds to the fields of `Moments`, in their order, shape (15, requests)."""
    uncached = uncached_tokens(prompt, prefix_hit)
    cached = prompt - uncached
    k = np.ceil(uncached / chunk)
    later = output - 1.0
    per_token = steps_per_token(later, drafting)
    steps = k + later * per_token
    decoding = decode_context(prompt, output) * per_token
    context = prefill_context(chunk, k, cached, prompt) + decoding
    pairs = prompt_pairs(prompt, uncached)
    return np.stack(
        [
            np.ones_like(prompt),
            uncached,
            output,
            k,
            steps,
            context,
            decoding,
            pairs,
            prefill_squares(chunk, k, cached) + prompt**2 + decode_squares(prompt, later) * per_token,
            steps**2,
            context**2,
            uncached**2,
            steps * context,
            steps * uncached,
            context * uncached,
        ]
    )


def steps_per_token(later: FloatArray, drafting: Speculation) -> FloatArray | float:
    """Return the steps for each of so many `later` output tokens: 1 without drafts."""
    if not drafting.drafts:
        return 1.0
    return np.where(later > 0.0, 1.0 + drafting.beyond / np.maximum(later, 1.0), 1.0) / drafting.committed


def uncached_tokens(prompt: FloatArray, prefix_hit: float | FloatArray) -> FloatArray:
    """Return the prompt tokens that are computed, at least one."""
    return np.maximum(prompt * (1.0 - prefix_hit), 1.0)


def prompt_pairs(prompt: FloatArray, uncached: FloatArray) -> FloatArray:
    """Return the (query, key) pairs of a prompt: those of the computed tokens with what is cached, and among them."""
    return uncached * (prompt - uncached) + uncached**2 / 2.0


def prompt_squares(chunk: int, k: FloatArray, uncached: FloatArray) -> FloatArray:
    """Return Σ (prompt tokens)² over k prefill steps, of which all but the last are full."""
    full = k - 1.0
    return full * chunk**2 + (uncached - full * chunk) ** 2


def decode_context(prompt: FloatArray, output: FloatArray) -> FloatArray:
    """Return the context that a request's decode steps read."""
    return (output - 1.0) * prompt + (output - 1.0) * output / 2.0


def prefill_context(chunk: int, k: FloatArray, cached: FloatArray, prompt: FloatArray) -> FloatArray:
    """Return the context that a request's prefill steps read."""
    return chunk * k * (k - 1.0) / 2.0 + (k - 1.0) * cached + prompt


def prefill_squares(chunk: int, k: FloatArray, cached: FloatArray) -> FloatArray:
    """Return Σ context² over k − 1 growing prefill steps."""
    return (k - 1) * cached**2 + cached * chunk * k * (k - 1) + chunk**2 * (k - 1) * k * (2 * k - 1) / 6.0


def decode_squares(prompt: FloatArray, later: FloatArray) -> FloatArray:
    """Return Σ context² over `later` decode steps of one token each."""
    return later * prompt**2 + prompt * later * (later + 1) + later * (later + 1) * (2 * later + 1) / 6.0
