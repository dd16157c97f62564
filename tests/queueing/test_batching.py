"""Capacity and occupancy against the figures of model.md §12, by hand, and at the edge of overload."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.speculation import speculation
from fleettui.queueing.batching import lane_rates, moving, occupancy, saturated_rate, stepping
from fleettui.queueing.moments import RequestTable
from fleettui.workloads import library
from tests.queueing.loads import line_service, one_kind

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
    offered = line_service(base, each, 0.0, places, 1e9)
    rate = utilization * replicas * float(lane_rates(moments, offered)[0])
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
        found = float(saturated_rate(moments, line_service(0.0065, 0.00032 / 8192, 29.5e-6, 64, budget)))
        assert found == pytest.approx(printed, rel=0.005)


def test_prompts_alone_cannot_exceed_the_time_there_is() -> None:
    moments = one_kind(2000.0, 2.0)
    offered = line_service(0.001, 0.0, 1e-4, 4.0, 2048.0)
    rate = float(saturated_rate(moments, offered))
    assert float(occupancy(moments, offered, rate, 1.0).prefill_share) < 1.0
    assert float(occupancy(moments, offered, 10 * rate, 1.0).step) == np.inf


def test_a_pool_by_hand() -> None:
    """A prompt of 1,000 tokens in chunks of 512 and 100 tokens of output, at 10 requests/s over two replicas."""
    moments, offered = one_kind(1000.0, 100.0, chunk=512), line_service(0.01, 1e-7, 2e-5, 32.0, 512.0)
    steps = 2 + 99
    context = 512 + 1000 + 99 * 1000 + 99 * 100 / 2
    each = (1e-7 * context + 2e-5 * 1000) / steps
    full_step = 0.01 + 32 * each
    requests_per_step = 512 / (1000 + 100)
    budget_step = 0.01 + requests_per_step * (2e-5 * 1000 + 1e-7 * context)
    found = occupancy(moments, offered, 10.0, 2.0)
    assert float(stepping(moments, offered)) == pytest.approx(0.01 * steps / 32)
    assert float(moving(moments, offered)) == pytest.approx(each * steps)
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
    assert float(found.queued_share) == pytest.approx(5.0 * 2e-5 * 1000)


@pytest.mark.parametrize(("places", "budget", "by_sequences"), [(4.0, 1e6, True), (1e6, 64.0, False)])
def test_a_replica_is_full_at_the_first_of_its_limits(places: float, budget: float, by_sequences: bool) -> None:
    moments, offered = one_kind(1000.0, 100.0, chunk=512), line_service(0.01, 1e-7, 2e-5, places, budget)
    sequences, tokens, _ = lane_rates(moments, offered)
    assert (sequences < tokens) == by_sequences
    assert float(saturated_rate(moments, offered)) == min(sequences, tokens)
    assert float(occupancy(moments, offered, min(sequences, tokens), 1.0).utilization) == pytest.approx(1.0)


def test_a_replica_is_full_when_its_api_process_is() -> None:
    moments = one_kind(1000.0, 100.0, chunk=512)
    offered = replace(line_service(0.01, 1e-7, 2e-5, 4.0, 1e6), api_token=np.array(1e-3))
    assert float(saturated_rate(moments, offered)) == min(10.0, float(lane_rates(moments, offered)[0]))
    slow = replace(offered, api_token=np.array(0.1))
    assert float(saturated_rate(moments, slow)) == pytest.approx(0.1)
    found = occupancy(moments, slow, 0.3, 6.0)
    assert (float(found.utilization), float(found.by_api)) == (pytest.approx(0.5), pytest.approx(0.5))
    assert float(found.by_sequences) < 0.5


def test_steps_are_endless_once_prompts_fill_the_time_exactly() -> None:
    """One step of two prompt tokens at ¼ s each: two requests/s take the whole second, whatever the base step."""
    moments, offered = one_kind(2.0, 1.0), line_service(0.5, 0.0, 0.25, 4.0, 64.0)
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
    found = occupancy(moments, line_service(1e-300, per_context, per_prompt, 7.0, 64.0), rate, 1.0)
    assert (found.utilization >= found.batch_share).all()
    assert (found.utilization >= found.prefill_share).all()
    assert np.isfinite(found.step[found.utilization < 1.0]).all()


def test_each_step_that_verifies_drafts_takes_as_many_tokens_of_the_budget() -> None:
    """A prompt of two chunks and its one token, then n = 30 tokens at 1.5 a step, each step with 1 + 1 tokens."""
    drafts = speculation("mtp:1@50%")
    moments = RequestTable.of(((1.0, 1000.0, 31.0),), chunk=512, drafting=drafts).moments(0, 1)
    offered = replace(line_service(0.01, 1e-7, 2e-5, 1e6, 512.0), drafting=drafts)
    later = (30.0 + drafts.beyond) / 1.5
    context = 512.0 + 1000.0 + sum(1000.0 + j for j in range(1, 31)) * later / 30.0
    requests_per_step = 512.0 / (1000.0 + 1.0 + 2.0 * later)
    step = 0.01 + requests_per_step * (2e-5 * 1000.0 + 1e-7 * context)
    assert float(lane_rates(moments, offered)[1]) == pytest.approx(requests_per_step / step)
    assert float(saturated_rate(moments, offered)) == pytest.approx(requests_per_step / step)


def test_prompts_that_run_alone_leave_the_budget_to_nobody_and_lanes_are_as_many_replicas() -> None:
    moments, offered = one_kind(1000.0, 100.0, chunk=512), line_service(0.01, 1e-7, 2e-5, 1e6, 512.0)
    sequences, tokens, _ = lane_rates(moments, offered)
    alone = replace(offered, alone=True)
    assert float(lane_rates(moments, alone)[1]) == np.inf
    assert float(saturated_rate(moments, alone)) == float(sequences) > float(tokens)
    assert float(saturated_rate(moments, replace(offered, lanes=3))) == pytest.approx(3.0 * float(tokens))
    handing = replace(offered, lanes=3, api_token=np.array(1e-2))
    assert float(saturated_rate(moments, handing)) == pytest.approx(1.0 / (100.0 * 1e-2))
