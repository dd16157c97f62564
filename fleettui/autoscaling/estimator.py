"""The capacity estimator: how many replicas the observed work asks for, term by term, each with its reason.

L = λW slots are in service in a steady state (Little's law); β√L more hold the waits of interactive traffic (square
root staffing); a backlog is drained within a target time; a burst of rejects adds capacity at once. The estimate rises
at once and falls by a step. Terms are in slots, of which a replica has several: the square root is taken of slots.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from fleettui.errors import InputError

Kind = Literal["interactive", "batch"]
BETA, DRAIN = 1.5, 300.0
BURST, BURST_WINDOW = 3, 60.0
"""Rejects within so many seconds that are a burst (this project's choice; the article names none)."""
BOOST, HOLD = 0.25, 300.0
"""Share of what is provisioned that a burst adds, and how long it is held before it falls by steps (ours too)."""
IDLE = 600.0
"""Seconds without demand after which nothing need run."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the estimator is set. `slots` are a replica's, `step` replicas a minute, `cycle` seconds between estimates.

    `warm` replicas are added to what is estimated; `least` and `most` bound the target. It does not fall for `hold`
    seconds after it last rose (this project's addition; none in the article). Raises InputError for a step of 0, by
    which it would never fall, and for bounds that leave nothing between them.
    """

    kind: Kind = "interactive"
    slots: float = 1.0
    beta: float = BETA
    drain: float = DRAIN
    step: float = 1.0
    cycle: float = 15.0
    least: int = 0
    most: int = 2**31
    warm: int = 0
    hold: float = 0.0

    def __post_init__(self) -> None:
        for name in ("slots", "drain", "step", "cycle"):
            if not getattr(self, name) > 0.0:
                raise InputError(f"the estimator's {name} must be above 0", value=getattr(self, name))
        if self.most < max(self.least, 1):
            raise InputError("the most replicas are fewer than the least", value=f"{self.least} to {self.most}")


class Observed(NamedTuple):
    """What is seen in a cycle: `rate` is offered, rejects included, retries left out; `pending` waits or is served.

    `service_time` is of a request at full load; `rejected` are those of the last minute; `provisioned` replicas
    count those that are still starting.
    """

    rate: float
    service_time: float
    pending: float = 0.0
    rejected: int = 0
    provisioned: int = 0


class Terms(NamedTuple):
    """The parts of an estimate, in slots."""

    load: float
    headroom: float
    excess: float
    drain: float
    boost: float

    @property
    def raw(self) -> float:
        """Their sum; the excess is what the drain is worked out from."""
        return self.load + self.headroom + self.drain + self.boost

    @property
    def reason(self) -> str:
        """The sum in words, without the parts that are nothing.

        >>> Terms(load=22.0, headroom=7.04, excess=72.0, drain=2.4, boost=0.0).reason
        'raw 31.4 = L 22.0 + head 7.0 + drain 2.4'
        """
        parts = {"L": self.load, "head": self.headroom, "drain": self.drain, "boost": self.boost}
        told = [f"{name} {value:.1f}" for name, value in parts.items() if value or name == "L"]
        return f"raw {self.raw:.1f} = {' + '.join(told)}"


class Estimate(NamedTuple):
    """What a cycle comes to: its terms, the smoothed slots, the target in replicas, and those to launch.

    It is `quiet` where nobody has asked for so long that nothing need run.
    """

    terms: Terms
    smooth: float
    target: int
    launch: int
    quiet: bool

    @property
    def reason(self) -> str:
        """It in words."""
        if self.quiet:
            return f"no demand for {IDLE:g} s"
        held = self.smooth > self.terms.raw + ROUNDING
        return f"{self.terms.reason}; held at {self.smooth:.1f}" if held else self.terms.reason


def terms(seen: Observed, settings: Settings, boost: float = 0.0) -> Terms:
    """Return the terms of what is seen; `boost` are slots.

    >>> found = terms(Observed(rate=2.0, service_time=10.0), Settings())
    >>> found.load, round(found.raw, 3)
    (20.0, 26.708)
    """
    load = seen.rate * seen.service_time
    headroom = settings.beta * math.sqrt(load) if settings.kind == "interactive" else 0.0
    excess = max(0.0, seen.pending - load - headroom)
    return Terms(load, headroom, excess, excess * seen.service_time / settings.drain, boost)


def smoothed(raw: float, before: float | None, fall: float) -> float:
    """Return the estimate after smoothing: up at once, down by at most `fall`.

    >>> smoothed(9.0, 14.0, 2.0), smoothed(14.0, 10.0, 2.0)
    (12.0, 14.0)
    """
    return raw if before is None else max(raw, before - fall)


def replicas_for(slots: float, settings: Settings) -> int:
    """Return the replicas that hold so many slots, at least 1, within the bounds."""
    whole = max(1, math.ceil(slots / settings.slots - ROUNDING)) + settings.warm
    return min(max(whole, settings.least), settings.most)


@dataclass(slots=True, kw_only=True)
class Estimator:
    """The estimator from cycle to cycle."""

    settings: Settings
    smooth: float | None = None
    boost: float = 0.0
    boosted: float = -math.inf
    busy: float = field(default=-math.inf)
    rose: float = field(default=-math.inf)

    def cycle(self, seen: Observed, now: float) -> Estimate:
        """Return the estimate of the cycle that ends `now`, in seconds."""
        own = self.settings
        fall = own.step * own.cycle / 60.0
        if self.boost or seen.rejected >= BURST:
            self._note_rejects(seen, now, fall)
        found = terms(seen, own, self.boost * own.slots)
        raw = found.raw
        if self.smooth is None or raw > self.smooth:
            self.rose = now
        held = now - self.rose < own.hold
        self.smooth = smoothed(raw, self.smooth, 0.0 if held else fall * own.slots)
        if seen.rate > 0.0 or seen.pending > 0:
            self.busy = now
        quiet = now - self.busy >= IDLE and own.least == 0
        target = 0 if quiet else replicas_for(self.smooth, own)
        return Estimate(found, self.smooth, target, max(0, target - seen.provisioned), quiet)

    def _note_rejects(self, seen: Observed, now: float, fall: float) -> None:
        """Raise the boost at a burst of rejects, from what is provisioned without it; let it fall after the hold."""
        if seen.rejected >= BURST:
            own = max(1.0, seen.provisioned - self.boost)
            self.boost, self.boosted = max(self.boost, float(math.ceil(BOOST * own))), now
        elif now - self.boosted > HOLD:
            self.boost = max(0.0, self.boost - fall)
