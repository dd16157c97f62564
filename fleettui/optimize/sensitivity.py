"""How far the inputs move a fleet's size: each alone at its ends, and all of them drawn together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.anchor import Anchor
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.domain.study import Quantity
from fleettui.domain.uncertain import END, Factors
from fleettui.domain.whatif import AS_RECORDED, Lengths, Swing
from fleettui.errors import InputError
from fleettui.hardware.step_cost import rescaled
from fleettui.optimize.fleet_shape import Shape, is_modelled
from fleettui.optimize.ranges import Slices
from fleettui.queueing.arrays import FloatArray
from fleettui.workloads.context_limit import drop_atoms
from fleettui.workloads.scaled import scaled

RATE, LENGTH, HIT, EFFICIENCY = 0.20, 0.10, 0.10, 0.10
"""How far rate, lengths, prefix hit (in points) and efficiencies are moved."""
OVERHEAD = (0.001, 0.005)
"""Seconds that serving engines add to a step, as measured."""
LARGEST_HIT = 0.99
CONTEXT_STEP = 256
PURPOSES = ("rate", "prompt length", "output length", "prefix hit", "step time")
"""One stream of random numbers for each input that is drawn."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFleet:
    """A fleet whose shape is held while its inputs move: what it was planned for, on which hardware.

    `anchors` are those of its pools, none where it was not simulated.
    """

    fleet: Fleet
    question: Question
    profiles: tuple[Profile, ...]
    slices: Slices
    modelled: bool
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
    ) -> HeldFleet:
        """Return the fleet with its traffic; an engine that no profile explains keeps its own step times."""
        return cls(
            fleet=fleet,
            question=question,
            profiles=tuple(profiles),
            slices=slices,
            modelled=is_modelled(fleet, question, profiles, slices),
            planned=Shape.of(fleet, question, profiles, slices, anchors=anchors),
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
        modelled = self.modelled or None
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


def _band(profiles: Sequence[Profile]) -> Factors:
    """Return the ends of the bands of all profiles together."""
    faster, slower = zip(*(profile.step_factors for profile in profiles), strict=True)
    return min(faster), max(slower)


def _other(profile: Profile, situation: Situation) -> Profile:
    """Return a profile whose GPU reaches other shares of its datasheet, under another engine overhead."""
    overhead = profile.step.overhead if situation.overhead is None else situation.overhead
    step = rescaled(profile.step, overhead=overhead, bandwidth=situation.bandwidth, compute=situation.compute)
    return replace(profile, step=step)


Ends = tuple[str, Quantity, float, float, Situation, Situation]
"""An input: its name, what it is, its low and high value, and the situations there."""


def ends(held: HeldFleet, base: Situation) -> tuple[Ends, ...]:
    """Return every input that may be other than thought, with its ends: the rows of a tornado."""
    few, many = base.rate * (1.0 - RATE), base.rate * (1.0 + RATE)
    rows: list[Ends] = [
        ("rate", "rate", few, many, replace(base, rate=few), replace(base, rate=many)),
        _factor("prompt length", LENGTH, *(replace(base, lengths=Lengths(prompt=f)) for f in _around(LENGTH))),
        _factor("output length", LENGTH, *(replace(base, lengths=Lengths(output=f)) for f in _around(LENGTH))),
    ]
    if base.prefix_hit > 0:
        low, high = max(0.0, base.prefix_hit - HIT), min(LARGEST_HIT, base.prefix_hit + HIT)
        rows.append(
            ("prefix hit", "share", low, high, replace(base, prefix_hit=low), replace(base, prefix_hit=high)),
        )
    faster, slower = _band(held.profiles)
    if faster < slower:
        steps = replace(base, step_time=-1.0), replace(base, step_time=1.0)
        rows.append(("step time", "share", faster - 1.0, slower - 1.0, *steps))
    if held.modelled:
        rows += [
            _factor("GPU compute", EFFICIENCY, *(replace(base, compute=f) for f in _around(EFFICIENCY))),
            _factor("GPU bandwidth", EFFICIENCY, *(replace(base, bandwidth=f) for f in _around(EFFICIENCY))),
        ]
        if held.question.engine_overhead is None:
            low, high = OVERHEAD
            engines = replace(base, overhead=low), replace(base, overhead=high)
            rows.append(("overhead", "seconds", low, high, *engines))
    return tuple(rows)


def _factor(name: str, by: float, low: Situation, high: Situation) -> Ends:
    return name, "share", -by, by, low, high


def _around(by: float) -> tuple[float, float]:
    return 1.0 - by, 1.0 + by


def swing(held: HeldFleet, row: Ends) -> Swing:
    """Return what one input does to the fleet's size at its ends."""
    name, quantity, low, high, *situations = row
    found = [held.replicas(one) for one in situations]
    priced = [(None, None) if sizes is None else held.price(sizes) for sizes in found]
    (few, cheap), (many, dear) = priced
    return Swing(name=name, quantity=quantity, low=low, high=high, gpus=(few, many), cost=(cheap, dear))


def by_width(swings: Sequence[Swing]) -> tuple[Swing, ...]:
    """Return the swings, the widest first; equals as they stand."""
    return tuple(sorted(swings, key=lambda one: -one.width))


def draw(base: Situation, *, samples: int, seed: int) -> tuple[Situation, ...]:
    """Return `samples` situations drawn at once over all inputs; the same seed gives the same ones.

    Rate and lengths are lognormal around what was thought, nine in ten within a factor of 1.2 and 1.1 either way; the
    prefix hit, where there is one, is uniform within ±10 points; the step time is lognormal to each side of that
    predicted, nine in ten within the profile's band. A longer sample begins with the shorter one.
    """
    rate = base.rate * _lognormal(RATE, samples, seed, "rate")
    prompt = _lognormal(LENGTH, samples, seed, "prompt length")
    output = _lognormal(LENGTH, samples, seed, "output length")
    moved = _stream(seed, "prefix hit").uniform(-HIT, HIT, samples)
    hit = np.clip(base.prefix_hit + moved, 0.0, LARGEST_HIT) if base.prefix_hit > 0 else np.zeros(samples)
    step = _stream(seed, "step time").standard_normal(samples) / END
    return tuple(
        replace(
            base,
            rate=float(rate[i]),
            lengths=Lengths(prompt=float(prompt[i]), output=float(output[i])),
            prefix_hit=float(hit[i]),
            step_time=float(step[i]),
        )
        for i in range(samples)
    )


def distributions(held: HeldFleet, base: Situation) -> tuple[tuple[str, str], ...]:
    """Return (input, its distribution in words) of `draw`."""
    faster, slower = _band(held.profiles)
    hit = (("prefix hit", f"uniform, +-{HIT * 100:.0f} points"),) if base.prefix_hit > 0 else ()
    return (
        ("rate", f"lognormal, 90 % within a factor of {1.0 + RATE:g}"),
        ("prompt length", f"lognormal, 90 % within a factor of {1.0 + LENGTH:g}"),
        ("output length", f"lognormal, 90 % within a factor of {1.0 + LENGTH:g}"),
        *hit,
        ("step time", f"lognormal, 90 % within {faster - 1.0:+.0%} to {slower - 1.0:+.0%} (the model's error)"),
    )


def _lognormal(within: float, samples: int, seed: int, purpose: str) -> FloatArray:
    """Return factors of median 1 of which nine in ten lie in [1/(1 + within), 1 + within]."""
    return np.asarray(np.exp(math.log1p(within) / END * _stream(seed, purpose).standard_normal(samples)))


def _stream(seed: int, purpose: str) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(PURPOSES.index(purpose),)))
