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


def rungs(rate: float) -> tuple[float, float]:
    """Return the rates of the ladder between which a rate lies, in requests/s.

    >>> rungs(59.9), rungs(60.3)
    ((59.11, 60.29), (60.29, 61.49))
    """
    place = math.floor(math.log(rate) / math.log1p(APART))
    low, high = (float(f"{(1.0 + APART) ** one:.4g}") for one in (place, place + 1))
    return low, high


def as_the_rungs_tell(anchors: Sequence[Anchor], looks: Iterable[Look]) -> tuple[Anchor, ...]:
    """Return the anchors of a fleet's pools without ratios of loads between those of two rungs at which it was seen."""
    seen = sorted((look for look in looks if look.evidence.method == "simulation"), key=lambda look: look.rate)
    pairs = [(one, other) for one, other in pairwise(seen) if (one.rate, other.rate) == rungs(one.rate * (1.0 + 1e-3))]
    return tuple(
        own.without_between([tuple(look.candidate.pools[place].utilization for look in pair) for pair in pairs])
        for place, own in enumerate(anchors)
    )
