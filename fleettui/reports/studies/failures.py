"""A plan's fleet with replicas down as a study: what holds, what outages do, how often, and what the spares cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.failing import AsTheyCome, Case, Odds, Outage, Steady
from fleettui.domain.failures import Failures
from fleettui.domain.fleet import counted
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.stretch import Burst
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import redundancy_text, units
from fleettui.reports.question.failure_keys import FAILURE_RATE
from fleettui.reports.studies import failing_pools
from fleettui.reports.studies.burst import between, percent, promised, span
from fleettui.reports.studies.differences import HELD, NOT_PROVEN
from fleettui.reports.studies.failing_limits import broken, limits_table
from fleettui.reports.studies.failing_pools import Row
from fleettui.reports.studies.subject import proof, sizes

FOR_A_WHILE = "down at once"
"""How the title of the table of outages begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked of a plan's fleet: how often hardware fails, for how long, the outage that is played, its runs.

    `said` are the options as they were given, `assumed` the names of those whose values nobody said; `repair` and
    `load` are seconds.
    """

    plan: Answer
    question: Question
    best: Candidate
    failures: Failures
    repair: float
    load: float
    window: Burst
    runs: int
    said: str
    assumed: tuple[str, ...] = ()


def failures_study(
    asked: Asked,
    cases: Sequence[Case],
    steady: Sequence[Steady],
    outages: Sequence[Outage],
    *,
    odds: Odds,
    come: AsTheyCome | None = None,
) -> Study:
    """Return the study; `steady`, `outages` and the shares of `odds` are of the `cases`, of which the first is none.

    `come` is what was played of failures as they come, None where nothing was.
    """
    story = _Story(asked=asked, cases=cases, steady=steady, outages=outages, odds=odds, come=come)
    plan = asked.plan.plan
    return Study.of(
        plan,
        kind="failures",
        title=f"{plan.called}: its fleet with replicas down",
        question=f"whatif {plan.handle} {asked.said} --runs {asked.runs}",
        sentences=story.sentences(),
        tables=(story.throughout(), *story.limits(), story.for_a_while(), story.counts(), *story.at_random()),
        warnings=story.warnings(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """Replicas down of the fleet of a plan, told in sentences and tables."""

    asked: Asked
    cases: Sequence[Case]
    steady: Sequence[Steady]
    outages: Sequence[Outage]
    odds: Odds
    come: AsTheyCome | None

    @property
    def rows(self) -> list[Row]:
        parts = zip(self.cases, self.steady, self.outages, self.odds.no_more, strict=True)
        return [Row(case=case, steady=steady, outage=outage, no_more=share) for case, steady, outage, share in parts]

    @property
    def held(self) -> tuple[int, ...]:
        return tuple(pool.replicas + pool.spares for pool in self.asked.best.fleet.pools)

    def sentences(self) -> Iterator[str]:
        slo = self.asked.question.slo
        yield "; ".join(f"{row.case.name}: {_verdict(row)}{broken(row.steady, slo)}" for row in self.rows[1:])
        yield self._spares()
        yield self._one_failure(failing_pools.worst(self._failing))
        if self._several:
            names = [pool.name for pool in self.asked.best.fleet.pools]
            yield failing_pools.by_pool(self._failing, self.odds.per_year, names)
        if self.rows[-1].case.slow is not None:
            yield self._slow(self.rows[-1])
        yield (
            f"each {redundancy_text.UNIT_WORDS[self.asked.failures.of]} fails "
            f"{FAILURE_RATE.write(self.asked.failures)}{self._mark('fails')} and is back after "
            f"{span(self.asked.repair + self.asked.load)}{self._mark('repair')}: "
            f"{_figures(sum(self.odds.per_year))} failures a year{self._of_racks()}, all up "
            f"{redundancy_text.share(self.rows[0].no_more)} of the time{self._long_run()}"
        )
        if self.come is not None:
            yield self._played(self.come)
        yield (
            f"every case met the same requests in each of {counted(self.asked.runs, 'run')}, token by token in the "
            "engine that proves plans"
        )

    def _of_racks(self) -> str:
        """Return how often racks fail as well."""
        return f" and {_figures(sum(self.odds.racks))} of whole racks" if self.odds.racks else ""

    def _mark(self, option: str) -> str:
        """Return what stands behind a figure that nobody said."""
        return " (assumed)" if option in self.asked.assumed else ""

    def _slow(self, row: Row) -> str:
        """Return what a slow replica does, which no health check sees."""
        assert row.case.slow is not None, "it is of such a case"
        down, share = self.rows[1], row.outage.inside
        met = "" if share.value is None else f"{percent(share.value)}{between(share)} within every limit meanwhile, "
        alone = None if self._several else down.outage.inside.value
        fails = "" if alone is None else f"{percent(alone)} where it fails instead; "
        return (
            f"1 replica{self._each} at {units.percent(row.case.slow)} of its speed for "
            f"{span(self.asked.window.seconds)}: {met}{fails}{self._cleared(row)}"
        )

    def _one_failure(self, row: Row) -> str:
        """Return what users lose by one outage, of all kinds, and of how many requests; and when it is over."""
        share, window = row.outage.inside, self.asked.window
        met = "" if share.value is None else f"; {percent(share.value)}{between(share)} within every limit meanwhile"
        whole = self.asked.repair + self.asked.load
        played = f", as played of the {span(whole)} that it takes" if whole > window.seconds else ""
        missed, usual = (self._missed(one.outage) for one in (row, self.rows[0]))
        refused, lost = (count / self.asked.runs for count in (row.outage.rejected, row.outage.lost))
        late = max(round(missed) - round(refused) - round(lost), 0)
        return (
            f"{self._what_fails(row)} fails and is back after {span(window.seconds)}{played}: of "
            f"{row.outage.offered / self.asked.runs:,.0f} requests in {span(window.end)} "
            f"{missed:,.0f} are not served within every limit ({usual:,.0f} without a failure): "
            f"{refused:,.0f} refused, {lost:,.0f} lost at what fails, {late:,.0f} late{met}; "
            f"{self._cleared(row)}"
        )

    def _cleared(self, row: Row) -> str:
        """Return when the backlog is gone; none is left that goes as soon as with nothing down."""
        found, window, runs = row.outage, self.asked.window, self.asked.runs
        if found.unrecovered:
            left = span(window.end - window.over)
            return f"the backlog is not gone {left} after that in {found.unrecovered} of {counted(runs, 'run')}"
        if (found.recovered.value or 0.0) <= (self.rows[0].outage.recovered.value or 0.0):
            return "no backlog is left when it is back"
        return f"the backlog is gone {span(found.recovered.value or 0.0)} after that"

    def _missed(self, outage: Outage) -> float:
        """Return the requests of a run that broke a limit or were not served at all."""
        return (1.0 - (outage.met.value or 0.0)) * outage.offered / self.asked.runs

    def _spares(self) -> str:
        spares = [pool.spares for pool in self.asked.best.fleet.pools]
        holding = [row for row in self.rows[1:] if row.steady.verdict == "pass" and row.case.slow is None]
        most = {row.case.place: row.case.name for row in holding}
        if not any(spares):
            return "the plan has no spare replicas" + (
                f"; it holds all the same: {', '.join(most.values())}" if holding else ""
            )
        found = failing_pools.as_many(self.rows, spares)
        at_a_time = " of one pool" if self._several else ""
        does = f"; with as many down{at_a_time} it {_does(failing_pools.least_held(found))}" if found else ""
        words = "spare replica serves" if sum(spares) == 1 else "spare replicas serve"
        return f"{sizes(spares)} {words}, too{does}"

    @property
    def _failing(self) -> list[Row]:
        """The case of each pool that one failure comes to."""
        return failing_pools.one_failure(self.rows, len(self.held))

    @property
    def _several(self) -> bool:
        return len(self.held) > 1

    @property
    def _each(self) -> str:
        return " of each pool" if self._several else ""

    def _what_fails(self, row: Row) -> str:
        place, first = row.case.place or 0, "at worst " if self._several else ""
        of = f" of pool {self.asked.best.fleet.pools[place].name}" if self._several else ""
        what = f"1 node{of}, with {counted(sum(row.case.down), 'replica')}," if row.case.node else f"1 replica{of}"
        return f"{first}{what}"

    def _long_run(self) -> str:
        """Return what is kept in the long run at least: each case counts for the time in which no more is down."""
        kept = failing_pools.at_least(self.rows, self.odds, failing_pools.traffic(self.asked.best))
        return f"; over the years at least {promised(kept)} within every limit if it were always the peak"

    def _played(self, come: AsTheyCome) -> str:
        """Return what playing failures as they come showed."""
        met, full = come.met.value or 0.0, come.full.value or 0.0
        return (
            f"played as they come over {span(come.seconds)}: {come.failures.value or 0.0:.3g} failures a run, all up "
            f"{redundancy_text.share(full)} of the time ({redundancy_text.share(come.expected)} expected); "
            f"{percent(met)}{between(come.met)} within every limit, {percent(come.without.value or 0.0)} without; "
            f"worst 5 minutes {percent(come.worst.value or 0.0)}, {percent(come.without_worst.value or 0.0)} without"
        )

    def at_random(self) -> Iterator[StudyTable]:
        """Yield the table of failures as they come, where they were played."""
        if self.come is None:
            return
        come = self.come
        rows = (
            ("with failures", come.met, come.worst, (come.offered, come.completed, come.lost, come.rejected)),
            ("without", come.without, come.without_worst, (come.offered, come.offered, 0, 0)),
        )
        yield table_of(
            f"failures as they come, over {span(come.seconds)}",
            rows,
            ("run", "text", lambda row: row[0]),
            ("slo_met", "share", lambda row: row[1].value),
            ("low", "share", lambda row: row[1].low),
            ("high", "share", lambda row: row[1].high),
            ("worst", "share", lambda row: row[2].value),
            ("offered", "count", lambda row: row[3][0]),
            ("completed", "count", lambda row: row[3][1]),
            ("lost", "count", lambda row: row[3][2]),
            ("rejected", "count", lambda row: row[3][3]),
            note="within every limit, ends of 95 % intervals, and in the worst 5 minutes; requests of all runs",
        )

    def throughout(self) -> StudyTable:
        """Return the table of what is left, for as long as one looks."""
        return table_of(
            f"down throughout, at the peak, of {sizes(self.held)} replicas",
            self.rows,
            ("down", "text", lambda row: row.case.name),
            ("left", "text", lambda row: sizes([n - d for n, d in zip(self.held, row.case.down, strict=True)])),
            ("it", "text", _verdict),
            ("slo_met", "share", lambda row: row.steady.met.value),
            ("low", "share", lambda row: row.steady.met.low),
            ("high", "share", lambda row: row.steady.met.high),
            ("ttft", "seconds", lambda row: row.steady.ttft.value),
            ("no_more", "text", lambda row: "" if row.case.slow else redundancy_text.share(row.no_more)),
            ("proof", "text", lambda row: proof(row.steady.simulated)),
            note=f"{self._rank} TTFT of the worst pool, ends of 95 % intervals; no more: share of the time in which no "
            f"more than these are down{', of that pool' if self._several else ''}{self._loading}",
        )

    def limits(self) -> Iterator[StudyTable]:
        """Yield the table of every limit of what is left."""
        return limits_table([(row.case.name, row.steady) for row in self.rows], self.asked.question.slo)

    @property
    def _loading(self) -> str:
        """What counts as being down here and not where a plan has spares."""
        load = self.asked.load
        return f"; {span(load)} of loading count, in a plan's spares they do not" if load else ""

    def for_a_while(self) -> StudyTable:
        """Return the table of outages."""
        return table_of(
            f"{FOR_A_WHILE} for {span(self.asked.window.seconds)}, then back",
            self.rows,
            ("down", "text", lambda row: row.case.name),
            ("slo_met", "share", lambda row: row.outage.inside.value),
            ("worst", "share", lambda row: row.outage.worst.value),
            ("change", "number", self._change),
            ("from", "number", lambda row: _points(row.outage.change.low)),
            ("to", "number", lambda row: _points(row.outage.change.high)),
            ("recovery", "seconds", lambda row: row.outage.recovered.value),
            note="within every limit while they are down, and in the worst 5 minutes; change of that share against "
            "none down, in points, run by run, ends of its 95 % interval; recovery: from their return until no more "
            "are in the fleet than before, none where the run ends first",
        )

    def _change(self, row: Row) -> float | None:
        return None if row.case is self.cases[0] else _points(row.outage.change.value)

    def counts(self) -> StudyTable:
        """Return the table of where every request ended."""
        return table_of(
            "requests, all runs together",
            self.rows,
            ("down", "text", lambda row: row.case.name),
            ("offered", "count", lambda row: row.outage.offered),
            ("completed", "count", lambda row: row.outage.completed),
            ("lost", "count", lambda row: row.outage.lost),
            ("rejected", "count", lambda row: row.outage.rejected),
            ("most_waiting", "number", lambda row: round(row.outage.waiting.value or 0.0)),
            ("ttft", "seconds", lambda row: row.outage.ttft.value),
            note=f"{self._rank} TTFT while they are down; lost: at a replica that failed; rejected: no replica was "
            "left; nothing is in the fleet at the end",
        )

    def warnings(self) -> Iterator[str]:
        told = {"fails": f"how often {redundancy_text.UNIT_WORDS[self.asked.failures.of]}s fail"}
        for option in self.asked.assumed:
            yield f"{told.get(option, 'how long a repair takes')} is assumed: --{option} gives yours"
        if "--load" not in self.asked.said:
            yield f"{span(self.asked.load)} to load a replica are assumed: --load gives yours"
        played, whole = span(self.asked.window.seconds), span(self.asked.repair + self.asked.load)
        if self.asked.repair + self.asked.load > self.asked.window.seconds:
            yield f"outages are played for {played} of {whole}, their backlogs too: --for plays more"
        if self.asked.question.rack is None:
            yield redundancy_text.independent(self.asked.failures.of)
        yield "a failure is seen at once, and what it loses is not sent again"

    @property
    def _rank(self) -> str:
        return f"P{units.write_percentile(self.asked.question.slo.percentile)}"


def _does(row: Row) -> str:
    """Return what the fleet does in a case, after a word for it."""
    return HELD.get(row.steady.verdict, f"is {NOT_PROVEN} to hold")


def _verdict(row: Row) -> str:
    return HELD.get(row.steady.verdict, NOT_PROVEN)


def _figures(value: float) -> str:
    """Return a count that may be a mean.

    >>> _figures(4380.0), _figures(4.746)
    ('4,380', '4.75')
    """
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.3g}"


def _points(share: float | None) -> float | None:
    return None if share is None else round(100.0 * share, 2)
