"""Which constant is the likeliest: of those that explain what was seen, the one that needs the smaller factor."""

import pytest

from fleettui.domain.backtest import Fit
from tests.reports.backtest.samples import GOOD, POOR, ROWS, fit, found, row


def test_a_large_factor_that_explains_comes_before_a_small_one_that_does_not() -> None:
    doubled = fit("time per prompt token", 2.0, 1.0, 0.36, 0.036, 60.0, 9.0)
    near = fit("base step time", 1.05, 30.0, 0.34, 0.036, 60.0, 9.0)
    whole = found(fits=(near, doubled))
    assert whole.ranked == [doubled, near]
    assert whole.explained
    assert whole.equals == []
    assert whole.chosen == doubled


def test_of_those_that_explain_the_smaller_factor_is_the_likelier() -> None:
    doubled = fit("time per prompt token", 2.0, 0.5, 0.36, 0.036, 60.0, 9.0)
    whole = found(fits=(doubled, GOOD, POOR))
    assert whole.ranked == [GOOD, doubled, POOR]
    assert whole.equals == [doubled]


def test_where_none_explains_the_one_that_leaves_least_is_the_nearest() -> None:
    far = fit("arrival rate", 3.0, 50.0, 0.3, 0.03, 55.0, 9.0)
    near = fit("base step time", 1.1, 60.0, 0.3, 0.03, 55.0, 9.0)
    assert found(fits=(near, far)).ranked[0] == far
    assert not found(fits=(near, far)).explained


def test_one_figure_is_explained_by_what_reaches_it_alone() -> None:
    reaching = fit("base step time", 1.2, 0.0, 0.036, 9.0)
    assert found(rows=ROWS[1:2], fits=(reaching,)).explained
    short = fit("base step time", 3.0, 236.0, 0.032, 9.0, bounded=True)
    assert not found(rows=ROWS[1:2], fits=(short,)).explained
    assert found(rows=ROWS[1:2], fits=(reaching,)).chosen is None


def test_all_step_times_are_a_coarse_correction_where_they_leave_little() -> None:
    """Found: three figures a fifth above, and no correction at all, as their digits told more than a constant does."""
    nearest = fit("time per prompt token", 1.3, 20.0, 0.35, 0.0355, 59.0, 9.0)
    steps = fit("all step times", 1.2, 60.0, 0.345, 0.036, 60.0, 9.0)  # leaves 4.3 % of what TTFT was seen at
    whole = found(fits=(nearest, steps))
    assert not whole.explained
    assert whole.coarse
    assert whole.chosen is not None
    assert [one.constant for one in whole.ranked] == ["all step times", "time per prompt token"]
    assert whole.chosen == whole.ranked[0]
    assert whole.chosen.factor.value == 1.2
    assert whole.chosen.factor.high == pytest.approx(1.2 * 1.01 * 0.36 / 0.345), "what it leaves is left open"
    assert whole.chosen.factor.low == pytest.approx(1.2 * 0.99 / (0.36 / 0.345))


@pytest.mark.parametrize(
    "steps",
    [
        fit("all step times", 1.2, 60.0, 0.32, 0.036, 60.0, 9.0),  # leaves 12.5 %, more than near loads do anyway
        fit("all step times", 1.2, 60.0, 0.345, 0.036, 60.0, 9.0, bounded=True),
        fit("base step time", 1.2, 60.0, 0.345, 0.036, 60.0, 9.0),  # claims to know which steps
    ],
)
def test_what_leaves_much_or_claims_more_is_no_coarse_correction(steps: Fit) -> None:
    whole = found(fits=(steps,))
    assert whole.chosen is None
    assert not whole.coarse


def test_a_coarse_correction_halves_the_gap() -> None:
    steps = fit("all step times", 1.05, 60.0, 0.31, 0.031, 51.5, 9.0)
    near = tuple(row(one.figure, one.predicted.value, 1.08 * one.predicted.value) for one in ROWS)
    assert found(rows=near, fits=(steps,)).chosen is None, "of 8 % it leaves 5"
