"""What a question trades for what, as a study: the best fleet for each objective, and the front of cost and TTFT."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fleettui.domain.fleet import Fleet
from fleettui.domain.limit import TTFT
from fleettui.domain.pareto import Tradeoff, Weighed
from fleettui.domain.plan import UNKNOWN_PAIRING, Answer, Candidate
from fleettui.domain.scenario import Objective, Question
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import confidence_text, error_text, fleet_text, units
from fleettui.reports.studies import subject as words

SAME = 1e-6
"""Shares up to which two figures are told as one."""
TELLING = 0.01
"""The least share of latency by which a fleet of the same cost is said to beat another."""
FIGURES: Mapping[Objective, Callable[[Weighed], float]] = {
    "cost": lambda one: one.cost,
    "gpus": lambda one: one.gpus,
    "power": lambda one: one.power,
    "ttft": lambda one: one.ttft,
}
LEAST: Mapping[Objective, str] = {"gpus": "fewest GPUs", "power": "least power"}


def pareto_study(plan: Answer, question: Question, found: Tradeoff) -> Study:
    """Return the study of a trade-off that has a front; `plan` is the one whose question it is."""
    story = _Story(plan=plan, question=question, found=found)
    return Study.of(
        plan.plan,
        sentences=story.sentences(),
        tables=(story.best(), story.front()),
        warnings=_warnings(plan, question, found),
    )


def fleet(value: Fleet, *, dtype: bool = False) -> str:
    """Return a fleet in words with the lengths at which it divides, by which alone two may differ.

    H100 tp4 x4 + tp4 x2 at 4,096; on request with the number format that its pools share.
    """
    splits = " and ".join(units.count(pool.up_to) for pool in value.pools[:-1])
    formats = sorted({pool.dtype for pool in value.pools})
    shared = [formats[0]] if dtype and len(formats) == 1 else []
    return " ".join([*shared, fleet_text.fleet(value), *([f"at {splits}"] if splits else [])])


def dearer(one: Weighed, cheapest: Weighed) -> float | None:
    """Return what a fleet costs more, as a share of the cheapest's cost; None where that is nothing."""
    if not cheapest.cost:
        return None
    share = one.cost / cheapest.cost - 1.0
    return 0.0 if abs(share) < SAME else share


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """A trade-off under a plan's question, told in sentences and tables."""

    plan: Answer
    question: Question
    found: Tradeoff

    @property
    def cheapest(self) -> Weighed:
        return self.found.front[0]

    def sentences(self) -> Iterator[str]:
        fastest, knee = self.found.front[-1], self.found.knee
        if self.cheapest is fastest:
            yield f"the cheapest is the fastest too{self._nominally}: {self._told(fastest)}"
        else:
            yield f"the cheapest{self._nominally}: {self._told(self.cheapest)}"
            yield f"the fastest here: {self._told(fastest)}: {self._change(fastest)}"
        if knee is not None:
            bend = self.found.front[knee]
            yield f"the knee: {self._told(bend)}: {self._change(bend)}; beyond it, faster costs more for less"
        yield from self._other_choices()
        if self.plan.answer is not None:
            yield self._standing(self.plan.answer)

    def best(self) -> StudyTable:
        return table_of(
            "best for each objective",
            self.found.best,
            ("least", "text", lambda row: row[0]),
            ("fleet", "text", lambda row: self._fleet(row[1])),
            ("gpus", "count", lambda row: row[1].gpus),
            ("cost_per_hour", "dollars per hour", lambda row: row[1].cost),
            ("dearer", "share", lambda row: dearer(row[1], self.cheapest)),
            ("power", "watts", lambda row: row[1].power),
            ("ttft", "seconds", lambda row: row[1].ttft),
            ("tpot", "seconds", lambda row: row[1].tpot),
            ("tokens_per_joule", "tokens per joule", lambda row: row[1].tokens_per_joule),
            ("proof", "text", lambda row: words.proof(row[1].simulated)),
            note=f"each at the smallest size that holds, {self._how}; {self._rank} TTFT and TPOT of the worst pool; "
            f"dearer than the cheapest of all; output tokens per joule of the GPUs{self._nominally}",
        )

    def front(self) -> StudyTable:
        standing, count = self.found.standing, units.count(self.found.weighed)
        shown = len(self.found.front)
        fewer = "" if shown == standing else f"{shown} of the {standing} on it are shown; "
        note = (
            f"{fewer}of {count} no other is both as cheap and as fast as one of these: {self.found.found:,} fleets "
            "that hold every limit, and those with one replica more in the worst pool, up to 12 times, as long as "
            f"each gains 2%{self._nominally}"
        )
        return table_of(
            f"the front: {self._rank} TTFT of the worst pool against cost",
            enumerate(self.found.front),
            ("cost_per_hour", "dollars per hour", lambda row: row[1].cost),
            ("ttft", "seconds", lambda row: row[1].ttft),
            ("gpus", "count", lambda row: row[1].gpus),
            ("power", "watts", lambda row: row[1].power),
            ("fleet", "text", lambda row: self._fleet(row[1])),
            ("proof", "text", lambda row: words.proof(row[1].simulated)),
            ("note", "text", lambda row: ", ".join(self._marks(row[0]))),
            note=note,
        )

    def _marks(self, place: int) -> Iterator[str]:
        """Yield what a fleet of the front stands out by."""
        one, own = self.found.front[place], self.plan.answer
        if place == 0:
            yield "cheapest"
        if place == self.found.knee:
            yield "knee"
        if place == len(self.found.front) - 1:
            yield "fastest"
        for objective, best in self.found.best:
            if objective in LEAST and best.fleet == one.fleet:
                yield LEAST[objective]
        if own is not None and fleet(one.fleet, dtype=True) == fleet(own.fleet, dtype=True):
            yield "this plan"
        if unsure := _unsure(self.plan, one.fleet):
            yield unsure

    def _other_choices(self) -> Iterator[str]:
        """Yield where the fewest GPUs, or watts, choose another fleet than the least cost does."""
        cheapest, best, same = self.cheapest, dict(self.found.best), []
        for objective, least in LEAST.items():
            one, figure = best.get(objective), FIGURES[objective]
            if one is None:
                continue
            if figure(one) >= figure(cheapest) * (1.0 - SAME):
                same.append(f"the {least}")
            elif objective == "power":
                watts = f"{units.watts(one.power)} instead of {units.watts(cheapest.power)}"
                yield f"{least}: {self._total(one)}, {watts}: {self._change(one)}"
            else:
                yield f"{least}: {self._total(one)} instead of {cheapest.gpus:,}: {self._change(one)}"
        if same:
            yield f"the cheapest also has {' and '.join(same)}"

    def _standing(self, own: Candidate) -> str:
        """Return where the plan's own fleet stands, as simulated or else by formula as all others do."""
        cost = own.cost_per_hour
        place = next((one for one in self.found.front if one.fleet == own.fleet), None)
        seen = fleet_text.worst(own, TTFT.latency) if own.simulation else None
        ttft = seen.value if seen is not None and seen.value is not None else max(pool.ttft for pool in own.pools)
        how = "as simulated" if seen is not None else "by formula"
        told = f"this plan, {own.gpus:,} GPUs at {units.dollars_per_hour(cost)}, TTFT {units.seconds(ttft)} {how}"
        affordable = [one for one in self.found.front if one.cost <= cost * (1.0 + SAME)]
        if place is None and (not affordable or affordable[-1].ttft > ttft * (1.0 + SAME)):
            return f"{told}: no fleet of the front is both as cheap and as fast"
        rival = affordable[-1] if affordable else place
        if place is not None or rival is None or self._is_level(rival, cost, ttft):
            return f"{told}: on the front, or within {units.percent(TELLING)} of it"
        unlike = self.plan.simulation is not None and not rival.simulated
        return f"{told}: beaten by {self._told(rival)}{', by formula' * unlike}{self._nominally}"

    def _is_level(self, rival: Weighed, cost: float, ttft: float) -> bool:
        return rival.cost >= cost * (1.0 - SAME) and rival.ttft >= ttft * (1.0 - TELLING)

    def _told(self, one: Weighed) -> str:
        known = "~" if self.plan.simulation and not one.simulated else ""
        told = f"{self._total(one)}, {units.dollars_per_hour(one.cost)}, TTFT {known}{units.seconds(one.ttft)}"
        unsure = _unsure(self.plan, one.fleet)
        return f"{told} ({unsure})" if unsure else told

    def _total(self, one: Weighed) -> str:
        return f"{fleet_text.gpu_total(one.fleet)} ({self._fleet(one)})"

    def _fleet(self, one: Weighed) -> str:
        return fleet(one.fleet, dtype=self.question.dtype == "auto")

    def _change(self, one: Weighed) -> str:
        """Return what a fleet costs more than the cheapest, and how much faster or slower it is."""
        share = dearer(one, self.cheapest)
        more = units.dollars_per_hour(one.cost - self.cheapest.cost)
        cost = f"{more} more" if share is None else f"{words.signed_percent(share)} cost"
        return f"{cost}, {words.signed_percent(one.ttft / self.cheapest.ttft - 1.0)} TTFT"

    @property
    def _how(self) -> str:
        """How the figures are known where nothing else is said."""
        seen = self.plan.answer is not None and self.plan.answer.simulation is not None
        return words.CORRECTED if seen else words.FORMULA

    @property
    def _nominally(self) -> str:
        return confidence_text.nominally(self.question.confidence)

    @property
    def _rank(self) -> str:
        return f"P{units.write_percentile(self.question.slo.percentile)}"


def _unsure(plan: Answer, value: Fleet) -> str:
    """Return how the speeds of a fleet's hardware are known where that is much less well than those of the plan's.

    Such a fleet is no answer: it may turn out to cost as much.
    """
    own, kinds = plan.answer, {*value.gpus_by_type}
    if own is None:
        return ""
    lesser = (one for one in plan.candidates if {*one.fleet.gpus_by_type} <= kinds and own.known_better_than(one))
    return next(map(error_text.known_by, lesser), "")


def _warnings(plan: Answer, question: Question, found: Tradeoff) -> Iterator[str]:
    own, best = plan.answer, dict(found.best).get(question.objective)
    cheaper = best is not None and own is not None and best.cost < own.cost_per_hour * (1.0 - SAME)
    alike = question.objective == "cost" and question.confidence is None
    if own is not None and best is not None and own.simulation and alike and cheaper:
        known = "holds as simulated" if best.simulated else "may do, by formula"
        less, unsure = units.dollars_per_hour(own.cost_per_hour - best.cost), _unsure(plan, best.fleet)
        remedy = unsure or "fleettui verify proves a candidate"
        yield f"{fleet_text.fleet(best.fleet)} {known}: {less} less; {remedy}"
    if question.demand.form == "concurrency":
        rate = words.rate(plan.demand.rate)
        yield f"all at {rate}, where a closed loop sends each fleet its own: f plans it"
    yield from (one for one in plan.warnings if one.startswith(UNKNOWN_PAIRING))
