"""Moments against sums over every step of every request."""

import numpy as np
import pytest

from fleettui.queueing.moments import RequestTable

ATOMS = ((3.0, 100.0, 5.0), (1.0, 2500.0, 1.0), (2.0, 40.0, 300.0), (5.0, 1030.0, 64.0))


def contexts(prompt: int, cached: int, output: int, chunk: int) -> tuple[list[int], int]:
    """Return the context at the end of each step of a request, and its number of prefill steps."""
    seen, steps = cached, []
    while prompt - seen > chunk:
        seen += chunk
        steps.append(seen)
    steps.append(prompt)
    return steps + [prompt + j for j in range(1, output)], len(steps)


@pytest.mark.parametrize("chunk", [64, 512, 2048])
@pytest.mark.parametrize("hit", [0.0, 0.5])
def test_every_figure_is_the_sum_over_steps(chunk: int, hit: float) -> None:
    table = RequestTable.of(ATOMS, chunk=chunk, prefix_hit=hit)
    weights = np.array([atom[0] for atom in ATOMS])
    weights /= weights.sum()
    steps, context, squares, prefill = [], [], [], []
    for _, prompt, output in ATOMS:
        seen, k = contexts(int(prompt), int(prompt * hit), int(output), chunk)
        steps.append(len(seen))
        context.append(sum(seen))
        squares.append(sum(c * c for c in seen))
        prefill.append(k)
    whole = table.moments(0, len(ATOMS))
    assert float(whole.share) == pytest.approx(1.0)
    assert float(whole.prefill_steps) == pytest.approx(weights @ prefill)
    assert float(whole.steps) == pytest.approx(weights @ steps)
    assert float(whole.context) == pytest.approx(weights @ context, rel=0.005)
    assert float(whole.squared_context) == pytest.approx(weights @ squares, rel=0.01)
    assert float(whole.uncached) == pytest.approx(weights @ [p * (1 - hit) for _, p, _ in ATOMS])


def test_any_range_in_constant_time_equals_its_own_table() -> None:
    table = RequestTable.of(ATOMS, chunk=512)
    part = table.moments(1, 3)
    own = RequestTable.of(sorted(ATOMS, key=lambda a: a[1] + a[2])[1:3], chunk=512).moments(0, 2)
    assert float(part.share) == pytest.approx((2.0 + 5.0) / 11.0)
    for name in ("steps", "context", "pairs", "steps_by_context", "uncached_by_uncached", "decode_context"):
        assert float(getattr(part, name)) == pytest.approx(float(getattr(own, name))), name


def test_work_scv_of_equal_requests_is_zero_and_of_two_kinds_is_known() -> None:
    equal = RequestTable.of(((2.0, 10.0, 10.0),), chunk=512).moments(0, 1)
    assert float(equal.work_scv(1.0, 1e-6, 1e-6)) == pytest.approx(0.0, abs=1e-9)
    two = RequestTable.of(((1.0, 10.0, 1.0), (1.0, 10.0, 3.0)), chunk=512).moments(0, 2)
    assert float(two.work_scv(1.0, 0.0, 0.0)) == pytest.approx(0.25)


def test_a_wholly_cached_prompt_still_computes_one_token() -> None:
    assert RequestTable.of(((1.0, 100.0, 4.0),), chunk=512, prefix_hit=1.0).uncached[0] == 1.0


def test_an_empty_list_is_a_bug() -> None:
    with pytest.raises(AssertionError):
        RequestTable.of((), chunk=512)
