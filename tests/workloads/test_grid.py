from __future__ import annotations

import numpy as np

from fleettui.workloads import grid


def test_common_points_are_multiples_of_16_and_the_papers_own():
    points = grid.common(1, 70_000)
    assert set(grid.BREAKPOINTS) <= points
    assert all(point % 16 == 0 for point in points)
    assert {64, 80, 96, 112, 128, 160, 176, 208, 256} <= points
    assert max(points) < 70_000


def test_the_grid_leaves_requests_on_both_sides():
    totals = np.array([100.0, 5000.0])
    points = grid.split_points(totals, np.ones(2))
    assert points[0] >= 100
    assert points[-1] < 5000


def test_a_steep_place_is_a_point():
    totals = np.arange(1.0, 5001.0)
    weights = np.ones(5000)
    weights[3000 - 1] = 100
    assert 3008 not in grid.common(1, 5000)
    assert 3008 in grid.split_points(totals, weights)
    assert 3008 not in grid.split_points(totals, np.ones(5000))


def test_equal_lengths_have_no_split():
    assert grid.split_points(np.array([512.0]), np.ones(1)) == ()


def test_points_beyond_the_cap_are_the_least_steep():
    assert grid.capped((10, 20), (5, 6, 7), 4) == (5, 6, 10, 20)
    assert grid.capped((10, 20, 30), (), 2) == (10, 20)


def test_never_more_than_149_points():
    totals = np.linspace(64, 2_000_000, 99)
    assert len(grid.split_points(totals, np.ones(len(totals)))) == 149
