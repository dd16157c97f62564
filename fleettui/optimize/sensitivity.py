"""How far the inputs move a fleet's size: each alone at its ends, and all of them drawn together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.hardware import Profile
from fleettui.domain.length_factors import Lengths
from fleettui.domain.study import Quantity
from fleettui.domain.typed_range import HIT as HITS
from fleettui.domain.typed_range import LENGTHS, LIKELY_HIT, OF_RATE, TypedRange
from fleettui.domain.uncertain import END, Factors
from fleettui.domain.whatif import Swing
from fleettui.optimize.held_fleet import HeldFleet, Situation
from fleettui.queueing.arrays import FloatArray

RATE, LENGTH, HIT, EFFICIENCY = 0.20, 0.10, 0.10, 0.10
"""How far rate, lengths, prefix hit (in points) and efficiencies are moved."""
OVERHEAD = (0.001, 0.005)
"""Seconds that serving engines add to a step, as measured."""
LARGEST_HIT = 0.99
PURPOSES = ("rate", "prompt length", "output length", "prefix hit", "step time", *OF_RATE)
"""One stream of random numbers for each input that is drawn."""
QUANTITIES: dict[str, Quantity] = {
    "rate": "rate",
    "users": "count",
    "requests-per-user": "share",
    "peak-factor": "number",
    "tokens": "share",
    "peak-hour": "share",
    HITS: "share",
    **dict.fromkeys(LENGTHS, "share"),
}
"""What the inputs are that may be typed as a range; those per user or day are told by how far they are off."""
OFF = ("requests-per-user", "tokens", *LENGTHS)


def _band(profiles: Sequence[Profile]) -> Factors:
    """Return the ends of the bands of all profiles together."""
    faster, slower = zip(*(profile.step_factors for profile in profiles), strict=True)
    return min(faster), max(slower)


Ends = tuple[str, Quantity, float, float, Situation, Situation]
"""An input: its name, what it is, its low and high value, and the situations there."""


def ends(held: HeldFleet, base: Situation) -> tuple[Ends, ...]:
    """Return every input that may be other than thought, with its ends: the rows of a tornado."""
    typed = held.question.ranges
    few, many = base.rate * (1.0 - RATE), base.rate * (1.0 + RATE)
    guessed: Ends = ("rate", "rate", few, many, replace(base, rate=few), replace(base, rate=many))
    rows: list[Ends] = [
        *((guessed,) if not _of_rate(typed) else ()),
        *(_typed(one, base) for one in typed),
        *(
            _factor(
                key.replace("-", " "), LENGTH, *(replace(base, lengths=Lengths(**{part: f})) for f in _around(LENGTH))
            )
            for key, part in LENGTHS.items()
            if key not in {one.key for one in typed}
        ),
    ]
    if held.question.says_nothing_of_hits():
        rows.append(("prefix hit", "share", 0.0, LIKELY_HIT, base, replace(base, prefix_hit=LIKELY_HIT)))
    elif base.prefix_hit > 0 and not _of_hits(typed):
        low, high = max(0.0, base.prefix_hit - HIT), min(LARGEST_HIT, base.prefix_hit + HIT)
        rows.append(
            ("prefix hit", "share", low, high, replace(base, prefix_hit=low), replace(base, prefix_hit=high)),
        )
    faster, slower = _band(held.profiles)
    if faster < slower:
        steps = replace(base, step_time=-1.0), replace(base, step_time=1.0)
        rows.append(("step time", "share", faster - 1.0, slower - 1.0, *steps))
    if held.planned.modelled:
        rows += [
            _factor("GPU compute", EFFICIENCY, *(replace(base, compute=f) for f in _around(EFFICIENCY))),
            _factor("GPU bandwidth", EFFICIENCY, *(replace(base, bandwidth=f) for f in _around(EFFICIENCY))),
        ]
        if held.question.engine_overhead is None:
            low, high = OVERHEAD
            engines = replace(base, overhead=low), replace(base, overhead=high)
            rows.append(("overhead", "seconds", low, high, *engines))
    return tuple(rows)


def _of_rate(typed: Sequence[TypedRange]) -> list[TypedRange]:
    return [one for one in typed if one.key in OF_RATE]


def _of_hits(typed: Sequence[TypedRange]) -> list[TypedRange]:
    return [one for one in typed if one.key == HITS]


def _typed(one: TypedRange, base: Situation) -> Ends:
    """Return an input that was typed as a range, at the ends of that."""
    situations = base.where(one, one.low), base.where(one, one.high)
    low, high = (end / one.middle - 1.0 if one.key in OFF else end for end in (one.low, one.high))
    return one.key.replace("-", " "), QUANTITIES[one.key], low, high, *situations


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


def draw(base: Situation, *, samples: int, seed: int, typed: Sequence[TypedRange] = ()) -> tuple[Situation, ...]:
    """Return `samples` situations drawn at once over all inputs; the same seed gives the same ones.

    What was `typed` as a range is drawn from that. Else the rate and the lengths are lognormal around what was thought,
    nine in ten within a factor of 1.2 and 1.1 either way; the prefix hit, where there is one, is uniform within ±10
    points. The step time is lognormal to each side of that predicted, nine in ten within the profile's band. A longer
    sample begins with the shorter one.
    """
    rate = np.full(samples, base.rate) if _of_rate(typed) else base.rate * _lognormal(RATE, samples, seed, "rate")
    for one in _of_rate(typed):
        rate = rate * _within(one, samples, seed) / one.middle
    prompt, output = (_lengthened(key, samples, seed, typed) for key in LENGTHS)
    moved = _stream(seed, "prefix hit").uniform(-HIT, HIT, samples)
    hit = np.clip(base.prefix_hit + moved, 0.0, LARGEST_HIT) if base.prefix_hit > 0 else np.zeros(samples)
    for one in _of_hits(typed):
        hit = _within(one, samples, seed)
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
    typed = held.question.ranges
    guessed = base.prefix_hit > 0 and not _of_hits(typed)
    hit = (("prefix hit", f"uniform, +-{HIT * 100:.0f} points"),) if guessed else ()
    rate = () if _of_rate(typed) else (("rate", f"lognormal, 90 % within a factor of {1.0 + RATE:g}"),)
    return (
        *rate,
        *((one.key.replace("-", " "), f"{one.law}, within the range typed") for one in typed),
        *(
            (key.replace("-", " "), f"lognormal, 90 % within a factor of {1.0 + LENGTH:g}")
            for key in LENGTHS
            if key not in {one.key for one in typed}
        ),
        *hit,
        ("step time", f"lognormal, 90 % within {faster - 1.0:+.0%} to {slower - 1.0:+.0%} (the model's error)"),
    )


def _lengthened(key: str, samples: int, seed: int, typed: Sequence[TypedRange]) -> FloatArray:
    """Return factors on the tokens of all requests."""
    own = next((one for one in typed if one.key == key), None)
    return _lognormal(LENGTH, samples, seed, key.replace("-", " ")) if own is None else _within(own, samples, seed)


def _within(one: TypedRange, samples: int, seed: int) -> FloatArray:
    """Return values of an input that was typed as a range."""
    purpose = one.key if one.key in OF_RATE else one.key.replace("-", " ")
    return np.array([one.at(share) for share in _stream(seed, purpose).uniform(0.0, 1.0, samples).tolist()])


def _lognormal(within: float, samples: int, seed: int, purpose: str) -> FloatArray:
    """Return factors of median 1 of which nine in ten lie in [1/(1 + within), 1 + within]."""
    return np.asarray(np.exp(math.log1p(within) / END * _stream(seed, purpose).standard_normal(samples)))


def _stream(seed: int, purpose: str) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(PURPOSES.index(purpose),)))
