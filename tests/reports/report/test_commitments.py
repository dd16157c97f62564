"""The report's page on what we commit to."""

from dataclasses import replace

from fleettui.reports.report.build import report
from fleettui.reports.report.commitments import TITLE, commitments
from fleettui.reports.report.model import Kept
from tests.reports.studies.test_money import study
from tests.store import samples


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


def test_what_to_commit_to_is_with_the_growth_of_the_page_or_says_without_which(kept: Kept) -> None:
    """Found: a commitment for the load of today, beside orders for 8 % more a month."""
    handle = kept.handle
    grows = replace(samples.study(), kind="growth", question=f"whatif {handle} --growth 8%/month --lead-time 12w")
    plain = replace(study(), question=f"money {handle} --years 3", sentences=("plain",))
    other, alike = (
        replace(study(), question=f"money {handle} --years 3 --growth {growth}", sentences=(growth,))
        for growth in ("5%/month", "8%/month")
    )
    said = f"{{}}: fleettui money {handle} --growth 8%/month."
    for studies, told in (
        ((plain, alike, grows), ("8%/month.",)),
        ((plain, grows), ("Plain.", said.format("This was worked out without growth, not with 8%/month"))),
        ((other, grows), ("5%/month.", said.format("This was worked out with growth of 5%/month, not with 8%/month"))),
        ((plain, alike), ("Plain.",)),
    ):
        (section,) = commitments(replace(kept, studies=studies))
        assert section.sentences[: len(told)] == told
        assert ("This was worked out" in " ".join(section.sentences)) is (len(told) > 1)
