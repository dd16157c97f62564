"""Choices of one fleet for each workload of a joint plan, out of what is known of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.joint import Joint, JointQuestion, Kind, Option
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.studies.study_context import StudyContext

CLOSE = 0.01
"""Share of the objective that a combination which is not simulated must promise to save, to be looked into."""
NEAR = 1.25
"""So many times a limit the formulas may need for simulations to be asked whether the limit itself does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """How a joint question's fleets are chosen; places are those in the menus."""

    desk: StudyContext
    question: JointQuestion
    kinds: tuple[Kind, ...]

    async def best(self, menus: Sequence[Menu], *, proven_only: bool = False) -> Joint:
        """Return the best combination of what is not known to fail."""
        places = [menu.places(proven_only=proven_only) for menu in menus]
        if not all(places):
            return Joint(chosen=None)
        joint = await self.desk.run(
            "joint-choice",
            Joint,
            tables=[[menu.options[one] for one in own] for menu, own in zip(menus, places, strict=True)],
            kinds=self.kinds,
            limits=self.question.limits,
            objective=self.question.objective,
        )
        joint = replace(joint, simulated=proven_only)
        if joint.chosen is None:
            return joint
        return replace(
            joint,
            chosen=tuple(own[one] for own, one in zip(places, joint.chosen, strict=True)),
            held_back=tuple(replace(one, option=places[one.entry][one.option]) for one in joint.held_back),
        )

    def amount(self, joint: Joint) -> float:
        """Return what a choice takes of the objective."""
        return self.question.amount(cost=joint.cost, gpus=sum(joint.paid), power=joint.power)

    def amount_of(self, option: Option) -> float:
        """Return what one fleet takes of the objective."""
        return self.question.amount(cost=option.cost(self.kinds), gpus=sum(option.gpus), power=option.watts)

    async def nearest(self, menus: Sequence[Menu], *, without: Collection[tuple[int, ...]] = ()) -> tuple[int, ...]:
        """Return the fleets that break the limits least, of each menu one that is proven if it has any.

        They are none of the combinations in `without`. Empty where there is no other, or where everything that a menu
        has is known to fail.
        """
        places = [menu.places(proven_only=True) or menu.places() for menu in menus]
        if not all(places):
            return ()
        found = await self.desk.run(
            "joint-nearest",
            tuple[int, ...],
            tables=[[menu.options[one] for one in own] for menu, own in zip(menus, places, strict=True)],
            kinds=self.kinds,
            limits=self.question.limits,
            without=_within(places, without),
        )
        return tuple(own[one] for own, one in zip(places, found, strict=True)) if found else ()


def _within(places: Sequence[Sequence[int]], chosen: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return where combinations are in each menu's `places`; one that is in them no more is left out."""
    found = [one for one in chosen if all(place in own for own, place in zip(places, one, strict=True))]
    return [tuple(own.index(place) for own, place in zip(places, one, strict=True)) for one in found]


def is_near(joint: Joint) -> bool:
    """Return whether limits that would do by formula are so NEAR that those that are asked for may do as simulated."""
    most = {use.resource: use.most or 0.0 for use in joint.uses}
    alone = [use.would_do <= NEAR * most[use.resource] for use in joint.uses if use.would_do is not None]
    return any(alone) or (bool(joint.together) and all(needed <= NEAR * most[name] for name, needed in joint.together))
