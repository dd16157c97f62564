"""Runs with an outage beside those without: every request ends somewhere, differences are run by run."""

from dataclasses import replace

import pytest

from fleettui.simulation.outage_figures import outage_figures
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
