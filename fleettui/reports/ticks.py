"""Where values lie between the ends of an axis, and which round numbers are written along it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fleettui.reports.chart import Axis

_NICE = (1, 2, 5)
_ALIKE = 1e-9
"""Values closer than this share of their size are one value to a picture."""
_FAR = 1e6
_ROUNDINGS = 4
"""How many values between two ticks an axis may end at, so that little of it stays empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The ends of an axis, low below high."""

    low: float
    high: float
    log: bool = False

    def place(self, value: float) -> float:
        """Return where `value` lies: 0 at the low end, 1 at the high end, and beyond these outside, but not too far."""
        if self.log:
            low = math.log(self.low)
            share = (math.log(value) - low) / (math.log(self.high) - low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(max(share, -_FAR), _FAR)


class Tick(NamedTuple):
    """A value on an axis with its label."""

    value: float
    label: str


def scale(axis: Axis, values: Iterable[float], most: int) -> Scale:
    """Return the ends of `axis` that hold `values`, rounded outwards to what about `most` ticks would stand at.

    An end that the axis itself sets stays as it is.
    """
    low, high = _ends(axis, [value for value in values if axis.shows(value)])
    rounded_low, rounded_high = _outwards(axis, low, high, most)
    return Scale(
        low=low if axis.low is not None else rounded_low,
        high=high if axis.high is not None else rounded_high,
        log=axis.log,
    )


def ticks(axis: Axis, ends: Scale, most: int) -> tuple[Tick, ...]:
    """Return about `most` round values from low to high with their labels, none twice.

    >>> tokens = Axis(label="tokens", write=lambda value: f"{value:,.0f}", log=True, base=2)
    >>> [tick.label for tick in ticks(tokens, Scale(low=16, high=16_384, log=True), 6)]
    ['16', '64', '256', '1,024', '4,096', '16,384']
    """
    found = _log_ticks(axis, ends, most) if axis.log else _told_apart(axis, ends, most)
    written = {axis.write(value): value for value in reversed(found)}
    return tuple(Tick(value, label) for label, value in reversed(written.items()))


def _ends(axis: Axis, values: list[float]) -> tuple[float, float]:
    """Return the ends before rounding: the axis's own or the data's, always low below high."""
    own = [end if end is not None and axis.shows(end) else None for end in (axis.low, axis.high)]
    low = own[0] if own[0] is not None else min(values, default=None)
    high = own[1] if own[1] is not None else max(values, default=None)
    if low is None or high is None:
        known = high if low is None else low
        low = high = known if known is not None else (1.0 if axis.log else 0.0)
    if high - low > _ALIKE * max(abs(low), abs(high)):
        return low, high
    if axis.log:
        return (low, low * 10) if own[0] is not None else (low / 2, low * 2)
    room = abs(low) / 2 or 1.0
    return (low if own[0] is not None or low == 0 else low - room), low + room


def _outwards(axis: Axis, low: float, high: float, most: int) -> tuple[float, float]:
    if not axis.log:
        step = _step(high - low, most * _ROUNDINGS)
        return math.floor(low / step + _ALIKE) * step, math.ceil(high / step - _ALIKE) * step
    if axis.base == 2:
        return 2.0 ** math.floor(math.log2(low) + _ALIKE), 2.0 ** math.ceil(math.log2(high) - _ALIKE)
    below = [value for value in _decades(low, low, range(1, 10)) if value <= low * (1 + _ALIKE)]
    above = [value for value in _decades(high, high, range(1, 10)) if value >= high * (1 - _ALIKE)]
    return max(below), min(above)


def _step(span: float, most: int) -> float:
    """Return the least of 1, 2, 5 times a power of ten that parts `span` into at most `most` pieces.

    >>> _step(0.9, 5), _step(37.0, 4)
    (0.2, 10.0)
    """
    least = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(least))
    return next((nice * power for nice in _NICE if nice * power >= least * (1 - _ALIKE)), 10 * power)


def _linear_ticks(ends: Scale, most: int) -> Iterator[float]:
    step = _step(ends.high - ends.low, most)
    first, last = math.ceil(ends.low / step - _ALIKE), math.floor(ends.high / step + _ALIKE)
    return (float(f"{number * step:.12g}") for number in range(first, last + 1))


def _told_apart(axis: Axis, ends: Scale, most: int) -> list[float]:
    """Return the densest linear ticks whose labels differ, as a label that two would share is true of one at most."""
    rows = [list(_linear_ticks(ends, count)) for count in range(max(most, 1), 0, -1)]
    return next((row for row in rows if len({axis.write(value) for value in row}) == len(row) > 1), rows[0])


def _log_ticks(axis: Axis, ends: Scale, most: int) -> list[float]:
    """Return the densest ticks that are few enough; where even the sparsest are too few, those of a linear axis."""
    rows = [[value for value in row if _inside(value, ends)] for row in _densities(axis, ends)]
    rows = [row for row in rows if len(row) > 1]
    if not rows:
        return [value for value in _linear_ticks(ends, most) if value > 0]
    return next((row for row in rows if len(row) <= most + 1), rows[-1])


def _densities(axis: Axis, ends: Scale) -> Iterator[list[float]]:
    """Yield ticks from dense to sparse: in powers of two, or in 1-2-5 and then decades."""
    if axis.base == 10:
        yield list(_decades(ends.low, ends.high))
    base = float(axis.base)
    first, last = (math.log(end, base) for end in (ends.low, ends.high))
    for stride in (1, 2, 4, 8, 16, 32, 64, 128):
        start, stop = math.floor(first / stride), math.ceil(last / stride)
        yield [base ** (stride * number) for number in range(start, stop + 1) if abs(stride * number) <= 300]


def _decades(low: float, high: float, digits: Iterable[int] = _NICE) -> Iterator[float]:
    """Yield `digits` times the powers of ten from below `low` to above `high`, rising."""
    for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2):
        yield from (float(f"{digit}e{power}") for digit in digits)


def _inside(value: float, ends: Scale) -> bool:
    return ends.low * (1 - _ALIKE) <= value <= ends.high * (1 + _ALIKE)
