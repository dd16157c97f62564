import pytest

from fleettui.errors import InputError
from fleettui.reports.bars import Bars, Whole

HALVES = Whole(title="one", parts=(1.0, 1.0, 0.0), told=("1", "1", "-"))
THIRDS = Whole(title="other", parts=(3.0, 0.0, 6.0), told=("3", "-", "6"))
BARS = Bars(title="both", labels=("a", "b", "c"), wholes=(HALVES, THIRDS), summary="words")


def test_shares_and_the_largest_rows() -> None:
    assert THIRDS.share(2) == pytest.approx(2 / 3) == BARS.largest
    assert BARS.rows(1) == (2,)
    assert BARS.rows(9) == (0, 1, 2)
    assert Whole(title="", parts=(0.0,), told=("-",)).share(0) == 0.0


def test_every_whole_has_a_part_per_label() -> None:
    with pytest.raises(InputError, match="one part per label"):
        Bars(title="", labels=("a",), wholes=(HALVES,), summary="")
