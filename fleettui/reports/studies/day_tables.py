"""The tables of an autoscale study: cost against SLO, differences, behaviour, capacity over time, staffing, reasons."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fleettui.autoscaling.policies import POLICIES
from fleettui.domain.autoscale import PolicyFigures, PoolSite, Staffing, Tuned
from fleettui.domain.study import Cell, Declared, StudyTable, table_of
from fleettui.reports import units
from fleettui.reports.studies.day_case import HOUR, DayCase, cost, front
from fleettui.reports.studies.day_course import DayCourse
from fleettui.reports.studies.differences import NOT_PROVEN, change_words

SETTINGS = "settings of each pool"
"""The table from which a hand-off takes what the policies were told."""
AGAINST, COMMITTED = "cost against SLO", "what to commit to"
KEEPS = "keeps"
"""What the tables say of a policy that keeps the SLO and that no other beats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTables:
    """The tables of a case, in their order."""

    case: DayCase

    @property
    def figures(self) -> Sequence[PolicyFigures]:
        """The figures of each policy."""
        return self.case.figures

    def all(self) -> tuple[StudyTable, ...]:
        """Return every table."""
        course = DayCourse(case=self.case)
        return (
            self.costs(),
            self.cost_changes(),
            self.met_changes(),
            self.behaviour(),
            course.over_time(),
            self.staffing(),
            course.decisions(),
            self.laws(),
            self.settings(),
            self.bound(),
            course.of_each(),
            *self.after(),
            *self.came_again(),
            *self.left(),
            *self.tuning(),
            *self.commitments(),
        )

    def costs(self) -> StudyTable:
        """Return the table of cost and SLO, cheapest first."""
        marked = {one.policy for one in front(self.figures)}
        return table_of(
            AGAINST,
            sorted(self.figures, key=cost),
            ("policy", "text", lambda one: one.policy),
            ("gpu_hours", "number", lambda one: one.gpu_hours.value),
            ("cost_per_hour", "dollars per hour", lambda one: one.cost_per_hour.value),
            ("slo_met", "share", lambda one: one.met.value),
            ("low", "share", lambda one: one.met.low),
            ("high", "share", lambda one: one.met.high),
            ("worst", "share", lambda one: one.worst.value),
            ("front", "text", self._place(marked)),
            note="cost on average over the day; SLO met: share of the offered requests within every limit, rejects "
            "count as missed, ends of its 95 % interval over the runs; worst: of the worst 5 minutes; front: no other "
            "is cheaper and safer, keeps: such a one that keeps the SLO, told: knows what comes",
        )

    def _place(self, marked: set[str]) -> Callable[[PolicyFigures], Cell]:
        def place(one: PolicyFigures) -> Cell:
            if POLICIES.named(one.policy).foresees:
                return "told"
            return (KEEPS if self.case.keeps(one) else "front") if one.policy in marked else ""

        return place

    def cost_changes(self) -> StudyTable:
        """Return the table of differences in cost to the policy that all are held to, run by run."""
        other = self.case.held_to
        base = cost(other) or math.nan
        return table_of(
            f"cost against {other.policy}, run by run",
            self._others(),
            ("policy", "text", lambda one: one.policy),
            ("change", "dollars per hour", lambda one: one.cost_change.value),
            ("from", "dollars per hour", lambda one: one.cost_change.low),
            ("to", "dollars per hour", lambda one: one.cost_change.high),
            ("it_costs", "text", lambda one: change_words(one.cost_change, "more", "less")),
            ("of_it", "share", lambda one: cost(one) / base),
            note=f"ends of 95 % intervals of the differences; {NOT_PROVEN} where the difference may be 0",
        )

    def bound(self) -> StudyTable:
        """Return the table of what each policy pays beside what no autoscaler could go below for what it served."""
        return table_of(
            "beside the perfect autoscaler",
            sorted(self.figures, key=cost),
            ("policy", "text", lambda one: one.policy),
            ("gpu_hours", "number", lambda one: one.gpu_hours.value),
            ("slo_met", "share", lambda one: one.met.value),
            ("at_least", "number", lambda one: one.least.value),
            ("over_least", "number", lambda one: (one.gpu_hours.value or 0.0) / (one.least.value or math.nan)),
            ("of_full_load", "number", lambda one: (one.gpu_hours.value or 0.0) / self.case.ideal),
            note="at least: the GPU-hours below which no fleet serves the very requests that a policy served within "
            "every limit: each step as full as an engine can make it, nothing idle or computed twice; held to in every "
            "run; of full load: GPU-hours over those that the whole day's traffic fills where each replica has the "
            "most that it holds, which a policy goes below that runs its replicas fuller",
        )

    def met_changes(self) -> StudyTable:
        """Return the table of differences in the share within every limit, run by run."""
        return table_of(
            f"SLO against {self.case.held_to.policy}, run by run",
            self._others(),
            ("policy", "text", lambda one: one.policy),
            ("change", "share", lambda one: one.met_change.value),
            ("from", "share", lambda one: one.met_change.low),
            ("to", "share", lambda one: one.met_change.high),
            ("it_keeps", "text", lambda one: change_words(one.met_change, "more", "less")),
            note="differences of the shares of the offered requests within every limit",
        )

    def _others(self) -> list[PolicyFigures]:
        return [one for one in self.figures if one.policy != self.case.held_to.policy]

    def after(self) -> tuple[StudyTable, ...]:
        """Return the table of how the policies came through what was not foreseen, where anything was."""
        if not self.case.asked.events:
            return ()
        table = table_of(
            "after what nobody foresaw",
            self.figures,
            ("policy", "text", lambda one: one.policy),
            ("lost", "share", lambda one: one.lost.value),
            ("recovered_in", "seconds", lambda one: one.recovered.value),
            ("low", "seconds", lambda one: one.recovered.low),
            ("high", "seconds", lambda one: one.recovered.high),
            note="lost: requests at replicas that were lost, of all offered; recovered in: from the first event to the "
            "end of the 5-minute spans on end that it spoilt, over the runs",
        )
        return (table,)

    def came_again(self) -> tuple[StudyTable, ...]:
        """Return the table of how often requests came, where they come again that were turned away."""
        if not self.case.asked.rules.retries:
            return ()
        table = table_of(
            "requests that came again",
            self.figures,
            ("policy", "text", lambda one: one.policy),
            ("came", "number", lambda one: one.attempts.value),
            ("low", "number", lambda one: one.attempts.low),
            ("high", "number", lambda one: one.attempts.high),
            ("gave_up", "share", lambda one: one.rejected.value),
            note="came: attempts for each request, which counts once however often it comes; gave up: turned away "
            f"{(self.case.asked.rules.retries or 0) + 1} times; TTFT counts from the first attempt",
        )
        return (table,)

    def left(self) -> tuple[StudyTable, ...]:
        """Return the table of the clients that left, where the plan's do not wait for ever."""
        if self.case.asked.question.bounds.timeout is None:
            return ()
        table = table_of(
            "clients that left",
            self.figures,
            ("policy", "text", lambda one: one.policy),
            ("left", "share", lambda one: one.left.value),
            ("low", "share", lambda one: one.left.low),
            ("high", "share", lambda one: one.left.high),
            ("rejected", "share", lambda one: one.rejected.value),
            note="left: of the offered requests those whose clients had no first token in time and came no more; "
            "rejected: turned away for good; both count as missed",
        )
        return (table,)

    def tuning(self) -> tuple[StudyTable, ...]:
        """Return the table of the tuned policies on the half of the day that they were not tuned on, if any were."""
        if not self.case.tuned:
            return ()
        rows = [row for one in self.case.tuned for row in _judged(one)]
        table = table_of(
            "tuned on the first half, judged on the second",
            rows,
            ("policy", "text", lambda row: row[1].policy),
            ("setting", "text", lambda row: row[0]),
            ("cost_per_hour", "dollars per hour", lambda row: row[1].cost_per_hour.value),
            ("slo_met", "share", lambda row: row[1].met.value),
            ("low", "share", lambda row: row[1].met.low),
            ("high", "share", lambda row: row[1].met.high),
            ("slo", "text", lambda row: "keeps" if self.case.keeps(row[1]) else "breaks"),
            note="the cheapest setting that keeps the SLO on the first half, or the safest where none does, and the "
            "given one; figures of the second half, over other requests; one setting is tuned after the other, and "
            "options of their names take what is chosen",
        )
        return (table,)

    def commitments(self) -> tuple[StudyTable, ...]:
        """Return the table of what is worth committing to under each policy, where committed GPUs have a price."""
        found = self.case.commitments()
        if not found:
            return ()
        table = table_of(
            COMMITTED,
            found,
            ("policy", "text", lambda one: one.policy),
            ("committed", "count", lambda one: one.gpus),
            ("cost_per_hour", "dollars per hour", lambda one: one.cost),
            ("on_demand", "dollars per hour", lambda one: one.on_demand),
            ("saved", "share", lambda one: one.saved),
            note=f"GPUs paid for all day at {units.percent(self.case.asked.reserved or 0.0)} of the price, what is "
            "needed beyond them on demand; in whole replicas, by how the first run went",
        )
        return (table,)

    def behaviour(self) -> StudyTable:
        """Return the table of what each policy does."""
        return table_of(
            "what each does",
            self.figures,
            ("policy", "text", lambda one: one.policy),
            (f"p{units.write_percentile(self.case.share)}_ttft", "seconds", lambda one: one.ttft.value),
            ("rejected", "share", lambda one: one.rejected.value),
            ("over", "number", lambda one: one.over.value),
            ("under", "number", lambda one: one.under.value),
            ("moves", "number", lambda one: one.changes.value),
            ("flaps", "number", lambda one: one.flaps.value),
            ("missed", "seconds", lambda one: one.missed.value),
            note="over: GPU-hours paid for above what the rate fills at full load, under: short of it; moves of the "
            "target a day, and flaps, which turn back within 10 minutes; missed: the longest time below the SLO",
        )

    def staffing(self) -> StudyTable:
        """Return the table of what the estimator's formulas ask for, hour by hour."""
        several = len(self.case.pools) > 1
        rows = [(one, hour) for one in self.case.pools for hour in one.staffing]
        named: list[Declared[tuple[PoolSite, Staffing]]] = [("pool", "text", _pool)] if several else []
        columns: list[Declared[tuple[PoolSite, Staffing]]] = [
            *named,
            ("hour", "number", lambda row: row[1].start / HOUR),
            ("rate", "rate", lambda row: row[1].rate),
            ("in_service", "number", lambda row: row[1].load),
            ("replicas", "count", lambda row: row[1].replicas),
            ("p_wait", "share", lambda row: row[1].wait),
            ("halfin_whitt", "share", lambda row: row[1].halfin_whitt),
        ]
        slots = ", ".join(f"{one.site.slots:.3g}" for one in self.case.pools)
        return table_of(
            "the estimator's plan, by formula",
            rows,
            *columns,
            note=f"L + {self.case.asked.rules.beta:g} x sqrt(L) requests in service, {slots} at a replica at most; the "
            "probability that a request waits by Erlang C and by its limit for large fleets",
        )

    def settings(self) -> StudyTable:
        """Return the table of what the policies were told of each pool, from which they can be deployed."""
        rules = self.case.asked.rules
        return table_of(
            SETTINGS,
            self.case.pools,
            ("pool", "text", lambda one: one.name),
            ("rate_each", "rate", lambda one: one.site.replica_rate),
            ("in_service", "number", lambda one: one.site.slots),
            ("served_in", "seconds", lambda one: one.site.service_time),
            ("starts_in", "seconds", lambda one: one.site.delay),
            ("least", "count", lambda one: one.site.least),
            ("most", "count", lambda one: one.site.most),
            ("target", "share", lambda _: rules.target),
            ("beta", "number", lambda _: rules.beta),
            ("step", "number", lambda _: rules.step),
            ("hold", "seconds", lambda _: rules.hold),
            ("buffer", "count", lambda _: rules.buffer),
            ("cycle", "seconds", lambda _: rules.cycle),
            note="the most that a replica holds, its requests in service then and how long each takes, as simulated; "
            f"bounds in replicas; fleettui handoff {self.case.asked.plan.plan.handle} --for hpa,keda,estimator writes "
            "them",
        )

    def laws(self) -> StudyTable:
        """Return the table of what each policy is."""
        return table_of(
            "the policies",
            [POLICIES.named(one.policy) for one in self.figures],
            ("policy", "text", lambda one: one.name),
            ("law", "text", lambda one: one.law),
        )


def setting(rules: Sequence[tuple[str, float]]) -> str:
    """Return rules and their values in words.

    >>> setting([("beta", 2.5), ("hold", 300.0)]), setting([("target", 0.7)])
    ('beta 2.5, hold 300 s', 'target 70%')
    """
    return ", ".join(
        f"{rule} {100.0 * value:.3g}%" if rule == "target" else f"{rule} {value:.3g}{' s' * (rule == 'hold')}"
        for rule, value in rules
    )


def _judged(one: Tuned) -> list[tuple[str, PolicyFigures]]:
    given = (f"{setting(one.given)}, given", one.as_given)
    return [(f"{setting(one.chosen)}, tuned", one.judged), *([given] if one.chosen != one.given else [])]


def _pool(row: tuple[PoolSite, Staffing]) -> Cell:
    return row[0].name
