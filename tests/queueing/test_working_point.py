"""The working point of steps that are no line: it solves the balance of time, whatever the steps do between."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.batching import occupancy
from fleettui.queueing.moments import Moments
from fleettui.queueing.service import Service
from fleettui.queueing.working_point import (
    LEAST_COMING,
    SCORES,
    TIGHT,
    _chunks,
    _coming_alone,
    _following,
    _Load,
    _some,
    _with_prompts,
    _within,
    nearby,
)
from tests.queueing.loads import line_service, one_kind


@dataclass(frozen=True)
class Bent:
    """Steps of w + a·n·context + c·n² seconds; prompts of p a token, q a pair, b·tokens² and `once` a step with any."""

    w: float = 0.01
    a: float = 2e-7
    c: float = 0.0
    p: float = 3e-5
    once: float = 0.0
    q: float = 0.0
    b: float = 0.0

    def decoding(self, decodes: FloatArray, context: FloatArray) -> tuple[FloatArray, FloatArray]:
        rise = self.a * context + 2.0 * self.c * decodes
        return self.w - self.c * decodes**2, rise

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
        return self.p + self.q * pairs + self.b * chunks * chunk + self.once / (chunks * chunk)

    def pairing(self, pairs: FloatArray, more: FloatArray) -> FloatArray:
        return self.q + 0.0 * pairs * more

    def behind(self, decodes: FloatArray, chunks: FloatArray, chunk: FloatArray) -> FloatArray:
        return 0.0 * decodes * chunks * chunk


def bent(**changes: float) -> tuple[Moments, Service]:
    """Return requests of 1,000 and 101 tokens, and a service with bent steps."""
    moments = one_kind(1000.0, 101.0)
    reading = 2e-7 * float(moments.decode_context)
    line = line_service(0.01, reading / float(moments.context), 3e-5, 256.0, 2048.0)
    return moments, replace(line, steps=Bent(**changes))


@dataclass(frozen=True)
class Jumping(Bent):
    """Steps that jump from w to three times that between 4 and 8 decodes, as those of few experts do, then bend up."""

    def decoding(self, decodes: FloatArray, context: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        parts = [(0.0, 0.0), (4.0, 0.5), (8.0, 1.0 / 56.0), (64.0, 0.044)]
        rise = self.w * np.select([decodes >= start for start, _ in parts[::-1]], [each for _, each in parts[::-1]])
        return jumping(self.w, decodes) - rise * decodes, rise


def jumping(w: float, decodes: FloatArray) -> FloatArray:
    step: FloatArray = w * np.interp(decodes, [4.0, 8.0, 64.0, 1064.0], [1.0, 3.0, 4.0, 48.0])
    return step


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e3])
@pytest.mark.parametrize("rate", [5.0, 10.5, 11.25, 12.0, 20.0])
def test_a_step_that_jumps_has_a_working_point(rate: float, unit: float) -> None:
    """In whatever unit of time."""
    moments, line = bent()
    found = occupancy(moments, replace(line, steps=Jumping(w=4e-3 * unit, p=1e-6 * unit)), rate / unit, 1.0)
    step = float(found.step) / unit
    decodes = np.array(rate * 100 * step)
    assert step == pytest.approx(float(jumping(4e-3, decodes)) / (1.0 - rate * 1e-3), rel=1e-3)


def test_steps_that_are_a_line_are_that_line_at_every_load() -> None:
    moments, steps = bent()
    line = replace(steps, steps=None)
    for rate in (0.0, 0.3, 4.0, 12.0):
        found, plain = (occupancy(moments, one, rate, 1.0) for one in (steps, line))
        for name in ("step", "batch", "batch_over_steps", "batch_share", "prefill_share"):
            assert float(getattr(found, name)) == pytest.approx(float(getattr(plain, name)), rel=1e-12), name
    assert nearby(moments, line, np.array(3.0)) is line


def test_the_working_point_solves_the_balance_of_time() -> None:
    """t = (w + a·n·context + c·n²) + λ·u·P·t with n = λ·(decodes of a request)·t, of 1,050.5 tokens on average."""
    moments, steps = bent(c=3e-6)
    rate = 13.0
    step = float(occupancy(moments, steps, rate, 1.0).step)
    decodes = rate * 100 * step
    assert step == pytest.approx(
        0.01 + 2e-7 * 1050.5 * decodes + 3e-6 * decodes**2 + rate * 1000 * 3e-5 * step, rel=1e-9
    )
    assert decodes > 20.0


def test_slower_steps_at_a_slower_rate_are_the_same_batch() -> None:
    moments, steps = bent(c=3e-6, once=0.004)
    once, twice = (occupancy(moments, steps.scaled(factor), 5.0 / factor, 1.0) for factor in (1.0, 2.0))
    assert float(twice.batch) == pytest.approx(float(once.batch), rel=1e-9)
    assert float(twice.step) == pytest.approx(2.0 * float(once.step), rel=1e-9)


def test_what_steps_with_prompts_pay_once_is_shared_by_what_comes_together() -> None:
    """At a light load each chunk pays it alone; the more come in a step, the less each pays."""
    moments, steps = bent(once=0.004)
    light, busy, full = (float(nearby(moments, steps, np.array(rate)).per_prompt) for rate in (1e-3, 8.0, 14.0))
    assert light == pytest.approx(3e-5 + 0.004 / 1000, rel=1e-3)
    assert 3e-5 + 0.004 / 2048 <= full < busy < light


def test_steps_without_end_are_busy_and_finite() -> None:
    moments, steps = bent(c=3e-6)
    near = nearby(moments, steps, np.array(1e3))
    assert np.isfinite([float(near.base), float(near.per_context), float(near.per_prompt)]).all()
    assert float(near.per_context) * float(moments.context) == pytest.approx((2e-7 * 1050.5 + 6e-6 * 256) * 100)


@pytest.mark.parametrize("beside_prompts", [0.0, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("beside_decodes", [0.3, 1.0, 3.0])
def test_prompts_alone_come_as_the_chain_of_their_steps_says(beside_prompts: float, beside_decodes: float) -> None:
    """E[N | N > 0] = a + P(none | a)·b/(1 − e^−b): a come in a step of prompts, b in one of decodes if none did."""
    mean = float(_coming_alone(np.array(beside_prompts), np.array(beside_decodes)))
    seen = beside_prompts + np.exp(-beside_prompts) * beside_decodes / (1.0 - np.exp(-beside_decodes))
    assert mean / (1.0 - np.exp(-mean)) == pytest.approx(seen, rel=1e-5)


def test_prompts_that_hardly_come_are_alone_in_their_step() -> None:
    assert LEAST_COMING <= float(_coming_alone(np.zeros(()), np.zeros(()))) < 0.1


@pytest.mark.parametrize("prompting", [0.0, 0.5, 0.8])
def test_chunks_of_a_step_vary_the_more_the_more_of_the_time_prompts_take(prompting: float) -> None:
    """Points of equal weight have the mean of a Poisson count above zero, and its variance/(1 - p^2) as normal ones."""
    coming, scv = 20.0, 0.3
    points = _chunks(np.array(coming), _some(np.array(coming)), np.array(scv), np.array(prompting))
    expected = coming * (1.0 + scv) / (1.0 - prompting**2)
    assert float(points.mean()) == pytest.approx(coming, rel=0.01)
    assert float(points.var() / SCORES.var()) == pytest.approx(expected, rel=0.06)


def test_rows_that_are_looked_for_together_find_what_each_finds_alone() -> None:
    """The smooth ones come to rest sooner than those that leap."""
    moments, line = bent()
    steps, rates = replace(line, steps=Jumping(w=4e-3, p=1e-6)), np.array([1e-6, 5.0, 10.5, 11.25, 12.0, 20.0])
    together = occupancy(moments, replace(steps, base=np.full(6, float(steps.base))), rates, 1.0).step
    assert together == pytest.approx([float(occupancy(moments, steps, rate, 1.0).step) for rate in rates], rel=1e-3)


@pytest.mark.parametrize("coming", [1e-6, 0.2, 1.0, 7.0])
def test_chunks_that_run_alone_have_the_mean_of_those_that_come_where_any_do(coming: float) -> None:
    some = 1.0 - np.exp(-coming)
    points = _chunks(np.array(coming), np.array(some), np.array(2.0), None)
    assert float(points.mean()) == pytest.approx(coming / some)
    assert points.min() > 0.0


def test_chunks_that_run_alone_vary_as_poisson_counts_of_prompts_do() -> None:
    points = _chunks(np.array(20.0), np.array(1.0), np.array(0.3), None)
    assert float(points.var() / SCORES.var()) == pytest.approx(20.0 * 1.3, rel=0.06)


def test_prompts_take_what_a_step_is_longer_than_that_of_its_decodes() -> None:
    """A step of .05 s of which the decodes take .02; no less than nothing, and alone it is not asked."""
    moments, steps = bent()
    load = _Load(moments, steps, Bent(), np.array(8.0), np.array(100.0))
    some, prompting = load._prompts(np.array(0.05), np.array(0.4), np.array(0.02))
    assert prompting == pytest.approx(0.6)
    assert float(some) == pytest.approx(float(_with_prompts(np.array(0.4), np.array(8.0 * 0.02))))
    assert load._prompts(np.array(0.01), np.array(0.4), np.array(0.02))[1] == 0.0
    alone = replace(load, service=replace(steps, alone=True))
    assert alone._prompts(np.array(0.05), np.array(0.4), np.array(0.02)) == (_some(np.array(0.4)), None)


@pytest.mark.parametrize("times", [500.0, 1e5])
def test_prompts_alone_that_take_minutes_are_those_that_take_seconds_at_a_slower_pace(times: float) -> None:
    """In other units of time nothing changes: no step is too long to be one."""
    moments, steps = bent(once=0.004)
    alone = replace(steps, alone=True)
    once, slower = (occupancy(moments, alone.scaled(factor), 8.0 / factor, 1.0) for factor in (1.0, times))
    assert float(slower.batch) == pytest.approx(float(once.batch), rel=1e-9)
    assert float(slower.prefill_share) == pytest.approx(float(once.prefill_share), rel=1e-9)


def test_the_next_step_is_newtons_within_the_ends_and_half_way_between_them_elsewhere() -> None:
    """One that rounding puts beyond an end is at it; without time left for the base there is no step of Newton's."""
    base, low, high = (np.full(6, value) for value in (0.01, 0.02, 0.08))
    beyond = np.array([0.01, 0.08 * (1.0 + 0.5 * TIGHT), 0.08 * (1.0 + 2.0 * TIGHT), 0.02 * (1.0 - 0.5 * TIGHT)])
    left = np.array([0.01 / 0.05, *(0.01 / beyond), -0.1])
    found = _following(base, left, low, high)
    assert found == pytest.approx([0.05, 0.04, beyond[1], 0.04, beyond[3], 0.04], rel=1e-12)
    assert float(_following(np.array(0.01), np.zeros(()), np.zeros(()), np.array(0.04))) == pytest.approx(0.02)


@pytest.mark.parametrize("without", [1e-6, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("times", [1.0, 1.5, 10.0])
def test_steps_with_prompts_follow_each_other_as_their_chain_says(without: float, times: float) -> None:
    """f = (1 - f)(1 - e^-x) + f(1 - e^-y): x chunks come in a step without prompts, y in one with some."""
    coming = without * times
    f = float(_with_prompts(np.array(coming), np.array(without)))
    y = (coming - (1.0 - f) * without) / f
    assert f == pytest.approx((1.0 - f) * -np.expm1(-without) + f * -np.expm1(-y), rel=1e-9)
    assert 0.0 < f <= float(_some(np.array(coming))) * (1.0 + 1e-12)
    if times == 1.0:
        assert f == pytest.approx(float(_some(np.array(coming))), rel=1e-9)


def test_what_a_step_does_not_take_makes_the_next_ones_fuller() -> None:
    """Of 1.2 chunks a step, in .6 of the steps, 2 come where any do; a step takes 3, the middle of the parts less."""
    points = np.array([0.5, 1.0, 1.5, 5.0])
    found = _within(points, np.array(1.2), np.array(3.0), np.array(0.6))
    alone, together = 1.2 / np.minimum(points, 3.0).mean(), 0.6
    part = 1.2 / float(found.mean())
    assert together < part < alone
    assert part == pytest.approx(together + 0.4 * (alone - together))
    assert np.all(np.diff(found) > 0.0)
    assert found[-1] == 3.0


@pytest.mark.parametrize("coming", [0.01, 1.0, 5.0])
def test_chunks_that_a_step_can_take_are_left_as_they_are(coming: float) -> None:
    some = _some(np.array(coming))
    points = float(coming / some) * np.array([0.5, 1.0, 1.5])
    assert _within(points, np.array(coming), np.array(20.0), some) == pytest.approx(points, rel=1e-12)


def test_steps_with_more_to_take_than_they_can_are_full() -> None:
    found = _within(np.array([1.0, 2.0, 9.0]), np.array(4.0), np.array(3.0), np.array(0.9))
    assert found == pytest.approx([3.0, 3.0, 3.0])


@pytest.mark.parametrize("rate", [4.0, 8.0, 12.0])
def test_prompts_that_take_the_same_however_many_make_no_leap_of_the_working_point(rate: float) -> None:
    """Slower steps by 2 % make a batch a little fuller: steep where prompts share their time, but no cliff."""
    moments, steps = bent(p=1e-9, once=0.066)
    factors = np.arange(0.5, 1.3, 0.02)
    batches = np.array([float(occupancy(moments, steps.scaled(one), rate, 1.0).batch) for one in factors])
    assert np.isfinite(batches).all()
    growth = batches[1:] / batches[:-1]
    assert growth.min() > 1.0
    assert growth.max() < 1.25


def test_the_working_point_of_such_prompts_is_that_of_two_kinds_of_steps() -> None:
    """With room for all prompts steps are of two lengths, D and D + .066 s, and t = D + f * .066 is their mean."""
    moments, steps = bent(p=1e-9, once=0.066)
    rate, room = 8.0, replace(steps, token_budget=np.array(1e6), concurrency=np.array(1e4))
    step = float(occupancy(moments, room, rate, 1.0).step)
    decoding = 0.01 + 2e-7 * 1050.5 * rate * 100 * step
    f = float(_with_prompts(np.array(rate * step), np.array(rate * decoding)))
    assert step == pytest.approx(decoding + 0.066 * f, rel=5e-3)


@pytest.mark.parametrize("rate", [1e-6, 4.0, 8.0])
def test_what_a_step_with_prompts_pays_once_is_no_part_of_a_token(rate: float) -> None:
    moments, steps = bent(once=0.066)
    prompts = nearby(moments, steps, np.array(rate)).prompts
    assert prompts is not None
    assert float(prompts.once) == pytest.approx(0.066, rel=1e-9)
    assert float(prompts.each) == pytest.approx(3e-5, rel=1e-9)
    assert 3e-5 + 0.066 / 2048 <= float(prompts.full) < 3e-5 + 0.066 / 1700


def test_prompts_of_a_whole_budget_have_no_line_but_their_own_rate() -> None:
    moments, steps = bent(once=0.066)
    prompts = nearby(moments, replace(steps, token_budget=np.array(1000.0)), np.array(1e-6)).prompts
    assert prompts is not None
    assert float(prompts.each) == pytest.approx(3e-5 + 0.066 / 1000, rel=1e-6)
    assert float(prompts.once) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("q", "b"), [(1e-9, 0.0), (0.0, 2e-9), (1e-9, 2e-9)])
def test_a_long_prompt_takes_what_its_own_pairs_and_the_bend_of_its_step_make(q: float, b: float) -> None:
    """A prompt of u tokens takes p·u + q·u²/2 + b·u², whatever the mean prompt of 1,000 does."""
    moments, steps = bent(q=q, b=b)
    prompts = nearby(moments, steps, np.array(1e-6)).prompts
    assert prompts is not None
    assert float(prompts.each) == pytest.approx(3e-5 + q * 500 + b * 1000, rel=1e-6)
    for u in (100.0, 1000.0, 2000.0):
        own = float(prompts.once + prompts.token * u + prompts.pair * u * u / 2.0 + prompts.square * u * u)
        assert own == pytest.approx(3e-5 * u + q * u * u / 2.0 + b * u * u, rel=1e-6)


@pytest.mark.parametrize("u", [1000.0, 1500.0])
def test_the_mean_prompt_and_one_half_as_long_again_take_their_own_time(u: float) -> None:
    """Steps pay once, bend, and have room for a prompt and a quarter: the curve of a prompt goes through both."""
    moments, steps = bent(once=0.02, q=1e-9, b=2e-9)
    prompts = nearby(moments, replace(steps, token_budget=np.array(1250.0)), np.array(1e-6)).prompts
    assert prompts is not None
    own = float(prompts.once + prompts.token * u + prompts.pair * u * u / 2.0 + prompts.square * u * u)
    assert own == pytest.approx(0.02 + 3e-5 * u + 1e-9 * u * u / 2.0 + 2e-9 * u * u, rel=1e-6)


def test_a_prompt_never_takes_less_than_nothing_for_its_tokens() -> None:
    """Where the bend is steeper than the whole, it is all that a token takes."""
    moments, steps = bent(p=0.0, q=1e-6, b=1e-6)
    prompts = nearby(moments, steps, np.array(1e-9)).prompts
    assert prompts is not None
    assert float(prompts.token) == pytest.approx(0.0, abs=1e-12)
    assert float(prompts.pair) >= 0.0
    assert float(prompts.square) >= 0.0


def test_more_load_than_a_full_batch_serves_has_the_line_of_the_full_batch() -> None:
    """That batch of 256 decodes is what later rounds come to, however early they see that the load is too high."""
    moments, service = bent(w=0.012, a=2.06e-7, c=2.3e-7, p=2.6e-6)
    found = nearby(moments, service, np.array([83.0]))
    assert float(found.base[0]) == pytest.approx(0.012 - 2.3e-7 * 256.0**2, rel=1e-6)
