"""Moments against sums over every step of every request."""

import numpy as np
import pytest

from fleettui.domain.speculation import speculation
from fleettui.queueing.moments import RequestTable, prefill_context, prompt_squares

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
    assert float(whole.context) == pytest.approx(weights @ context, rel=1e-12)
    assert float(whole.squared_context) == pytest.approx(weights @ squares, rel=1e-12)
    assert float(whole.uncached) == pytest.approx(weights @ [p * (1 - hit) for _, p, _ in ATOMS])
    assert float(whole.mean_context) == pytest.approx(weights @ context / (weights @ steps))
    spread = weights @ squares / (weights @ steps) - (weights @ context / (weights @ steps)) ** 2
    assert float(whole.context_variance) == pytest.approx(spread, rel=1e-9)


@pytest.mark.parametrize("hit", [0.0, 0.5])
def test_products_are_means_over_requests(hit: float) -> None:
    table = RequestTable.of(ATOMS, chunk=512, prefix_hit=hit)
    whole, weights = table.moments(0, len(ATOMS)), table.weight
    uncached = table.prompt * (1 - hit)
    seen = [contexts(int(p), int(p * hit), int(o), 512) for p, o in zip(table.prompt, table.output, strict=True)]
    steps, read = np.array([len(one) for one, _ in seen]), np.array([sum(one) for one, _ in seen])
    decoding = np.array([sum(one[prefill:]) for one, prefill in seen])
    expected = {
        "output": table.output,
        "decode_context": decoding,
        "steps_by_steps": steps * steps,
        "context_by_context": read * read,
        "uncached_by_uncached": uncached * uncached,
        "steps_by_context": steps * read,
        "steps_by_uncached": steps * uncached,
        "context_by_uncached": read * uncached,
        "pairs": uncached * (table.prompt - uncached) + uncached * uncached / 2,
    }
    for name, values in expected.items():
        assert float(getattr(whole, name)) == pytest.approx(weights @ values, rel=1e-12), name
    k, cached = table.prefill_steps, table.prompt - table.uncached
    assert prefill_context(512, k, cached, table.prompt) == pytest.approx(read - decoding)
    squares = [sum(min(512.0, whole - start) ** 2 for start in np.arange(0.0, whole, 512.0)) for whole in uncached]
    assert prompt_squares(512, k, table.uncached) == pytest.approx(squares)
    assert table.steps == pytest.approx(steps)
    assert table.total == pytest.approx(table.prompt + table.output)


def test_the_variance_of_work_is_that_of_its_values() -> None:
    table = RequestTable.of(ATOMS, chunk=512)
    whole, weights = table.moments(0, len(ATOMS)), table.weight
    for base, per_context, per_prompt in ((0.01, 1e-5, 1e-4), (0.01, 0.0, 0.0), (0.0, 1e-5, 0.0), (0.0, 0.0, 1e-4)):
        work = base * table.steps + per_context * table.context + per_prompt * table.uncached
        scv = weights @ work**2 / (weights @ work) ** 2 - 1
        assert float(whole.work_scv(base, per_context, per_prompt)) == pytest.approx(scv)
    prompts = weights @ table.uncached**2 / (weights @ table.uncached) ** 2 - 1
    assert float(whole.uncached_scv) == pytest.approx(prompts)


def test_a_prompt_of_whole_chunks_takes_no_further_step() -> None:
    table = RequestTable.of(((1.0, 512.0, 2.0), (1.0, 513.0, 2.0), (1.0, 1024.0, 2.0)), chunk=512)
    assert table.prefill_steps.tolist() == [1.0, 2.0, 2.0]


def test_what_never_varies_has_no_variance() -> None:
    """Rounding must not make it negative."""
    alike = RequestTable.of([(1.0, 1.0, 1.0)] * 3, chunk=7).moments(0, 3)
    assert (float(alike.context_variance), float(alike.uncached_scv), float(alike.work_scv(0.1, 0.1, 0.1))) == (0, 0, 0)
    for length in np.linspace(1.1, 99.9, 200):
        one = RequestTable.of(((0.3, length, 1.0), (0.7, length, 1.0)), chunk=512).moments(0, 2)
        assert 0.0 <= float(one.uncached_scv) < 1e-12
        assert 0.0 <= float(one.work_scv(0.1, 1e-3, 1e-3)) < 1e-12
        assert 0.0 <= float(one.context_variance) < 1e-9


def test_rows_as_they_stand_are_neither_sorted_nor_scaled() -> None:
    rows = np.array([(0.2, 300.0, 4.0), (0.1, 100.0, 3.0)])
    table = RequestTable.as_they_stand(rows, chunk=512)
    assert table.total.tolist() == [304.0, 103.0]
    assert table.uncached.tolist() == [300.0, 100.0]
    assert table.sums(0, 2)[0] == pytest.approx(0.3)
    assert (table.chunk, table.prefix_hit) == (512, 0.0)


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


def visits(later: int) -> list[float]:
    """Return how often a step begins after so many of the `later` tokens, where it commits one or two alike often."""
    found = [1.0]
    for place in range(1, later):
        found.append(0.5 * found[place - 1] + (0.5 * found[place - 2] if place > 1 else 0.0))
    return found[:later]


@pytest.mark.parametrize(("later", "near"), [(1, 0.12), (2, 0.04), (3, 0.02), (4, 0.01), (7, 0.01), (60, 1e-3)])
def test_drafts_make_as_many_steps_as_tokens_take_by_ones_and_twos(later: int, near: float) -> None:
    """E[steps] of n tokens is 1 + (E[of n - 1] + E[of n - 2])/2; each reads what there is at its beginning and one."""
    drafts = speculation("mtp:1@50%:sampled")
    table = RequestTable.of(((1.0, 1000.0, later + 1.0),), chunk=512, drafting=drafts)
    expected = visits(later)
    contexts = 1001.0 + np.arange(later)
    assert float(table.steps[0]) - 2.0 == pytest.approx(sum(expected), rel=near)
    whole = table.moments(0, 1)
    assert float(whole.decode_context) == pytest.approx(float(np.dot(expected, contexts)), rel=max(near, 1e-3))
    squares = float(whole.squared_context) - 512.0**2 - 1000.0**2
    assert squares == pytest.approx(float(np.dot(expected, contexts**2)), rel=max(near, 2e-3))
    assert float(whole.context) == pytest.approx(512.0 + 1000.0 + float(whole.decode_context), rel=1e-12)


def test_a_request_of_one_token_has_no_step_that_verifies_drafts() -> None:
    table = RequestTable.of(((1.0, 600.0, 1.0),), chunk=512, drafting=speculation("mtp:3@70%"))
    assert (float(table.steps[0]), float(table.context[0])) == (2.0, 512.0 + 600.0)
