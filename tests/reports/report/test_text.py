import pytest

from fleettui.reports.report.build import report
from fleettui.reports.report.model import Kept
from fleettui.reports.report.text import report_markdown, report_text
from tests.reports.report.conftest import NAME


@pytest.mark.parametrize("width", [40, 80, 120])
def test_text_keeps_its_width_and_says_everything(kept: Kept, width: int) -> None:
    page = report(kept)
    text = report_text(page, width)
    assert max(map(len, text.splitlines())) <= width
    flat = " ".join(text.split())
    for section in page.sections:
        assert section.title.upper() in flat
        for sentence in section.sentences:
            assert sentence in flat
    assert NAME in flat


def test_markdown_has_the_same_and_shows_names_as_they_are(kept: Kept) -> None:
    page = report(kept)
    lines = report_markdown(page).splitlines()
    assert lines[0] == f"# Capacity plan {kept.handle}: &lt;b>chat&lt;/b> &amp; talk"
    assert [line[3:] for line in lines if line.startswith("## ")] == [one.title for one in page.sections]
    for section in page.sections:
        for table in section.tables:
            assert sum(line.startswith(f"| {table.columns[0].title} |") for line in lines) >= 1
    assert "<b>" not in "\n".join(lines)
