"""At which rate a fleet is looked at next, to find the greatest that it holds: at the rungs of one ladder.

So whoever asks about a fleet looks at the same rates, at whatever rate it is asked about, and comes to the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from fleettui.domain.plan import Look
from fleettui.domain.scenario import Question
from fleettui.planning.ladder import above, below, place, rung

INSIDE = 0.995
"""A rate is looked at so far within the expected greatest one: what lies at its limit takes longest to prove."""
NEAR = 2
"""So many rungs above a rate that holds the expected one is as near as the next."""
DOUBTED = 3
"""Rates that do not hold, or do in turn, from which on what was simulated says where to look, not the formulas."""
FARTHEST = 200
"""Rungs down at most that are gone at once, which is to a fiftieth of a rate."""

Seen = tuple[float, float | None]
"""A rate, and the share of a limit that was simulated there, None where none was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What looks showed of how far a fleet reaches, in requests/s.

    `low` is the greatest rate at which it passed, 0 where there is none, `high` the least above at which it did not, of
    so many that are `beyond`. At the rate `crossing` what was simulated would be at its limits, None where that is not
    to be seen.
    """

    low: float
    high: float
    beyond: int = 0
    crossing: float | None = None

    @classmethod
    def of(cls, looks: Sequence[Look], question: Question) -> Reach:
        """Return what looks at a fleet of one size showed, in the order in which they were taken."""
        holding = sorted((look for look in looks if look.holds), key=lambda look: -look.rate)
        low = holding[0].rate if holding else 0.0
        failing = sorted((look for look in looks if not look.holds and look.rate > low), key=lambda look: look.rate)
        high = failing[0].rate if failing else math.inf
        known = [(look.rate, _strain(look, question)) for look in (*holding[:1], *failing[:2])]
        by_failing = len(failing) > 1 and (not low or failing[1].rate / high < high / low)
        crossing = _crossing(known[-2:]) if by_failing else None
        if crossing is None or crossing <= low:  # what holds contradicts a line through what does not
            crossing = _crossing(_less_of_the_other(known[:2], looks))
        return cls(low=low, high=high, beyond=len(failing), crossing=crossing)

    @property
    def shown(self) -> bool:
        """Whether no rung is left between the two."""
        return self.low > 0.0 and self.high <= above(self.low)

    def between(self, expected: float) -> float | None:
        """Return the rate up to which it is `expected` to hold, within what looks showed; None where that is none."""
        if not expected:
            return self.low or None
        return max(self.low, expected if expected < self.high else rung(below(self.high)))

    def next_rung(self, expected: float, climbs: int) -> float | None:
        """Return the rate to look at next, None where none is left; it is `expected` to hold up to one.

        The step doubles, up where so many looks as `climbs` held, and down from rates that do not hold. Where the
        formulas were wrong so often, what was simulated says where its limit is.
        """
        if not expected or self.shown:
            return None
        likely = place(INSIDE * expected)
        if math.isinf(self.high):
            return rung(self._up(likely, climbs) if self.low else likely)
        top = below(self.high)
        doubted = max(self.beyond, climbs) >= DOUBTED
        target = min(likely, top + 1 - (1 << max(0, self.beyond - 1)))
        if doubted and self.crossing is not None:
            target = max(min(place(self.crossing), top), top - FARTHEST)
        if not self.low:
            return rung(target)
        least = place(self.low) + 1
        halfway = self.crossing is None if doubted else target < least
        return rung((least + top) // 2 if halfway else max(least, target))

    def _up(self, likely: int, climbs: int) -> int:
        """Return the rung above a rate that holds: the likely one, or where that is as near, one that may be beyond."""
        now = place(self.low)
        step = 1 << max(0, climbs - 1)
        if climbs > 1:
            return now + max(step, 2 * (likely - now))
        return likely if likely > now + NEAR else now + step


def _strain(look: Look, question: Question) -> float | None:
    """Return the largest share of a limit that a look's latency is, its interval's upper end; None where none is."""
    ends = [(pool.at(limit), limit.seconds) for pool in look.evidence.pools for limit in question.held_limits()]
    known = [(seen.value if seen.high is None else seen.high, most) for seen, most in ends]
    return max((value / most for value, most in known if value is not None), default=None)


def _less_of_the_other(seen: Sequence[Seen], looks: Sequence[Look]) -> list[Seen]:
    """Return the shares at a rate that holds and one that does not, nearer to 1 at the end that did not move last.

    It is halved, on a logarithmic axis, for each look in turn that came to the same as the last: else a line through
    both, where the law is no line, would move one end alone, and by ever less.
    """
    turn = len([*takewhile(lambda look: look.holds == looks[-1].holds, reversed(looks))]) if looks else 0
    still = 1 if turn and looks[-1].holds else 0
    by = 0.5 ** max(0, turn - 1)
    return [(rate, share**by if share and at == still else share) for at, (rate, share) in enumerate(seen)]


def _crossing(seen: Sequence[Seen]) -> float | None:
    """Return the rate at which a line through two (rates, shares of a limit) is at 1, on logarithmic axes.

    >>> f"{_crossing([(10.0, 1.1), (20.0, 1.21)]):.3g}", _crossing([(10.0, 1.1), (20.0, 1.1)]), _crossing([(10.0, 1.1)])
    ('5', None, None)
    """
    points = [(math.log(rate), math.log(share)) for rate, share in seen if share]
    if len(points) < 2:
        return None
    (left, low), (right, high) = points
    return math.exp(left - low * (right - left) / (high - low)) if high > low and right > left else None
