"""Rollouts with a switch of layouts as a study: which threshold ends them soonest, and what the switch may take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.fleet import counted
from fleettui.domain.plan import Answer
from fleettui.domain.rollout import FROM_THE_START, NEVER, Rolled, RolloutAsked, RolloutRun
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import units
from fleettui.reports.studies.differences import NOT_PROVEN, change_words

HOUR = 3600.0
LENGTHS = "longer", "shorter"


def rollout_study(
    plan: Answer,
    asked: RolloutAsked,
    rows: Sequence[Rolled],
    *,
    runs: Sequence[RolloutRun],
    price: float,
) -> Study:
    """Return the study of `rows`, one a threshold, no switch first; `price` is that of a GPU in US dollars an hour."""
    story = _Story(asked=asked, rows=rows, runs=runs, price=price)
    return Study.of(
        plan.plan,
        title=f"rollouts of {units.count(asked.trajectories)} prompts",
        sentences=story.sentences(),
        tables=(story.makespans(), story.switches()),
        warnings=story.warnings(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """Rollouts at every threshold, told in sentences and tables."""

    asked: RolloutAsked
    rows: Sequence[Rolled]
    runs: Sequence[RolloutRun]
    price: float

    @property
    def _never(self) -> Rolled:
        return self.rows[0]

    @property
    def _best(self) -> Rolled:
        return min(self.rows, key=lambda one: one.makespan.value or 0.0)

    def _layouts(self) -> tuple[str, str]:
        pool, gpus = self.asked.pool, self.asked.gpus
        before, after = (
            f"{pool.gpu.upper()} tp{each} x{gpus // each}" for each in (self.asked.before, self.asked.after)
        )
        return before, after

    def sentences(self) -> Iterator[str]:
        best, (before, after) = self._best, self._layouts()
        gain, plain = -(best.change.value or 0.0), self._never.makespan.value or 0.0
        if change_words(best.change, *LENGTHS) != "shorter":
            yield f"{before} throughout: no switch to {after} is proven to end rollouts sooner"
        elif best.threshold == FROM_THE_START:
            yield (
                f"{after} from the start: {units.seconds(best.makespan.value)}, {units.percent(gain / plain)} less "
                f"than {before} throughout; no switch is shorter"
            )
        else:
            yield (
                f"switch from {before} to {after} when {units.percent(best.threshold)} are left: "
                f"{units.seconds(best.makespan.value)} instead of {units.seconds(plain)}, "
                f"{units.percent(gain / plain)} less"
            )
            yield from self._pays(best)
        yield from self._alike(best)
        yield self._hours(best)
        yield (
            f"every threshold met the same {units.count(self.asked.trajectories)} trajectories in each of "
            f"{len(self.runs)} runs; {units.percent(self.asked.tail.share)} of them put out "
            f"{self.asked.tail.factor:g} times what the workload does"
        )

    def _pays(self, best: Rolled) -> Iterator[str]:
        """Say how long the switch may take in all until it is worth nothing."""
        taken = best.moving + self.asked.pause
        gain, least = -(best.change.value or 0.0), -(best.change.high or 0.0)
        yield (
            f"it pays while the switch takes less than {units.seconds(taken + gain)} "
            f"({units.seconds(taken + least)} to be sure); {units.seconds(taken)} of it are counted"
        )

    def _alike(self, best: Rolled) -> Iterator[str]:
        alike = [one for one in self.rows if one is not best and change_words(one.behind, *LENGTHS) == NOT_PROVEN]
        if alike:
            names = ", ".join(_threshold(one) for one in alike)
            yield f"not proven to be longer than the best: {names}"

    def _hours(self, best: Rolled) -> str:
        held, plain = self._gpu_hours(best), self._gpu_hours(self._never)
        return (
            f"{held:.3g} GPU-hours instead of {plain:.3g} ({units.dollars(held * self.price)} instead of "
            f"{units.dollars(plain * self.price)}); GPUs idle {units.percent(best.idle)} of the time, without a switch "
            f"{units.percent(self._never.idle)}"
        )

    def _gpu_hours(self, one: Rolled) -> float:
        return self.asked.gpus * (one.makespan.value or 0.0) / HOUR

    def makespans(self) -> StudyTable:
        """Return the table of makespans by threshold, and their change to no switch."""
        return table_of(
            f"until the last trajectory ends, on {counted(self.asked.gpus)}",
            self.rows,
            ("switch_at", "text", _threshold),
            ("makespan", "seconds", lambda one: one.makespan.value),
            ("low", "seconds", lambda one: one.makespan.low),
            ("high", "seconds", lambda one: one.makespan.high),
            ("change", "seconds", lambda one: None if one.threshold == NEVER else one.change.value),
            ("from", "seconds", lambda one: None if one.threshold == NEVER else one.change.low),
            ("to", "seconds", lambda one: None if one.threshold == NEVER else one.change.high),
            ("it_is", "text", lambda one: "" if one.threshold == NEVER else change_words(one.change, *LENGTHS)),
            note="switch_at: the share of trajectories that is left then; the change to no switch run by run, ends of "
            f"95 % intervals; {NOT_PROVEN} where it may be 0",
        )

    def switches(self) -> StudyTable:
        """Return the table of when the switch is and what it takes, and of what the GPUs do."""
        return table_of(
            "the switch, and the GPUs",
            self.rows,
            ("switch_at", "text", _threshold),
            ("left", "number", lambda one: round(one.left, 1)),
            ("after", "seconds", lambda one: None if one.threshold == NEVER else one.at),
            ("moving", "seconds", lambda one: one.moving),
            ("gpu_hours", "number", lambda one: float(f"{self._gpu_hours(one):.4g}")),
            ("dollars", "number", lambda one: round(self._gpu_hours(one) * self.price, 2)),
            ("idle", "share", lambda one: one.idle),
            ("tokens", "number", lambda one: round(one.tokens)),
            note="left: trajectories that go on after the switch; moving: weights"
            f"{'' if self.asked.recompute else ' and caches'} over the links; idle: part of the GPUs' time "
            "without a step; tokens: output tokens/s of the whole rollout; dollars at the plan's prices",
        )

    def warnings(self) -> Iterator[str]:
        if self.asked.pause == 0.0 and self._best.threshold not in (NEVER, FROM_THE_START):
            yield "engines take seconds to set up graphs anew: time yours, type it as --pause"
        cut = sum(one.cut for one in self.runs) / (len(self.runs) * self.asked.trajectories)
        if cut > 0.0:
            yield f"{units.percent(cut)} of the trajectories were cut at the longest context that is served"


def _threshold(one: Rolled) -> str:
    if one.threshold == NEVER:
        return "never"
    return "the start" if one.threshold == FROM_THE_START else units.percent(one.threshold)
