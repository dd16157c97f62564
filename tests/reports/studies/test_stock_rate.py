from dataclasses import replace

from fleettui.domain.carried import Carried
from fleettui.reports.studies.stock_rate import stock_study
from fleettui.reports.study_text import study_text
from tests.store import samples

ASKED = replace(samples.question(), budget=90.0, max_feed=50e3)


def test_the_greatest_rate_and_the_next_that_is_not_carried_are_told() -> None:
    plan = samples.infeasible("chat")
    seen = [
        Carried(rate=40.0, fleet=samples.candidate(2)),
        Carried(rate=41.65, fleet=samples.candidate(3), confidence=samples.sure(0.6)),
        Carried(rate=42.5),
        Carried(rate=60.0),
    ]
    study = stock_study(plan, ASKED, seen)
    assert study.sentences[0].startswith(
        "within $90.00/h, 40 A100 and 50.0 kW at the meter a fleet carries up to 41.65/s as simulated, -50% on the "
        "83.3/s of plan "
    )
    assert (
        study.sentences[1]
        == f"at 42.5/s none {study.sentences[0].partition(' a fleet')[0]} was shown to hold, as simulated"
    )
    assert study.sentences[2].startswith("at 41.65/s ~60% sure")
    assert [row[1] for row in study.tables[1].rows] == ["a fleet holds"] * 2 + ["none was shown to hold"] * 2
    assert "the whole mix grows by one factor" in study_text(study)
    above = stock_study(plan, ASKED, seen[:2])
    assert above.sentences[1].startswith("at 83.3/s none within"), "of which the plan says so"


def test_where_no_rate_is_carried_that_is_told() -> None:
    study = stock_study(samples.infeasible(), ASKED, [Carried(rate=1.0)])
    assert study.sentences == (
        "within $90.00/h, 40 A100 and 50.0 kW at the meter no fleet holds every limit at any rate that was tried, "
        "as simulated",
    )
    assert len(study.tables) == 1
