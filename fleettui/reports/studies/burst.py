"""A burst on a plan's fleet as a study: what happened in the window, and how long recovery took."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from fleettui.domain.fleet import counted
from fleettui.domain.plan import Answer, Candidate, Estimate
from fleettui.domain.scenario import Question
from fleettui.domain.stretch import Burst, StretchFigures
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import fleet_text, units
from fleettui.reports.burst_text import write_burst

MINUTE = 60.0
DUST = 1e-6
"""Of a hundredth of a percent: what rounding of a float may have taken from it."""


def burst_study(
    plan: Answer, question: Question, best: Candidate, *, burst: Burst, figures: StretchFigures, runs: int
) -> Study:
    """Return the study of a window on the fleet `best` of a plan, from the figures of so many runs."""
    story = _Story(question=question, best=best, burst=burst, figures=figures, runs=runs)
    return Study.of(
        plan.plan,
        kind="burst",
        title=f"{plan.plan.called}: {story.what} for {span(burst.seconds)}",
        question=f"whatif {plan.plan.handle} {write_burst(burst)} --runs {runs}",
        sentences=story.sentences(),
        tables=(story.phases(), story.pools(), story.over_time(), story.tokens()),
        warnings=story.warnings(),
    )


def span(seconds: float) -> str:
    """Return a stretch of time in words.

    >>> span(5400.0), span(300.0), span(42.0)
    ('1.5 h', '5 min', '42 s')
    """
    if seconds >= 3600.0:
        return f"{seconds / 3600.0:.3g} h"
    return f"{seconds / MINUTE:.3g} min" if seconds >= MINUTE else f"{seconds:.3g} s"


def percent(share: float) -> str:
    """Return a share of requests, finely, as those that break a limit are few.

    >>> percent(0.99873), percent(1.0)
    ('99.87%', '100.00%')
    """
    return f"{100.0 * share:.2f}%"


def promised(share: float) -> str:
    """Return a share of requests that is kept at least, never rounded up.

    >>> promised(0.999956), promised(0.9998), promised(1.0)
    ('99.99%', '99.98%', '100.00%')
    """
    return percent(math.floor(1e4 * share + DUST) / 1e4)


def between(one: Estimate) -> str:
    """Return the ends of an interval of shares in words, empty where there is none."""
    return "" if one.low is None or one.high is None else f" ({percent(one.low)} to {percent(one.high)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """A window on the fleet of a plan, told in sentences and tables."""

    question: Question
    best: Candidate
    burst: Burst
    figures: StretchFigures
    runs: int

    @property
    def what(self) -> str:
        """What differs in the window."""
        words = [] if self.burst.factor == 1.0 else [f"{self.burst.factor:g} times the rate"]
        words += [f"{counted(self.burst.down, 'replica')} of each pool away"] if self.burst.down else []
        lengths = {"prompts": self.burst.prompts, "outputs": self.burst.outputs}
        words += [f"{name} {factor:g} times as long" for name, factor in lengths.items() if factor != 1.0]
        words += [f"at most {self.burst.batch} sequences at once"] if self.burst.batch is not None else []
        words += (
            [] if self.burst.slow is None else [f"one replica of each pool at {units.percent(self.burst.slow)} speed"]
        )
        return " and ".join(words)

    @property
    def share(self) -> float:
        return self.question.slo.percentile

    def sentences(self) -> Iterator[str]:
        before, inside, *_ = self.figures.phases
        met = inside.met.value
        if met is not None:
            yield (
                f"{self.what} for {span(self.burst.seconds)}: {percent(met)}{between(inside.met)} of what comes then "
                f"keeps every limit; the SLO asks for {units.percent(self.share)}, and it {self._holds(inside.met)}"
            )
        yield (
            f"{self._rank} TTFT {units.seconds(inside.ttft.value)} inside, {units.seconds(before.ttft.value)} before; "
            f"{self._rank} TPOT {units.seconds(inside.tpot.value)} inside, {units.seconds(before.tpot.value)} before"
        )
        yield self._recovery()
        if (worst := self.figures.worst.value) is not None:
            yield f"worst 5 minutes: {percent(worst)}{between(self.figures.worst)} within every limit"
        yield f"{self.runs} runs of the fleet, token by token in the engine that proves plans; 95 % intervals over them"

    def _holds(self, met: Estimate) -> str:
        """Return whether the SLO holds by a share that keeps it and its interval."""
        assert met.value is not None, "said where it is known"
        if met.low is not None and met.low >= self.share:
            return "holds"
        if met.high is not None and met.high < self.share:
            return "does not hold"
        return f"{'holds' if met.value >= self.share else 'does not hold'}, which is not proven"

    def _recovery(self) -> str:
        whole = self.figures.pools[-1]
        peak = f"at most {whole.waiting.value or 0.0:,.0f} requests wait at once"
        if whole.unrecovered:
            return (
                f"{peak}; the backlog is not gone {span(self.burst.end - self.burst.over)} after the window in "
                f"{whole.unrecovered} of {counted(self.runs, 'run')}: a longer --over shows when it is"
            )
        found = whole.recovered
        assert found.value is not None, "every run recovered"
        ends = "" if found.low is None or found.high is None else f" ({span(found.low)} to {span(found.high)})"
        return f"{peak}; the backlog is gone {span(found.value)}{ends} after the window"

    def phases(self) -> StudyTable:
        """Return the table of the phases."""
        return table_of(
            f"phase by phase, on {fleet_text.fleet(self.best.fleet)}",
            self.figures.phases,
            ("phase", "text", lambda one: one.name),
            ("minutes", "number", lambda one: _minutes(one.seconds.value)),
            ("rate", "rate", lambda one: one.rate.value),
            ("slo_met", "share", lambda one: one.met.value),
            ("low", "share", lambda one: one.met.low),
            ("high", "share", lambda one: one.met.high),
            ("ttft", "seconds", lambda one: one.ttft.value),
            ("from", "seconds", lambda one: one.ttft.low),
            ("to", "seconds", lambda one: one.ttft.high),
            note=f"by when requests come; {self._rank} latencies; ends of 95 % intervals over the runs; recovering: "
            "until no pool has more requests than on average before the window",
        )

    def pools(self) -> StudyTable:
        """Return the table of backlog and recovery by pool."""
        return table_of(
            "backlog and recovery",
            self.figures.pools,
            ("pool", "text", lambda one: one.name),
            ("most_waiting", "number", lambda one: _whole(one.waiting.value)),
            ("low", "number", lambda one: _whole(one.waiting.low)),
            ("high", "number", lambda one: _whole(one.waiting.high)),
            ("recovery", "seconds", lambda one: one.recovered.value),
            ("from", "seconds", lambda one: one.recovered.low),
            ("to", "seconds", lambda one: one.recovered.high),
            ("not_recovered", "count", lambda one: one.unrecovered),
            note="most that wait at once from the window on; recovery from the window's end; runs that end before it",
        )

    def over_time(self) -> StudyTable:
        """Return the table of the run, from which the pictures are drawn."""
        return table_of(
            "over time: what waits, what comes, and how long it takes",
            self.figures.moments,
            ("minute", "number", lambda one: one.start / MINUTE),
            ("waiting", "number", lambda one: one.waiting),
            ("rate", "rate", lambda one: one.rate),
            ("ttft", "seconds", lambda one: one.ttft),
            ("slo_met", "share", lambda one: one.met),
            note=f"means over the runs of the minutes from each on: the most that wait at once, {self._rank} TTFT of "
            f"what comes then; the window is from {_minutes(self.burst.start):g} to "
            f"{_minutes(self.burst.over):g}",
        )

    def tokens(self) -> StudyTable:
        """Return the table of the time per token in each phase."""
        return table_of(
            "time per token, phase by phase",
            self.figures.phases,
            ("phase", "text", lambda one: one.name),
            ("tpot", "seconds", lambda one: one.tpot.value),
            ("from", "seconds", lambda one: one.tpot.low),
            ("to", "seconds", lambda one: one.tpot.high),
        )

    def warnings(self) -> Iterator[str]:
        if self.question.arrivals == "poisson":
            yield "requests come as Poisson around the window too; real ones burst: plan bursty"
        if max(self.burst.prompts, self.burst.outputs) > 1.0:
            yield "requests made longer than their pool takes are cut at what it takes"
        if any(pool.spares for pool in self.best.fleet.pools):
            why = "they take the place of those that are away" if self.burst.down else "none has failed"
            yield f"spare replicas serve, too: {why}"

    @property
    def _rank(self) -> str:
        return f"P{units.write_percentile(self.share)}"


def _minutes(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / MINUTE


def _whole(value: float | None) -> float | None:
    return None if value is None else float(round(value))
