"""Capacity and occupancy against the figures of model.md §12."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from fleettui.queueing.batching import Service, occupancy, replica_rates, saturated_rate
from fleettui.queueing.moments import Moments, RequestTable

SHARED = Path(__file__).parents[2] / "../shared"


def service(base: float, per_context: float, per_prompt: float, places: float, budget: float) -> Service:
    return Service(
        base=np.array(base),
        per_context=np.array(per_context),
        per_prompt=np.array(per_prompt),
        concurrency=np.array(places),
        token_budget=np.array(budget),
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
    path = SHARED / f"data/traces/{trace}.csv.gz"
    if not path.exists():
        pytest.skip("the shared traces are not beside the project")
    with gzip.open(path, "rt") as lines:
        atoms = [(1.0, float(r["input_tokens"]), float(r["output_tokens"])) for r in csv.DictReader(lines)]
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


def test_scaled_steps_scale_the_rate() -> None:
    moments, offered = one_kind(1000.0, 100.0), service(0.01, 1e-8, 3e-5, 64.0, 2048.0)
    assert float(saturated_rate(moments, offered.scaled(2.0))) == pytest.approx(
        float(saturated_rate(moments, offered)) / 2.0
    )
