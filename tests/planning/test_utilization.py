"""How busy pools may be: as was asked, which a fleet that was given and is busier is told."""

from dataclasses import replace

import pytest

from fleettui.planning.utilization import warned
from tests.planning.test_busy_minutes import HOLDS
from tests.store import samples

BUSIER = "it is 81% busy, plans at most 50%: spare, rate and sure keep to that; --max-utilization moves it"


@pytest.mark.parametrize(("most", "told"), [(0.5, (BUSIER,)), (0.9, ())])
def test_a_fleet_that_is_given_is_told_that_it_is_busier_than_was_asked(most: float, told: tuple[str, ...]) -> None:
    """The sample's pools are .79 and .81 busy; of one that was searched for nothing is told to be spare."""
    asked, searched = replace(samples.question(), max_utilization=most), samples.answer(1)
    assert (warned(replace(searched, stock=HOLDS), asked), warned(searched, asked)) == (told, ())
