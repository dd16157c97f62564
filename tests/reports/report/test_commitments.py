"""The report's page on what we commit to."""

from dataclasses import replace

from fleettui.reports.report.build import report
from fleettui.reports.report.commitments import TITLE, commitments
from fleettui.reports.report.model import Kept
from tests.reports.studies.test_money import study


def test_what_to_commit_to_stands_with_prices_by_class_and_date(kept: Kept) -> None:
    assert commitments(kept) == ()
    page = report(replace(kept, studies=(study(),)))
    section = next(one for one in page.sections if one.title == TITLE)
    assert section.sentences[0].startswith("Cheapest without autoscaling: peak, reserved-1y, 32 committed GPUs")
    ways, commit, prices, served, bound = section.tables
    assert ways.rows[0][0] == "peak, on demand"
    assert commit.rows[0][0] == bound.rows[0][0] == "H100"
    assert [row[1] for row in prices.rows] == ["on-demand", "reserved-1y"]
    assert served.rows[0][0] == "1,000 requests"
