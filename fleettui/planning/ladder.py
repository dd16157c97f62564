"""The rates at which a fleet is simulated to tell how sure it is: rungs of one ladder, whatever its plan is for.

So whoever asks about a fleet has the same shown: between two rungs nothing else counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from fleettui.domain.anchor import Anchor
from fleettui.domain.plan import Look

APART = 0.02
"""By what share of it a rung is above the one below."""
WRITTEN = 1e-3
"""Within so large a share a rate is a rung's: these are written to four digits."""


def rungs(rate: float) -> tuple[float, float]:
    """Return the rates of the ladder between which a rate lies, in requests/s.

    >>> rungs(59.9), rungs(60.3)
    ((59.11, 60.29), (60.29, 61.49))
    """
    at = math.floor(math.log(rate) / math.log1p(APART))
    return rung(at), rung(at + 1)


def place(rate: float) -> int:
    """Return the place of the rung at or below a rate in requests/s.

    >>> place(60.29) - place(60.2), rung(place(60.29))
    (1, 60.29)
    """
    return math.floor(math.log(rate * (1.0 + WRITTEN)) / math.log1p(APART))


def rung(at: int) -> float:
    """Return the rate of the rung at a place."""
    return float(f"{(1.0 + APART) ** at:.4g}")


def above(rate: float) -> float:
    """Return the rate of the next rung above a rate.

    >>> above(60.29), above(60.3), above(60.2)
    (61.49, 61.49, 60.29)
    """
    return rung(place(rate) + 1)


def below(rate: float) -> int:
    """Return the place of the next rung below a rate.

    >>> rung(below(61.49)), rung(below(61.0))
    (60.29, 60.29)
    """
    return place(rate * (1.0 - 2.0 * WRITTEN))


def is_rung(rate: float) -> bool:
    """Return whether a rate is one of the ladder."""
    return rung(place(rate)) == rate


def as_the_rungs_tell(anchors: Sequence[Anchor], looks: Iterable[Look]) -> tuple[Anchor, ...]:
    """Return the anchors of a fleet's pools without ratios of loads between those of two rungs at which it was seen."""
    seen = sorted((look for look in looks if look.evidence.method == "simulation"), key=lambda look: look.rate)
    pairs = [(one, other) for one, other in pairwise(seen) if is_rung(one.rate) and other.rate == above(one.rate)]
    return tuple(
        own.without_between([tuple(look.candidate.pools[place].utilization for look in pair) for pair in pairs])
        for place, own in enumerate(anchors)
    )
