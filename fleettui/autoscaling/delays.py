"""How long each launch of a replica takes: always as long, or each its own time about the mean."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from fleettui.domain.autoscale import Site


def delays(site: Site, luck: np.random.Generator | None) -> Callable[[], float]:
    """Return what tells the seconds of one launch after the other; raises AssertionError without `luck` that it needs.

    They are lognormal with the site's mean and coefficient of variation.

    >>> from fleettui.domain.autoscale import Rules
    >>> from fleettui.domain.day import steady
    >>> own = dict(slots=1.0, service_time=1.0, replica_rate=1.0, least=1, most=2, rules=Rules(), day=steady(1.0, 60.0))
    >>> delays(Site(delay=300.0, **own), None)()
    300.0
    >>> next_one = delays(Site(delay=300.0, delay_cv=0.5, **own), np.random.default_rng(1))
    >>> abs(float(np.mean([next_one() for _ in range(20_000)])) / 300.0 - 1.0) < 0.02
    True
    """
    if not site.delay_cv or not site.delay:
        return lambda: site.delay
    assert luck is not None, "launches of their own time need luck"
    variance = math.log1p(site.delay_cv**2)
    middle, deviation = math.log(site.delay) - variance / 2.0, math.sqrt(variance)
    return lambda: math.exp(middle + deviation * float(luck.standard_normal()))
