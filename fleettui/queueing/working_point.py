"""Where a replica works whose steps are no line: the step at which it keeps up with its load, and the lines near it.

Symbols as in `batching`. Everything broadcasts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import expit, lambertw

from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.moments import Moments
from fleettui.queueing.pipeline import stall
from fleettui.queueing.service import PromptLine, Service, Steps

ROUNDS, MOST_ROUNDS = 6, 20
"""Rounds by which a working point is found, and those after which one that still moves is left where it is."""
CLOSE = 1e-3
"""Part by which a working point may move and count as found."""
LEAST_COMING = 1e-9
"""Chunks that come a step at least."""
LEAST_EACH = 1e-12
"""Seconds of a prompt token at least, where a part of them is asked for."""
LEAST_SPREAD = 1e-6
"""Squared coefficient of variation that the tokens of steps with prompts have at least."""
LEAST_ROOT = 0.3
"""Cube root of the smallest part of the mean that a step with prompts has."""
FURTHER = 1.5
"""The long prompt through which a prompt's own line goes has at least so many times the tokens of the mean chunk."""
MOST_PROMPTING = 0.95
"""Part of the time that prompts take above which steps scatter no more."""
SCORES = np.array([-1.4652, -0.7916, -0.3661, 0.0, 0.3661, 0.7916, 1.4652])
"""The middles of seven equal parts of a normal distribution."""
TIGHT = 1e-9
"""Part by which rounding may put a step beyond its ends."""
LONGEST_STEP = 1e3
"""Seconds above which a step is taken as without end."""


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines that steps are near a working point: base + rise·x for x decodes, `per_prompt` for each prompt token.

    They were taken at so many `decodes`, and `tokens` of prompts in a step that has some.
    """

    base: FloatArray
    rise: FloatArray
    per_prompt: FloatArray
    decodes: FloatArray
    tokens: FloatArray
    stall: FloatArray | None

    @property
    def decoding(self) -> FloatArray:
        """Seconds of a step of the decodes alone."""
        return self.base + self.rise * self.decodes


@dataclass(frozen=True)
class _Load:
    """What each replica is asked for: `rate` requests a second, each with `later` steps after those of its prompt."""

    moments: Moments
    service: Service
    steps: Steps
    rate: FloatArray
    later: FloatArray

    def lines(self, step: FloatArray, coming: FloatArray) -> _Lines:
        """Return the lines near steps of `step` seconds and `coming` chunks."""
        moments, service = self.moments, self.service
        decodes = np.minimum(self.rate * self.later * step, service.concurrency)
        context, chunk, pairs = self._lengths
        beside, most = self._beside(decodes)
        base, rise = self.steps.decoding(decodes, context)
        alone = base + rise * decodes
        some, prompting = self._prompts(step, coming, service.factor * alone)
        chunks = _within(_chunks(coming, some, moments.uncached_scv, prompting), coming, most, some)
        each = self.steps.prompting(beside, context, chunks, chunk, pairs, alone=service.alone)
        longer = None
        if service.lanes > 1:
            longer = stall(service.lanes, coming, moments.uncached_scv, coming / most)
            common = self.steps.behind(beside, chunks, chunk) / np.maximum(each, LEAST_EACH)
            longer = longer + common.mean(axis=0) * (1.0 - longer)
        own = (chunks * each).sum(axis=0) / chunks.sum(axis=0)
        return _Lines(
            base=service.factor * base,
            rise=service.factor * rise,
            per_prompt=service.factor * (1.0 if longer is None else longer) * own,
            decodes=decodes,
            tokens=(chunks * chunk).mean(axis=0),
            stall=longer,
        )

    def _prompts(
        self, step: FloatArray, coming: FloatArray, decoding: FloatArray
    ) -> tuple[FloatArray, FloatArray | None]:
        """Return the part of the steps that have prompts, and of the time that prompts take.

        Where prompts run alone it is the part of the steps that could have some, and None.
        """
        if self.service.alone:
            return _some(coming), None
        some = _with_prompts(coming, self.rate * self.moments.prefill_steps * decoding)
        return some, 1.0 - np.minimum(decoding / np.maximum(step, decoding), 1.0)

    def prompts(self, lines: _Lines) -> PromptLine:
        """Return what prompts take beside so many decodes: the line from a chunk of theirs to a full budget.

        A prompt's own line goes through the mean prompt and one as long as the budget, `further` times the mean chunk.
        """
        context, chunk, pairs = self._lengths
        beside, most = self._beside(lines.decodes)
        single, further = np.ones_like(most), np.maximum(most, FURTHER)
        one, full, long = (
            self.service.factor * self.steps.prompting(beside, context, chunks, *each, alone=self.service.alone)
            for chunks, each in (
                (single, (chunk, pairs)),
                (most, (chunk, pairs)),
                (single, (further * chunk, further * pairs)),
            )
        )
        each = np.where(most > 1.0, (full * most - one) / np.maximum(most - 1.0, TIGHT), one)
        each = np.clip(each, 0.0, one)
        pair = np.minimum(self.service.factor * self.steps.pairing(chunk * pairs, further**2), each / pairs)
        beyond = long - each - (one - each) / further - pair * pairs * (further - 1.0)
        left = each / chunk - pair * pairs / chunk
        square = np.clip(np.where(most > 1.0, beyond, 0.0) / ((further - 1.0) * chunk), 0.0, left)
        return PromptLine(
            once=(one - each) * chunk,
            each=each,
            token=(left - square) * chunk,
            pair=pair,
            square=square,
            full=full if lines.stall is None else full * lines.stall,
        )

    @cached_property
    def _lengths(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the mean context of a decode, the tokens of a chunk of prompts, and the pairs that each forms."""
        moments = self.moments
        with np.errstate(divide="ignore", invalid="ignore"):
            context = np.where(self.later > 0.0, moments.decode_context / self.later, moments.mean_context)
            return context, moments.uncached / moments.prefill_steps, moments.pairs / moments.uncached

    def _beside(self, decodes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the decodes in a step with prompts, and the chunks of those that there is room for beside them."""
        service = self.service
        beside = np.zeros_like(decodes) if service.alone else decodes
        with np.errstate(divide="ignore", invalid="ignore"):
            room = (service.token_budget - service.drafting.width * beside) / self._lengths[1]
        return beside, np.maximum(room, 1.0)

    def coming(self, step: FloatArray, lines: _Lines) -> FloatArray:
        """Return the chunks that come in a step: where prompts run alone, those that make the next of theirs."""
        flow = self.rate * self.moments.prefill_steps
        if not self.service.alone:
            return flow * step
        own = np.minimum(lines.per_prompt * lines.tokens, LONGEST_STEP * self.service.factor)
        return _coming_alone(flow * own, flow * lines.decoding)


def nearby(moments: Moments, service: Service, rate: FloatArray) -> Service:
    """Return the service with the step costs that it has where each replica gets `rate` requests a second.

    Of steps that are no line it takes the lines near the working point t = (w + q·decodes)/(1 − prompts): decodes that
    t keeps running, up to the concurrency, and the chunks of prompts that come in t. By each round's lines t is known,
    and from it the next round's, by Newton's method, or half way in logarithms where that leaves the ends between which
    t was seen to lie, or after some rounds still leaps over t. Where prompts run alone, those make a step that come in
    the one before it.
    """
    if service.steps is None:
        return service
    load = _Load(moments, service, service.steps, rate, moments.steps - moments.prefill_steps)
    step, coming, low = (np.zeros_like(service.base) for _ in range(3))
    high = np.full_like(service.base, LONGEST_STEP * service.factor)
    above = moves = np.ones(service.base.shape, bool)
    kept = (step, step, step)
    for turn in range(MOST_ROUNDS):
        lines = load.lines(step, coming)
        base, rise, per_prompt = (
            np.where(moves, new, old) for new, old in zip((lines.base, lines.rise, lines.per_prompt), kept, strict=True)
        )
        kept = base, rise, per_prompt
        prompting = rate * lines.per_prompt * moments.uncached
        before, above = above, lines.decoding > step * (1.0 - prompting)  # the next step would be longer than this one
        low, high = np.where(above, step, low), np.where(above, high, step)
        following = _following(lines.base, 1.0 - rate * lines.rise * load.later - prompting, low, high)
        if turn >= ROUNDS - 1:
            following = np.where(above == before, following, np.sqrt(step * following))
            moves = moves & (np.abs(following - step) > CLOSE * step) & (~above | (lines.decodes < service.concurrency))
            if not moves.any():
                break
        came = load.coming(following, lines)
        if np.array_equal(following, step) and np.array_equal(came, coming):
            break
        step, coming = following, came
    base, rise, per_prompt = kept
    per_context = rise * load.later / moments.context
    return replace(
        service,
        base=base,
        per_context=per_context,
        per_prompt=per_prompt,
        stall=lines.stall,
        prompts=load.prompts(lines),
    )


def _some(coming: FloatArray) -> FloatArray:
    """Return the part of the cases in which any of so many chunks come, as Poisson's."""
    found: FloatArray = -np.expm1(-np.maximum(coming, LEAST_COMING))
    return found


def _with_prompts(coming: FloatArray, beside_decodes: FloatArray) -> FloatArray:
    """Return the part f of the steps that have prompts, where so many chunks come in the mean one.

    x = `beside_decodes` come in a step without prompts, y in one with some, (1 − f)·x + f·y = `coming` in the mean.
    The chain of steps gives f/(1 − f) = (1 − e^−x)·e^y, whose logarithm u = L + d·e^−u, L = ln(1 − e^−x) + coming,
    d = coming − x, Lambert's function solves: u = L + W(d·e^−L).
    """
    mean = np.maximum(coming, LEAST_COMING)
    without = np.minimum(np.maximum(beside_decodes, LEAST_COMING), mean)
    level = np.log(_some(without)) + mean
    found: FloatArray = expit(level + lambertw((mean - without) * np.exp(-level)).real)
    return found


def _chunks(coming: FloatArray, some: FloatArray, scv: FloatArray, prompting: FloatArray | None) -> FloatArray:
    """Return the mean chunks' worth of tokens in steps with prompts, one for each part of SCORES, shape (parts, ...).

    So many chunks come a step, and in `some` of the steps any, whose lengths have a squared coefficient of variation
    `scv`. The count is as Poisson's where there are any. What comes
    in a long step makes the next one long too: where prompts take a part p of the time, the variance is 1/(1 − p²)
    times as large; that is left out where p is None. Of what is above zero a gamma distribution has the mean and the
    variance, and the points are its quantiles by the cube root (Wilson and Hilferty 1931).
    """
    mean = np.maximum(coming, LEAST_COMING)
    seen = mean / some
    more = 1.0 if prompting is None else 1.0 / (1.0 - np.minimum(prompting, MOST_PROMPTING) ** 2)
    variance = np.maximum((mean * more + mean * mean) / some - seen * seen, 0.0) + more * scv * seen
    spread = np.maximum(variance / seen**2, LEAST_SPREAD) / 9.0
    points = np.maximum(1.0 - spread + np.multiply.outer(SCORES, np.sqrt(spread)), LEAST_ROOT) ** 3
    found: FloatArray = seen * (points / points.mean(axis=0) if prompting is None else points)
    return found


def _within(chunks: FloatArray, coming: FloatArray, most: FloatArray, some: FloatArray) -> FloatArray:
    """Return the chunks' worth of steps with prompts, shape (parts, ...), of which a step takes `most`.

    What a step does not take goes to the next, which has prompts of its own in `some` of the cases: only else is it
    one step more with prompts, and those that there are take more each, `coming` over their part in the mean.
    """
    within = np.minimum(chunks, most)
    mean = within.mean(axis=0)
    more = np.maximum(np.maximum(coming, LEAST_COMING) / mean - some, 0.0)
    wished = np.minimum(np.maximum(coming / (some + (1.0 - some) * np.minimum(more, 1.0)), mean), most)
    left = np.where(mean < most, (most - wished) / np.where(mean < most, most - mean, 1.0), 1.0)
    found: FloatArray = most - (most - within) * left
    return found


def _coming_alone(beside_prompts: FloatArray, beside_decodes: FloatArray) -> FloatArray:
    """Return the mean of the Poisson count that, where it is above zero, is the chunks of a step of prompts alone.

    So many come in a step of prompts, and in one of decodes; a step of prompts follows on another in which any came.
    """
    decodes = np.maximum(beside_decodes, LEAST_COMING)
    seen = np.maximum(beside_prompts + np.exp(-beside_prompts) * decodes / -np.expm1(-decodes), 1.0 + LEAST_COMING)
    mean = seen
    for _ in range(ROUNDS):  # mean = seen·(1 − e^−mean) by Newton's method, from above
        left = seen * np.exp(-mean)
        mean = np.maximum(mean - (mean - seen + left) / (1.0 - left), LEAST_COMING)
    return mean


def _following(base: FloatArray, left: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the step by Newton's method, base/left, or half way between the ends in logarithms if not there."""
    step = np.where(left > 0.0, base / np.where(left > 0.0, left, 1.0), np.inf)
    lost = (step < low * (1.0 - TIGHT)) | (step > high * (1.0 + TIGHT))
    found: FloatArray = np.where(lost, np.sqrt(np.maximum(low, base) * high), step)
    return found
