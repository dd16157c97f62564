"""What growth simulates before it tells its orders, and the fleets that money and growth name at a rate."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from fleettui.domain.whatif import Stage
from fleettui.planning.edges import Edges
from fleettui.planning.growing import Growing
from tests.reports.studies.test_steps import ABOUT, GROWTH, step

FLEETS = {(): (2, 5, 9), (2,): (2, 5, 9), (2, 5): (2, 4, 8), (2, 4, 5): (2, 4, 7)}
"""The replicas of today's fleet and of the next orders' fleets, by which fleets' ends were simulated."""


@dataclass
class Shown:
    """Edges of a shape, and the desk that they work at: an end that is simulated may move the fleets of all orders."""

    most: int = 3
    ends: set[int] = field(default_factory=set)
    asked: list[int] = field(default_factory=list)
    about = ABOUT
    source = None

    @property
    def desk(self) -> "Shown":
        return self

    @property
    def seen(self) -> tuple[int, ...]:
        return tuple(sorted(self.ends))

    async def looked(self, sizes: Sequence[int]) -> bool:
        (own,) = sizes
        more = own not in self.ends
        self.asked += [own] * more
        self.ends.add(own)
        return more

    async def run(self, task: str, _kind: object, *, anchors: tuple[int, ...], **_: Any) -> tuple[list[Stage], float]:
        assert task == "whatif-grow"
        now = Stage(reached="2026-12-01", order_by="", late=False, rate=100.0, step=step(2, 40.0))
        return [replace(now, step=step(one, 20.0 * one)) for one in FLEETS[anchors]][: self.most], 40.0


async def test_what_is_told_is_what_is_found_once_nothing_is_left_to_simulate() -> None:
    """The second order's fleet changed with what was simulated of it, so that of the changed one is simulated, too."""
    shown = Shown()
    growing = Growing(edges=cast(Edges, shown), growth=GROWTH)
    first, again = await growing.settled(), await growing.settled()
    assert [stage.step.replicas for stage in first[0]] == [(2,), (4,), (7,)]
    assert again == first
    assert shown.asked == [2, 5, 4]


async def test_a_fleet_that_needs_no_order_is_simulated_too() -> None:
    """How far it reaches is what says that none is needed."""
    shown = Shown(most=1)
    stages, _ = await Growing(edges=cast(Edges, shown), growth=GROWTH).settled()
    assert ([stage.step.replicas for stage in stages], shown.asked) == ([(2,)], [2])
