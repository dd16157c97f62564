"""Clients that wait for a place: told by throughput and time between tokens that stay, whatever the clients."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fleettui.domain.validation import MeasuredPoint
from fleettui.hardware.calibration import by_formula, fit_points
from fleettui.hardware.queued_runs import QUEUED, queued
from fleettui.hardware.validation import compare, summarize

POINT = MeasuredPoint(
    line=2,
    model="llama-3.1-8b",
    gpu="h100",
    dtype="bf16",
    engine="vllm",
    tp=1,
    prompt_tokens=500,
    output_tokens=251,
    concurrency=1,
    ttft=0.05,
    tpot=0.008,
)


def served(places: int, *clients: int, **changes: int | str) -> list[MeasuredPoint]:
    """Return a sweep of a server that runs so many sequences at once, 50 us a step slower with each."""
    return list(_served(places, clients, changes))


def _served(places: int, clients: tuple[int, ...], changes: dict[str, int | str]) -> Iterator[MeasuredPoint]:
    for line, count in enumerate(clients, start=2):
        running = min(count, places)
        tpot = 0.008 + 50e-6 * running
        last = (POINT.output_tokens - 1) * tpot + 0.05
        waited = (count - running) * last / running
        run = replace(POINT, line=line, concurrency=count, tpot=tpot, ttft=0.05 + waited)
        yield replace(run, **changes)  # type: ignore[arg-type]


def lines(points: list[MeasuredPoint]) -> list[int]:
    return sorted(one.line for one in queued(points))


def test_more_clients_than_places_are_told_by_the_sweep() -> None:
    assert lines(served(64, 1, 8, 32, 64, 128, 256)) == [6, 7]
    assert lines(served(1024, 1, 8, 32, 64, 128, 256)) == []
    assert lines(served(64, 128, 256, 512)) == [2, 3, 4], "the first waits too, as the others show"


def test_a_few_more_clients_than_places_wait_for_nothing_that_shows() -> None:
    assert lines(served(64, 32, 64, 72)) == []


def test_one_run_alone_is_held_to_the_sequences_that_its_engine_has() -> None:
    """vLLM runs 256 at once on A100 as it comes, 1,024 on H100."""
    assert lines(served(256, 512, gpu="a100")) == [2]
    assert lines(served(256, 512)) == []
    assert lines(served(512, 512, gpu="a100")) == [], "more decode than it has places as it comes: it is set otherwise"


def test_sweeps_of_other_lengths_or_servers_are_apart() -> None:
    short, long = served(64, 64), served(64, 128, output_tokens=252)
    assert lines(short + long) == []
    assert lines(served(64, 64) + served(64, 128, tp=2)) == []


def test_prompts_that_fill_the_steps_are_a_limit_of_the_hardware() -> None:
    """A step of 8,192 tokens takes .3 s: 27,000 prompt tokens a second, whatever the clients."""
    full = replace(POINT, prompt_tokens=8192, output_tokens=33, tpot=0.3)
    runs = [replace(full, line=at, concurrency=at, ttft=at * 0.3 - 32 * 0.3) for at in (64, 128, 256)]
    assert lines(runs) == []


def test_arrivals_at_a_rate_have_no_clients_that_wait() -> None:
    assert lines(served(64, 64, 128, 256, protocol="open")) == []


@pytest.mark.parametrize("law", ["kernels", "roofline"])
def test_such_runs_are_compared_apart_and_fitted_to_nothing(law: str) -> None:
    runs = served(64, 1, 32, 64, 256)
    compared, _ = compare(runs, law)  # type: ignore[arg-type]
    assert [one.state for one in compared] == ["unsaturated", "unsaturated", "unsaturated", "queued"]
    (summary,) = summarize(compared)
    assert (summary.points, summary.unsaturated, summary.queued) == (4, 3, 1)
    ((fit,), unfitted) = fit_points(runs, by_formula(law))  # type: ignore[arg-type]
    assert fit.points == 3
    assert unfitted == ((runs[3], QUEUED),)
