"""Runs with an outage beside those without: every request ends somewhere, differences are run by run."""

from dataclasses import replace

import pytest

from fleettui.domain.failing import FailingRun, PoolCount
from fleettui.simulation.outage_figures import as_they_come, outage_figures
from tests.simulation.test_stretch_figures import ONE


def test_runs_are_held_to_those_without_an_outage() -> None:
    without = [[ONE], [ONE]]
    worse = [replace(one, met=one.met - 20 if one.met else 0) for one in ONE.phases]
    runs = [[replace(ONE, phases=tuple(worse), lost=5, rejected=2)], [ONE]]
    found = outage_figures(runs, without, share=0.99, step=10.0)
    assert (found.offered, found.completed, found.lost, found.rejected) == (600, 593, 5, 2)
    usual = outage_figures(without, without, share=0.99, step=10.0)
    assert (usual.inside.value, found.inside.value) == (0.5, 0.4)
    assert found.change.value == pytest.approx(-0.1), "what stands beside it is subtracted"
    assert outage_figures(without, without, share=0.99, step=10.0).change.value == 0.0
    assert (found.met.value, usual.met.value) == pytest.approx(((170 + 230) / 600, 230 / 300))


def count(*spans: tuple[int, int], rejected: int = 0, lost: int = 0) -> PoolCount:
    """Return the count of a pool whose spans had so many (offered, met)."""
    offered, met = map(sum, zip(*spans, strict=True))
    return PoolCount(offered=offered, met=met, rejected=rejected, lost=lost, spans=spans)


def test_of_runs_with_failures_as_they_come_all_is_counted_by_hand() -> None:
    """Two pools in two runs; the worst span is that of both pools together, and one in which nothing came is none."""
    fine = count((100, 90), (100, 100), (0, 0))
    first = [
        FailingRun(count=count((100, 50), (100, 90), (0, 0), rejected=7, lost=3), without=fine, failures=2, full=0.9),
        FailingRun(count=count((100, 80), (100, 40), (0, 0), lost=5), without=fine, failures=1, full=0.5),
    ]
    second = [FailingRun(count=fine, without=fine, failures=0, full=1.0)] * 2
    found = as_they_come([first, second], 900.0, 0.75)
    assert (found.seconds, found.expected) == (900.0, 0.75)
    assert found.met.value == pytest.approx((260 / 400 + 380 / 400) / 2)
    assert found.worst.value == pytest.approx((130 / 200 + 180 / 200) / 2)
    assert (found.without.value, found.without_worst.value) == pytest.approx((0.95, 0.9))
    assert found.change.value == pytest.approx((260 / 400 - 380 / 400) / 2)
    assert (found.failures.value, found.full.value) == pytest.approx((1.5, 0.725))
    assert (found.offered, found.completed, found.rejected, found.lost) == (800, 785, 7, 8)
    empty = FailingRun(count=count((0, 0)), without=count((0, 0)), failures=0, full=1.0)
    nobody = as_they_come([[empty]], 9.0, 1.0)
    assert (nobody.met.value, nobody.worst.value, nobody.change.value) == (0.0, 1.0, 0.0)
