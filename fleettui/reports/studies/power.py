"""A fleet under caps on its power as a study: what it draws, and how long requests take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.meter import feed
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.power_law import EXTRAPOLATED_BELOW
from fleettui.domain.power_levels import PowerLevel, ProvenLevel, Window
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import fleet_text, units
from fleettui.reports.studies.power_window import window_table, window_words

EACH = 0.1
"""Share of the limit between the rows of a table."""
NEAR = 1e-6
CAP, HOLDS, FAILS = "cap", "holds", "fails"
Keeps = Callable[[PowerLevel], bool]


def power_study(
    plan: Answer,
    question: Question,
    best: Candidate,
    *,
    clocks: Sequence[PowerLevel],
    batches: Sequence[PowerLevel],
    keeps: Keeps,
    deepest: tuple[PowerLevel | None, PowerLevel | None],
    proven: ProvenLevel,
    window: Window | None = None,
) -> Study:
    """Return the study of the fleet `best` under caps, deeper and deeper; the first of each has none.

    `deepest` are the levels down to which it keeps its limits by formula, by clock and by batch, and `proven` what was
    simulated of the first; `window` is what it does for a while, where that is asked for.
    """
    story = _Story(
        question=question,
        best=best,
        clocks=clocks,
        batches=batches,
        keeps=keeps,
        clock=deepest[0],
        batch=deepest[1],
        proven=proven,
        window=window,
    )
    return Study.of(
        plan.plan,
        sentences=story.sentences(),
        tables=(story.by_clock(), story.by_batch(), *story.in_window()),
        warnings=story.warnings(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """A fleet under caps, told in sentences and tables."""

    question: Question
    best: Candidate
    clocks: Sequence[PowerLevel]
    batches: Sequence[PowerLevel]
    keeps: Keeps
    clock: PowerLevel | None
    batch: PowerLevel | None
    proven: ProvenLevel
    window: Window | None

    @property
    def plain(self) -> PowerLevel:
        """The fleet without a cap."""
        return self.clocks[0]

    def sentences(self) -> Iterator[str]:
        if self.clock is None:
            yield "the plan's fleet does not keep its limits even without a cap, so there is no power to give up"
            return
        shown = self._proven_level()
        if shown is None or shown.share >= 1.0 - NEAR:
            yield f"no cap on the clocks keeps the limits: the fleet needs the {self._kilowatts(self.plain)} it draws"
        else:
            meters = " instead of ".join(units.watts(self._feed(one)) for one in (shown, self.plain))
            yield (
                f"holds with each GPU at {units.percent(shown.share)} of its limit{self._how(shown)}: "
                f"{self._kilowatts(shown)} instead of {self._kilowatts(self.plain)}, {self._less(shown)}; {meters} at "
                "the meter"
            )
        failed = [one for one in self.proven.tried if not self.proven.held(one)]
        if failed:
            yield f"not shown to hold by simulation at {', '.join(map(units.percent, sorted(failed)))} of the limit"
        yield self._of_batches()
        if self.question.power_price is not None and shown is not None and shown.share < 1.0 - NEAR:
            saved = self._feed(self.plain) - self._feed(shown)
            yield f"that saves {units.dollars_per_month(saved / 1e3 * self.question.power_price)} of electricity"
        if self.window is not None:
            yield from window_words(self.window, lambda one: f"{self._kilowatts(one)}, {self._less(one)}")

    def in_window(self) -> Iterator[StudyTable]:
        """Yield the table of what was played for a while."""
        if self.window is not None:
            yield window_table(self.window, self.plain.nominal, self.plain.watts)

    def _proven_level(self) -> PowerLevel | None:
        """Return the deepest level that is known to hold: as simulated, or by formula where nothing was simulated."""
        if not self.proven.tried:
            return self.clock
        share = self.proven.share
        return next((one for one in self.clocks if share is not None and abs(one.share - share) < NEAR), None)

    def _how(self, level: PowerLevel) -> str:
        if self.proven.share is None:
            return ", by formula"
        return f", {self.proven.runs} runs" if abs(self.proven.share - level.share) < NEAR else ""

    def _of_batches(self) -> str:
        if self.batch is None or self.batch.share >= 1.0 - NEAR:
            return "fewer sequences at once save nothing: even a few fewer break a limit"
        part = f"{self.batch.sequences} sequences at once instead of {self.batches[0].sequences} still hold"
        change = 1.0 - self.batch.watts / self.plain.watts
        if change <= 0.005:
            return f"{part} by formula, and save no power: the same tokens are computed in more steps"
        return f"{part} by formula, and draw {units.percent(change)} less"

    def _less(self, level: PowerLevel) -> str:
        """Say by how much less is drawn, of what was drawn and of what all GPUs may."""
        drawn, nominal = (1.0 - level.watts / most for most in (self.plain.watts, self.plain.nominal))
        return f"{units.percent(max(drawn, 0.0))} below what it draws, {units.percent(nominal)} below nominal"

    def _kilowatts(self, level: PowerLevel) -> str:
        return units.watts(level.watts)

    def _feed(self, level: PowerLevel) -> float:
        return feed(self.question, level.watts, self.best.gpus)

    def by_clock(self) -> StudyTable:
        """Return the table of caps on the clock, each tenth of the limit and the deepest that hold."""
        special = {one.share for one in (self.clock, self._proven_level()) if one is not None} | {*self.proven.tried}
        rows = [one for one in self.clocks if _is_round(one.share) or one.share in special]
        return self._table(
            f"a cap on the power of each GPU, {fleet_text.fleet(self.best.fleet)}",
            rows,
            CAP,
            lambda one: one.share,
            note="cap: what each GPU may draw of its limit; nothing is shed, and nothing comes back when it ends; "
            "power of the GPUs, less than without a cap and below all limits together; latencies of the worst pool, by "
            "formula times what simulations showed; none where a queue grows without end",
        )

    def by_batch(self) -> StudyTable:
        """Return the table of caps on the batch, each half of the sequences and the deepest that holds."""
        rows = [
            one for at, one in enumerate(self.batches) if at % 4 == 0 or (self.batch and one.share == self.batch.share)
        ]
        distinct = {one.sequences: one for one in rows}
        return self._table(
            "a cap on the sequences that a replica runs at once",
            [*distinct.values()],
            "sequences",
            lambda one: one.sequences,
            note="by formula times what the plan's simulation showed; GPUs that have as many tokens to compute draw "
            "about as much",
        )

    def _table(
        self,
        title: str,
        rows: Sequence[PowerLevel],
        first: str,
        value: Callable[[PowerLevel], float | int | None],
        note: str,
    ) -> StudyTable:
        return table_of(
            title,
            rows,
            (first, "share" if first == CAP else "count", value),
            *((("each_gpu", "watts", self._each),) if first == CAP else ()),
            ("ttft", "seconds", lambda one: one.ttft),
            ("tpot", "seconds", lambda one: one.tpot),
            ("power", "watts", lambda one: one.watts),
            ("less", "share", lambda one: round(1.0 - one.watts / self.plain.watts, 3)),
            ("below_nominal", "share", lambda one: round(1.0 - one.watts / self.plain.nominal, 3)),
            ("it", "text", self._holds),
            note=note,
        )

    def _each(self, level: PowerLevel) -> float | None:
        """Return the cap in watts, None where GPUs of several types have different limits."""
        return level.share * level.nominal / self.best.gpus if len(self.best.fleet.gpus_by_type) == 1 else None

    def _holds(self, level: PowerLevel) -> str:
        if level.kind == "clock" and level.share in self.proven.tried:
            return f"{HOLDS if self.proven.held(level.share) else FAILS}, simulated"
        return HOLDS if self.keeps(level) else FAILS

    def warnings(self) -> Iterator[str]:
        if any(one.extrapolated for one in self.clocks if self.keeps(one)):
            yield f"no public run shows what a cap below {EXTRAPOLATED_BELOW:.0%} of a GPU's limit does: extrapolated"
        if self.best.simulation is None:
            yield "the plan's own fleet is by formula: fleettui verify proves it without a cap"
        if self.proven.reason:
            yield f"not simulated: {self.proven.reason}"


def _is_round(share: float) -> bool:
    return abs(share / EACH - round(share / EACH)) < NEAR
