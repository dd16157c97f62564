"""Which limits are so near to what the formulas need that simulations are asked."""

import pytest

from fleettui.domain.joint import Joint, Use
from fleettui.planning.joint_choices import is_near


@pytest.mark.parametrize(("needed", "near"), [((50.0, None), True), ((51.0, 50.0), True), ((51.0, None), False)])
def test_one_limit_that_would_do_by_a_quarter_more_is_near(needed: tuple[float | None, ...], near: bool) -> None:
    uses = [Use(resource=str(place), used=None, most=40.0, would_do=one) for place, one in enumerate(needed)]
    assert is_near(Joint(chosen=None, uses=tuple(uses))) == near


@pytest.mark.parametrize(("needed", "near"), [((50.0, 50.0), True), ((50.0, 51.0), False), ((), False)])
def test_where_none_alone_would_do_all_have_to_be_near(needed: tuple[float, ...], near: bool) -> None:
    uses = tuple(Use(resource=str(place), used=None, most=40.0) for place in range(2))
    together = tuple((str(place), one) for place, one in enumerate(needed))
    assert is_near(Joint(chosen=None, uses=uses, together=together)) == near
