"""Replicas by the rate of the last three minutes, and one more or fewer by a line through loads, as Dynamo's planner.

Its throughput part asks for the replicas that the rate fills as planned. Its load part never goes below that: a line
through what requests took at the loads of the last cycles foretells what they will take.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import NamedTuple

from fleettui.autoscaling.policy import Decision, Policy, Signals
from fleettui.domain.autoscale import Site

INTERVAL = 180.0
SAMPLES, FEWEST = 64, 5
"""Cycles through which the line goes, and from how many on there is one."""
SLACK = 0.8
"""Part of the planned time that requests may take at most where one replica goes: its sensitivity of 80."""
ROUNDING = 1e-9


class Seen(NamedTuple):
    """The requests in flight at each ready replica in a cycle, and the seconds that those took that it completed."""

    load: float
    seconds: float


class Line(NamedTuple):
    """The seconds that requests are foretold to take at a load: a line through a mean point, which does not fall."""

    load: float
    seconds: float
    rise: float

    @classmethod
    def through(cls, seen: Sequence[Seen]) -> Line:
        """Return the line of least squares.

        >>> rising, falling = [Seen(1.0, 2.0), Seen(3.0, 6.0)], [Seen(1.0, 6.0), Seen(3.0, 2.0)]
        >>> Line.through(rising).at(2.0), Line.through(falling).at(3.0)
        (4.0, 4.0)
        """
        loads, times = zip(*seen, strict=True)
        load, seconds = sum(loads) / len(loads), sum(times) / len(times)
        away = [one - load for one in loads]
        spread = sum([one**2 for one in away])
        rise = sum(map(mul, away, [one - seconds for one in times])) / spread if spread > 0.0 else 0.0
        return cls(load, seconds, max(rise, 0.0))

    def at(self, load: float) -> float:
        """Return the seconds at a load."""
        return self.seconds + self.rise * (load - self.load)


@dataclass(slots=True, kw_only=True)
class Controller:
    """Its throughput part decides once in each interval, and expects of the next what the last one had."""

    site: Site
    since: float = 0.0
    arrived: int = 0
    floor: int | None = None
    rate: float = 0.0
    samples: deque[Seen] = field(default_factory=lambda: deque(maxlen=SAMPLES))

    def decide(self, seen: Signals, /) -> Decision:
        """Return what the rate asks for, or one more or fewer than there are by load, whichever is more."""
        self._note(seen)
        if self.floor is None:
            return Decision(seen.provisioned, lambda: "the first interval is not over")
        by_load, seconds = self._by_load(seen)
        floor, rate = self.floor, self.rate
        wanted = max(floor, by_load)
        return Decision(
            min(max(wanted, self.site.least), self.site.most),
            lambda: (
                f"{rate:.3g}/s over {INTERVAL:g} s, {self.site.replica_rate:.3g}/s for each: asks for {floor}; "
                f"{seconds:.3g} s foretold, {self.site.service_time:.3g} s planned: {by_load}"
            ),
        )

    def _note(self, seen: Signals) -> None:
        self.arrived += seen.arrived
        spent = seen.now - self.since
        if spent + ROUNDING >= INTERVAL:
            self.rate = self.arrived / spent
            self.floor = math.ceil(self.site.replicas(self.rate) - ROUNDING)
            self.since, self.arrived = seen.now, 0
        if seen.completed and seen.ready:
            self.samples.append(Seen(seen.in_flight / seen.ready, seen.sojourn / seen.completed))

    def _by_load(self, seen: Signals) -> tuple[int, float]:
        """Return the replicas by load, and the seconds that are foretold for the present one; none change meanwhile."""
        if len(self.samples) < FEWEST or not seen.ready:
            return 0, 0.0
        each, planned, line = seen.in_flight / seen.ready, self.site.service_time, Line.through(self.samples)
        seconds = line.at(each)
        if seen.provisioned > seen.ready:
            return seen.provisioned, seconds
        if seconds > planned:
            return seen.provisioned + 1, seconds
        fewer = seen.ready > 1 and line.at(each * seen.ready / (seen.ready - 1)) <= SLACK * planned
        return seen.provisioned - int(fewer), seconds


def start(site: Site) -> Controller:
    """Return the planner on a pool."""
    return Controller(site=site)


POLICY = Policy(
    name="throughput",
    help="rate of 180 s and load, as Dynamo's planner",
    law="rate of the last 180 s / the rate that a replica is planned for; by load one more where a line through the "
    "last 64 cycles foretells longer requests than planned, one fewer where that keeps 80%, never below the rate's",
    start=start,
)
