"""Intervals that narrow towards their limits while runs come, one line a round: a picture of how a proof goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from fleettui.reports import units

if TYPE_CHECKING:
    from fleettui.domain.progress import Interval

NARROWEST = 8
"""Characters of the narrowest scale."""
MARGIN = 0.1
"""What is left free at both ends of a scale, as a share of what is drawn."""
Rounds: TypeAlias = "Sequence[tuple[Interval, ...]]"


def narrowing_lines(rounds: Rounds, width: int, most: int) -> list[str]:
    """Return the intervals after each round, at most `most` lines: the last of every limit, after the tightest's past.

    >>> from fleettui.domain.progress import Interval
    >>> one = Interval(name="P99 TTFT", low=0.4, value=0.5, high=0.6, limit=1.0, runs=4)
    >>> narrowing_lines([(one,)], 60, 1)
    ['P99 TTFT  0.50 s +-20%  4 runs  ..(==o==).............|.. 1s']
    """
    last = sorted(rounds[-1], key=lambda one: -one.high / one.limit)[:most] if rounds else []
    if not last:
        return []
    every = [one for found in rounds for one in found]
    past = [one for one in every if one.name == last[0].name and one is not last[0]]
    shown = [*past[max(len(past) - (most - len(last)), 0) :], *last]
    heads = [f"{one.name}  {units.seconds(one.value)} {_width(one)}" for one in shown]
    runs = [f"{one.runs} runs" for one in shown]
    limits = [f" {units.limit(one.limit)}" for one in shown]
    head, run, limit = (max(map(len, words)) for words in (heads, runs, limits))
    room = max(width - head - run - limit - len("    "), NARROWEST)
    spans = {name: _span([one for one in every if one.name == name]) for name in {one.name for one in shown}}
    return [
        f"{words:<{head}}  {count:>{run}}  {drawn(one, spans[one.name], room)}{end}"
        for words, count, one, end in zip(heads, runs, shown, limits, strict=True)
    ]


def drawn(one: Interval, span: tuple[float, float], room: int) -> str:
    """Return an interval in seconds between the ends of `span`, its limit a stroke: ...(=o=)....|..

    >>> from fleettui.domain.progress import Interval
    >>> drawn(Interval(name="", low=0.5, value=0.75, high=1.0, limit=1.25, runs=4), (0.0, 1.5), 16)
    '.....(=o==).|...'
    """
    first, last = span

    def place(value: float) -> int:
        return min(max(int((value - first) / (last - first) * (room - 1)), 0), room - 1)

    line = ["."] * room
    line[place(one.limit)] = "|"
    low, high = place(one.low), place(one.high)
    line[low : high + 1] = "=" * (high + 1 - low)
    line[low], line[high], line[place(one.value)] = "(", ")", "o"
    return "".join(line)


def _span(found: Sequence[Interval]) -> tuple[float, float]:
    """Return the ends of the scale on which all of one latency's intervals lie with their limit."""
    low = min(min(one.low, one.limit) for one in found)
    high = max(max(one.high, one.limit) for one in found)
    free = (high - low or high or 1.0) * MARGIN
    return low - free, high + free


def _width(one: Interval) -> str:
    return f"+-{units.percent((one.high - one.low) / 2 / one.value)}" if one.value else ""
