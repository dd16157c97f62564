from xml.etree import ElementTree

from fleettui.reports.bars_svg import WIDTH, bars_svg
from tests.reports.test_bars import BARS

SVG = "{http://www.w3.org/2000/svg}"


def test_the_longest_bar_ends_inside_and_words_are_escaped() -> None:
    picture = ElementTree.fromstring(bars_svg([BARS, BARS]))
    bars = [one for one in picture.iter(f"{SVG}rect") if one.get("fill") != "#ffffff"]
    assert len(bars) == 2 * 2 * 3
    assert max(float(one.get("x", 0)) + float(one.get("width", 0)) for one in bars) <= WIDTH
    assert picture.get("aria-label") == "both; both"
