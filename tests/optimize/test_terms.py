"""Terms are the question's limits with the headroom taken off."""

from dataclasses import replace

import pytest

from fleettui.domain.slo import Slo
from fleettui.optimize.terms import Terms
from tests.optimize.samples import question


def test_headroom_and_percentile() -> None:
    asked = replace(question(headroom=0.25), slo=Slo(ttft=0.4, e2e=8.0, percentile=0.95))
    terms = Terms.of(asked)
    assert {one.name: one.seconds for one in terms.limits} == pytest.approx({"ttft": 0.3, "e2e": 6.0})
    assert terms.exceeded == pytest.approx(0.05)
    assert terms.max_utilization == 0.85
