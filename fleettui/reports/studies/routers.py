"""The routers beside each other as a study: figures, differences to the plan's router, and the fleet each needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.plan import LEAST_RUNS, Answer, Candidate, Estimate
from fleettui.domain.routers import LeftOut, Needed, Played
from fleettui.domain.scenario import Question
from fleettui.domain.study import Declared, Study, StudyTable, table_of
from fleettui.reports import fleet_text, units
from fleettui.reports.studies import subject as words
from fleettui.reports.studies.burst import span
from fleettui.reports.studies.differences import HELD, NOT_PROVEN, change_words, difference_table
from fleettui.reports.text_page import few_names
from fleettui.routing import ROUTERS, pools_meet

SPEEDS = "slower", "faster"
LEFT_OUT = "routers that do not apply"
"""The title of their table."""


def routers_study(
    plan: Answer,
    question: Question,
    best: Candidate,
    played: Sequence[Played],
    needed: Sequence[Needed],
    *,
    left_out: Sequence[LeftOut] = (),
    slow: float | None = None,
) -> Study:
    """Return the study of routers on the fleet `best` of a plan; `played` and `needed` have a row for each.

    Those `left_out` do not apply. Where `slow` is given one replica of each pool is at that share of its speed.
    """
    story = _Story(question=question, best=best, played=played, needed=needed, slow=slow)
    return Study.of(
        plan.plan,
        sentences=story.sentences(),
        tables=(
            story.latency("ttft", lambda row: (row.ttft, row.ttft_change)),
            story.latency("tpot", lambda row: (row.tpot, row.tpot_change)),
            story.fleets(),
            *story.hits(),
            *story.storms(),
            *_left_out(left_out),
        ),
        warnings=story.warnings(),
    )


def _left_out(rows: Sequence[LeftOut]) -> Iterator[StudyTable]:
    """Yield the table of routers that do not apply, where there are any."""
    if rows:
        yield table_of(
            LEFT_OUT,
            rows,
            ("router", "text", lambda row: row.router),
            ("why", "text", lambda row: row.why),
            ("remedy", "text", lambda row: row.remedy),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """Routers on the fleet of a plan, told in sentences and tables."""

    question: Question
    best: Candidate
    played: Sequence[Played]
    needed: Sequence[Needed]
    slow: float | None

    @property
    def own(self) -> str:
        return self.best.fleet.router

    def sentences(self) -> Iterator[str]:
        if self.slow is not None:
            yield (
                f"one replica of each pool is at {units.percent(self.slow)} of its speed throughout, also in the "
                "fleets that routers need; no router is told"
            )
        needed = {one.router: one for one in self.needed}
        least = min((one.cost for one in self.needed if one.cost is not None), default=None)
        own = needed[self.own]
        cheaper = [one for one in self.needed if one.cost is not None and own.cost and one.cost < own.cost * (1 - 1e-9)]
        if own.cost is None or least is None:
            yield f"behind the plan's router {self.own} no fleet of its shape was found to hold"
        elif cheaper:
            best = min(cheaper, key=lambda one: one.cost or 0.0)
            yield (
                f"router {best.router} needs fewer GPUs: {best.gpus} instead of {own.gpus}, "
                f"{units.dollars_per_hour(best.cost or 0.0)}"
            )
        else:
            yield f"no router needs fewer GPUs than the plan's, {self.own}: {self._told(own)}"
        dearer = [one for one in self.needed if one.cost is not None and own.cost and one.cost > own.cost * (1 + 1e-9)]
        if dearer:
            yield "more: " + "; ".join(f"{one.router} {self._told(one)}" for one in dearer)
        quicker = [one for one in self.played if change_words(one.ttft_change, *SPEEDS) == "faster"]
        if quicker:
            best_one = min(quicker, key=lambda one: one.ttft_change.value or 0.0)
            yield (
                f"on the plan's own fleet {best_one.router} has the shortest TTFT, "
                f"{units.seconds(best_one.ttft.value)}, {units.seconds(-(best_one.ttft_change.value or 0.0))} less"
            )
        else:
            yield f"on the plan's own fleet no router is proven to have a shorter TTFT than {self.own}"
        hits = [(one, one.hit.value) for one in self.played if one.hit is not None and one.hit.value is not None]
        if hits:
            told = ", ".join(f"{one.router} {units.percent(hit)}" for one, hit in sorted(hits, key=lambda row: -row[1]))
            yield f"prompt tokens found in prefix caches: {told}"
        yield f"every router met the same requests: arrivals, lengths and seeds of {LEAST_RUNS} runs"

    def latency(self, name: str, figure: Callable[[Played], tuple[Estimate, Estimate]]) -> StudyTable:
        """Return the table of a latency: of each router the `figure` and its difference to the plan's router."""
        return difference_table(
            f"{name.upper()} on the plan's fleet, {fleet_text.fleet(self.best.fleet)}",
            [(row.router, *figure(row)) for row in self.played],
            of="router",
            own=self.own,
            figure=(name, "seconds"),
            words=SPEEDS,
            before=f"{self._rank} of the worst pool, ",
        )

    def fleets(self) -> StudyTable:
        """Return the table of what holds: the plan's fleet behind each router, and the fleet that each needs."""
        return table_of(
            "what holds behind each",
            [*zip(self.played, self.needed, strict=True)],
            ("router", "text", lambda row: row[0].router),
            ("slo_met", "share", lambda row: row[0].attainment.value),
            ("plan_fleet", "text", lambda row: HELD.get(row[0].verdict, NOT_PROVEN)),
            ("gpus", "count", lambda row: row[1].gpus),
            ("cost_per_hour", "dollars per hour", lambda row: row[1].cost),
            ("replicas", "text", lambda row: words.sizes(row[1].replicas)),
            ("proof", "text", lambda row: words.proof(row[1].simulated) if row[1].replicas else ""),
            *self._spilled,
            *self._gamma,
            ("looks_at", "text", lambda row: ROUTERS.named(row[0].router).knows or "nothing"),
            note="GPUs of the smallest fleet of the plan's shape that holds every limit, none where no size was found",
        )

    @property
    def _spilled(self) -> tuple[Declared[tuple[Played, Needed]], ...]:
        """The column of requests that went to another pool than that of their length, where some router sends any."""
        if not any(pools_meet(one.router, len(self.best.fleet.pools)) for one in self.played):
            return ()
        return (("other_pool", "share", lambda row: row[0].spilled),)

    @property
    def _gamma(self) -> tuple[Declared[tuple[Played, Needed]], ...]:
        """The column of how far above a split prompts are rewritten, where behind some router they are."""
        if all(one.gamma == 1.0 for one in self.needed):
            return ()
        return (("gamma", "number", lambda row: row[1].gamma),)

    def hits(self) -> Iterator[StudyTable]:
        """Yield the table of prompt tokens found in prefix caches, where replicas keep any."""
        known = [(one.router, one.hit, one.hit_change) for one in self.played if one.hit and one.hit_change]
        if known:
            yield difference_table(
                "prompt tokens found in prefix caches",
                known,
                of="router",
                own=self.own,
                figure=("hits", "share"),
                words=("more", "fewer"),
                shown="they_are",
                after="; of several pools, each by its requests",
            )

    def storms(self) -> Iterator[StudyTable]:
        """Yield the table of the worst minutes, where requests come again."""
        rows = [(one.router, one.storm) for one in self.played if one.storm is not None]
        if not rows:
            return
        yield table_of(
            f"the worst {span(rows[0][1].seconds)} of the first run, where requests come again",
            rows,
            ("router", "text", lambda row: row[0]),
            ("slo_met", "share", lambda row: row[1].met),
            ("attempts", "number", lambda row: round(row[1].attempts, 3)),
            ("without", "share", lambda row: row[1].without),
            note="of those who first came then, in the pool that fares worst: within every limit, and the attempts "
            "that each made; without: the worst of the same requests where nobody comes again",
        )

    def warnings(self) -> Iterator[str]:
        if any(ROUTERS.named(one.router).compresses for one in self.needed) and self.question.compressor is None:
            share = units.percent(self.best.fleet.compressible)
            yield f"{share} of borderline prompts are taken to bear compression: fleettui compress"
        unstable = [one for one in self.played if one.unstable]
        if unstable:
            names = few_names(one.router for one in unstable)
            yield f"no intervals of {names}: {unstable[0].unstable}"
        if len(self.best.fleet.pools) > 1 and not self.question.length_error:
            yield "pools are chosen by true lengths, known to no router: plan --length-error 50%"
        if any(not one.simulated and one.replicas for one in self.needed):
            yield "fleets by formula may be off by some replicas: simulating takes minutes"

    def _told(self, one: Needed) -> str:
        return f"{one.gpus} GPUs, {units.dollars_per_hour(one.cost or 0.0)}"

    @property
    def _rank(self) -> str:
        return f"P{units.write_percentile(self.question.slo.percentile)}"
