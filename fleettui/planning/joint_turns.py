"""Workloads of a joint plan in turns: each is planned again inside what the fleets of the others leave.

Where no fleets that hold keep the limits together, the others' are those that break them least. Where some do, one
workload after the other that is held back has its better fleet, and the others give way to it, as far as the formulas
promise that all together are better so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.joint import HeldBack, Joint
from fleettui.planning.joint_apart import Left, OneByOne
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.joint_choices import CLOSE, Choices

MOST_TURNS = 3
"""Times that every workload is planned again at most."""
MOST_CHOICES = 32
"""Choices that break limits of which no workload has anything new inside what the others leave, at most."""
MOST_PLANS = 12
"""Plans that are made in turns at most, those that no fleet answers by formula included."""


@dataclass(slots=True, kw_only=True)
class InTurns:
    """The workloads of a joint plan, each with what was proven of it."""

    apart: OneByOne
    menus: Sequence[Menu]
    choices: Choices
    made: int = 0

    async def offer(self) -> None:
        """Offer what workloads have in turns, until they come to nothing new."""
        for _ in range(MOST_TURNS):
            before, best = self._known(), await self._best()
            if best.chosen is None:
                await self._make_room()
            elif not self.apart.question.limits.whole_nodes:  # what one saves there depends on the others
                for held in best.held_back:
                    await self._give_way(best, held)
            if self._known() == before:
                break

    async def _make_room(self) -> None:
        """Plan each workload inside what the others leave in the choice that breaks the limits least, until all fit.

        Where that comes to nothing new, the choice that breaks them least of the others is next.
        """
        tried: set[tuple[int, ...]] = set()
        while self.made < MOST_PLANS and len(tried) < MOST_CHOICES:
            chosen = await self.choices.nearest(self.menus, without=tried)
            if not chosen:
                return
            if not await self._any_inside(chosen):
                tried.add(chosen)
            elif (await self._best()).chosen is not None:
                return

    async def _any_inside(self, chosen: Sequence[int]) -> bool:
        """Plan one workload after the other inside what the others leave in a choice, until one has something new."""
        before = self._known()
        for menu in self.menus:
            await self._inside(menu, chosen)
            if self._known() > before:
                return True
        return False

    async def _give_way(self, best: Joint, held: HeldBack) -> None:
        """Plan a workload that is held back inside what the others leave, and each of these beside its better fleet."""
        assert best.chosen is not None, "nobody is held back in an empty choice"
        below = self.choices.amount(best) * (1 - CLOSE)
        await self._inside(self.menus[held.entry], best.chosen, below)
        wished = (*best.chosen[: held.entry], held.option, *best.chosen[held.entry + 1 :])
        for place, menu in enumerate(self.menus):
            if place != held.entry:
                await self._inside(menu, wished, below)

    async def _inside(self, menu: Menu, chosen: Sequence[int], below: float = math.inf) -> None:
        """Plan a workload inside what the others' fleets leave, as long as plans may be made.

        With these it has to promise less than `below` of the objective.
        """
        if self.made >= MOST_PLANS:
            return
        left, known = Left.of(self.apart.question), len(self.apart.known)
        for other, place in zip(self.menus, chosen, strict=True):
            if other is not menu:
                left.reserve(other.options[place], self.apart.kinds)
                below -= self.choices.amount_of(other.options[place])
        await self.apart.inside(menu, left, below=below)
        self.made += len(self.apart.known) - known

    async def _best(self) -> Joint:
        return await self.choices.best(self.menus, proven_only=True)

    def _known(self) -> int:
        return sum(len(menu.plans) for menu in self.menus)
