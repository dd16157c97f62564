"""What prompts take near a working point: alone, in chunks, beside drafts, and on lanes that hold each other up."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from fleettui.domain.speculation import speculation
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.batching import occupancy
from fleettui.queueing.moments import Moments, RequestTable
from fleettui.queueing.pipeline import stall
from fleettui.queueing.service import PromptLine, Service
from fleettui.queueing.working_point import nearby
from tests.queueing.loads import line_service, one_kind
from tests.queueing.test_working_point import Bent, bent


@dataclass(frozen=True)
class Crowded(Bent):
    """Steps in which prompts are dearer beside decodes, by `beside` for each, and `common` of it is for all lanes."""

    beside: float = 0.0
    common: float = 0.0

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
        plain = super().prompting(decodes, context, chunks, chunk, pairs, alone=alone)
        return plain + self.beside * decodes

    def behind(self, decodes: FloatArray, chunks: FloatArray, chunk: FloatArray) -> FloatArray:
        return self.common + 0.0 * decodes * chunks * chunk


@dataclass(frozen=True)
class Cubic(Bent):
    """Prompts of u tokens that take p·u + q·pairs + d·u³: no line, and no parabola either."""

    d: float = 1e-11

    def prompting(
        self,
        decodes: FloatArray,  # noqa: ARG002 they do not make prompts dearer
        context: FloatArray,  # noqa: ARG002
        chunks: FloatArray,
        chunk: FloatArray,
        pairs: FloatArray,
        *,
        alone: bool = False,  # noqa: ARG002
    ) -> FloatArray:
        return self.p + self.q * pairs + self.d * (chunks * chunk) ** 2


@dataclass(frozen=True)
class Steep(Bent):
    """Pairs that are the dearer the more there are: of x pairs q·x^1.1 seconds."""

    def prompting(
        self,
        decodes: FloatArray,  # noqa: ARG002 they do not make prompts dearer
        context: FloatArray,  # noqa: ARG002
        chunks: FloatArray,  # noqa: ARG002 each chunk has its own
        chunk: FloatArray,
        pairs: FloatArray,
        *,
        alone: bool = False,  # noqa: ARG002
    ) -> FloatArray:
        return self.p + self.q * (pairs * chunk) ** 1.1 / chunk

    def pairing(self, pairs: FloatArray, more: FloatArray) -> FloatArray:
        return self.q * ((more * pairs) ** 1.1 - pairs**1.1) / ((more - 1.0) * pairs)


def prompts_of(moments: Moments, service: Service, rate: float) -> PromptLine:
    """Return what prompts take near a load."""
    found = nearby(moments, service, np.array(rate)).prompts
    assert found is not None
    return found


def takes(line: PromptLine, tokens: float) -> float:
    """Return what a prompt of so many tokens takes of its one step."""
    return float(line.once + line.token * tokens + line.pair * tokens**2 / 2.0 + line.square * tokens**2)


def drawn_alone(flow: float, own: float, once: float, decoding: float) -> tuple[float, float]:
    """Return seconds of steps of prompts for each chunk, and their share of the time, as drawn: a step of prompts takes
    up what came in the one before it, and else the decodes have a step.
    """
    rng, lanes = np.random.default_rng(7), 4_000
    last, chunks, prompting, whole = np.full(lanes, decoding), 0, 0.0, 0.0
    for turn in range(300):
        coming = rng.poisson(flow * last)
        last = np.where(coming > 0, once + own * coming, decoding)
        if turn >= 50:
            chunks += int(coming.sum())
            prompting += float(last[coming > 0].sum())
            whole += float(last.sum())
    return prompting / chunks, prompting / whole


@pytest.mark.parametrize("rate", [0.5, 3.0, 7.0])
def test_prompts_alone_share_what_a_step_pays_once_as_drawn_ones_do(rate: float) -> None:
    """Prompts of .03 s and .06 s a step with any: those that come while others run make the next step together."""
    moments, steps = bent(once=0.06)
    found = occupancy(moments, replace(steps, alone=True, token_budget=np.array(1e6)), rate, 1.0)
    decodes = rate * 100.0 * float(found.step)
    each, share = drawn_alone(rate, 0.03, 0.06, 0.01 + 2e-7 * 1050.5 * decodes)
    assert float(found.near.per_prompt) * 1000.0 == pytest.approx(each, rel=0.02)
    assert float(found.near.per_prompt) * 1000.0 * rate == pytest.approx(share, rel=0.02)
    assert each / (0.03 + 0.06) < (0.999 if rate < 1.0 else 0.98)


@pytest.mark.parametrize("chunk", [1000, 500, 300])
def test_what_is_paid_once_is_paid_for_each_chunk_and_pairs_are_those_of_the_whole_prompt(chunk: int) -> None:
    """1,000 tokens in chunks of at most so many: a light load's steps have one, each with its part of 500,000 pairs."""
    moments = one_kind(1000.0, 101.0, chunk=chunk)
    chunks = -(-1000 // chunk)
    steps = replace(bent()[1], steps=Bent(once=0.006, q=1e-9))
    found = nearby(moments, steps, np.array(1e-6))
    assert float(found.per_prompt) == pytest.approx(3e-5 + 0.006 * chunks / 1000.0 + 1e-9 * 500.0, rel=1e-4)
    line = prompts_of(moments, steps, 1e-6)
    assert float(line.once) == pytest.approx(0.006, rel=1e-6)
    assert takes(line, 1000.0 / chunks) == pytest.approx(
        0.006 + 3e-5 * 1000.0 / chunks + 5e-7 * 1000.0 / chunks, rel=1e-2
    )


@pytest.mark.parametrize("rate", [1e-6, 3.0, 6.0])
def test_prompts_alone_have_no_decodes_beside_them(rate: float) -> None:
    """Neither do these make them dearer nor do they take of the budget; else both."""
    moments, steps = bent()
    crowded = replace(steps, steps=Crowded(once=0.01, beside=1e-7))
    alone, beside = (prompts_of(moments, replace(crowded, alone=one), rate) for one in (True, False))
    decodes = rate * 100.0 * float(occupancy(moments, crowded, rate, 1.0).step)
    assert float(alone.full) == pytest.approx(3e-5 + 0.01 / 2048.0, rel=1e-9)
    assert float(alone.each) == pytest.approx(3e-5, rel=1e-6)
    assert float(beside.full) == pytest.approx(3e-5 + 1e-7 * decodes + 0.01 / (2048.0 - decodes), rel=1e-3)
    assert float(beside.each) == pytest.approx(3e-5 + 1e-7 * decodes, rel=1e-3)
    drafting = replace(crowded, drafting=speculation("mtp:3@70%"))
    wide = prompts_of(moments, drafting, rate)
    assert float(wide.full) == pytest.approx(3e-5 + 1e-7 * decodes + 0.01 / (2048.0 - 4.0 * decodes), rel=1e-3)


@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.parametrize("common", [0.0, 1e-5])
def test_lanes_hold_each_other_up_but_for_what_works_for_all_of_them(lanes: int, common: float) -> None:
    """A step is the longest of its lanes': of the tokens that come in one, scattered as chunks and their lengths are.
    What layers take that work for all lanes at once nobody is held up by.
    """
    table = RequestTable.of(((1.0, 200.0, 101.0), (1.0, 1800.0, 101.0)), chunk=2048)
    moments, rate = table.moments(0, 2), 6.0
    steps = replace(bent()[1], steps=Crowded(common=common), lanes=lanes)
    found = nearby(moments, steps, np.array(rate))
    assert found.stall is not None
    step = float(occupancy(moments, steps, rate, 1.0).step)
    coming = np.array(rate * step)
    room = (2048.0 - rate * 100.0 * step) / 1000.0
    longer = float(stall(lanes, coming, np.array(0.64), coming / room))
    part = common / 3e-5
    assert 1.5 < longer < lanes
    assert float(found.stall) == pytest.approx(longer * (1.0 - part) + part, rel=5e-3)
    assert float(found.per_prompt) == pytest.approx(3e-5 * float(found.stall), rel=1e-9)
    line = prompts_of(moments, steps, rate)
    assert float(line.each) == pytest.approx(3e-5, rel=1e-9)
    assert float(line.full) == pytest.approx(float(found.per_prompt), rel=1e-9)
    assert nearby(moments, replace(steps, lanes=1), np.array(rate)).stall is None


@pytest.mark.parametrize("budget", [1200.0, 2048.0])
def test_a_prompts_own_line_goes_through_the_mean_one_and_one_of_a_whole_budget(budget: float) -> None:
    """Or through one half as long again, where the budget has no room for that."""
    moments, steps = bent()
    line = prompts_of(moments, replace(steps, steps=Cubic(), token_budget=np.array(budget)), 1e-9)
    for tokens in (1000.0, max(budget, 1500.0)):
        assert takes(line, tokens) == pytest.approx(3e-5 * tokens + 1e-11 * tokens**3, rel=1e-4)
    assert takes(line, 1250.0) > 1.001 * (3e-5 * 1250.0 + 1e-11 * 1250.0**3)


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_pairs_are_as_dear_as_from_the_mean_prompt_to_one_of_a_whole_budget(factor: float) -> None:
    moments, steps = bent()
    service = replace(steps, steps=Steep(q=1e-10)).scaled(factor)
    line, few, many = prompts_of(moments, service, 1e-9), 1000.0**2 / 2.0, 2048.0**2 / 2.0
    assert float(line.pair) == pytest.approx(factor * 1e-10 * (many**1.1 - few**1.1) / (many - few), rel=1e-4)
    for tokens, pairs in ((1000.0, few), (2048.0, many)):
        assert takes(line, tokens) == pytest.approx(factor * (3e-5 * tokens + 1e-10 * pairs**1.1), rel=1e-4)


@pytest.mark.parametrize("slower", [100.0, 5_000.0])
@pytest.mark.parametrize("alone", [False, True])
def test_steps_of_seconds_and_minutes_are_as_full_as_faster_ones_at_a_faster_rate(slower: float, alone: bool) -> None:
    moments, fast = bent(c=3e-6, once=0.004)
    line = line_service(0.01 * slower, float(fast.per_context) * slower, 3e-5 * slower, 256.0, 2048.0)
    slow = replace(
        line, steps=Bent(w=0.01 * slower, a=2e-7 * slower, c=3e-6 * slower, p=3e-5 * slower, once=0.004 * slower)
    )
    one, same = (
        occupancy(moments, replace(service, alone=alone), rate, 1.0)
        for service, rate in ((fast, 8.0), (slow, 8.0 / slower))
    )
    assert float(same.batch) == pytest.approx(float(one.batch), rel=1e-3)
    assert float(same.step) == pytest.approx(float(one.step) * slower, rel=1e-3)
    assert float(same.near.per_prompt) == pytest.approx(float(one.near.per_prompt) * slower, rel=1e-3)
