from dataclasses import replace

from fleettui.reports.report.apart_and_power import apart_and_power
from fleettui.reports.report.build import report
from fleettui.reports.report.model import Kept
from fleettui.reports.report.text import report_text
from tests.reports.studies import test_disagg, test_power


def test_what_was_studied_has_a_section_of_its_own(kept: Kept) -> None:
    assert apart_and_power(kept) == ()
    apart, power = test_disagg.study(), test_power.study()
    page = report(replace(kept, studies=(power, apart)))
    found = {one.title: one for one in page.sections}
    first, second = found["Prefill and decode apart"], found["On less power"]
    assert [row[0] for row in first.tables[0].rows] == ["together", "apart"]
    assert any("H100 tp4 x10" in cell and "H100 tp4 x4" in cell for row in first.tables[0].rows for cell in row)
    assert first.sentences[0][0].isupper()
    assert "kW" in second.sentences[0]
    assert len(second.tables[0].rows) == len(power.tables[0].rows)
    assert max(map(len, report_text(page).splitlines())) <= 80
