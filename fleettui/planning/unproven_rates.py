"""Between which rates simulations do not tell whether a fleet holds: where its latency hardly moves with the rate.

There one rate holds and the next does not, as the runs are drawn, so that a walk ends near where it began. The ends of
such a stretch are looked for at every so many rungs of the ladder, the same ones from wherever it was met.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from fleettui.domain.plan import Look, Verdict
from fleettui.planning.ladder import place, rung

WIDE = 4
"""Rungs from which on rates that are not proven make a stretch; its ends are told to so many."""
COARSE = 16
"""Rungs apart at which its ends are looked for first."""
MOST = 12
"""Rates at most that are looked at for its ends."""

Take = Callable[[float], Awaitable[Look | None]]
"""Simulates a fleet at a rate in requests/s; None where that would take long."""


def spread(looks: Iterable[Look]) -> bool:
    """Return whether looks at a fleet of one size, at their rates, met a stretch that is not proven."""
    known = sorted((look.rate, look.evidence.verdict) for look in looks)
    opened = [rate for rate, verdict in known if verdict == "unproven"]
    lasting = [rate for rate, verdict in known if verdict != "fail"]
    return bool(opened) and place(max(lasting)) - place(opened[0]) >= WIDE


def beyond(looks: Sequence[Look], rate: float) -> float | None:
    """Return the rate to look at above one that is not proven, None where one as near is known to fail, or it is."""
    if not any(look.rate == rate and look.evidence.verdict == "unproven" for look in looks):
        return None
    there = place(rate) + WIDE
    failing = (place(look.rate) for look in looks if look.evidence.verdict == "fail")
    return None if any(one <= there for one in failing) else rung(there)


@dataclass(slots=True, kw_only=True)
class Stretch:
    """A stretch of rates that is not proven, met by `looks` at a fleet of one size; more are taken by `take`.

    What holds at the rate that the fleet was proven at, `own`, holds below it too, and what fails there fails above.
    """

    looks: list[Look]
    own: float
    take: Take
    taken: int = 0

    async def ends(self) -> tuple[float, float] | None:
        """Return the rates in requests/s up to which it holds and from which on it fails; None where none is found."""
        start = min(look.rate for look in self.looks if look.evidence.verdict == "unproven")
        low = place(start) // COARSE * COARSE
        while (told := await self._verdict(low)) != "pass":
            if told is None:
                return None
            low -= COARSE
        while await self._verdict(low + COARSE) == "pass":
            low += COARSE
        high = low + COARSE
        while (told := await self._verdict(high)) != "fail":
            if told is None:
                return None
            high += COARSE
        step = COARSE // 2
        while step >= WIDE:
            low += step if await self._verdict(low + step) == "pass" else 0
            high -= step if await self._verdict(high - step) == "fail" else 0
            step //= 2
        proven = self._at(self.own)
        return max(rung(low), self.own) if proven == "pass" else rung(low), (
            min(rung(high), self.own) if proven == "fail" else rung(high)
        )

    async def _verdict(self, at: int) -> Verdict | None:
        """Return what is known of the rung at a place, simulated where it is not; None where that is not to be had."""
        rate, proven = rung(at), self._at(self.own)
        if (proven == "pass" and rate <= self.own) or (proven == "fail" and rate >= self.own):
            return proven
        known = self._at(rate)
        if known is None and self.taken < MOST:
            self.taken += 1
            look = await self.take(rate)
            self.looks += [] if look is None else [look]
            known = self._at(rate)
        return known

    def _at(self, rate: float) -> Verdict | None:
        return next((look.evidence.verdict for look in self.looks if look.rate == rate), None)
