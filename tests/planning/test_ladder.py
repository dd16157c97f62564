"""One ladder of rates, whoever asks."""

import pytest

from fleettui.planning.ladder import APART, above, below, is_rung, place, rung, rungs


@pytest.mark.parametrize("at", [-400, -7, 0, 1, 137, 215, 900])
def test_a_rung_is_its_own_and_the_next_are_beside_it(at: int) -> None:
    own = rung(at)
    assert (place(own), is_rung(own), above(own), below(own)) == (at, True, rung(at + 1), at - 1)
    assert above(own) == pytest.approx(own * (1.0 + APART), rel=1e-3)
    between = own * (1.0 + APART / 2)
    assert (place(between), is_rung(between), rungs(between)) == (at, False, (own, rung(at + 1)))
