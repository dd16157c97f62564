"""A curve against the step table that it is laid out from, and what its engine does with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.hardware import StepTable
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time
from fleettui.simulation.curve import Curve, Curves, attention_time
from fleettui.simulation.layout import Engine
from tests.repeated import few
from tests.simulation.samples import WAYS, engine, finished, requests, story
from tests.simulation.twins import fleet, played_alike
from tests.simulation.twins import table as random_table

PLACES, BUDGET = 1024, 8192


def table(model: str = "llama-3.1-70b", tp: int = 8) -> StepTable:
    """Return the measured kernels' steps of a model on H200s."""
    profile = build_profile(catalog.gpu("h200"), catalog.model(model), dtype="fp8", tp=tp, step_law="kernels")
    assert isinstance(profile.step, StepTable)
    return profile.step


@pytest.fixture(params=["llama-3.1-70b", "qwen3-235b-a22b", "deepseek-v3"])
def measured(request: pytest.FixtureRequest) -> StepTable:
    return table(request.param)


def test_steps_of_decodes_are_those_of_the_table(measured: StepTable) -> None:
    found = Curve.of(measured, budget=BUDGET, places=PLACES)
    counts = np.arange(1, PLACES + 1)
    expected = step_time(measured, decodes=counts, context_tokens=counts * 1_500.0)
    batches = found.batches[1:]
    assert batches["base"] + batches["per_context"] * counts * 1_500.0 == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("tokens", "cached"), [(1, 0), (7, 0), (300, 0), (8_000, 0), (40, 90_000), (5_000, 3_000)])
def test_the_attention_of_a_chunk_is_that_of_the_table(measured: StepTable, tokens: int, cached: int) -> None:
    curve = Curve.of(measured, budget=BUDGET, places=PLACES)
    own = attention_time(curve.prompts, tokens, cached + tokens)
    pairs = tokens * (cached + tokens / 2)
    beside, alone = (
        float(step_time(replace(measured, prompt_least=0.0), decodes=3, context_tokens=9_000, **more))
        for more in ({"prompt_tokens": tokens, "attention_pairs": pairs}, {})
    )
    linear = curve.linear[3 + tokens] - curve.linear[3]
    assert own == pytest.approx(beside - alone - linear - curve.floor - curve.extra, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_a_request_alone_takes_the_steps_of_the_table(way: str) -> None:
    """A prompt of 100 tokens in chunks of 64 and 36, then two decodes with 101 and 102 cached tokens."""
    steps = table()
    own = replace(engine(budget=64), curve=Curve.of(steps, budget=64, places=8))
    first, last = (
        float(step_time(steps, decodes=0, context_tokens=0, prompt_tokens=tokens, attention_pairs=pairs))
        for tokens, pairs in ((64, 64 * 32), (36, 36 * (64 + 18)))
    )
    decodes = [float(step_time(steps, decodes=1, context_tokens=context)) for context in (101, 102)]
    found = story(way, [own], requests((100, 3)))
    assert found.first[0] == pytest.approx(first + last, rel=1e-12)
    assert found.finish[0] == pytest.approx(first + last + sum(decodes), rel=1e-12)


def test_curves_of_pools_stand_in_rows_as_long_as_the_longest() -> None:
    short, long = (Curve.of(table(), budget=budget, places=places) for budget, places in ((64, 8), (512, 32)))
    found = Curves.of([None, short, long])
    assert found.linear.shape == (3, 513)
    assert found.batches.shape == (3, 33)
    assert np.array_equal(found.linear[1, :65], short.linear)
    assert (found.linear[1, 65:] == short.linear[-1]).all()
    assert np.array_equal(found.batches[2], long.batches)
    assert Curves.of([None, None]).linear.shape == (2, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", few(range(20), 2))
def test_where_only_steps_of_decodes_are_padded_the_engine_is_its_twin(seed: int) -> None:
    engines, draws = fleet(seed)
    rng, more = np.random.default_rng(seed), np.linspace(1.1, 1.9, 5)

    def with_steps(own: Engine, steps: StepTable) -> Engine:
        return replace(own, curve=Curve.of(steps, budget=own.budget, places=own.places))

    steps = [random_table(rng) for _ in engines]
    padded = [replace(one, alone=tuple((more * one.linear).tolist())) for one in steps]
    own, other = (list(map(with_steps, engines, some)) for some in (padded, steps))
    found, _ = played_alike(own, draws)
    assert (found.requests["finish"] != finished(other, draws, leaping=False).requests["finish"]).any()
