"""A recorded stream at another rate: independent copies of it over each other, the last one thinned.

Its clock is not touched, so the time constants of its bursts stay what they are. More users of the same kind come at
their own times, which evens out how far the rate swings; users who all come at the same time would not be such copies.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

from fleettui.errors import InputError

MOST_COPIES = 10_000
FIRST_LOOK = 1.1
"""How much longer than expected the first look at a stream is."""


class Copy(Protocol):
    """One copy of a stream at its own rate."""

    def __call__(self, draws: Any, seconds: float, /) -> Any:
        """Return its times from 0 to `seconds`, an array that rises; a longer one begins with the shorter one."""


def whole_and_part(times: float) -> tuple[int, float]:
    """Return how many whole copies make `times` the rate, and what is left, the share of a thinned one.

    Raises InputError where they are too many to be drawn.

    >>> whole_and_part(2.25), whole_and_part(0.5)
    ((2, 0.25), (0, 0.5))
    """
    if times > MOST_COPIES:
        raise InputError(
            "the workload was recorded at too low a rate for so many copies of it",
            where="--arrivals",
            value=f"{times:,.0f} times the recorded rate",
            accepted=f"up to {MOST_COPIES:,} times",
            remedy="leave out --arrivals: so many users are Poisson's, or write --arrivals gamma:cv=2",
        )
    whole = math.floor(times)
    return whole, times - whole


def excess_left(times: float) -> float:
    """Return the share of a stream's excess over Poisson's variation that it has at `times` its rate.

    Copies add up means and variances alike; a part of the requests has that part of the excess.

    >>> excess_left(3.0), excess_left(0.5), excess_left(1.5)
    (1.0, 0.5, 0.8333333333333334)
    """
    whole, part = whole_and_part(times)
    return (whole + part * part) / times


def scaling(times: float) -> str:
    """Return in a few words what is made of a stream at `times` its rate.

    >>> scaling(2.5)
    'at 2.5 times their rate copies of them come at times of their own, the clock as it is'
    """
    if times < 1.0:
        return f"at {times:.3g} times their rate that part of them comes, the clock as it is"
    return f"at {times:.3g} times their rate copies of them come at times of their own, the clock as it is"


def merged(draws: Any, requests: int, copy: Copy, *, rate: float, own_rate: float) -> Any:
    """Return the first `requests` times of copies of `own_rate` per second each that make `rate` together, an array."""
    whole, part = whole_and_part(rate / own_rate)
    streams, picking = draws.spawn(whole + 1), draws.spawn(1)[0]
    states = [one.bit_generator.state for one in (*streams, picking)]
    xp = draws.random(0).__array_namespace__()
    seconds = FIRST_LOOK * requests / rate
    while True:
        for one, state in zip((*streams, picking), states, strict=True):
            one.bit_generator.state = state
        times = [copy(one, seconds) for one in streams[:whole]]
        if part:
            last = copy(streams[whole], seconds)
            times.append(last[picking.random(len(last)) < part])
        found = xp.sort(xp.concatenate(times))
        if len(found) >= requests:
            return found[:requests]
        seconds *= 2.0
