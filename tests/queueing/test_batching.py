"""Capacity and occupancy against the figures of model.md §12, by hand, and at the edge of overload."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from fleettui.domain.fleet import PoolProfile
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.batching import Service, nearby, occupancy, replica_rates, saturated_rate
from fleettui.queueing.moments import Moments, RequestTable
from fleettui.workloads import library


def service(base: float, per_context: float, per_prompt: float, places: float, budget: float) -> Service:
    return Service(
        base=np.array(base),
        per_context=np.array(per_context),
        per_prompt=np.array(per_prompt),
        concurrency=np.array(places),
        token_budget=np.array(budget),
        front_end=np.zeros(()),
    )


def one_kind(prompt: float, output: float, chunk: int = 2048) -> Moments:
    return RequestTable.of(((1.0, prompt, output),), chunk=chunk).moments(0, 1)


OCCUPANCIES = [
    (0.008, 1e-4, 64, 1, 0.85, 48.57143, 49.17857),
    (0.008, 1e-4, 64, 4, 0.95, 58.46154, 58.64423),
    (0.008, 5e-4, 16, 4, 0.85, 11.82609, 12.01087),
    (0.004, 5e-5, 256, 1, 0.95, 209.65517, 212.27586),
]


@pytest.mark.parametrize(("base", "each", "places", "replicas", "utilization", "over_steps", "over_time"), OCCUPANCIES)
def test_occupancy(
    base: float, each: float, places: int, replicas: int, utilization: float, over_steps: float, over_time: float
) -> None:
    """Requests of one step that reads one token: κ is then exactly the time per context token."""
    moments = one_kind(1.0, 1.0)
    offered = service(base, each, 0.0, places, 1e9)
    rate = utilization * replicas * float(replica_rates(moments, offered)[0])
    found = occupancy(moments, offered, rate, replicas)
    assert float(found.utilization) == pytest.approx(utilization)
    assert float(found.batch_over_steps) == pytest.approx(over_steps, rel=1e-6)
    assert float(found.batch) == pytest.approx(over_time, rel=1e-6)


SATURATED = [
    ("azure-2023-conv", 15.18, 15.23),
    ("azure-2023-code", 11.19, 14.41),
    ("mooncake-conversation", 1.42, 1.74),
    ("servegen-deepseek-r1-h10", 1.32, 1.32),
]


@pytest.mark.parametrize(("trace", "small", "large"), SATURATED)
def test_saturated_rates_of_real_traces(trace: str, small: float, large: float) -> None:
    atoms = library.load(trace).slices[0].lengths.atoms
    for budget, printed in ((512, small), (2048, large)):
        moments = RequestTable.of(atoms, chunk=budget).moments(0, len(atoms))
        found = float(saturated_rate(moments, service(0.0065, 0.00032 / 8192, 29.5e-6, 64, budget)))
        assert found == pytest.approx(printed, rel=0.005)


def test_prompts_alone_cannot_exceed_the_time_there_is() -> None:
    moments = one_kind(2000.0, 2.0)
    offered = service(0.001, 0.0, 1e-4, 4.0, 2048.0)
    rate = float(saturated_rate(moments, offered))
    assert float(occupancy(moments, offered, rate, 1.0).prefill_share) < 1.0
    assert float(occupancy(moments, offered, 10 * rate, 1.0).step) == np.inf


def test_a_pool_by_hand() -> None:
    """A prompt of 1,000 tokens in chunks of 512 and 100 tokens of output, at 10 requests/s over two replicas."""
    moments, offered = one_kind(1000.0, 100.0, chunk=512), service(0.01, 1e-7, 2e-5, 32.0, 512.0)
    steps = 2 + 99
    context = 512 + 1000 + 99 * 1000 + 99 * 100 / 2
    each = (1e-7 * context + 2e-5 * 1000) / steps
    full_step = 0.01 + 32 * each
    requests_per_step = 512 / (1000 + 100)
    budget_step = 0.01 + requests_per_step * (2e-5 * 1000 + 1e-7 * context)
    found = occupancy(moments, offered, 10.0, 2.0)
    assert float(found.per_sequence) == pytest.approx(each)
    assert float(found.full_step) == pytest.approx(full_step)
    assert float(found.by_sequences) == pytest.approx(5.0 * steps * full_step / 32)
    assert float(found.by_budget) == pytest.approx(5.0 * budget_step / requests_per_step)
    assert float(found.utilization) == max(float(found.by_sequences), float(found.by_budget))
    share = 5.0 * steps * each
    assert float(found.batch_share) == pytest.approx(share)
    assert float(found.step) == pytest.approx(0.01 / (1 - share))
    assert float(found.batch_over_steps) == pytest.approx(5.0 * steps * 0.01 / (1 - share))
    assert float(found.batch) == pytest.approx(5.0 * steps * 0.01 / (1 - share) + share / ((1 - share) * 2))
    assert float(found.prefill_share) == pytest.approx(5.0 * 2e-5 * 1000)


@pytest.mark.parametrize(("places", "budget", "by_sequences"), [(4.0, 1e6, True), (1e6, 64.0, False)])
def test_a_replica_is_full_at_the_first_of_its_limits(places: float, budget: float, by_sequences: bool) -> None:
    moments, offered = one_kind(1000.0, 100.0, chunk=512), service(0.01, 1e-7, 2e-5, places, budget)
    sequences, tokens = replica_rates(moments, offered)
    assert (sequences < tokens) == by_sequences
    assert float(saturated_rate(moments, offered)) == min(sequences, tokens)
    assert float(occupancy(moments, offered, min(sequences, tokens), 1.0).utilization) == pytest.approx(1.0)


def test_steps_are_endless_once_prompts_fill_the_time_exactly() -> None:
    """One step of two prompt tokens at ¼ s each: two requests/s take the whole second, whatever the base step."""
    moments, offered = one_kind(2.0, 1.0), service(0.5, 0.0, 0.25, 4.0, 64.0)
    full = occupancy(moments, offered, 2.0, 1.0)
    assert (float(full.batch_share), float(full.prefill_share)) == (1.0, 1.0)
    assert (float(full.step), float(full.batch_over_steps), float(full.batch)) == (np.inf, np.inf, np.inf)
    nearly = occupancy(moments, offered, 1.5, 1.0)
    assert (float(nearly.step), float(nearly.batch_over_steps), float(nearly.batch)) == (2.0, 3.0, 6.0)


@pytest.mark.parametrize(("per_context", "per_prompt"), [(0.0, 0.3), (1e-3, 0.3), (0.1, 0.0)])
def test_what_fills_the_time_is_never_told_to_leave_some(per_context: float, per_prompt: float) -> None:
    """Where the base step takes next to nothing the shares are the utilization: rounding must not set them above it."""
    prompts = np.arange(1.0, 500.0)
    table = RequestTable.of([(1.0, prompt, 2.0) for prompt in prompts], chunk=64)
    moments = table.moments(np.arange(len(prompts)), np.arange(len(prompts)) + 1)
    rate = 1.0 / (per_context * moments.context + per_prompt * moments.uncached)
    found = occupancy(moments, service(1e-300, per_context, per_prompt, 7.0, 64.0), rate, 1.0)
    assert (found.utilization >= found.batch_share).all()
    assert (found.utilization >= found.prefill_share).all()
    assert np.isfinite(found.step[found.utilization < 1.0]).all()


def test_the_service_of_a_profile_has_its_figures_and_a_factor_leaves_the_limits() -> None:
    profile = PoolProfile(base_step_time=0.01, time_per_context_token=1e-7, time_per_prompt_token=2e-5, kv_blocks=9)
    made = Service.of(profile, 32, 512, (2,)).scaled(3.0)
    assert made.base.tolist() == pytest.approx([0.03, 0.03])
    assert made.per_context.tolist() == pytest.approx([3e-7, 3e-7])
    assert made.per_prompt.tolist() == pytest.approx([6e-5, 6e-5])
    assert (made.concurrency.tolist(), made.token_budget.tolist()) == ([32.0, 32.0], [512.0, 512.0])


def test_scaled_steps_scale_the_rate() -> None:
    moments, offered = one_kind(1000.0, 100.0), service(0.01, 1e-8, 3e-5, 64.0, 2048.0)
    assert float(saturated_rate(moments, offered.scaled(2.0))) == pytest.approx(
        float(saturated_rate(moments, offered)) / 2.0
    )


@dataclass(frozen=True)
class Bent:
    """Steps of w + a·n·context + c·n² seconds, and prompts of p a token and `once` a step with any."""

    w: float = 0.01
    a: float = 2e-7
    c: float = 0.0
    p: float = 3e-5
    once: float = 0.0

    def decoding(self, decodes: FloatArray, context: FloatArray) -> tuple[FloatArray, FloatArray]:
        rise = self.a * context + 2.0 * self.c * decodes
        return self.w - self.c * decodes**2, rise

    def prompting(
        self,
        decodes: FloatArray,  # noqa: ARG002 they do not make prompts dearer
        context: FloatArray,  # noqa: ARG002
        chunks: FloatArray,
        chunk: FloatArray,
        pairs: FloatArray,  # noqa: ARG002
        *,
        alone: bool = False,  # noqa: ARG002
    ) -> FloatArray:
        return self.p + self.once / (chunks * chunk)


def bent(**changes: float) -> tuple[Moments, Service]:
    """Return requests of 1,000 and 101 tokens, and a service with bent steps."""
    moments = one_kind(1000.0, 101.0)
    reading = 2e-7 * float(moments.decode_context)
    line = service(0.01, reading / float(moments.context), 3e-5, 256.0, 2048.0)
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


@pytest.mark.parametrize("rate", [5.0, 10.5, 11.25, 12.0, 20.0])
def test_a_step_that_jumps_has_a_working_point(rate: float) -> None:
    moments, line = bent()
    found = occupancy(moments, replace(line, steps=Jumping(w=4e-3, p=1e-6)), rate, 1.0)
    decodes = np.array(rate * 100 * float(found.step))
    assert float(found.step) == pytest.approx(float(jumping(4e-3, decodes)) / (1.0 - rate * 1e-3), rel=1e-3)


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
