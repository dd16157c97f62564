"""The pictures of a burst: rate, queue and TTFT against time, with the window's ends and the limit."""

from fleettui.reports.burst_text import FACTOR, SECONDS, burst_charts, burst_panes
from fleettui.reports.panes import told
from tests.reports.studies.test_burst import QUESTION, bursts


def test_three_pictures_share_the_window() -> None:
    charts = burst_charts(bursts(), QUESTION)
    assert [one.y.label for one in charts] == ["rate", "waiting", "TTFT"]
    assert {tuple((mark.value, mark.label) for mark in one.stops) for one in charts} == {
        ((5.0, "begins"), (10.0, "ends"))
    }
    assert [[mark.value for mark in one.levels] for one in charts] == [[], [], [0.5]]
    assert all(len(one.series) == 1 for one in charts)


def test_the_page_is_as_wide_as_the_screen() -> None:
    for width in (78, 118):
        page = told(burst_panes(bursts(), QUESTION), width)
        assert max(map(len, page.splitlines())) <= width
        assert (
            page.index("requests per second") < page.index("wait at once, at most") < page.index("TTFT of what comes")
        )


def test_a_factor_reads_before_and_behind_its_sign() -> None:
    assert [FACTOR.parse(text) for text in ("x2", "2x", "1.5")] == [2.0, 2.0, 1.5]
    assert SECONDS.parse("5m") == 300.0
