"""Where sweeps over clients reach a limit, by hand."""

from dataclasses import replace

import pytest

from fleettui.domain.capacity_cells import capacity_cells
from fleettui.domain.uncertain import WAITS
from fleettui.domain.validation import Comparison, MeasuredPoint, State


def row(clients: int, tpot: float, predicted: float, *, ttft: float = 0.01, state: State = "unsaturated") -> Comparison:
    point = MeasuredPoint(
        line=clients,
        model="llama-3.1-8b",
        gpu="h100",
        dtype="fp8",
        engine="vllm",
        tp=1,
        prompt_tokens=1000,
        output_tokens=100,
        concurrency=clients,
        ttft=ttft,
        tpot=tpot,
    )
    return Comparison(point=point, state=state, predicted_ttft=ttft, predicted_tpot=predicted)


def test_a_sweep_is_straight_in_logarithms_between_its_points() -> None:
    """TPOT doubles with the clients as measured, and is 10 % longer as predicted: a capacity of 1/1.1."""
    sweep = [row(n, 0.001 * n, 0.0011 * n) for n in (4, 8, 16, 32)]
    cells = {one.limit: one for one in capacity_cells(sweep)}
    assert sorted(cells) == [0.008, 0.012, 0.016, 0.02, 0.025, 0.03]
    for limit, cell in cells.items():
        assert cell.measured == pytest.approx(limit / 0.001)
        assert cell.predicted == pytest.approx(limit / 0.0011)
        assert cell.is_close


def test_a_prediction_beyond_the_sweep_is_cut_at_its_ends() -> None:
    slow, fast = ([row(n, 0.001 * n, factor * n) for n in (4, 8, 16)] for factor in (0.01, 0.0001))
    assert {one.predicted for one in capacity_cells(slow)} == {4.0}
    assert {one.predicted for one in capacity_cells(fast)} == {16.0}
    assert not any(one.is_close for one in capacity_cells(fast) if one.limit == 0.008)


def test_the_range_is_that_of_the_band_and_leaves_what_is_before_the_steps() -> None:
    sweep = [replace(row(n, 0.001 * n, 0.0011 * n, ttft=0.1 * n), band=(0.8, 1.25), front_end=0.05) for n in (4, 8, 16)]
    (cell,) = (one for one in capacity_cells(sweep) if one.limit == 0.012)
    assert (cell.least, cell.most) == pytest.approx((0.012 / 0.0011 / 1.25, 0.012 / 0.0011 / 0.8))
    assert cell.is_in_range
    far = [replace(one, predicted_tpot=1.5 * one.predicted_tpot) for one in sweep]
    assert [one.is_in_range for one in capacity_cells(far) if one.limit == 0.012] == [False]
    assert sweep[0].predicted_at(1.25) == pytest.approx((0.05 + 1.25 * 0.35, 1.25 * 0.0044))


def test_two_numbers_of_clients_and_what_does_not_count_say_nothing() -> None:
    assert capacity_cells([row(4, 0.004, 0.004), row(16, 0.016, 0.016)]) == ()
    bound = [row(4, 0.004, 0.004), row(8, 0.008, 0.008), row(16, 0.016, 0.016, state="kv-bound")]
    assert capacity_cells(bound) == ()


def test_times_to_the_first_token_have_limits_of_their_own() -> None:
    sweep = [row(n, 0.02, 0.02, ttft=0.05 * n) for n in (1, 4, 16)]
    assert [(one.metric, one.limit) for one in capacity_cells(sweep)] == [("TTFT", 0.1), ("TTFT", 0.2), ("TTFT", 0.5)]


def test_waits_behind_others_are_doubted_beside_the_steps() -> None:
    shorter, longer = WAITS
    sweep = [replace(row(n, 0.001 * n, 0.001 * n, ttft=0.1 * n), band=(0.8, 1.25), waits=0.1 * n) for n in (1, 8, 64)]
    assert sweep[0].predicted_at(1.25, longer)[0] == pytest.approx(1.25 * longer * 0.1)
    (cell,) = (one for one in capacity_cells(sweep) if (one.metric, one.limit) == ("TTFT", 1.0))
    assert (cell.least, cell.most) == pytest.approx((10.0 / 1.25 / longer, 10.0 / 0.8 / shorter))
    half = [replace(one, waits=one.waits / 2.0) for one in sweep]
    (cell,) = (one for one in capacity_cells(half) if (one.metric, one.limit) == ("TTFT", 1.0))
    assert cell.least == pytest.approx(10.0 / 1.25 / (0.5 + longer / 2.0))
