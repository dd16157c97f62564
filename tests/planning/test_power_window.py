"""Levels for a while: bisection finds the deepest that holds, by few that are played."""

import asyncio
from typing import Any

from fleettui.domain.plan import Estimate
from fleettui.domain.power_levels import CapKind, PowerLevel, Window, WindowLevel
from fleettui.planning.power_window import WindowTrials
from fleettui.reports.studies.power_window import window_table, window_words

PLAIN = 10_000.0


def level(share: float, kind: CapKind = "clock") -> PowerLevel:
    return PowerLevel(
        kind=kind,
        share=share,
        sequences=None if kind == "clock" else round(256 * share),
        watts=PLAIN * share,
        nominal=1.25 * PLAIN,
        ttft=None,
        tpot=None,
        latencies=(),
        utilization=0.5,
        output_rate=1.0,
        extrapolated=False,
    )


def played(one: PowerLevel, holds: bool) -> WindowLevel:
    recovery = Estimate(value=12.0) if holds else Estimate(value=None)
    return WindowLevel(level=one, met=0.995 if holds else 0.9, recovery=recovery, waiting=3.0, holds=holds)


class Played(WindowTrials):
    """Levels that hold down to a share."""

    __slots__ = ()

    async def _played(self, level: PowerLevel, stage: Any, asked: dict[str, object]) -> WindowLevel:
        assert stage is None
        assert asked == {"cap": level.share}
        return played(level, level.share >= 0.37)


def test_the_deepest_is_found_by_bisection() -> None:
    nothing: Any = None
    trials = Played(desk=nothing, kept=nothing, best=nothing, seconds=75.0, runs=5)
    levels = [level(percent / 100) for percent in range(100, 4, -1)]
    found = asyncio.run(trials._searched(levels, nothing, lambda one: {"cap": one.share}))
    assert len(found) <= 7
    window = Window(seconds=75.0, runs=5, clocks=found, batches=(played(level(0.5, "batch"), False),))
    deepest = window.deepest("clock")
    assert deepest is not None
    assert deepest.level.share == 0.37
    assert window.deepest("batch") is None

    clock, batch = window_words(window, lambda one: f"{one.watts:.0f} W")
    assert clock == (
        "for 1.25 min each GPU may fall to 37% of its limit: 3700 W; 99.50% of requests keep every limit, and 12 s "
        "after it all is as before (5 runs)"
    )
    assert batch == "for 1.25 min no cap on the batch holds"
    rows = {row["cap"]: row for row in window_table(window, 1.25 * PLAIN, PLAIN).records()}
    assert rows["37% of W"] == {
        "cap": "37% of W",
        "power": 3700.0,
        "less": 0.63,
        "below_nominal": 0.704,
        "slo_met": 0.995,
        "recovery": 12.0,
        "most_waiting": 3.0,
        "it": "holds",
    }
    assert rows["128 at once"]["it"] == "fails"
