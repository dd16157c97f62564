"""A fleet whose shape is held while its inputs move: a rate, lengths, a share of hits, and how fast its GPUs are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.anchor import Anchor
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.scenario import Question
from fleettui.domain.typed_range import HIT, LENGTHS, TypedRange
from fleettui.errors import InputError
from fleettui.hardware.step_cost import rescaled
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.ranges import Slices
from fleettui.workloads.context_limit import drop_atoms
from fleettui.workloads.scaled import scaled

CONTEXT_STEP = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The inputs that may be other than thought. `rate` in requests/s; `step_time` is how far every
    step time goes towards an end of its profile's band: -1 is the faster, 1 the slower; `compute` and
    `bandwidth` are factors on what the GPUs reach of their datasheet; `overhead` seconds a step, None the profile's.
    """

    rate: float
    lengths: Lengths = AS_RECORDED
    prefix_hit: float = 0.0
    step_time: float = 0.0
    compute: float = 1.0
    bandwidth: float = 1.0
    overhead: float | None = None

    def where(self, typed: TypedRange, value: float) -> Situation:
        """Return the situation where an input that was typed as a range has a `value`, in place of the middle."""
        if typed.key == HIT:
            return replace(self, prefix_hit=value)
        if typed.key in LENGTHS:
            return replace(self, lengths=replace(self.lengths, **{LENGTHS[typed.key]: value}))
        return replace(self, rate=self.rate * value / typed.middle)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFleet:
    """A fleet whose shape is held while its inputs move: what it was planned for, on which hardware.

    `anchors` are those of its pools, none where it was not simulated.
    """

    fleet: Fleet
    question: Question
    profiles: tuple[Profile, ...]
    slices: Slices
    planned: Shape
    anchors: tuple[Anchor, ...] = ()

    @classmethod
    def of(
        cls,
        fleet: Fleet,
        question: Question,
        profiles: Sequence[Profile],
        slices: Slices,
        anchors: Sequence[Anchor] = (),
        *,
        modelled: bool | None = None,
    ) -> HeldFleet:
        """Return the fleet with its traffic; `modelled` is as `Shape.of` has it.

        Else an engine that no profile explains keeps its own step times.
        """
        planned = Shape.of(fleet, question, profiles, slices, modelled=modelled, anchors=anchors)
        return cls(
            fleet=fleet,
            question=question,
            profiles=tuple(profiles),
            slices=slices,
            planned=planned,
            anchors=tuple(anchors),
        )

    def shape(self, situation: Situation) -> Shape | None:
        """Return the fleet's shape in a situation, None where some request fits nowhere."""
        question = replace(self.question, prefix_hit=situation.prefix_hit)
        profiles = [_other(profile, situation) for profile in self.profiles]
        lengthened = self._lengthened(situation.lengths)
        if lengthened is None:
            return None
        slices, fleet = lengthened
        busiest = max(rate for rate, _ in self.slices)
        anchors = self.anchors if self._asks_the_same(situation) else [one.elsewhere for one in self.anchors]
        modelled = self.planned.modelled or None
        try:
            return Shape.of(fleet, question, profiles, slices, busiest, modelled=modelled, anchors=anchors)
        except InputError:
            return None

    def _asks_the_same(self, situation: Situation) -> bool:
        """Return whether requests and engines are those planned for, at whatever rate and speed."""
        planned = Situation(rate=situation.rate, prefix_hit=self.question.prefix_hit, step_time=situation.step_time)
        return situation == planned

    def _lengthened(self, lengths: Lengths) -> tuple[Slices, Fleet] | None:
        """Return slices and fleet with longer or shorter requests.

        The last pool's range grows with them where the question leaves the context open, up to the model's own; what is
        longer is left out where the question allows it, its share of the rate too, and nothing serves it else.
        """
        if lengths == AS_RECORDED:
            return self.slices, self.fleet
        last, most = self.fleet.pools[-1], min(profile.context for profile in self.profiles)
        found = [(rate, scaled(atoms, lengths)) for rate, atoms in self.slices]
        longest = max(prompt + output for _, atoms in found for _, prompt, output in atoms)
        if longest > last.up_to and self.question.context is None:
            grown = min(math.ceil(longest / CONTEXT_STEP) * CONTEXT_STEP, most)
            last = replace(last, up_to=grown, context=max(grown, last.context))
        if longest > last.up_to:
            if not self.question.drop_longer:
                return None
            dropped = [(rate, *drop_atoms(atoms, last.up_to)) for rate, atoms in found]
            found = [(rate * (1.0 - share), atoms) for rate, atoms, share in dropped if atoms]
            if not found:
                return None
        return found, replace(self.fleet, pools=(*self.fleet.pools[:-1], last))

    def replicas(self, situation: Situation) -> tuple[int, ...] | None:
        """Return each pool's replicas by formula in a situation, None where no size holds."""
        shape = self.shape(situation)
        if shape is None:
            return None
        return shape.replicas(situation.rate, situation.step_time)

    def price(self, replicas: Sequence[int]) -> tuple[int, float]:
        """Return the GPUs and US dollars an hour of the fleet at these sizes."""
        return sum(self.planned.gpus(replicas)), self.planned.cost(replicas)


def _other(profile: Profile, situation: Situation) -> Profile:
    """Return a profile whose GPU reaches other shares of its datasheet, under another engine overhead."""
    overhead = profile.step.overhead if situation.overhead is None else situation.overhead
    step = rescaled(profile.step, overhead=overhead, bandwidth=situation.bandwidth, compute=situation.compute)
    return replace(profile, step=step)
