"""What a kept plan's GPUs cost over years as a study: ways to pay, what breaks even, what a request costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from fleettui.domain.commitment import break_even, spares
from fleettui.domain.fleet import counted
from fleettui.domain.money import HOURS, Need, Tariff, Tariffs, Way, moved, ways
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.domain.unit_cost import HOURS_PER_MONTH
from fleettui.reports import units
from fleettui.reports.money_text import Terms, write_terms
from fleettui.reports.price_text import OLD, age
from fleettui.reports.studies.subject import signed_percent

CERTAIN = 0.999
"""Share of the time in which spares make up for spot GPUs that were taken."""
MONTH = 730.0 * 3600.0
UNITS_NOTE = "all that is paid over what was served: each row bears the whole cost, so that rows do not add up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What is served: the tokens of a request on average (None: not known), its `share` served, and the users."""

    prompt: float | None
    output: float | None
    share: float
    users: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What an interruption does as simulated: shares of the requests within every limit without and with one down.

    `none` and `one` are while it lasts, `all` when all that is spot goes at once; None where it was not played.
    """

    none: float | None
    one: float | None
    all: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked: the plan, its fleet, what is needed when, what it is asked of money, and the prices."""

    plan: Answer
    best: Candidate
    day: str
    need: Need
    terms: Terms
    tariffs: Mapping[str, Tariffs]
    use: Use
    taken: Taken | None = None


def money_study(asked: Asked) -> Study:
    """Return the study of the ways to pay for a plan's GPUs; the cheapest is the answer."""
    story = _Story(asked=asked, ways=ways(asked.need, asked.tariffs, spot=asked.terms.spot))
    called = asked.plan.plan
    return Study.of(
        called,
        kind="money",
        title=f"{called.called}: what its GPUs cost over {counted(asked.terms.years, 'year')}",
        question=f"money {called.handle} --day {asked.day} {write_terms(asked.terms)}",
        sentences=story.sentences(),
        tables=(
            story.all_ways(),
            story.mix(),
            story.prices(),
            story.units(),
            story.sensitivity(),
            *story.interruptions(),
        ),
        warnings=story.warnings(),
    )


def cheapest(found: Sequence[Way]) -> Way:
    """Return the way that costs least; of equals the first, which commits to less."""
    return min(found, key=lambda one: round(one.dollars, 6))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """The ways to pay, told in sentences and tables."""

    asked: Asked
    ways: Sequence[Way]
    best: Way = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "best", cheapest(self.ways))

    @property
    def peak(self) -> Way:
        """The most GPUs on demand, paid for all the time."""
        return self.ways[0]

    @property
    def everything(self) -> list[Tariff]:
        """Every price that is used, on demand first."""
        found = []
        for own in self.asked.tariffs.values():
            found += [own.on_demand, *own.committed.values(), *([own.spot] if own.spot else [])]
        return found

    def sentences(self) -> Iterator[str]:
        best, parts = self.best, []
        for part, words in (("reserved", "committed"), ("on_demand", "on demand"), ("spot", "as spot")):
            if best.first(part):
                parts.append(f"{best.first(part)} {words}")
        saved = best.dollars / self.peak.dollars - 1.0
        yield (
            f"cheapest: {best.name}, {' + '.join(parts)} GPUs at most: {units.cents_per_hour(best.per_hour)} on "
            "average, "
            f"{signed_percent(saved)} against the peak on demand all the time, "
            f"{units.dollars_per_hour(self.peak.per_hour)}"
        )
        yield from self._prices()
        for own in self.asked.tariffs.values():
            for one in own.committed.values():
                share = break_even(one.per_hour, own.on_demand.per_hour)
                yield self._break_even(one, share)
        yield self._served()
        if self.asked.taken is not None:
            yield from self._interrupted(self.asked.taken)

    def _break_even(self, one: Tariff, share: float) -> str:
        if share >= 1.0:
            return f"{one.gpu.upper()} {one.name} costs no less than on demand, so it never pays"
        return (
            f"{one.gpu.upper()} {one.name} pays for a GPU that is needed {HOURS_PER_MONTH * share:,.0f} hours a month "
            f"or more, {units.percent(share)} of the time"
        )

    def _prices(self) -> Iterator[str]:
        told = (
            f"{one.gpu.upper()} {one.name} {units.cents_per_hour(one.per_hour)}, {_dated(one)}"
            for one in self.everything
        )
        yield f"prices per GPU: {'; '.join(told)}"

    def _served(self) -> str:
        per_request = self._per_request()
        first = f"{units.dollars(1000 * per_request)} per 1K requests"
        output = self.asked.use.output
        if output:
            first += f", {units.dollars(1e6 * per_request / output)} per 1M output tokens"
        served = "" if self.asked.use.share == 1.0 else f", the {units.percent(self.asked.use.share)} that are served"
        return f"over {counted(self.asked.terms.years, 'year')} of {self.asked.day} that is {first}{served}"

    def _per_request(self) -> float:
        served = self.asked.need.requests * self.asked.use.share
        return self.best.dollars / served if served else math.inf

    def all_ways(self) -> StudyTable:
        """Return the table of the ways to pay."""
        return table_of(
            f"ways to pay, over {counted(self.asked.terms.years, 'year')}",
            self.ways,
            ("way", "text", lambda one: one.name),
            ("committed", "count", lambda one: one.first("reserved")),
            ("spot", "count", lambda one: one.first("spot")),
            ("on_demand", "count", lambda one: one.first("on_demand")),
            ("cost_per_hour", "dollars per hour", lambda one: one.per_hour),
            ("cost_per_year", "dollars per year", lambda one: one.per_hour * HOURS),
            ("of_peak", "share", lambda one: one.dollars / self.peak.dollars),
            note="GPUs at most in the first term; means over all years; of the most GPUs on demand all the time",
        )

    def mix(self) -> StudyTable:
        """Return the table of the cheapest way, by GPU type and term."""
        return table_of(
            f"what to commit to: {self.best.name}",
            self.best.periods,
            ("gpu", "text", lambda one: one.gpu.upper()),
            ("from_year", "count", lambda one: one.start),
            ("to_year", "count", lambda one: one.end),
            ("committed", "count", lambda one: one.reserved),
            ("spot", "count", lambda one: one.cut.spot * one.unit),
            ("on_demand", "count", lambda one: one.cut.on_demand * one.unit),
            ("in_use", "number", lambda one: round(one.unit * one.cut.reserved_use, 2)),
            ("cost_per_hour", "dollars per hour", lambda one: one.cut.cost),
            note="GPUs, spot and on demand at most; in use: of those that are committed, on average",
        )

    def prices(self) -> StudyTable:
        """Return the table of prices, with what breaks even."""
        rents = {gpu: own.on_demand.per_hour for gpu, own in self.asked.tariffs.items()}
        return table_of(
            "prices, and the hours a month from which a GPU is cheaper so than on demand",
            self.everything,
            ("gpu", "text", lambda one: one.gpu.upper()),
            ("class", "text", lambda one: one.name),
            ("per_gpu_hour", "dollars per hour", lambda one: one.per_hour),
            ("seller", "text", lambda one: one.seller),
            ("date", "date", lambda one: one.date or None),
            ("gpus", "count", lambda one: one.gpus),
            ("hours", "number", lambda one: _hours(one, rents[one.gpu])),
            note="US dollars; gpus: that come together; 730 hours a month",
        )

    def units(self) -> StudyTable:
        """Return the table of what is paid for what is served."""
        use, each = self.asked.use, self._per_request()
        served = self.asked.need.requests * use.share / self.asked.terms.years
        rows = [("1,000 requests", 1000 * each)]
        for name, tokens in (("input", use.prompt), ("output", use.output)):
            if tokens:
                rows.append((f"1M {name} tokens", 1e6 * each / tokens))
        if use.prompt and use.output:
            rows.append(("1M tokens of both", 1e6 * each / (use.prompt + use.output)))
        if use.users:
            rows.append(("a user and month", self.best.per_hour * HOURS_PER_MONTH / use.users))
        return table_of(
            f"US dollars for what is served, {served:,.0f} requests a year",
            rows,
            ("for", "text", lambda row: row[0]),
            ("dollars", "number", lambda row: round(row[1], 6)),
            note=UNITS_NOTE,
        )

    def sensitivity(self) -> StudyTable:
        """Return the table of the cheapest way where a price or the load is another."""
        asked = self.asked
        found = [("as it is", self.best), *moved(asked.need, asked.tariffs, cheapest, asked.terms.spot)]
        return table_of(
            "the cheapest way, where prices or the load are another",
            found,
            ("if", "text", lambda row: row[0]),
            ("way", "text", lambda row: row[1].name),
            ("committed", "count", lambda row: row[1].first("reserved")),
            ("cost_per_hour", "dollars per hour", lambda row: row[1].per_hour),
            ("change", "number", lambda row: round(100.0 * (row[1].dollars / self.best.dollars - 1.0), 1)),
            note="each by a fifth, alone; change of the cost in percent",
        )

    def _lost(self) -> tuple[int, float]:
        """Return the spot units of the cheapest way, and how many are missing at a moment on average."""
        count = sum(one.cut.spot for one in self.best.periods if one.start == 0)
        hazard = -math.log(1.0 - self.asked.terms.lost) / MONTH
        return count, count * hazard * self.asked.terms.again

    def _interrupted(self, taken: Taken) -> Iterator[str]:
        count, missing = self._lost()
        if taken.none is None or taken.one is None or not count:
            return
        gone = f"of {counted(count, 'spot unit')} {units.percent(self.asked.terms.lost)} are interrupted a month"
        cost = min(missing, 1.0) * max(0.0, taken.none - taken.one)
        yield (
            f"{gone}, so {missing:.2g} are missing on average; with one replica gone {100 * taken.one:.4g}% of the "
            f"requests are within every limit as simulated, {100 * taken.none:.4g}% with none: it costs "
            f"{100 * cost:.2g} points"
        )
        extra = spares(missing, CERTAIN)
        yield f"as many as are missing 99.9% of the time are replaced by {counted(extra, 'spare unit')} on demand"
        if taken.all is not None:
            yield (
                f"if all spot goes at once, {100 * taken.all:.4g}% are within every limit until it is back; "
                f"{counted(count, 'spare unit')} buy that back, for {units.cents_per_hour(self._spare(count))}"
            )

    def _spare(self, count: int) -> float:
        """Return US dollars an hour of so many spare units on demand, where GPU types differ of the dearest."""
        rents = [one.unit * self.asked.tariffs[one.gpu].on_demand.per_hour for one in self.best.periods]
        return count * max(rents)

    def interruptions(self) -> Iterator[StudyTable]:
        """Yield the table of spot, where it is asked for."""
        if self.asked.taken is None:
            return
        count, missing = self._lost()
        taken, extra = self.asked.taken, spares(missing, CERTAIN)
        rows = [("none gone", taken.none), ("one replica gone", taken.one), ("all spot gone", taken.all)]
        yield table_of(
            f"spot: {counted(count, 'unit')}, {counted(extra, 'spare')} at {units.cents_per_hour(self._spare(extra))}",
            [row for row in rows if row[1] is not None],
            ("gone", "text", lambda row: row[0]),
            ("slo_met", "share", lambda row: row[1]),
            note="requests within every limit while they are gone, as simulated",
        )

    def warnings(self) -> Iterator[str]:
        made = self.asked.plan.plan.created
        old = [one for one in self.everything if (since := age(one.date, made)) is not None and since > OLD]
        for one in old:
            days = age(one.date, made) or timedelta()
            yield f"{one.gpu.upper()} {one.name}: its price is {days.days} days old; --pay {one.name}=... gives yours"
        if self.asked.terms.purchase is not None and self.asked.terms.power_price is None:
            yield "the power of GPUs that are bought is taken at the plan's power-price, 0.10/kWh where it has none"
        bought = self.asked.terms.purchase
        if bought is not None and bought.life > self.asked.terms.years:
            years = counted(self.asked.terms.years, "year")
            yield f"what is bought is written off over {years}, not the {bought.life} that it serves"
        if any(one.gpus > 1 for one in self.everything):
            yield "GPUs that come together are paid for together: their number is rounded up"
        yield "replicas follow the rate at once, in proportion to the plan's: fleettui autoscale says what delays cost"


def _hours(one: Tariff, rent: float) -> float | None:
    return round(HOURS_PER_MONTH * one.per_hour / rent, 1) if one.years and one.per_hour < rent else None


def _dated(one: Tariff) -> str:
    return f"{one.seller}{f' {one.date}' if one.date else ''}"
