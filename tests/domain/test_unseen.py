"""Which hardware of a fleet a question's own fit has not seen is named once, behind the fleet."""

from dataclasses import replace

from fleettui.domain.calibration import BACKTEST, Source
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.unseen import fleet_as_seen, not_fitted, unseen
from tests.optimize.test_fit_words import fleet
from tests.own_fits import FIT, values

ASKED = Question(slo=Slo(ttft=0.5), **values())
PRODUCTION = replace(FIT, sources=(Source(path="backtest 41a7", digest="ab" * 32, format=BACKTEST, points=3),))


def test_what_was_not_seen_is_named_behind_the_fleet() -> None:
    """Found: "next without b200: H100 tp8 x3" beside a correction of tp4, which says nothing of tp8."""
    assert fleet_as_seen(fleet(4, 8), ASKED) == "H100 tp4 x3 + tp8 x3 (h100 tp8 not fitted)"
    corrected = replace(ASKED, fit=PRODUCTION)
    assert not_fitted(fleet(2, 8, 4), corrected) == "h100 tp2, h100 tp8 not corrected"


def test_nothing_is_named_of_what_was_seen_or_without_a_fit() -> None:
    assert fleet_as_seen(fleet(4), ASKED) == "H100 tp4 x3"
    assert unseen(fleet(8), replace(ASKED, fit=None)) == not_fitted(fleet(8), replace(ASKED, fit=None)) == ""
