from dataclasses import replace

from fleettui.domain.serialization import dumps
from fleettui.reports.report.build import report
from fleettui.reports.report.bursts import bursts
from fleettui.reports.report.model import Kept
from fleettui.reports.report.page import report_html
from fleettui.reports.report.text import report_markdown, report_text
from tests.reports.studies import test_burst
from tests.reports.studies.test_failures import failed


def test_a_burst_is_told_with_its_phases(kept: Kept) -> None:
    assert bursts(kept) == ()
    page = report(replace(kept, studies=(test_burst.bursts(),)))
    section = next(one for one in page.sections if one.title == "When more comes")
    assert section.sentences[0].startswith("2 times the rate for 5 min")
    assert [row[0] for row in section.tables[0].rows] == ["before", "inside", "recovering", "after"]
    assert report_html(page).count('aria-labelledby="when-more-comes-') == 3
    assert "requests per second" in report_text(page)
    assert "requests per second" in report_markdown(page)
    assert max(map(len, report_text(page).splitlines())) <= 80
    assert '"charts"' not in dumps(page.as_data())


def test_failures_have_a_section_of_their_own(kept: Kept) -> None:
    (section,) = bursts(replace(kept, studies=(failed(),)))
    assert section.title == "When replicas fail"
    assert len(section.tables[0].rows) == 3
