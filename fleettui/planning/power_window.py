"""How deep a kept plan's fleet goes for a while: caps that hold for a window, and until it has recovered, as played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain.plan import Candidate
from fleettui.domain.power_levels import PowerLevel, Window, WindowLevel
from fleettui.domain.stretch import Burst, PoolStretch, StretchFigures
from fleettui.errors import InputError
from fleettui.planning.prepared_fleet import PreparedFleet, prepared
from fleettui.planning.studies.burst import check_size, room, step_of, warm_of

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext

START = 120.0
"""Seconds of a run before its window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTrials:
    """The fleet `best` of a kept plan in a window of `seconds`, played in so many `runs`."""

    desk: StudyContext
    kept: KeptPlan
    best: Candidate
    seconds: float
    runs: int

    async def window(self, clocks: Sequence[PowerLevel], batches: Sequence[PowerLevel]) -> Window:
        """Return the levels that were played to find the deepest that holds, by clock and by batch.

        Raises InputError for a fleet that does not keep up even without a cap.
        """
        fleet = self.best.fleet
        source = self.kept.source(f"power {self.kept.id}", self.kept.profiles)
        stage = await prepared(self.desk, source, fleet)
        if max(stage.utilization) >= 1.0:
            raise InputError(
                "it does not keep up even without a cap, so it would never recover", where=f"plan {self.kept.handle}"
            )
        fewer = list({one.sequences: one for one in batches}.values())
        return Window(
            seconds=self.seconds,
            runs=self.runs,
            clocks=await self._searched(clocks, stage, lambda one: {"cap": one.share}),
            batches=await self._searched(fewer, stage, lambda one: {"batch": one.sequences}),
        )

    async def _searched(
        self, levels: Sequence[PowerLevel], stage: PreparedFleet, asked: Callable[[PowerLevel], dict[str, object]]
    ) -> tuple[WindowLevel, ...]:
        """Return the levels that bisection played between no cap, which is the first, and the deepest."""
        low, high, played = 0, len(levels), list[WindowLevel]()
        while high - low > 1:
            place = (low + high) // 2
            found = await self._played(levels[place], stage, asked(levels[place]))
            played.append(found)
            low, high = (place, high) if found.holds else (low, place)
        return tuple(sorted(played, key=lambda one: -one.level.share))

    async def _played(self, level: PowerLevel, stage: PreparedFleet, asked: dict[str, object]) -> WindowLevel:
        """Return what the runs of a level showed."""
        fleet, question = self.best.fleet, self.kept.question
        more = max(level.utilization / max(stage.utilization), 1.0)
        quiet = room(more, self.seconds, [0] * len(fleet.pools), stage)
        burst = Burst(
            factor=1.0,
            seconds=self.seconds,
            start=START,
            end=START + self.seconds + quiet,
            **asked,  # type: ignore[arg-type]
        )
        warm, step = warm_of(stage), step_of(burst)
        check_size(self.kept.answer.demand.rate * (1.5 * warm + burst.end) * self.runs, "a shorter --for")
        source = self.kept.source(f"power {self.kept.id}", self.kept.profiles)
        work = [
            self.desk.run(
                "burst-replay",
                tuple[PoolStretch, ...],
                source=source,
                fleet=fleet,
                windows=(burst,) * len(fleet.pools),
                warm=warm,
                step=step,
                seed=self.kept.answer.plan.seed,
                index=index,
            )
            for index in range(self.runs)
        ]
        words = f"playing a window at {level.share:.0%} of the {'limit' if level.kind == 'clock' else 'sequences'}"
        rows = await self.desk.each(work, words)
        share = question.slo.percentile
        figures = await self.desk.run("burst-judge", StretchFigures, runs=rows, share=share, step=step)
        whole, met = figures.pools[-1], _met(rows)
        return WindowLevel(
            level=level,
            met=met,
            recovery=whole.recovered,
            waiting=whole.waiting.value or 0.0,
            holds=met >= share and not whole.unrecovered,
        )


def _met(runs: Sequence[Sequence[PoolStretch]]) -> float:
    """Return the share within every limit of what came in the window and until the fleet had recovered."""
    parts = [phase for run in runs for pool in run for phase in pool.phases[1:3]]
    offered = sum(one.offered for one in parts)
    return sum(one.met for one in parts) / offered if offered else 1.0
