"""Which constant is the likeliest: of those that explain what was seen, the one that needs the smaller factor."""

from tests.reports.backtest.samples import GOOD, POOR, ROWS, fit, found


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
