"""The tables of a study of money: ways to pay, what to commit to, prices, what is served, and what if."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fleettui.domain.commitment import spares
from fleettui.domain.fleet import counted
from fleettui.domain.limit import BATCH
from fleettui.domain.money import Period, Tariff, Way, buy_or_rent, moved
from fleettui.domain.need import HOURS, MONTHS
from fleettui.domain.study import StudyTable, table_of
from fleettui.domain.unit_cost import HOURS_PER_MONTH
from fleettui.reports import units
from fleettui.reports.studies.money_case import Story, cheapest

CERTAIN = 0.999
"""Share of the time in which spares make up for spot GPUs that were taken."""
UNITS_NOTE = "all that is paid over what was served: each row bears the whole cost, so that rows do not add up"
CLASSES_NOTE = (
    "shared GPUs are split by use: requests of both classes are as long, so each class bears its share of the requests"
)


def tables(story: Story) -> Iterator[StudyTable]:
    """Yield all tables, those of what was not asked for left out."""
    yield from (all_ways(story), mix(story.best), prices(story), served(story), sensitivity(story))
    yield from (*classes(story), *beside(story), *bought(story), *interruptions(story))
    yield from () if story.bound is None else (mix(story.bound),)


def all_ways(story: Story) -> StudyTable:
    """Return the table of the ways to pay."""
    return table_of(
        f"ways to pay, over {counted(story.asked.terms.years, 'year')}",
        story.ways,
        ("way", "text", lambda one: one.name),
        ("committed", "count", lambda one: one.most("reserved")),
        ("spot", "count", lambda one: one.most("spot")),
        ("on_demand", "count", lambda one: one.most("on_demand")),
        ("cost_per_hour", "dollars per hour", lambda one: one.per_hour),
        ("cost_per_year", "dollars per year", lambda one: one.per_hour * HOURS),
        ("of_peak", "share", lambda one: one.dollars / story.peak.dollars),
        note="GPUs at most, dollars on average, over all years; of the peak on demand; without peak: if replicas "
        "followed the rate at once, sized as planned",
    )


def mix(way: Way) -> StudyTable:
    """Return the table of a way to pay, by GPU type and term."""
    grown = "GPUs, on demand from the days on that growth needs them, at most; committed to for the whole term"
    held = "GPUs, held all the time" if way.steady else grown
    used = ("in_use", "number", lambda one: round(one.unit * one.cut.reserved_use, 2))
    return table_of(
        f"what to commit to{'' if way.static else ' if replicas followed the rate at once'}: {way.name}",
        _joined(way.periods),
        ("gpu", "text", lambda one: one.gpu.upper()),
        ("from_year", "number", lambda one: _years(one.start)),
        ("to_year", "number", lambda one: _years(one.end)),
        ("committed", "count", lambda one: one.reserved),
        ("spot", "count", lambda one: one.cut.spot * one.unit),
        ("on_demand", "count", lambda one: one.cut.on_demand * one.unit),
        *(() if way.static else (used,)),
        ("cost_per_hour", "dollars per hour", lambda one: one.cut.cost),
        note=held
        if way.static
        else "GPUs, spot and on demand at most; in use: of those that are committed, on average",
    )


def _joined(periods: Sequence[Period]) -> list[Period]:
    """Return periods with those that follow each other and are alike in all else as one."""
    found: list[Period] = []
    for one in periods:
        last = found[-1] if found else None
        if last is not None and last.end == one.start and replace(last, start=one.start, end=one.end) == one:
            found[-1] = replace(last, end=one.end)
        else:
            found.append(one)
    return found


def _years(months: int) -> int | float:
    whole, rest = divmod(months, MONTHS)
    return whole if rest == 0 else round(months / MONTHS, 2)


def prices(story: Story) -> StudyTable:
    """Return the table of prices, with what breaks even."""
    rents = {gpu: own.on_demand.paid for gpu, own in story.asked.tariffs.items()}
    return table_of(
        "prices, and the hours a month from which a GPU is cheaper so than on demand",
        story.everything,
        ("gpu", "text", lambda one: one.gpu.upper()),
        ("class", "text", lambda one: one.name),
        ("per_gpu_hour", "dollars per hour", lambda one: one.per_hour),
        ("seller", "text", lambda one: one.seller),
        ("date", "date", lambda one: one.date or None),
        ("gpus", "count", lambda one: one.gpus),
        ("hours", "number", lambda one: _hours(one, rents[one.gpu])),
        note="US dollars; gpus: that come together; 730 hours a month",
    )


def _hours(one: Tariff, rent: float) -> float | None:
    return round(HOURS_PER_MONTH * one.paid / rent, 1) if one.months and one.paid < rent else None


def served(story: Story) -> StudyTable:
    """Return the table of what is paid for what is served."""
    use, each = story.asked.use, story.per_request
    rows = [("1,000 requests", 1000 * each)]
    for name, tokens in (("input", use.prompt), ("output", use.output)):
        if tokens:
            rows.append((f"1M {name} tokens", 1e6 * each / tokens))
    if use.prompt and use.output:
        rows.append(("1M tokens of both", 1e6 * each / (use.prompt + use.output)))
    if use.users:
        rows.append(("a user and month", story.per_hour * HOURS_PER_MONTH / use.users))
    return table_of(
        f"US dollars for what is served, {story.served / story.asked.terms.years:,.0f} requests a year",
        rows,
        ("for", "text", lambda row: row[0]),
        ("dollars", "number", lambda row: round(row[1], 6)),
        note=UNITS_NOTE,
    )


def sensitivity(story: Story) -> StudyTable:
    """Return the table of the cheapest way where a price or the load is another."""
    asked = story.asked
    found = [("as it is", story.best), *moved(asked.need, asked.tariffs, cheapest, asked.terms.spot)]
    return table_of(
        "the cheapest way, where prices or the load are another",
        found,
        ("if", "text", lambda row: row[0]),
        ("way", "text", lambda row: row[1].name),
        ("committed", "count", lambda row: row[1].most("reserved")),
        ("cost_per_hour", "dollars per hour", lambda row: row[1].per_hour),
        ("change", "number", lambda row: round(100.0 * (row[1].dollars / story.best.dollars - 1.0), 1)),
        note="each by a fifth, alone; GPUs at most over all years; change of the cost in percent; a load is met in "
        "whole replicas of these pools, as fleettui whatif sizes them",
    )


def classes(story: Story) -> Iterator[StudyTable]:
    """Yield the table of what each class of service bears, where a plan has two."""
    batch = story.asked.batch
    if batch is None:
        return
    output = story.asked.use.output
    yield table_of(
        "by class of service",
        [("interactive", 1.0 - batch), (BATCH, batch)],
        ("class", "text", lambda row: row[0]),
        ("requests", "share", lambda row: row[1]),
        ("cost_per_hour", "dollars per hour", lambda row: row[1] * story.per_hour),
        ("requests_1k", "number", lambda _: round(1000.0 * story.per_request, 6)),
        ("output_1m", "number", lambda _: round(1e6 * story.per_request / output, 6) if output else None),
        note=CLASSES_NOTE,
    )


def beside(story: Story) -> Iterator[StudyTable]:
    """Yield the table of what is typed beside the prices of GPUs, where something is."""
    terms = story.asked.terms
    rows = [
        ("host, in the prices above", terms.host, "a rented GPU and hour", story.host),
        ("egress", terms.egress * 1e9, "GB", story.egress),
        ("storage", terms.storage * HOURS_PER_MONTH, "month", terms.storage),
    ]
    if any(row[1] for row in rows):
        yield table_of(
            "beside the GPUs, as typed",
            [row for row in rows if row[1]],
            ("for", "text", lambda row: row[0]),
            ("dollars", "number", lambda row: round(row[1], 6)),
            ("a", "text", lambda row: row[2]),
            ("cost_per_hour", "dollars per hour", lambda row: row[3]),
            note=f"US dollars; an output token leaves as {terms.token_bytes:g} bytes" if terms.egress else "US dollars",
        )


def bought(story: Story) -> Iterator[StudyTable]:
    """Yield the table of buying against renting, by the years that are looked at, where GPUs are bought."""
    asked = story.asked
    if asked.over:
        yield table_of(
            "to buy or to rent, by years",
            list(buy_or_rent(asked.need, asked.over, cheapest, asked.terms.spot)),
            ("years", "count", lambda row: row[0]),
            ("rented", "text", lambda row: row[1].name),
            ("rent_per_hour", "dollars per hour", lambda row: row[1].per_hour),
            ("bought", "text", lambda row: row[2].name),
            ("buy_per_hour", "dollars per hour", lambda row: row[2].per_hour),
            note="the cheapest of each, on average over the years, in which all that was bought is written off",
        )


def interruptions(story: Story) -> Iterator[StudyTable]:
    """Yield the table of spot, where it is asked for."""
    taken = story.asked.taken
    if taken is None:
        return
    count, missing = story.lost()
    extra = spares(missing, CERTAIN)
    rows = [("none gone", taken.none), ("one unit gone", taken.one), ("all spot gone", taken.all)]
    yield table_of(
        f"spot: {counted(count, 'unit')}, {counted(extra, 'spare')} at {units.cents_per_hour(story.spare(extra))}",
        [row for row in rows if row[1] is not None],
        ("gone", "text", lambda row: row[0]),
        ("slo_met", "share", lambda row: row[1]),
        note="requests within every limit while they are gone, as simulated",
    )
