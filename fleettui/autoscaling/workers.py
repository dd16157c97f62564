"""The replicas of a pool over time: launched, ready, draining, gone, and what is paid for them.

A replica is paid for from its launch until it is gone. Those that go first are the ones still starting, first the one
that would be ready last, then the one that was; it finishes what it has and gets no more.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field

from fleettui.autoscaling.exclusion import Exclusion
from fleettui.domain.autoscale import Event
from fleettui.simulation.elastic import ElasticPool

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Starting:
    """A replica that is not ready yet, or one that never will be: when it should be, its launch has `failed`."""

    launched: float
    ready: float
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """A replica that finishes what it has, for as long as it may."""

    launched: float
    left: float
    until: float = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """From when to when a replica was paid for."""

    launched: float
    gone: float


@dataclass(slots=True, kw_only=True)
class Workers:
    """The replicas of `pool`, each of which starts in a `delay` in seconds; those that serve at first came at 0.

    Of those that serve, `exclusion` leaves out some, if any are to be.
    `failing` are the events in which launches come to nothing: of each share every so many, alike for all policies.
    """

    pool: ElasticPool
    delay: Callable[[], float]
    exclusion: Exclusion | None = None
    failing: tuple[Event, ...] = ()
    share_due: float = 0.0
    starting: list[Starting] = field(default_factory=list)
    serving: list[float] = field(default_factory=list)
    leaving: dict[int, Leaving] = field(default_factory=dict)
    bills: list[Bill] = field(default_factory=list)
    launched: int = 0

    def __post_init__(self) -> None:
        self.serving = [0.0] * self.pool.serving
        self.launched = len(self.serving)

    @property
    def provisioned(self) -> int:
        """Replicas that serve or will."""
        return len(self.serving) + len(self.starting)

    @property
    def paid(self) -> int:
        """Replicas that are paid for, draining ones too."""
        return len(self.serving) + len(self.starting) + len(self.leaving)

    @property
    def settled(self) -> bool:
        """Whether none starts and none leaves."""
        return not self.starting and not self.leaving

    @property
    def next_ready(self) -> float:
        """When the next starting one is ready; infinite where none starts."""
        return self.starting[0].ready if self.starting else math.inf

    def scale(self, target: int, now: float) -> None:
        """Launch or let go until `target` are provisioned."""
        if target == self.provisioned and not self.leaving:
            return
        for _ in range(target - self.provisioned):
            self._launch(now)
        while self.provisioned > target and self.starting:
            self.bills.append(Bill(launched=self.starting.pop().launched, gone=now))
        while len(self.serving) > target:
            self._drain(now)
        self.collect()

    def _launch(self, now: float) -> None:
        self.launched += 1
        self.share_due += sum(one.size for one in self.failing if one.start <= now < one.end)
        failed = self.share_due >= 1.0 - ROUNDING
        self.share_due -= float(failed)
        one = Starting(launched=now, ready=now + self.delay(), failed=failed)
        insort(self.starting, one, key=lambda other: other.ready)

    def _drain(self, now: float, until: float = math.inf) -> None:
        self._let_in_last()
        place = self.pool.drain()
        self.leaving[place] = Leaving(launched=self.serving.pop(), left=now, until=until)

    def _let_in_last(self) -> None:
        """Let the replica that serves last be as the others, before it goes."""
        if self.exclusion is not None:
            self.exclusion.let_in(len(self.serving) - 1)

    def lose(self, share: float, now: float) -> None:
        """Lose a `share` of those that serve, rounded up, all but one; nothing more is paid for them."""
        for _ in range(min(math.ceil(share * len(self.serving)), len(self.serving) - 1)):
            self._let_in_last()
            self.pool.lose()
            self.bills.append(Bill(launched=self.serving.pop(), gone=now))

    def warn(self, share: float, now: float, until: float) -> None:
        """Let a `share` of those that serve, rounded up, all but one, finish what they can until they are taken."""
        for _ in range(min(math.ceil(share * len(self.serving)), len(self.serving) - 1)):
            self._drain(now, until)

    def take_back(self, now: float) -> None:
        """Take those that were warned and whose time is over, with the requests that are still at them."""
        self.collect()
        for place in [place for place, one in self.leaving.items() if one.until <= now]:
            self.pool.take(place)
            self.bills.append(Bill(launched=self.leaving.pop(place).launched, gone=now))

    def admit(self, now: float) -> None:
        """Let those serve that are ready by `now`, as far as there is room; a launch that failed begins anew."""
        self.collect()
        while self.next_ready <= now and (self.starting[0].failed or self.pool.has_room):
            if self.starting[0].failed:
                self.bills.append(Bill(launched=self.starting.pop(0).launched, gone=now))
                self._launch(now)
                continue
            place = self.pool.serving
            moved = self.pool.add()
            if moved != place:
                self.leaving[moved] = self.leaving.pop(place)
            self.serving.append(self.starting.pop(0).launched)

    def collect(self) -> None:
        """Bill those that have finished what they had."""
        if not self.leaving:
            return
        for place in [place for place in self.leaving if self.pool.is_idle(place)]:
            one = self.leaving.pop(place)
            self.bills.append(Bill(launched=one.launched, gone=max(one.left, self.pool.last_step(place))))

    def close(self, end: float) -> float:
        """Return the replica-seconds that are paid for up to `end`, when nothing is left to do."""
        self.collect()
        assert not self.leaving, f"{len(self.leaving)} replicas still drain"
        assert self.launched == self.provisioned + len(self.bills), f"{self.launched} launched, {len(self.bills)} gone"
        open_ones = [*self.serving, *(one.launched for one in self.starting)]
        spans = [(one.launched, one.gone) for one in self.bills] + [(launched, end) for launched in open_ones]
        assert all(launched <= gone for launched, gone in spans), "a replica went before it came"
        return math.fsum(min(gone, end) - min(launched, end) for launched, gone in spans)
