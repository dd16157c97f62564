"""What one replica does for a range of requests: its step costs, how many sequences it runs, its token budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from fleettui.domain.fleet import Pool, PoolProfile
from fleettui.domain.speculation import NO_DRAFTS, Speculation
from fleettui.queueing.arrays import FloatArray, IntArray


class Steps(Protocol):
    """Steps that are no line: what lines they are near a working point, in seconds."""

    def decoding(self, decodes: FloatArray, context: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (w, q): w + q·x for x decodes of `context` cached tokens each, near so many `decodes`."""

    def prompting(
        self,
        decodes: FloatArray,
        context: FloatArray,
        chunks: FloatArray,
        chunk: FloatArray,
        pairs: FloatArray,
        *,
        alone: bool = False,
    ) -> FloatArray:
        """Return what each prompt token adds in so many `chunks` of `chunk` tokens, each forming so many `pairs`.

        Of a step of prompts `alone` it is the whole.
        """

    def pairing(self, pairs: FloatArray, more: FloatArray) -> FloatArray:
        """Return what each pair adds from a chunk of so many `pairs` to one of `more` times as many."""

    def behind(self, decodes: FloatArray, chunks: FloatArray, chunk: FloatArray) -> FloatArray:
        """Return the part of `prompting` that layers take which work for all lanes of a replica at once."""


@dataclass(frozen=True, slots=True)
class PromptLine:
    """What prompts take of their own steps near those of a load, in seconds: `once` of each step, and `each` token.

    That is as of mean prompts. A prompt itself takes `token` for each token, `pair` for each of its pairs, and `square`
    times the tokens squared that it has in a step. Where prompts wait steps are `full` of them, and a token takes so
    much.
    """

    once: FloatArray
    each: FloatArray
    token: FloatArray
    pair: FloatArray
    square: FloatArray
    full: FloatArray

    def pick(self, index: IntArray) -> PromptLine:
        """Return the rows `index`."""
        lines = (self.once, self.each, self.token, self.pair, self.square, self.full)
        return PromptLine(*(one[index] for one in lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What one replica does for a range of requests: affine step cost, concurrency limit, token budget.

    `front_end` are the seconds of each request beside its steps, `api_token` those in which the API process hands out
    one output token. Where there are `steps`, the affine cost is that of full batches, on the safe side below, and
    `nearby` finds that of a load; `factor` multiplies what they last. Waits behind other requests are `waits` times
    what the steps make of them. Prompts that run `alone` make steps of their own, whose whole time is in `per_prompt`.
    A replica runs `lanes` batches, in turn or at once, and all else is of one of them; `per_prompt` is `stall` times
    what a token takes of its own step, for what the prompts of the others hold up, None where it is alone. Where there
    are `steps`, `nearby` also finds `prompts`, the line of what they take. Steps are those that verify the drafts of
    `drafting`.
    """

    base: FloatArray
    per_context: FloatArray
    per_prompt: FloatArray
    concurrency: FloatArray
    token_budget: FloatArray
    front_end: FloatArray
    api_token: FloatArray
    steps: Steps | None = None
    factor: float | FloatArray = 1.0
    waits: float | FloatArray = 1.0
    alone: bool = False
    lanes: int = 1
    stall: FloatArray | None = None
    prompts: PromptLine | None = None
    drafting: Speculation = NO_DRAFTS

    @classmethod
    def of(
        cls,
        profile: PoolProfile,
        concurrency: float,
        token_budget: float,
        shape: tuple[int, ...] = (),
        steps: Steps | None = None,
        *,
        alone: bool = False,
        lanes: int = 1,
        drafting: Speculation = NO_DRAFTS,
    ) -> Service:
        """Return what an engine does that is known, in arrays of one shape."""
        return cls(
            base=np.full(shape, profile.base_step_time),
            per_context=np.full(shape, profile.time_per_context_token),
            per_prompt=np.full(shape, profile.time_per_prompt_token),
            concurrency=np.full(shape, float(concurrency)),
            token_budget=np.full(shape, float(token_budget)),
            front_end=np.full(shape, profile.front_end),
            api_token=np.full(shape, profile.api_token),
            steps=steps,
            alone=alone,
            lanes=lanes,
            drafting=drafting,
        )

    @classmethod
    def of_pool(cls, pool: Pool, shape: tuple[int, ...] = (), steps: Steps | None = None) -> Service:
        """Return what a pool's engine does."""
        return cls.of(
            pool.profile,
            pool.concurrency,
            pool.token_budget,
            shape,
            steps,
            alone=pool.settings.alone,
            lanes=pool.batches,
            drafting=pool.drafting,
        )

    @property
    def prompt_line(self) -> PromptLine:
        """What prompts take of their own steps: of steps that are a line `per_prompt` a token, without the stall."""
        if self.prompts is not None:
            return self.prompts
        own = self.per_prompt if self.stall is None else self.per_prompt / self.stall
        none = np.zeros_like(own)
        return PromptLine(once=none, each=own, token=own, pair=none, square=none, full=self.per_prompt)

    def scaled(self, factor: float | FloatArray, waits: float | FloatArray = 1.0) -> Service:
        """Return the same service with all step times multiplied by `factor`, one or one a row.

        Waits behind other requests are `waits` times what these steps make of them.
        """
        return replace(
            self,
            base=self.base * factor,
            per_context=self.per_context * factor,
            per_prompt=self.per_prompt * factor,
            factor=self.factor * factor,
            waits=self.waits * waits,
        )

    def pick(self, index: ArrayLike) -> Service:
        """Return the rows `index`."""
        i = np.asarray(index)
        return replace(
            self,
            base=self.base[i],
            per_context=self.per_context[i],
            per_prompt=self.per_prompt[i],
            concurrency=self.concurrency[i],
            token_budget=self.token_budget[i],
            front_end=self.front_end[i],
            api_token=self.api_token[i],
            factor=_picked(self.factor, i),
            waits=_picked(self.waits, i),
            stall=None if self.stall is None else self.stall[i],
            prompts=None if self.prompts is None else self.prompts.pick(i),
        )


def _picked(value: float | FloatArray, rows: IntArray) -> float | FloatArray:
    return value[rows] if isinstance(value, np.ndarray) and value.ndim else value
