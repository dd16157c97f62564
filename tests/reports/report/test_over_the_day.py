from dataclasses import replace

from fleettui.reports.report.build import report
from fleettui.reports.report.model import Kept
from fleettui.reports.report.over_the_day import over_the_day
from tests.reports.studies.test_autoscale import KEDA, PEAK, figures, study


def test_a_replayed_day_is_told_with_its_front_alone(kept: Kept) -> None:
    assert over_the_day(kept) == ()
    found = replace(study(PEAK, KEDA, figures("knative", 330.0, 0.99)), handle="ab05")
    page = report(replace(kept, studies=(found,)))
    section = next(one for one in page.sections if one.title == "Over a day")
    assert section.sentences[0].startswith("Keda is the cheapest that keeps the SLO")
    assert [row[0] for row in section.tables[0].rows] == ["keda", "static-peak"]
    assert "fleettui show ab05" in section.tables[0].note
