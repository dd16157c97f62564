from fleettui.reports.bars_text import bars_text, draw_bars
from tests.reports.test_bars import BARS


def test_bars_are_as_long_as_their_shares() -> None:
    assert bars_text(BARS, 40).splitlines() == [
        "both",
        "   one               other",
        "a  1   50% ######    3   33% ####",
        "b  1   50% ######    -     -",
        "c  -     -           6   67% ########",
        "words",
    ]


def test_the_smallest_go_where_there_is_little_room() -> None:
    lines = ["".join(span.text for span in line).rstrip() for line in draw_bars(BARS, 40, 3, "braille")]
    assert lines[0] == "both   (2 smaller left out)"
    assert lines[2].startswith("c ")
    assert lines[2].endswith("█")
